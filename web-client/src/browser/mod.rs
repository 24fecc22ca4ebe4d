//! What only a browser can do for the page: requests, WebTransport, session storage,
//! input and the canvas. Decisions live in [`connection`](crate::connection) and
//! [`realtime`](crate::realtime); here they are carried out and their outcomes reported.

pub mod canvas;
pub mod clock;
pub mod frames;
pub mod http;
pub mod input;
pub mod jobs;
pub mod lifecycle;
pub mod preferences;
pub mod scene;
pub mod storage;
pub mod streams;
pub mod timer;
pub mod webtransport;
pub mod world_loop;

#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
