//! The ways to the tasks of live sessions, for connections that claim one of them again.
//!
//! A session has one task for as long as it lives, which owns its seat and its body. A later
//! connection is handed to that task and never becomes a second owner, so no cleanup of an
//! earlier connection can touch what belongs to a later one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::secret::{ResumeToken, SessionToken};
use tokio::sync::mpsc;

use super::session::Wire;

/// Connections that wait for one session's task at a time. The newest counts, so there is no
/// use for many.
pub(super) const WAITING_ARRIVALS: usize = 8;

/// A connection that has claimed a session again.
pub(super) struct Arrival {
    pub(super) wire: Wire,
    /// Which connection of the session this is, counted from one.
    pub(super) claims: u64,
    /// The secret of the next claim.
    pub(super) resume_token: ResumeToken,
}

/// See the module. Clones lead to the same sessions.
#[derive(Clone, Default)]
pub(super) struct SessionDoors(Arc<Mutex<BTreeMap<SessionToken, mpsc::Sender<Arrival>>>>);

/// A session's own door; dropping it closes the door.
pub(super) struct Door {
    doors: SessionDoors,
    token: SessionToken,
    arrivals: mpsc::Receiver<Arrival>,
}

impl SessionDoors {
    /// Opens the door of a session that has just begun.
    pub(super) fn open(&self, token: SessionToken) -> Door {
        let (sender, arrivals) = mpsc::channel(WAITING_ARRIVALS);
        self.lock().insert(token.clone(), sender);
        Door { doors: self.clone(), token, arrivals }
    }

    /// Hands a connection to the task of its session.
    ///
    /// # Errors
    /// The connection, where the session has no task (any more), or too many wait there.
    pub(super) fn knock(&self, token: &SessionToken, arrival: Arrival) -> Result<(), Box<Arrival>> {
        let Some(door) = self.lock().get(token).cloned() else { return Err(Box::new(arrival)) };
        door.try_send(arrival).map_err(|refused| Box::new(refused.into_inner()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionToken, mpsc::Sender<Arrival>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// The next connection.
    pub(super) async fn next(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The sender lives in the map for as long as this does.
            None => std::future::pending().await,
        }
    }

    /// Closes the door, and gives who still waited there.
    pub(super) fn close(mut self) -> Vec<Arrival> {
        self.doors.lock().remove(&self.token);
        std::iter::from_fn(|| self.arrivals.try_recv().ok()).collect()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.doors.lock().remove(&self.token);
    }
}
