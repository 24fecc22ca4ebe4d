//! Ending sessions of this instance because somebody else asks: a takeover, another
//! character of the account, a logout. Who plays saves and leaves first.

use std::time::Duration;

use async_trait::async_trait;
use shared::control_plane::InstanceDrain;
use shared::coordination::ReleaseRequest;
use shared::realtime::message::ByeCode;

use super::disconnect;
use crate::domain::session_directory::{Displaced, PendingRealtimeSession};
use crate::game::GameServer;
use crate::peers::session_holders::SessionHolder;
use crate::session_handle::SessionHandle;

/// How long somebody waits for sessions to save and leave. After that it goes on: the
/// raised epoch refuses whatever the old session still writes.
pub const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

#[async_trait]
impl SessionHolder for GameServer {
    async fn release(&self, request: &ReleaseRequest) {
        let leaving = begin_release(self, request).await;
        all_left(&leaving).await;
    }

    fn drain(&self, request: &InstanceDrain) {
        tracing::info!(draining = request.draining, "whether new players are admitted");
        self.directory().set_closed(request.draining);
    }
}

/// Asks the sessions in question to end, without waiting for it; gives those that play.
pub async fn begin_release(game: &GameServer, request: &ReleaseRequest) -> Vec<SessionHandle> {
    let code = match request {
        ReleaseRequest::Character { .. } | ReleaseRequest::EarlierEntries { .. } => {
            ByeCode::Superseded
        }
        ReleaseRequest::Login { .. } | ReleaseRequest::Account { .. } => ByeCode::LoginEnded,
    };
    let displaced = game.directory().let_go(request);
    end_displaced(game, displaced, code).await
}

/// Ends what was pushed out: pending sessions lose their records, live ones are asked to
/// save and leave, and given to be waited for.
pub async fn end_displaced(
    game: &GameServer,
    displaced: Displaced<SessionHandle>,
    code: ByeCode,
) -> Vec<SessionHandle> {
    for session in &displaced.live {
        session.end(code);
    }
    for session in &displaced.pending {
        disconnect::remove_records(game, session).await;
    }
    displaced.live
}

/// Asks one claimed session to end, whichever connection it has by now.
pub fn end_one(game: &GameServer, session: &PendingRealtimeSession, code: ByeCode) {
    let asked = game.directory().ask_to_end(|active| {
        active.session.session_token == session.session_token
            && active.session.character.epoch == session.character.epoch
    });
    for handle in asked {
        handle.end(code);
    }
}

/// Waits a bounded time until sessions have saved and left.
pub async fn all_left(leaving: &[SessionHandle]) {
    let left = async {
        for session in leaving {
            session.ended().await;
        }
    };
    if tokio::time::timeout(RELEASE_TIMEOUT, left).await.is_err() {
        tracing::warn!("a session did not leave in time; its epoch keeps it from writing");
    }
}
