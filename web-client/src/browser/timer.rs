//! Waiting, without a timer that nobody owns: the future of [`after`] is a task's own.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use gloo_timers::future::TimeoutFuture;

/// Resolves once `wait` is over.
pub async fn after(wait: Duration) {
    TimeoutFuture::new(u32::try_from(wait.as_millis()).unwrap_or(u32::MAX)).await;
}

/// What `work` comes to within `limit`; dropped, and `None`, after that.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut deadline = pin!(after(limit));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => deadline.as_mut().poll(context).map(|()| None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    async fn work_that_takes_too_long_is_given_up() {
        let limit = Duration::from_millis(5);
        assert_eq!(within(limit, ready(7)).await, Some(7));
        assert_eq!(within(limit, pending::<u8>()).await, None);
        let soon = async { after(Duration::from_millis(1)).await };
        assert_eq!(within(Duration::from_secs(5), soon).await, Some(()));
    }
}
