//! Time and chance enter the page here, and nowhere else.
#![allow(clippy::disallowed_methods, reason = "the one door for time and chance")]

use shared::ids::{AttemptId, UnixMillis};

/// Milliseconds of the page's monotonic clock.
#[must_use]
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// The wall clock, for the end of a stored login.
#[must_use]
pub fn unix_now() -> UnixMillis {
    UnixMillis(js_sys::Date::now().max(0.0) as u64)
}

/// An id for a new wish to enter the world. `None` where the browser's source of chance
/// fails; `crypto.getRandomValues` itself is there on insecure origins as well.
#[must_use]
pub fn new_attempt_id() -> Option<AttemptId> {
    let mut bytes = [0u8; 16];
    web_sys::window()?.crypto().ok()?.get_random_values_with_u8_array(&mut bytes).ok()?;
    Some(AttemptId::new(uuid::Builder::from_random_bytes(bytes).into_uuid()))
}
