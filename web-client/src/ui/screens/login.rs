//! Register, log in, or go straight into the world.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use shared::account::Credentials;
use shared::limits::{MAX_USERNAME_LEN, MIN_PASSWORD_LEN, MIN_USERNAME_LEN};

use crate::browser::jobs::missing_runtime;
use crate::browser::storage;
use crate::connection::start::{LoginMethod, start_login_flow, start_quick_connect};
use crate::connection::status::Credential;
use crate::presentation::Menu;
use crate::presentation::wording::{limit_hint, sentence};
use crate::ui::app::continue_login;
use crate::ui::connection::Connection;
use crate::ui::pieces::{Problem, problem_of};
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::begin_entry;

/// The first screen.
#[component]
pub fn LoginScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let username = RwSignal::new(String::new());
    let password = RwSignal::new(String::new());
    let busy = move || connection.is_busy();
    let credentials = move || Credentials {
        username: username.get_untracked().trim().to_owned(),
        password: password.get_untracked(),
    };
    let begin = move |method: LoginMethod| {
        ui.menu.set(Menu::Realms);
        ui.entering.set(false);
        connection.start(|state| start_login_flow(state, method));
    };
    let log_in = move |event: SubmitEvent| {
        event.prevent_default();
        begin(LoginMethod::Password(credentials()));
    };
    let register = move |_| begin(LoginMethod::Register(credentials()));
    let quick_connect = move |_| {
        ui.menu.set(Menu::Characters);
        let method = LoginMethod::Password(credentials());
        begin_entry(connection, ui, |state, attempt| start_quick_connect(state, method, attempt));
    };
    let is_wrong = move |part: Credential| {
        let refused = connection.read(|state| state.status.refuses(part));
        if refused { "true" } else { "false" }
    };
    let username_hint = move || {
        let rule =
            format!("{MIN_USERNAME_LEN} to {MAX_USERNAME_LEN} letters or digits, also - _ and .",);
        username.with(|name| limit_hint(name, MAX_USERNAME_LEN, "a username", &rule))
    };
    let problem = problem_of(connection);
    let offer = offered_login(connection);
    let has_offer = move || offer.with(Option::is_some);
    view! {
        <section class="screen login" tabindex="-1" data-testid="screen-login" aria-labelledby="login-title"
            class:returning=has_offer
        >
            <div class="title-block">
                <img class="pixels logo" src="/assets/logo.png" alt="" width="128" height="128" />
                <h1 id="login-title" class="title">"Aether"</h1>
                <p class="tagline">"One world, many shores."</p>
            </div>
            <form class="panel stack login-card" on:submit=log_in novalidate=true>
                <ContinueOffer offer=offer problem=problem />
                <div class="field">
                    <label for="username">"Username"</label>
                    <input
                        id="username"
                        class="input"
                        data-testid="username"
                        data-focus-first="true"
                        name="username"
                        type="text"
                        autocomplete="username"
                        autocapitalize="none"
                        spellcheck="false"
                        maxlength=MAX_USERNAME_LEN.to_string()
                        required=true
                        aria-describedby="login-problem username-hint"
                        aria-invalid=move || is_wrong(Credential::Username)
                        prop:value=username
                        disabled=busy
                        on:input:target=move |event| username.set(event.target().value())
                    />
                    <p class="hint" id="username-hint" aria-live="polite">{username_hint}</p>
                </div>
                <div class="field">
                    <label for="password">"Password"</label>
                    <input
                        id="password"
                        class="input"
                        data-testid="password"
                        name="password"
                        type="password"
                        autocomplete="current-password"
                        required=true
                        aria-describedby="login-problem password-hint"
                        aria-invalid=move || is_wrong(Credential::Password)
                        prop:value=password
                        disabled=busy
                        on:input:target=move |event| password.set(event.target().value())
                    />
                    <p class="hint" id="password-hint">
                        {format!("At least {MIN_PASSWORD_LEN} characters.")}
                    </p>
                </div>
                <Show when=move || !has_offer()>
                    <Problem id="login-problem" text=problem />
                </Show>
                <MissingRuntime />
                <button
                    class="button wide"
                    class:primary=move || !has_offer()
                    data-testid="login"
                    type="submit"
                    disabled=busy
                >
                    "Log in"
                </button>
                <div class="stack tight">
                    <div class="pair">
                        <button
                            class="button"
                            data-testid="register"
                            type="button"
                            disabled=busy
                            on:click=register
                        >
                            "Create account"
                        </button>
                        <button
                            class="button"
                            data-testid="quick-connect"
                            type="button"
                            disabled=busy
                            aria-describedby="quick-hint"
                            on:click=quick_connect
                        >
                            "Quick play"
                        </button>
                    </div>
                    <p class="hint" id="quick-hint">
                        "Quick play: log in and go straight into the world with your first character."
                    </p>
                </div>
            </form>
        </section>
    }
}

/// Whether the login of this tab is still good, by what the tab knows. Asked for anew
/// whenever something has failed: the login may have ended with it.
fn offered_login(connection: Connection) -> Memo<Option<String>> {
    Memo::new(move |_| {
        connection.read(|state| state.status.is_error());
        storage::load_login().map(|login| login.account.username)
    })
}

/// After a loss or a failed reload the login of this tab may still be good: why the player
/// is here again, and the way on.
#[component]
fn ContinueOffer(
    /// The username of the login.
    offer: Memo<Option<String>>,
    /// Why the player is here.
    problem: Signal<String>,
) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let go_on = move |_| {
        if let Some(login) = storage::load_login() {
            continue_login(connection, ui, login);
        }
    };
    move || {
        offer.get().map(|username| {
            view! {
                <div class="stack offer">
                    <Problem id="login-problem" text=problem />
                    <button
                        class="button primary wide"
                        data-testid="continue"
                        data-focus-first="true"
                        type="button"
                        disabled=move || connection.is_busy()
                        on:click=go_on
                    >
                        {format!("Continue as {username}")}
                    </button>
                    <p class="muted small or">"or log in anew"</p>
                </div>
            }
        })
    }
}

/// Says before the first try what the browser lacks.
#[component]
fn MissingRuntime() -> impl IntoView {
    missing_runtime().map(|problem| {
        view! { <p class="problem" data-testid="runtime-problem">{sentence(&problem.to_string())}</p> }
    })
}
