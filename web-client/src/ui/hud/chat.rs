//! The chat: a log that can be read over the world, and a line to write in.

use std::time::Duration;

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;
use shared::limits::MAX_CHAT_CHARS;
use shared::realtime::command::{ChatText, Command, NotSayable};

use crate::browser::clock;
use crate::connection::ConnectionEvent;
use crate::presentation::chat_log::{CHAT_VISIBLE_MS, ChatLine, Speaker};
use crate::presentation::wording::sentence;
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

/// Log and input.
#[component]
pub fn Chat() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    view! {
        <div class="chat" class:open=move || ui.chat_open.get()>
            <Log />
            <Show when=move || ui.chat_open.get()>
                <Input />
            </Show>
        </div>
    }
}

#[component]
fn Log() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    let log = NodeRef::<html::Div>::new();
    let is_idle = RwSignal::new(ui.chat.with_untracked(|chat| chat.is_idle(clock::now())));
    let lines = move || ui.chat.with(|chat| chat.lines().cloned().collect::<Vec<ChatLine>>());
    Effect::new(move |_| {
        ui.chat.track();
        let look = move || is_idle.set(ui.chat.with_untracked(|chat| chat.is_idle(clock::now())));
        look();
        let timer =
            set_timeout_with_handle(look, Duration::from_millis(CHAT_VISIBLE_MS as u64 + 50));
        on_cleanup(move || timer.map(|timer| timer.clear()).unwrap_or_default());
    });
    // The latest line is in sight, whoever opens the log or speaks.
    Effect::new(move |_| {
        ui.chat.track();
        ui.chat_open.track();
        request_animation_frame(move || {
            if let Some(log) = log.get_untracked() {
                log.set_scroll_top(log.scroll_height().into());
            }
        });
    });
    view! {
        <div
            node_ref=log
            class="chat-log"
            class:idle=move || is_idle.get() && !ui.chat_open.get()
            data-testid="chat-log"
            role="log"
            aria-live="polite"
            aria-label="Chat"
            tabindex=move || if ui.chat_open.get() { "0" } else { "-1" }
        >
            <For each=lines key=|line| line.number let:line>
                <Line line=line />
            </For>
        </div>
    }
}

#[component]
fn Line(line: ChatLine) -> impl IntoView {
    let (class, name) = match line.speaker {
        Speaker::Own(name) => ("line own", Some(name)),
        Speaker::Other(name) => ("line", Some(name)),
        Speaker::Game => ("line game", None),
    };
    let times = (line.times > 1).then(|| format!(" ({} times)", line.times));
    view! {
        <p class=class>
            {name.map(|name| view! { <span class="who">{name}</span> ": " })}
            <span class="what">{line.text}</span>
            {times}
        </p>
    }
}

#[component]
fn Input() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let input = NodeRef::<html::Input>::new();
    let problem = RwSignal::new(String::new());
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.focus();
        }
    });
    let say = move |event: SubmitEvent| {
        event.prevent_default();
        match ui.chat_draft.get_untracked().parse::<ChatText>() {
            Ok(text) => {
                ui.chat_draft.set(String::new());
                ui.chat_open.set(false);
                connection.dispatch(ConnectionEvent::Command(Command::Say(text)));
            }
            Err(NotSayable::Empty) => ui.chat_open.set(false),
            Err(why) => problem.set(sentence(&why.to_string())),
        }
    };
    let close = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            event.prevent_default();
            ui.chat_open.set(false);
        }
    };
    view! {
        <form class="chat-form" on:submit=say on:keydown=close novalidate=true>
            <p class="problem" id="chat-problem" role="alert">{move || problem.get()}</p>
            <div class="chat-line">
                <input
                    node_ref=input
                    class="input"
                    data-testid="chat-input"
                    type="text"
                    autocomplete="off"
                    enterkeyhint="send"
                    maxlength=MAX_CHAT_CHARS.to_string()
                    aria-label="Say something"
                    aria-describedby="chat-problem"
                    placeholder="Say something"
                    prop:value=ui.chat_draft
                    on:input:target=move |event| {
                        problem.set(String::new());
                        ui.chat_draft.set(event.target().value());
                    }
                />
                <button class="button primary" data-testid="send-chat" type="submit">
                    "Say"
                </button>
                <button
                    class="button"
                    data-testid="close-chat"
                    type="button"
                    aria-label="Close the chat"
                    on:click=move |_| ui.chat_open.set(false)
                >
                    <span class="cross" aria-hidden="true"></span>
                </button>
            </div>
        </form>
    }
}
