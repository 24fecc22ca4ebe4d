//! Stopping: the first Ctrl-C or SIGTERM drains, a second one ends the process at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels `stopping` at the first signal; exits with 130 at the second.
///
/// # Errors
/// If the system refuses a signal handler.
pub fn on_signals(stopping: CancellationToken) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        for round in 0..2 {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if round == 0 {
                tracing::info!("stopping: players are told and saved; signal again to end now");
                stopping.cancel();
            }
        }
        tracing::warn!("ended by a second signal");
        std::process::exit(130);
    });
    Ok(())
}
