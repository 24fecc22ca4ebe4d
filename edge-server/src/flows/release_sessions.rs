//! Ending sessions of this instance because somebody else asks: a takeover, another
//! character of the account, a logout. Who plays saves and leaves first.

use std::time::Duration;

use async_trait::async_trait;
use shared::coordination::ReleaseRequest;
use shared::realtime::message::ByeCode;

use super::disconnect;
use crate::domain::session_directory::Displaced;
use crate::game::GameServer;
use crate::peers::session_holders::SessionHolder;
use crate::session_handle::SessionHandle;

/// How long somebody waits for sessions to save and leave. After that it goes on: the
/// raised epoch refuses whatever the old session still writes.
pub const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

#[async_trait]
impl SessionHolder for GameServer {
    async fn release(&self, request: &ReleaseRequest) {
        let code = match request {
            ReleaseRequest::Character { .. } | ReleaseRequest::EarlierEntries { .. } => {
                ByeCode::Superseded
            }
            ReleaseRequest::Login { .. } | ReleaseRequest::Account { .. } => ByeCode::LoggedOut,
        };
        let displaced = self.directory().let_go(request);
        end_displaced(self, displaced, code).await;
    }
}

/// Ends what was pushed out: pending sessions lose their records, live ones save and leave.
pub async fn end_displaced(game: &GameServer, displaced: Displaced<SessionHandle>, code: ByeCode) {
    for session in &displaced.live {
        session.end(code);
    }
    let all_ended = async {
        for session in &displaced.pending {
            disconnect::remove_records(game, session).await;
        }
        for session in &displaced.live {
            session.ended().await;
        }
    };
    if tokio::time::timeout(RELEASE_TIMEOUT, all_ended).await.is_err() {
        tracing::warn!("a session did not leave in time; its epoch keeps it from writing");
    }
}
