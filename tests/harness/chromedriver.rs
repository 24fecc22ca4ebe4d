//! Chromium and its driver, which opens as many browsers as a test wants.

use serde_json::json;
use thirtyfour::{ChromiumLikeCapabilities, DesiredCapabilities, LoggingPrefsLogLevel};

use crate::browser::{Browser, Console, Viewport};
use crate::driver::Driver;
use crate::repository;

/// What stands before the port in the line that says that it listens.
const LISTENING: &str = "started successfully on port ";

/// Quiet starts without the browser's own business. QUIC stays as it is: the game needs it.
const ARGUMENTS: [&str; 13] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    // Two windows take turns in front; the one behind plays on.
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
];

/// A running chromedriver. Dropping it ends it; browsers that it opened have to be
/// [closed](Browser::close) before.
#[derive(Debug)]
pub struct Chromedriver(Driver);

impl Chromedriver {
    /// Starts it and waits until it listens.
    ///
    /// # Panics
    /// If it is not there or does not come up.
    pub async fn start() -> Self {
        let program = repository::chromedriver();
        Self(Driver::start(&program, "AETHER_CHROMEDRIVER", LISTENING).await)
    }

    /// Opens a browser; `journey` begins the names of its pictures.
    ///
    /// # Panics
    /// If the driver cannot.
    pub async fn open(&self, journey: &str, viewport: Viewport) -> Browser {
        let mut wishes = DesiredCapabilities::chrome();
        let binary = repository::chromium();
        wishes.set_binary(&binary.to_string_lossy()).expect("a path is a wish");
        for argument in ARGUMENTS {
            wishes.add_arg(argument).expect("an argument is a wish");
        }
        wishes.set_browser_log_level(LoggingPrefsLogLevel::All).expect("a level is a wish");
        if viewport.touch {
            let phone = json!({ "deviceMetrics": {
                "width": viewport.width, "height": viewport.height,
                "pixelRatio": 2.0, "touch": true, "mobile": true,
            }});
            wishes.add_experimental_option("mobileEmulation", phone).expect("a wish");
        }
        let advice = format!("{} is named by AETHER_CHROMIUM", binary.display());
        Browser::open(self.0.url(), wishes, Console::Asked, &advice, journey, viewport).await
    }
}
