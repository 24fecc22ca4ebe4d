//! When a tab comes back: from behind other tabs, from the cache of pages that were left,
//! from the sleep of the machine, from a network that was away.
//!
//! None of these says anything of a connection. A browser may have frozen the page with it,
//! so whoever listens asks the other side before it trusts what it knew.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventTarget, VisibilityState};

/// Calls `woken` whenever the tab has come back, for as long as the page lives.
pub fn on_wake(woken: impl Fn() + Clone + 'static) {
    let Some(window) = web_sys::window() else { return };
    let Some(document) = window.document() else { return };
    let is_visible = {
        let document = document.clone();
        move || document.visibility_state() == VisibilityState::Visible
    };
    listen(&document, "visibilitychange", {
        let woken = woken.clone();
        move || {
            if is_visible() {
                woken();
            }
        }
    });
    // Chromium freezes tabs without showing or hiding them (Page Lifecycle).
    listen(&document, "resume", woken.clone());
    // A page that comes out of the back/forward cache.
    listen(&window, "pageshow", woken.clone());
    listen(&window, "online", woken);
}

fn listen(target: &EventTarget, kind: &str, call: impl Fn() + 'static) {
    let callback = Closure::<dyn Fn()>::new(call);
    // Fails for no event target that a window gives out.
    let _ = target.add_event_listener_with_callback(kind, callback.as_ref().unchecked_ref());
    // The page listens for as long as it is there.
    callback.forget();
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use wasm_bindgen_test::wasm_bindgen_test;
    use web_sys::Event;

    use super::*;

    #[wasm_bindgen_test]
    fn every_way_of_coming_back_is_told() {
        let woken = Rc::new(Cell::new(0));
        let count = Rc::clone(&woken);
        on_wake(move || count.set(count.get() + 1));
        let window = web_sys::window().unwrap();
        let document = window.document().unwrap();
        for (target, kind) in [
            (document.unchecked_ref::<EventTarget>(), "visibilitychange"),
            (document.unchecked_ref(), "resume"),
            (window.unchecked_ref(), "pageshow"),
            (window.unchecked_ref(), "online"),
        ] {
            let before = woken.get();
            target.dispatch_event(&Event::new(kind).unwrap()).unwrap();
            assert_eq!(woken.get(), before + 1, "{kind}");
        }
    }
}
