//! The keyboard of a touch screen covers a part of the page. Where the browser does not make
//! the page smaller for it, the style learns how much is covered, by `--keyboard`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlElement;

/// Follows the soft keyboard for as long as the page lives.
pub fn follow() {
    let Some(viewport) = window().visual_viewport() else { return };
    let measure = {
        let viewport = viewport.clone();
        move || {
            let page = window().inner_height().ok().and_then(|height| height.as_f64());
            let seen = viewport.height() * viewport.scale() + viewport.offset_top();
            let covered = (page.unwrap_or(seen) - seen).max(0.0);
            let root = document().document_element();
            if let Some(root) = root.and_then(|root| root.dyn_into::<HtmlElement>().ok()) {
                let _ = root.style().set_property("--keyboard", &format!("{covered:.0}px"));
            }
        }
    };
    let listener = Closure::<dyn Fn()>::new(measure);
    for event in ["resize", "scroll"] {
        let _ = viewport.add_event_listener_with_callback(event, listener.as_ref().unchecked_ref());
    }
    // Ends with the page.
    listener.forget();
}
