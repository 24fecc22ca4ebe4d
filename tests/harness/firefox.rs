//! Firefox, each with a driver of its own: geckodriver serves one browser at a time. What is
//! Chromium's alone, such as the emulation of a phone, is not there.

use thirtyfour::DesiredCapabilities;
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;

use crate::browser::{Browser, Console, ERROR, Viewport};
use crate::driver::Driver;
use crate::repository;

/// What stands before the port in the line that says that it listens.
const LISTENING: &str = "Listening on 127.0.0.1:";

/// Opens a browser with a fresh profile; `journey` begins the names of its pictures.
///
/// # Panics
/// If it is not there, or the viewport is a phone's.
pub async fn open(journey: &str, viewport: Viewport) -> Browser {
    assert!(!viewport.touch, "Firefox emulates no phone");
    let driver = repository::geckodriver();
    let driver = Driver::start(&driver, "AETHER_GECKODRIVER", LISTENING).await;
    let mut wishes = DesiredCapabilities::firefox();
    let binary = repository::firefox();
    wishes.set_firefox_binary(&binary.to_string_lossy()).expect("a path is a wish");
    wishes.set_headless().expect("an argument is a wish");
    let mut preferences = FirefoxPreferences::new();
    // Its driver gives no console, so the page's goes to the output, and the browser's own
    // stays out of it.
    preferences.set("devtools.console.stdout.content", true).expect("a preference is a wish");
    preferences.set("devtools.console.stdout.chrome", false).expect("a preference is a wish");
    // Experiments of the vendor's would change the browser under the tests.
    preferences.set("app.normandy.enabled", false).expect("a preference is a wish");
    wishes.set_preferences(preferences).expect("preferences are a wish");
    let advice = format!("{} is named by AETHER_FIREFOX", binary.display());
    let url = driver.url().to_owned();
    Browser::open(&url, wishes, Console::Printed(Box::new(driver)), &advice, journey, viewport)
        .await
}

/// The page's console in what Firefox prints, level and text, as Chromium's driver gives it.
pub(crate) fn console(output: Vec<String>) -> Vec<(String, String)> {
    let level = |line: &str| {
        if let Some(source) = line.strip_prefix("JavaScript error: ") {
            // The browser is written in JavaScript as well.
            let of_the_browser =
                ["resource:", "chrome:"].iter().any(|scheme| source.starts_with(scheme));
            return (!of_the_browser).then_some(ERROR);
        }
        let (level, text) = line.strip_prefix("console.")?.split_once(": ")?;
        // The browser's own parts put their names before what they say, without quotes.
        if !text.starts_with('"') {
            return None;
        }
        match level {
            "error" | "assert" => Some(ERROR),
            "warn" => Some("WARNING"),
            _ => Some("INFO"),
        }
    };
    let entry = |line: String| Some((level(&line)?.to_owned(), line));
    output.into_iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_errors_are_told_from_the_browsers() {
        let levels = |line: &str| {
            let entries = console(vec![line.to_owned()]);
            entries.into_iter().map(|(level, _)| level).next()
        };
        let error = Some(ERROR.to_owned());
        assert_eq!(levels("JavaScript error: http://127.0.0.1:1/a.js, line 1: Error: x"), error);
        assert_eq!(levels("console.error: \"panicked\""), error);
        assert_eq!(levels("console.warn: \"slow\""), Some("WARNING".to_owned()));
        assert_eq!(levels("JavaScript error: resource://gre/x.sys.mjs, line 1: Error: x"), None);
        assert_eq!(levels("console.error: RSLoader: "), None);
        assert_eq!(levels("*** You are running in headless mode."), None);
    }
}
