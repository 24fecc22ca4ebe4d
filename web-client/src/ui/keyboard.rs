//! Keys that do something wherever they are pressed, as long as nobody writes.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::ui_state::MultiplayerUiState;
use crate::presentation::Action;

/// What the focused element needs of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focused {
    /// A text is being written.
    Text,
    /// A control, which Enter and Space press.
    Control,
    /// Nothing that would want a key.
    Nothing,
}

/// What has the focus where a key was pressed.
#[must_use]
pub fn focused_at(event: &KeyboardEvent) -> Focused {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return Focused::Nothing;
    };
    match element.tag_name().as_str() {
        "INPUT" | "TEXTAREA" | "SELECT" => Focused::Text,
        "BUTTON" | "A" | "SUMMARY" => Focused::Control,
        _ => Focused::Nothing,
    }
}

/// The action of a key, unless the key belongs to what has the focus, to the browser, or to
/// somebody who has used it already.
#[must_use]
pub fn action_of(event: &KeyboardEvent, ui: MultiplayerUiState) -> Option<Action> {
    let is_shortcut = event.ctrl_key() || event.meta_key() || event.alt_key();
    if is_shortcut || event.default_prevented() || ui.capturing.get_untracked().is_some() {
        return None;
    }
    let code = event.code();
    match focused_at(event) {
        // Function keys write nothing.
        Focused::Text if !is_function_key(&code) => None,
        Focused::Control if matches!(code.as_str(), "Enter" | "NumpadEnter" | "Space") => None,
        _ => ui.keybinds.with_untracked(|keybinds| keybinds.action(&code)),
    }
}

fn is_function_key(code: &str) -> bool {
    code.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok())
}

/// Keys that work on every screen. Escape closes the inspector before it opens a menu; a
/// menu that is open is closed first.
pub fn listen_everywhere(ui: MultiplayerUiState) {
    let listener = window_event_listener(ev::keydown, move |event| {
        if event.repeat() {
            return;
        }
        let closes_inspector = event.code() == "Escape"
            && !event.default_prevented()
            && ui.shows_inspector.get_untracked()
            && !ui.paused.get_untracked();
        if closes_inspector {
            event.prevent_default();
            return ui.shows_inspector.set(false);
        }
        let toggled = match action_of(&event, ui) {
            Some(Action::Inspector) => ui.shows_inspector,
            Some(Action::Telemetry) => ui.shows_telemetry,
            _ => return,
        };
        event.prevent_default();
        ui.toggle_diagnosis(toggled);
    });
    on_cleanup(move || listener.remove());
}

/// Keeps the Tab key within a dialog (ARIA Authoring Practices, "Dialog (Modal)").
pub fn trap_focus(event: &KeyboardEvent) {
    if event.key() != "Tab" {
        return;
    }
    let current = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(dialog) = current else { return };
    let controls = "button:not(:disabled):not([tabindex='-1']), input:not(:disabled), [href]";
    let Ok(list) = dialog.query_selector_all(controls) else { return };
    let at = |index: u32| list.get(index)?.dyn_into::<HtmlElement>().ok();
    let (Some(first), Some(last)) = (at(0), list.length().checked_sub(1).and_then(at)) else {
        return;
    };
    let focused: Option<Element> = document().active_element();
    let is_at = |element: &HtmlElement| focused.as_ref().is_some_and(|f| *f == **element);
    let is_inside = focused.as_ref().is_some_and(|focused| dialog.contains(Some(focused)));
    let next = match event.shift_key() {
        true if is_at(&first) || !is_inside => last,
        false if is_at(&last) || !is_inside => first,
        _ => return,
    };
    event.prevent_default();
    let _ = next.focus();
}
