//! Choose a realm.

use leptos::prelude::*;
use shared::account::{Realm, RealmStatus};

use crate::connection::ConnectionEvent;
use crate::connection::start::start_realm_switch;
use crate::presentation::Menu;
use crate::presentation::wording::why_closed;
use crate::ui::connection::Connection;
use crate::ui::pieces::{Problem, problem_of};
use crate::ui::ui_state::MultiplayerUiState;

/// The realms as cards.
#[component]
pub fn RealmsScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let realms = Memo::new(move |_| connection.read(|state| state.realms.clone()));
    let username = move || {
        connection
            .read(|state| state.login_response.as_ref().map(|login| login.account.username.clone()))
    };
    let problem = problem_of(connection);
    view! {
        <section class="screen menu" tabindex="-1" data-testid="screen-realms" aria-labelledby="realms-title">
            <div class="panel stack menu-card">
                <header class="row spread">
                    <div class="grow">
                        <h1 id="realms-title">"Choose a realm"</h1>
                        <p class="muted small">"Welcome, " {username}</p>
                    </div>
                    <LogOut />
                </header>
                <Problem id="realms-problem" text=problem />
                <ul class="stack">
                    {move || {
                        let realms = realms.get();
                        let first = realms.iter().position(|realm| why_closed(realm.status).is_none());
                        realms
                            .into_iter()
                            .enumerate()
                            .map(|(index, realm)| {
                                view! {
                                    <RealmCard index=index realm=realm is_first=first == Some(index) />
                                }
                            })
                            .collect_view()
                    }}
                </ul>
                <Show when=move || realms.with(Vec::is_empty)>
                    <p class="muted">"No realm is open right now. Come back in a moment."</p>
                </Show>
            </div>
        </section>
    }
}

#[component]
fn RealmCard(
    index: usize,
    realm: Realm,
    /// Whether it is the first that can be entered.
    is_first: bool,
) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let choose = move |_| {
        ui.menu.set(Menu::Characters);
        // The roster of the selected realm came with the login.
        if connection.peek(|state| state.selected_realm != Some(index)) {
            connection.start(|state| start_realm_switch(state, index));
        }
    };
    let (badge, word) = match realm.status {
        RealmStatus::Online => ("badge good", "Online"),
        RealmStatus::Offline => ("badge bad", "Offline"),
        RealmStatus::Unknown => ("badge", "Unknown"),
    };
    let closed = why_closed(realm.status);
    let share = f64::from(realm.population) / f64::from(realm.capacity.max(1)) * 100.0;
    view! {
        <li>
            <button
                class="choice"
                class:closed=closed.is_some()
                data-testid=format!("realm-{}", realm.id)
                data-focus-first=is_first.then_some("true")
                type="button"
                disabled=move || connection.is_busy() || closed.is_some()
                on:click=choose
            >
                <span class="crest" data-view=(index % 3).to_string() aria-hidden="true"></span>
                <span class="grow stack tight">
                    <span class="row spread">
                        <span class="name">{realm.name.clone()}</span>
                        <span class=badge>{word}</span>
                    </span>
                    {closed.map(|why| view! { <span class="small why-closed">{why}</span> })}
                    <span class="meter" style=("--share", format!("{:.1}%", share.min(100.0)))>
                        <span></span>
                    </span>
                    <span class="small muted">
                        {format!("{} of {} players", realm.population, realm.capacity)}
                    </span>
                </span>
            </button>
        </li>
    }
}

/// Ends the login from a menu.
#[component]
pub fn LogOut() -> impl IntoView {
    let connection = expect_context::<Connection>();
    view! {
        <button
            class="button quiet"
            data-testid="logout"
            type="button"
            disabled=move || connection.is_busy()
            on:click=move |_| connection.dispatch(ConnectionEvent::LogoutRequested)
        >
            "Log out"
        </button>
    }
}
