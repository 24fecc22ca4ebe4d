//! The two ends by which a live session is asked to end and tells that it has.
//!
//! The directory keeps the [`SessionHandle`]; the task that serves the connection owns
//! the [`SessionControl`]. Dropping the control counts as having ended, so a task that
//! panics never leaves anybody waiting.

use shared::realtime::message::ByeCode;
use tokio::sync::watch;

/// The directory's end.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    end: watch::Sender<Option<ByeCode>>,
    ended: watch::Receiver<bool>,
}

/// The serving task's end.
#[derive(Debug)]
pub struct SessionControl {
    end: watch::Receiver<Option<ByeCode>>,
    ended: watch::Sender<bool>,
}

/// Both ends of a new session.
#[must_use]
pub fn session_channel() -> (SessionHandle, SessionControl) {
    let (end_sender, end_receiver) = watch::channel(None);
    let (ended_sender, ended_receiver) = watch::channel(false);
    (
        SessionHandle { end: end_sender, ended: ended_receiver },
        SessionControl { end: end_receiver, ended: ended_sender },
    )
}

impl SessionHandle {
    /// Asks the session to end with this code; the first asker's code counts.
    pub fn end(&self, code: ByeCode) {
        self.end.send_if_modified(|end| {
            let first = end.is_none();
            if first {
                *end = Some(code);
            }
            first
        });
    }

    /// Waits until the session has saved its character and left the world. The caller
    /// bounds the wait.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        // An error means that the serving task is gone, which is an end as well.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

impl SessionControl {
    /// Waits until somebody asks the session to end.
    pub async fn asked_to_end(&mut self) -> ByeCode {
        match self.end.wait_for(Option::is_some).await {
            Ok(code) => code.unwrap_or(ByeCode::ShuttingDown),
            // The directory dropped its handle without asking: the process is stopping.
            Err(_) => ByeCode::ShuttingDown,
        }
    }

    /// Tells whoever waits that the session has ended.
    pub fn finish(self) {
        self.ended.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_to_end_counts() {
        let (handle, mut control) = session_channel();
        handle.end(ByeCode::Superseded);
        handle.end(ByeCode::ShuttingDown);
        assert_eq!(control.asked_to_end().await, ByeCode::Superseded);
        control.finish();
        handle.ended().await;
    }

    #[tokio::test]
    async fn a_task_that_dies_counts_as_ended() {
        let (handle, control) = session_channel();
        drop(control);
        handle.ended().await;
    }
}
