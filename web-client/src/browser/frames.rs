//! The browser's frames, for as long as somebody holds the loop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

type FrameCallback = Rc<RefCell<Option<Closure<dyn FnMut(f64)>>>>;

/// Calls a function before each frame; dropping it ends that.
#[derive(Debug)]
pub struct FrameLoop {
    alive: Rc<Cell<bool>>,
}

impl FrameLoop {
    /// Starts the loop. The function is told the moment of the frame in milliseconds of
    /// the page's monotonic clock.
    #[must_use]
    pub fn start(mut paint: impl FnMut(f64) + 'static) -> Self {
        let alive = Rc::new(Cell::new(true));
        let slot: FrameCallback = Rc::default();
        let (goes_on, again) = (Rc::clone(&alive), Rc::clone(&slot));
        *slot.borrow_mut() = Some(Closure::new(move |now| {
            if goes_on.get() {
                paint(now);
                request(&again);
            } else {
                // The closure holds itself through the slot; the browser still runs it
                // here, so it is taken apart once it has returned.
                let again = Rc::clone(&again);
                wasm_bindgen_futures::spawn_local(async move {
                    again.borrow_mut().take();
                });
            }
        }));
        request(&slot);
        Self { alive }
    }
}

impl Drop for FrameLoop {
    fn drop(&mut self) {
        self.alive.set(false);
    }
}

fn request(slot: &FrameCallback) {
    if let (Some(window), Some(callback)) = (web_sys::window(), slot.borrow().as_ref()) {
        // Fails for a window that is going away, which ends the loop as well.
        let _ = window.request_animation_frame(callback.as_ref().unchecked_ref());
    }
}
