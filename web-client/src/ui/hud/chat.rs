//! Talk: the log, and the line that the player writes.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;
use shared::limits::MAX_CHAT_CHARS;
use shared::realtime::command::{ChatText, Command};

use crate::connection::ConnectionEvent;
use crate::presentation::Action;
use crate::presentation::chat_log::{ChatLine, Speaker};
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

/// How many lines show while nobody writes.
const RECENT_LINES: usize = 6;

/// The log and the way to say something.
#[component]
pub fn Chat() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let input = NodeRef::<html::Input>::new();
    let log = NodeRef::<html::Ol>::new();
    let problem = RwSignal::new(String::new());
    Effect::new(move |_| {
        if ui.is_chatting.get()
            && let Some(input) = input.get()
        {
            let _ = input.focus();
        }
    });
    Effect::new(move |_| {
        ui.chat.track();
        ui.is_chatting.track();
        if let Some(log) = log.get() {
            // The newest line is the one to see.
            request_animation_frame(move || log.set_scroll_top(f64::from(log.scroll_height())));
        }
    });
    let close = move || {
        problem.set(String::new());
        ui.is_chatting.set(false);
    };
    let say = move |event: SubmitEvent| {
        event.prevent_default();
        let draft = ui.chat_draft.get_untracked();
        if draft.trim().is_empty() {
            return close();
        }
        match draft.parse::<ChatText>() {
            Ok(text) => {
                connection.dispatch(ConnectionEvent::Command(Command::Say(text)));
                ui.chat_draft.set(String::new());
                close();
            }
            Err(error) => problem.set(super::super::pieces::sentence(&error.to_string())),
        }
    };
    let escape = move |event: KeyboardEvent| {
        if event.code() == "Escape" {
            event.prevent_default();
            event.stop_propagation();
            close();
        }
    };
    let lines = move || {
        ui.chat.with(|chat| {
            let all: Vec<ChatLine> = chat.lines().cloned().collect();
            let from =
                if ui.is_chatting.get() { 0 } else { all.len().saturating_sub(RECENT_LINES) };
            all[from..].to_vec()
        })
    };
    let key = move || ui.keybinds.with(|keys| keys.key_name(Action::Chat));
    view! {
        <div class="chat" class:open=move || ui.is_chatting.get()>
            <ol
                node_ref=log
                class="chat-log"
                data-testid="chat-log"
                role="log"
                aria-label="What was said"
                tabindex=move || if ui.is_chatting.get() { "0" } else { "-1" }
            >
                <For each=lines key=|line| line.number let:line>
                    <Line line=line />
                </For>
            </ol>
            <Show
                when=move || ui.is_chatting.get()
                fallback=move || {
                    view! {
                        <button
                            class="button small-button"
                            data-testid="open-chat"
                            type="button"
                            aria-label="Say something"
                            on:click=move |_| ui.is_chatting.set(true)
                        >
                            "Say"
                            <kbd class="for-keys">{key}</kbd>
                        </button>
                    }
                }
            >
                <form class="chat-form" on:submit=say on:keydown=escape>
                    <input
                        node_ref=input
                        class="input"
                        data-testid="chat-input"
                        type="text"
                        aria-label="Say something"
                        aria-describedby="chat-problem"
                        placeholder="Say something"
                        autocomplete="off"
                        enterkeyhint="send"
                        maxlength=MAX_CHAT_CHARS.to_string()
                        prop:value=ui.chat_draft
                        on:input:target=move |event| ui.chat_draft.set(event.target().value())
                    />
                    <button class="button primary" data-testid="say" type="submit">"Say"</button>
                    <button
                        class="button"
                        data-testid="close-chat"
                        type="button"
                        aria-label="Close"
                        on:click=move |_| close()
                    >
                        "×"
                    </button>
                </form>
                <p class="problem" id="chat-problem">{problem}</p>
            </Show>
        </div>
    }
}

#[component]
fn Line(line: ChatLine) -> impl IntoView {
    let (class, name) = match line.from {
        Speaker::Own(name) => ("line own", Some(name)),
        Speaker::Other(name) => ("line", Some(name)),
        Speaker::Page => ("line page", None),
    };
    view! {
        <li class=class>
            {name.map(|name| view! { <span class="who">{name}": "</span> })}
            <span>{line.text}</span>
        </li>
    }
}
