//! A claimed session's place in the world, and the one way out of it.
//!
//! Whoever holds a [`Seat`] has a claimed session, and perhaps a body in a zone. Giving it
//! up, dropping it, a panic that unwinds through it: each ends in the same release, which
//! runs once, in a task of its own that nobody can cancel. After a loss that task waits for
//! as long as the session does.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::commands::{CommandBook, SessionCommands};
use super::endpoint::Alive;
use super::session_host::SessionHost;
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::disconnect::EndReason;
use crate::flows::lose_connection::Embodied;
use crate::session_handle::SessionControl;

/// How long a Bye waits for the session's end to be saved, so that a client that has its
/// Bye finds its character where it left it. A store that takes longer goes on alone.
pub(super) const SAVE_BEFORE_BYE: Duration = Duration::from_secs(2);

/// See the module.
#[must_use = "dropping a seat ends its session"]
pub(super) struct Seat<H: SessionHost> {
    held: Option<Held<H>>,
}

struct Held<H> {
    host: Arc<H>,
    session: PendingRealtimeSession,
    claim: ClaimGeneration,
    control: SessionControl,
    commands: SessionCommands,
    book: CommandBook,
    body: Option<Embodied>,
    /// Whether the client was heard on this connection.
    heard: bool,
    /// Keeps a draining server from closing before the release is through.
    _alive: Alive,
}

impl<H: SessionHost> Seat<H> {
    pub(super) fn new(
        host: Arc<H>,
        session: PendingRealtimeSession,
        claim: ClaimGeneration,
        control: SessionControl,
        book: CommandBook,
        alive: Alive,
    ) -> Self {
        let commands = book.of(&session);
        let held = Held {
            host,
            session,
            claim,
            control,
            commands,
            book,
            body: None,
            heard: false,
            _alive: alive,
        };
        Self { held: Some(held) }
    }

    /// Notes the body, which the release will take out of its zone.
    pub(super) fn embody(&mut self, body: Embodied) {
        self.held().body = Some(body);
    }

    /// Notes that the client says something, so it has had its Welcome.
    pub(super) fn hear(&mut self) {
        let held = self.held();
        if !held.heard {
            held.heard = true;
            held.host.acknowledge(&held.session, held.claim);
        }
    }

    pub(super) fn control(&mut self) -> &mut SessionControl {
        &mut self.held().control
    }

    pub(super) fn host(&mut self) -> Arc<H> {
        self.held().host.clone()
    }

    /// What the session knows of its commands, over every connection that it has.
    pub(super) fn commands(&mut self) -> SessionCommands {
        self.held().commands.clone()
    }

    /// Gives the seat up. Where the session leaves the world with it, this returns when that
    /// is saved, or after [`SAVE_BEFORE_BYE`].
    pub(super) async fn leave(mut self, reason: EndReason) {
        if let Some(release) = self.release(reason)
            && !reason.is_loss()
        {
            let _ = timeout(SAVE_BEFORE_BYE, release).await;
        }
    }

    fn held(&mut self) -> &mut Held<H> {
        self.held.as_mut().expect("a seat is held until it is left, which consumes it")
    }

    fn release(&mut self, reason: EndReason) -> Option<JoinHandle<()>> {
        let held = self.held.take()?;
        // Without a runtime the process is ending, and there is nobody left to wait.
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(held.release(reason)))
    }
}

impl<H: SessionHost> Drop for Seat<H> {
    fn drop(&mut self) {
        self.release(EndReason::Lost);
    }
}

impl<H: SessionHost> Held<H> {
    async fn release(mut self, mut reason: EndReason) {
        // Without a body there is nothing to wait with: such a session ends.
        if let Some(body) = &self.body
            && reason.is_loss()
        {
            let (session, control) = (&self.session, &mut self.control);
            reason = self.host.lose(session, self.claim, body, reason, control).await;
        }
        if self.host.begin_end(&self.session, self.claim) {
            let last = match &self.body {
                Some(body) => body.zone.leave(body.entity).await,
                None => None,
            };
            self.host.disconnect(&self.session, last, reason).await;
            self.book.close(&self.session);
        }
        self.control.finish();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use shared::ids::{CharacterId, Placement, SessionEpoch, UnixMillis};
    use shared::realtime::command::CommandSequence;
    use shared::realtime::message::{ByeCode, RealtimeHello};
    use shared::world::Tile;
    use tokio::sync::mpsc;

    use super::super::tests::session;
    use super::*;
    use crate::flows::activate_session::ActivatedSession;
    use crate::session_handle::session_channel;
    use crate::stores::{GatherOutcome, StoreResult};
    use crate::world::zone::ZoneHandle;

    #[derive(Default)]
    struct Ends(Mutex<Vec<EndReason>>);

    #[async_trait]
    impl SessionHost for Ends {
        async fn activate(&self, _: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
            Err(ByeCode::UnknownSession)
        }

        fn acknowledge(&self, _: &PendingRealtimeSession, _: ClaimGeneration) {}

        async fn lose(
            &self,
            _: &PendingRealtimeSession,
            _: ClaimGeneration,
            _: &Embodied,
            lost: EndReason,
            _: &mut SessionControl,
        ) -> EndReason {
            lost
        }

        fn begin_end(&self, _: &PendingRealtimeSession, _: ClaimGeneration) -> bool {
            true
        }

        async fn disconnect(&self, _: &PendingRealtimeSession, _: Option<Tile>, end: EndReason) {
            self.0.lock().unwrap().push(end);
        }

        async fn gather(
            &self,
            _: CharacterId,
            _: SessionEpoch,
            _: CommandSequence,
        ) -> StoreResult<GatherOutcome> {
            Ok(GatherOutcome::Stale)
        }

        fn zone(&self, _: &Placement) -> Option<ZoneHandle> {
            None
        }

        fn publish_certificates(&self, _: &[String]) {}

        fn now(&self) -> UnixMillis {
            UnixMillis(0)
        }
    }

    async fn ends_of(use_it: impl FnOnce(Seat<Ends>) -> JoinHandle<()>) -> Vec<EndReason> {
        let host = Arc::new(Ends::default());
        let (handle, control) = session_channel();
        let (alive, mut all_gone) = mpsc::channel(1);
        let session = session(1, &"session-of-a-test".parse().unwrap());
        let book = CommandBook::default();
        let using =
            use_it(Seat::new(host.clone(), session, ClaimGeneration::FIRST, control, book, alive));
        assert!(all_gone.recv().await.is_none());
        handle.ended().await;
        // A panic of the serving task is its own affair.
        let _ = using.await;
        host.0.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn leaving_releases_once_with_its_reason() {
        let ends = ends_of(|seat| tokio::spawn(seat.leave(EndReason::LoggedOut))).await;
        assert_eq!(ends, [EndReason::LoggedOut]);
    }

    #[tokio::test]
    async fn a_panic_while_serving_still_releases_once() {
        let ends = ends_of(|seat| {
            tokio::spawn(async move {
                let _seat = seat;
                panic!("on purpose");
            })
        })
        .await;
        assert_eq!(ends, [EndReason::Lost]);
    }

    #[tokio::test]
    async fn a_cancelled_task_still_releases_once() {
        let ends = ends_of(|seat| {
            let serving = tokio::spawn(async move {
                let _seat = seat;
                std::future::pending::<()>().await;
            });
            serving.abort();
            serving
        })
        .await;
        assert_eq!(ends, [EndReason::Lost]);
    }
}
