//! Where the keyboard is: a change of screen or a pending job must not leave it nowhere.

use leptos::html::Button;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::connection::Connection;

/// Gives the focus to what a new screen starts with, unless the screen took it itself.
pub fn focus_first() {
    if focused().is_some() {
        return;
    }
    let document = document();
    // Where fingers point, a focused field would raise the keyboard over the page.
    let wanted = if has_coarse_pointer() {
        "button[data-focus-first]:not(:disabled)"
    } else {
        "[data-focus-first]:not(:disabled)"
    };
    for selector in [wanted, ".screen"] {
        let found = document.query_selector(selector).ok().flatten();
        if let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
            return;
        }
    }
}

/// Gives the focus to a button of a dialog once it is there.
pub fn focus_soon(button: NodeRef<Button>) {
    Effect::new(move |_| {
        if let Some(button) = button.get() {
            // It may stand in what is inert until the page has rendered.
            request_animation_frame(move || {
                let _ = button.focus();
            });
        }
    });
}

/// A control that a job disables loses the focus; it gets it back when the job is done.
pub fn keep_focus_over_jobs(connection: Connection) {
    let is_busy = Memo::new(move |_| connection.is_busy());
    let last = StoredValue::new_local(None::<HtmlElement>);
    Effect::new(move |_| {
        if is_busy.get() {
            last.set_value(focused());
        } else if let Some(element) = last.try_update_value(Option::take).flatten() {
            request_animation_frame(move || {
                if focused().is_none() && element.is_connected() {
                    let _ = element.focus();
                }
            });
        }
    });
}

fn has_coarse_pointer() -> bool {
    window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|query| query.matches())
}

/// The element that has the focus; the page as a whole counts as none.
fn focused() -> Option<HtmlElement> {
    let element = document().active_element()?.dyn_into::<HtmlElement>().ok()?;
    (element.tag_name() != "BODY").then_some(element)
}
