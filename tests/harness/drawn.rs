//! What a page shows or gives away beside its elements: what is painted on the world's
//! canvas, and what is copied. Chromium alone lets a test listen to it.

use serde_json::Value;
use shared::realtime::command::Emote;

use crate::browser::Browser;
use crate::patience::{SCREEN_SHOWN, eventually};

/// Notes when a canvas in the page was last given a canvas with words on it, or a sign of the
/// sheet of signs by its place in it.
const WATCH_CANVAS: &str = "
    const drawn = window.drawnForTests = new Map();
    const painter = CanvasRenderingContext2D.prototype;
    const { fillText, drawImage } = painter;
    painter.fillText = function (text, ...where) {
        const before = this.canvas.wordsForTests;
        this.canvas.wordsForTests = before ? `${before} ${text}` : text;
        return fillText.call(this, text, ...where);
    };
    painter.drawImage = function (picture, ...where) {
        if (this.canvas.isConnected && picture.wordsForTests) {
            drawn.set(`words ${picture.wordsForTests}`, performance.now());
        } else if (this.canvas.isConnected && picture.src?.endsWith('/signs.png')) {
            drawn.set(`sign ${where[0] / where[2]}`, performance.now());
        }
        return drawImage.call(this, picture, ...where);
    };";

/// Keeps what the page copies, instead of the machine's clipboard.
const KEEP_COPIES: &str = "
    Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text) => { window.copiedForTests = text; } },
    });";

/// What was painted that long ago, in milliseconds, is still on the screen.
const STILL_SHOWN_MS: u32 = 500;

impl Browser {
    /// Watches from the next document on what is painted and copied.
    pub async fn watch_canvas_and_copies(&self) {
        self.run_before_pages(&format!("(() => {{ {WATCH_CANVAS} {KEEP_COPIES} }})();")).await;
    }

    /// Whether something is on the world's canvas now.
    async fn draws(&self, what: &str) -> bool {
        let look = format!(
            "const at = window.drawnForTests?.get({});
             return at !== undefined && performance.now() - at < {STILL_SHOWN_MS};",
            Value::from(what),
        );
        self.script(&look).await == Value::Bool(true)
    }

    async fn until_drawn(&self, what: &str) {
        let waited_for = format!("the canvas shows {what}");
        eventually(&waited_for, SCREEN_SHOWN, async || self.draws(what).await.then_some(())).await;
    }

    /// Waits until a bubble with these words is over a head.
    ///
    /// # Panics
    /// If that does not happen, or nobody watches the canvas.
    pub async fn until_bubble(&self, words: &str) {
        self.until_drawn(&format!("words {words}")).await;
    }

    /// Waits until a feeling is over a head.
    ///
    /// # Panics
    /// If that does not happen, or nobody watches the canvas.
    pub async fn until_feeling(&self, emote: Emote) {
        let place = Emote::ALL.iter().position(|other| *other == emote);
        let place = place.expect("every feeling is one of all");
        self.until_drawn(&format!("sign {place}")).await;
    }

    /// What the page has copied last; empty for nothing.
    pub async fn copied(&self) -> String {
        let copied = self.script("return window.copiedForTests ?? '';").await;
        copied.as_str().unwrap_or_default().to_owned()
    }

    /// Names and values of the inspector's fields in their order, read in one look.
    pub async fn inspected(&self) -> Vec<(String, String)> {
        let look = "return Array.from(
            document.querySelectorAll('[data-testid=\"inspector\"] [data-field]'),
            (field) => [field.dataset.field, field.textContent]);";
        serde_json::from_value(self.script(look).await).expect("a field is a name and a value")
    }

    /// Waits until a field of the inspector has a value.
    ///
    /// # Panics
    /// If that does not happen.
    pub async fn until_inspected(&self, name: &str, value: &str) {
        let waited_for = format!("the inspector's {name} is {value}");
        eventually(&waited_for, SCREEN_SHOWN, async || {
            let fields = self.inspected().await;
            fields.iter().any(|(n, v)| n == name && v == value).then_some(())
        })
        .await;
    }
}
