//! Entry of the page. On the host there is no page to open, only a hint.

#[cfg(target_arch = "wasm32")]
fn main() {
    aether::ui::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("This page is built for wasm32: run `cargo xtask play` or `trunk serve`.");
}
