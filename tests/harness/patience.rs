//! How long the tests wait for what, each bound in one place. They are far above what the
//! events take, because a test machine may be busy; no test that passes waits them out.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, timeout};

/// From starting the server to its line on standard output.
pub const SERVER_READY: Duration = Duration::from_secs(30);
/// From SIGTERM to the end of the process: the server's own drain limit and some more.
pub const SERVER_STOPPED: Duration = Duration::from_secs(20);
/// From SIGKILL to the end of the process.
pub const SERVER_KILLED: Duration = Duration::from_secs(5);
/// For a command that does its work and ends.
pub const COMMAND_DONE: Duration = Duration::from_secs(30);
/// For one HTTP answer: the server's own limit of 15 seconds and some more.
pub const HTTP_ANSWER: Duration = Duration::from_secs(20);
/// For a dial, and for the answer to a hello.
pub const DIALLED: Duration = Duration::from_secs(10);
/// For something that the server does of its own accord within a tick or a heartbeat.
pub const HAPPENED: Duration = Duration::from_secs(10);
/// For the lease of a game server that does not tell of itself any more to lapse: ten seconds
/// from its last heartbeat, and some more.
pub const LAPSED: Duration = Duration::from_secs(20);
/// For a player to be in the world again after a fault, once everything is back: two
/// leases, should a part have to wait for them.
pub const BACK_IN: Duration = Duration::from_secs(25);
/// For the seats of sessions that nobody has claimed to be free again: thirty seconds from
/// their handshake, and some more.
pub const SEATS_FREE: Duration = Duration::from_secs(45);
/// For a walk across a map.
pub const ARRIVED: Duration = Duration::from_secs(40);
/// For the first step after a key, a click or a tap. What leads nowhere, such as a key
/// towards a wall, costs this long.
pub const STEPPED: Duration = Duration::from_secs(5);
/// From starting a browser's driver to its line on standard output.
pub const DRIVER_READY: Duration = Duration::from_secs(30);
/// From asking a driver to end until nothing of it and its browser is left.
pub const DRIVER_ENDED: Duration = Duration::from_secs(20);
/// From starting redis-server to its line on standard output.
pub const REDIS_READY: Duration = Duration::from_secs(10);
/// For a screen of the page to appear, the first download and compilation included.
pub const SCREEN_SHOWN: Duration = Duration::from_secs(30);
/// For what moves on a screen to come to rest before its picture is taken.
pub const SETTLED: Duration = Duration::from_secs(3);
/// How long outages of parts last that everybody shall outlive: twice the lease of a game
/// server. It is waited out, as it is what such a test is about.
pub const OUTAGE: Duration = Duration::from_secs(20);
/// For places to be saved once the store is back: the saver's turn of a second, a connection,
/// and some more.
pub const SAVED_AFTER: Duration = Duration::from_secs(5);
/// Between two looks at something that tells nobody when it changes.
pub const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Looks again and again until there is something to see.
///
/// # Panics
/// When `bound` is over; `what` says what was waited for.
pub async fn eventually<T>(
    what: &str,
    bound: Duration,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let looking = async {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if let Some(seen) = look().await {
                return seen;
            }
        }
    };
    match timeout(bound, looking).await {
        Ok(seen) => seen,
        Err(_) => panic!("waited {bound:?} in vain until {what}"),
    }
}

/// Looks again and again for as long as something lasts; each look has to come to its end.
pub async fn throughout(bound: Duration, mut look: impl AsyncFnMut()) {
    let looking = async {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            look().await;
        }
    };
    let _: Result<(), _> = timeout(bound, looking).await;
}

/// Awaits an event that has to come.
///
/// # Panics
/// When `bound` is over; `what` says what was waited for.
pub async fn within<T>(what: &str, bound: Duration, event: impl Future<Output = T>) -> T {
    match timeout(bound, event).await {
        Ok(seen) => seen,
        Err(_) => panic!("waited {bound:?} in vain until {what}"),
    }
}
