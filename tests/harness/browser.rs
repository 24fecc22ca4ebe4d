//! A browser with the page in it, driven as a person would: by what the page shows, keys,
//! the mouse and a finger.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use shared::world::Tile;
use thirtyfour::{By, Capabilities, WebDriver, WebElement, WindowHandle};

use crate::driver::Driver;
use crate::firefox;
use crate::patience::{HTTP_ANSWER, LOOK_EVERY, SCREEN_SHOWN, SETTLED, eventually, within};
use crate::repository;

/// The page's area, and what points at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    /// For file names.
    pub name: &'static str,
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// Whether fingers point instead of a mouse.
    pub touch: bool,
}

/// A desk with keyboard and mouse.
pub const DESK: Viewport = Viewport { name: "desk", width: 1280, height: 800, touch: false };
/// A phone, held upright.
pub const PHONE: Viewport = Viewport { name: "phone", width: 390, height: 844, touch: true };

/// What the world's root says of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldAttributes {
    /// `data-zone`.
    pub zone: String,
    /// `data-instance`.
    pub instance: String,
    /// `data-transport`.
    pub transport: String,
    /// `data-tile`.
    pub tile: String,
    /// `data-players`.
    pub players: String,
}

/// Where a browser's console is read.
#[derive(Debug)]
pub(crate) enum Console {
    /// The driver gives it when asked: Chromium.
    Asked,
    /// The browser writes it to its output: Firefox, whose driver serves it alone and ends
    /// with it.
    Printed(Box<Driver>),
}

/// A browser with one window.
#[derive(Debug)]
pub struct Browser {
    // Before the console: a session that is dropped is closed while its driver still runs.
    driver: WebDriver,
    console: Console,
    http: reqwest::Client,
    journey: String,
    viewport: Viewport,
    pictures: Cell<u32>,
}

fn quoted(test_id: &str) -> By {
    By::Css(format!("[data-testid=\"{test_id}\"]"))
}

impl Browser {
    /// Opens a window of this size in the browser that `wishes` describe.
    ///
    /// # Panics
    /// With `advice`, if the driver cannot.
    pub(crate) async fn open(
        driver_url: &str,
        wishes: impl Into<Capabilities>,
        console: Console,
        advice: &str,
        journey: &str,
        viewport: Viewport,
    ) -> Self {
        let opening = WebDriver::new(driver_url, wishes);
        let driver = within("the browser opens", SCREEN_SHOWN, opening).await;
        let driver = driver.unwrap_or_else(|error| panic!("{error}; {advice}"));
        let browser = Self {
            driver,
            console,
            http: reqwest::Client::new(),
            journey: journey.to_owned(),
            viewport,
            pictures: Cell::new(0),
        };
        if !viewport.touch {
            browser.fit_window().await;
        }
        browser
    }

    /// Makes the window so large that the page's area has the wanted size.
    async fn fit_window(&self) {
        let (width, height) = (self.viewport.width, self.viewport.height);
        self.driver.set_window_rect(0, 0, width, height).await.expect("the window has a size");
        let inner = self.script("return [innerWidth, innerHeight]").await;
        let missing = |wanted: u32, at: usize| {
            let has = inner[at].as_u64().and_then(|n| u32::try_from(n).ok());
            wanted.saturating_sub(has.expect("a size is a number"))
        };
        let (width, height) = (width + missing(width, 0), height + missing(height, 1));
        self.driver.set_window_rect(0, 0, width, height).await.expect("the window has a size");
    }

    pub(crate) async fn script(&self, script: &str) -> Value {
        let done = self.driver.execute(script, Vec::new()).await;
        done.expect("the script runs").json().clone()
    }

    /// Opens an address.
    ///
    /// # Panics
    /// If it does not load.
    pub async fn visit(&self, address: &str) {
        self.driver.goto(address).await.expect("the page loads");
    }

    /// Loads the page anew.
    ///
    /// # Panics
    /// If it does not load.
    pub async fn reload(&self) {
        self.driver.refresh().await.expect("the page loads");
    }

    async fn find(&self, test_id: &str) -> Option<WebElement> {
        let element = self.driver.find(quoted(test_id)).await.ok()?;
        element.is_displayed().await.unwrap_or(false).then_some(element)
    }

    /// Whether something is shown now.
    pub async fn shows(&self, test_id: &str) -> bool {
        self.find(test_id).await.is_some()
    }

    /// Waits until something is shown.
    ///
    /// # Panics
    /// With the page's status and its console, if that does not happen.
    pub async fn see(&self, test_id: &str) -> WebElement {
        let looking = async {
            let mut looks = tokio::time::interval(LOOK_EVERY);
            loop {
                looks.tick().await;
                if let Some(element) = self.find(test_id).await {
                    return element;
                }
            }
        };
        if let Ok(element) = tokio::time::timeout(SCREEN_SHOWN, looking).await {
            return element;
        }
        self.picture("in-vain").await;
        let status = self.text("status").await;
        let console = self.console().await;
        panic!("{test_id} is not shown; status: {status:?}; console: {console:#?}")
    }

    /// Waits until a screen is shown, and takes its picture.
    pub async fn see_screen(&self, name: &str) {
        self.see(&format!("screen-{name}")).await;
        self.picture(name).await;
    }

    /// Presses a control once it is there and enabled.
    ///
    /// # Panics
    /// If it does not become so.
    pub async fn press(&self, test_id: &str) {
        self.see(test_id).await;
        let what = format!("{test_id} can be pressed");
        eventually(&what, SCREEN_SHOWN, async || {
            let element = self.find(test_id).await?;
            let enabled = element.is_enabled().await.unwrap_or(false);
            // A control that is drawn anew between look and click is looked up again.
            (enabled && element.click().await.is_ok()).then_some(())
        })
        .await;
    }

    /// Presses a control inside something, where another place has one of the same kind.
    ///
    /// # Panics
    /// If it is not there or cannot be pressed.
    pub async fn press_inside(&self, outer: &str, test_id: &str) {
        self.see(outer).await;
        let both = By::Css(format!("[data-testid=\"{outer}\"] [data-testid=\"{test_id}\"]"));
        let control = self.driver.find(both).await.expect("the control is there");
        control.click().await.expect("the control can be pressed");
    }

    /// Waits until a control is enabled.
    ///
    /// # Panics
    /// If it does not become so.
    pub async fn until_enabled(&self, test_id: &str) {
        let what = format!("{test_id} is enabled");
        eventually(&what, SCREEN_SHOWN, async || {
            self.find(test_id).await?.is_enabled().await.unwrap_or(false).then_some(())
        })
        .await;
    }

    /// Waits until something is no longer shown.
    ///
    /// # Panics
    /// If it stays.
    pub async fn until_gone(&self, test_id: &str) {
        let what = format!("{test_id} is gone");
        eventually(&what, SCREEN_SHOWN, async || (!self.shows(test_id).await).then_some(())).await;
    }

    /// The test id of what has the focus.
    pub async fn focused(&self) -> Option<String> {
        let id = self.script("return document.activeElement?.dataset?.testid ?? null").await;
        id.as_str().map(str::to_owned)
    }

    /// Waits until something has the focus.
    ///
    /// # Panics
    /// If it does not get it.
    pub async fn until_focused(&self, test_id: &str) {
        let what = format!("{test_id} has the focus");
        eventually(&what, SCREEN_SHOWN, async || {
            (self.focused().await.as_deref() == Some(test_id)).then_some(())
        })
        .await;
    }

    /// Writes a text into a field, in place of what stood there.
    ///
    /// # Panics
    /// If the field does not take it.
    pub async fn fill(&self, test_id: &str, text: &str) {
        let field = self.see(test_id).await;
        field.clear().await.expect("the field can be emptied");
        field.send_keys(text).await.expect("the field takes a text");
    }

    /// What stands in a field.
    ///
    /// # Panics
    /// If it is not there.
    pub async fn value(&self, test_id: &str) -> String {
        let value = self.see(test_id).await.prop("value").await;
        value.expect("the field is still there").unwrap_or_default()
    }

    /// The text of something, empty if it is not there.
    pub async fn text(&self, test_id: &str) -> String {
        match self.driver.find(quoted(test_id)).await {
            Ok(element) => element.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// An attribute of something that is shown.
    ///
    /// # Panics
    /// If it is not there.
    pub async fn attribute(&self, test_id: &str, name: &str) -> Option<String> {
        self.see(test_id).await.attr(name).await.expect("the element is still there")
    }

    /// What the world's root says now; `None` while there is no world.
    pub async fn world(&self) -> Option<WorldAttributes> {
        // In one look, so that the attributes belong together.
        let look = "const world = document.querySelector('[data-testid=\"screen-world\"]');
             return world ? Object.assign({}, world.dataset) : null;";
        let done = self.driver.execute(look, Vec::new()).await.ok()?;
        let data = done.json().as_object()?.clone();
        let of = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(WorldAttributes {
            zone: of("zone"),
            instance: of("instance"),
            transport: of("transport"),
            tile: of("tile"),
            players: of("players"),
        })
    }

    /// Waits until the world's root fulfils a condition; gives what it says then.
    ///
    /// # Panics
    /// With what it says last, if that does not happen.
    pub async fn until_world(
        &self,
        what: &str,
        condition: impl Fn(&WorldAttributes) -> bool,
    ) -> WorldAttributes {
        self.until_world_within(what, SCREEN_SHOWN, condition).await
    }

    /// The same within a bound of its own.
    ///
    /// # Panics
    /// With what the world's root says last, if that does not happen.
    pub async fn until_world_within(
        &self,
        what: &str,
        bound: Duration,
        condition: impl Fn(&WorldAttributes) -> bool,
    ) -> WorldAttributes {
        let last = Cell::new(None);
        let looking = async {
            let mut looks = tokio::time::interval(LOOK_EVERY);
            loop {
                looks.tick().await;
                let world = self.world().await;
                if let Some(world) = world.as_ref().filter(|world| condition(world)) {
                    return world.clone();
                }
                last.set(world);
            }
        };
        match tokio::time::timeout(bound, looking).await {
            Ok(world) => world,
            Err(_) => {
                self.picture("in-vain").await;
                let console = self.console().await;
                panic!("not {what}: {:?}; console: {console:#?}", last.take())
            }
        }
    }

    /// Waits until the world is there: live, with the own body in it.
    pub async fn until_in_the_world(&self) -> WorldAttributes {
        self.see("screen-world").await;
        let is_there =
            |world: &WorldAttributes| world.transport == "Live" && !world.tile.is_empty();
        self.until_world("in the world", is_there).await
    }

    /// The tile of the own body.
    ///
    /// # Panics
    /// If the page is not in the world.
    pub async fn tile(&self) -> Tile {
        let world = self.world().await.expect("the page is in the world");
        parse_tile(&world.tile)
    }

    /// Holds a key down or lets it go.
    pub async fn key(&self, key: &str, held: bool) {
        let kind = if held { "keyDown" } else { "keyUp" };
        self.act(json!({
            "type": "key", "id": "keyboard", "actions": [{ "type": kind, "value": key }],
        }))
        .await;
    }

    /// Presses a key and lets it go.
    pub async fn tap_key(&self, key: &str) {
        self.key(key, true).await;
        self.key(key, false).await;
    }

    /// Presses keys one after the other, so fast that hardly a frame lies between them.
    pub async fn tap_keys(&self, keys: &[&str]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        self.act(json!({ "type": "key", "id": "keyboard", "actions": actions })).await;
    }

    /// Writes into whatever has the focus, letter by letter.
    pub async fn write(&self, text: &str) {
        for letter in text.chars() {
            self.tap_key(&letter.to_string()).await;
        }
    }

    /// Clicks, or taps where fingers point, at CSS pixels of the page's area.
    pub async fn point(&self, x: i64, y: i64) {
        let kind = if self.viewport.touch { "touch" } else { "mouse" };
        self.act(json!({
            "type": "pointer", "id": kind, "parameters": { "pointerType": kind },
            "actions": [
                { "type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": y },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerUp", "button": 0 },
            ],
        }))
        .await;
    }

    /// The middle of the page's area.
    #[must_use]
    pub fn middle(&self) -> (i64, i64) {
        (i64::from(self.viewport.width / 2), i64::from(self.viewport.height / 2))
    }

    /// One input source's actions, as WebDriver has them (W3C WebDriver, 15.7): the client
    /// library knows no touch.
    async fn act(&self, source: Value) {
        self.command("actions", json!({ "actions": [source] })).await;
    }

    /// Runs a script in every document from the next one on, before the page's own scripts.
    /// Chromium has this.
    ///
    /// # Panics
    /// If the browser does not take it.
    pub async fn run_before_pages(&self, script: &str) {
        let method = "Page.addScriptToEvaluateOnNewDocument";
        let command = json!({ "cmd": method, "params": { "source": script } });
        self.command("goog/cdp/execute", command).await;
    }

    /// A command of the session that the client library does not have.
    async fn command(&self, name: &str, body: Value) {
        let session = self.driver.session_id();
        let url = format!("{}session/{session}/{name}", self.driver.server_url());
        let sending = self.http.post(url).json(&body).send();
        let answer = within("the driver acts", HTTP_ANSWER, sending).await;
        let answer = answer.expect("the driver answers");
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
    }

    /// Waits until nothing moves that will come to rest: a screen fades in before it is
    /// worth a picture. What moves for ever is part of the picture.
    async fn settle(&self) {
        let moving = "return document.getAnimations().some(animation =>
             animation.playState === 'running'
             && animation.effect?.getComputedTiming().endTime !== Infinity);";
        let at_rest = eventually("the screen is at rest", SCREEN_SHOWN, async || {
            (self.script(moving).await == Value::Bool(false)).then_some(())
        });
        // A picture of a screen that moves on is better than none.
        let _ = tokio::time::timeout(SETTLED, at_rest).await;
    }

    /// Takes a picture of the page; its name tells journey, size, order and content.
    ///
    /// # Panics
    /// If it cannot be taken or written.
    pub async fn picture(&self, content: &str) -> PathBuf {
        let number = self.pictures.get() + 1;
        self.pictures.set(number);
        self.settle().await;
        let (journey, size) = (&self.journey, self.viewport.name);
        let file =
            repository::artefacts().join(format!("{journey}-{size}-{number:02}-{content}.png"));
        let bytes = self.driver.screenshot_as_png().await.expect("a picture can be taken");
        std::fs::write(&file, bytes).expect("the picture can be written");
        file
    }

    /// Whether the page is wider than its area, so that it would have to be scrolled.
    pub async fn overflows(&self) -> bool {
        let wider = "return document.documentElement.scrollWidth > innerWidth";
        self.script(wider).await == Value::Bool(true)
    }

    /// Whether the middle of something can be seen and pointed at, without scrolling to it.
    pub async fn is_in_sight(&self, test_id: &str) -> bool {
        let look = format!(
            "const one = document.querySelector('[data-testid=\"{test_id}\"]');
             const area = one?.getBoundingClientRect();
             return !!area && one.contains(document.elementFromPoint(
                 (area.left + area.right) / 2, (area.top + area.bottom) / 2));"
        );
        self.script(&look).await == Value::Bool(true)
    }

    /// Whether the world's picture covers the page's area.
    pub async fn world_fills_the_page(&self) -> bool {
        let covers = "const area = document.querySelector(
                 '[data-testid=\"screen-world\"] canvas').getBoundingClientRect();
             return area.left <= 0 && area.top <= 0
                 && area.right >= innerWidth && area.bottom >= innerHeight;";
        self.script(covers).await == Value::Bool(true)
    }

    /// Everything in the browser's console since the last call, level and text.
    pub async fn console(&self) -> Vec<(String, String)> {
        match &self.console {
            Console::Asked => {
                let entries = self.driver.browser_log().await.unwrap_or_default();
                entries.into_iter().map(|entry| (entry.level, entry.message)).collect()
            }
            Console::Printed(driver) => firefox::console(driver.output()),
        }
    }

    /// The errors in its console since the last look.
    pub async fn console_errors(&self) -> Vec<String> {
        errors_of(self.console().await)
    }

    /// Goes one step back in the tab's history.
    ///
    /// # Panics
    /// If there is none.
    pub async fn back(&self) {
        self.driver.back().await.expect("the tab has a history");
    }

    /// Opens the page in a second tab that begins with what this one has stored, as
    /// duplicating a tab does, and goes on there; gives the first.
    ///
    /// # Panics
    /// If the tab does not open.
    pub async fn duplicate(&self) -> WindowHandle {
        let first = self.driver.window().await.expect("the tab has a handle");
        self.script("window.open(location.href)").await;
        let second = eventually("a second tab opens", SCREEN_SHOWN, async || {
            let all = self.driver.windows().await.ok()?;
            all.into_iter().find(|window| *window != first)
        })
        .await;
        self.switch_to(second).await;
        first
    }

    /// Goes on in another tab.
    ///
    /// # Panics
    /// If it is closed.
    pub async fn switch_to(&self, window: WindowHandle) {
        self.driver.switch_to_window(window).await.expect("the tab is there");
    }

    /// Closes the browser; gives the errors in its console since the last look.
    ///
    /// # Panics
    /// If it does not close.
    pub async fn close(self) -> Vec<String> {
        let mut console = self.console().await;
        self.driver.quit().await.expect("the browser closes");
        if let Console::Printed(driver) = self.console {
            // What it prints is whole once it has ended.
            console.extend(firefox::console(driver.end().await));
        }
        errors_of(console)
    }
}

/// What the console calls an error.
pub(crate) const ERROR: &str = "SEVERE";

fn errors_of(console: Vec<(String, String)>) -> Vec<String> {
    console.into_iter().filter(|(level, _)| level == ERROR).map(|(_, text)| text).collect()
}

/// A tile as `data-tile` writes it.
///
/// # Panics
/// If it is not `x,y`.
#[must_use]
pub fn parse_tile(text: &str) -> Tile {
    let (x, y) = text.split_once(',').expect("a tile is x,y");
    let number = |text: &str| text.parse().expect("a tile is made of numbers");
    Tile { x: number(x), y: number(y) }
}
