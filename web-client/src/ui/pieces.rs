//! Small pieces that several screens are made of.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use shared::ids::Appearance;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::connection::Connection;
use crate::browser::canvas::art::appearance_index;
use crate::presentation::wording::sentence;

/// A face from the sheet of portraits. Decoration: the name stands beside it.
#[component]
pub fn Portrait(
    /// Whose face.
    #[prop(into)]
    appearance: Signal<Appearance>,
) -> impl IntoView {
    let index = move || appearance.with(appearance_index).to_string();
    view! { <span class="portrait" style=("--index", index) aria-hidden="true"></span> }
}

/// A character that walks on the spot, from the sheet of the world. Decoration.
#[component]
pub fn WalkingSprite(
    /// Who walks.
    #[prop(into)]
    appearance: Signal<Appearance>,
) -> impl IntoView {
    let index = move || appearance.with(appearance_index).to_string();
    view! { <span class="sprite" style=("--index", index) aria-hidden="true"></span> }
}

/// What went wrong, in place. The page's status says it to screen readers.
#[component]
pub fn Problem(
    /// The text; empty for none.
    #[prop(into)]
    text: Signal<String>,
    /// For `aria-describedby`, and for tests.
    id: &'static str,
) -> impl IntoView {
    view! { <p class="problem" id=id data-testid=id>{move || text.with(|text| sentence(text))}</p> }
}

/// What went wrong with the last flow; empty where nothing did.
#[must_use]
pub fn problem_of(connection: Connection) -> Signal<String> {
    Signal::derive(move || {
        connection.read(|state| state.status.reason().unwrap_or_default().to_owned())
    })
}

/// A problem that belongs to this place only while the place's flag has that value.
#[must_use]
pub fn problem_where(problem: Signal<String>, flag: RwSignal<bool>, value: bool) -> Signal<String> {
    Signal::derive(move || if flag.get() == value { problem.get() } else { String::new() })
}

/// `harbor-gate` as `Harbor gate`.
#[must_use]
pub fn title_of(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The `tabindex` of a radio: the group is one stop of the Tab key, at what is chosen, and
/// the arrow keys go on from there (ARIA Authoring Practices, "Radio Group").
#[must_use]
pub fn radio_tab_index(is_chosen: bool) -> &'static str {
    if is_chosen { "0" } else { "-1" }
}

/// Arrow keys move and choose inside a `radiogroup`, as its role promises.
pub fn move_in_radio_group(event: &KeyboardEvent) {
    let step = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => 1,
        "ArrowLeft" | "ArrowUp" => -1,
        _ => return,
    };
    let Some(focused) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok())
    else {
        return;
    };
    let Ok(Some(group)) = focused.closest("[role=radiogroup]") else { return };
    let Ok(list) = group.query_selector_all("[role=radio]:not(:disabled)") else { return };
    let radios: Vec<HtmlElement> =
        (0..list.length()).filter_map(|i| list.get(i)?.dyn_into::<HtmlElement>().ok()).collect();
    let Some(at) = radios.iter().position(|radio| *radio == focused) else { return };
    let count = i64::try_from(radios.len()).unwrap_or(1);
    let next = (i64::try_from(at).unwrap_or(0) + step).rem_euclid(count);
    if let Some(radio) = usize::try_from(next).ok().and_then(|next| radios.get(next)) {
        event.prevent_default();
        let _ = radio.focus();
        radio.click();
    }
}
