//! The page's hold on the connection state: the one place where events are reduced and
//! where their effects are handed to the executor.

use std::collections::VecDeque;

use leptos::prelude::*;
use shared::realtime::message::InputPacket;
use shared::secret::AccessToken;

use super::world_facts::WorldFacts;
use crate::browser::jobs::Executor;
use crate::browser::{clock, lifecycle, storage};
use crate::connection::{
    ClientCompatibility, ConnectionEvent, Effect, MultiplayerConnectionState, Notice, reduce,
};
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::transport::TransportEvent;

/// The build's name in handshakes.
const CLIENT_BUILD: &str = concat!("aether-web/", env!("CARGO_PKG_VERSION"));

/// A handle on the connection; copies are the same connection.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    state: RwSignal<MultiplayerConnectionState, LocalStorage>,
    facts: RwSignal<WorldFacts>,
    executor: StoredValue<Option<Executor>, LocalStorage>,
    inbox: StoredValue<VecDeque<ConnectionEvent>, LocalStorage>,
    is_reducing: StoredValue<bool>,
    saved_login: StoredValue<Option<AccessToken>, LocalStorage>,
}

impl Connection {
    /// The connection of a page whose login role is at `login_endpoint` (empty: the page's
    /// own origin); `show` is told what passes in the world.
    #[must_use]
    pub fn new(login_endpoint: &str, show: impl Fn(Notice) + 'static) -> Self {
        let compatibility = ClientCompatibility::quic(CLIENT_BUILD);
        let state = MultiplayerConnectionState::new(login_endpoint, compatibility);
        let connection = Self {
            state: RwSignal::new_local(state),
            facts: RwSignal::new(WorldFacts::default()),
            executor: StoredValue::new_local(None),
            inbox: StoredValue::new_local(VecDeque::new()),
            is_reducing: StoredValue::new(false),
            saved_login: StoredValue::new_local(None),
        };
        connection.executor.set_value(Some(Executor::new(
            move |event| connection.dispatch(event),
            move |job| connection.peek(|state| state.is_pending(job)),
            show,
        )));
        lifecycle::on_wake(move || {
            connection.dispatch(ConnectionEvent::Woken { at: clock::now() })
        });
        connection
    }

    /// Reads the state and renders anew when it changes. Snapshots do not count as a
    /// change: see [`facts`](Self::facts).
    pub fn read<T>(self, look: impl FnOnce(&MultiplayerConnectionState) -> T) -> T {
        self.state.with(look)
    }

    /// Reads the state as it is now.
    pub fn peek<T>(self, look: impl FnOnce(&MultiplayerConnectionState) -> T) -> T {
        self.state.with_untracked(look)
    }

    /// What the page shows of the world.
    #[must_use]
    pub fn facts(self) -> ReadSignal<WorldFacts> {
        self.facts.read_only()
    }

    /// Whether a job is pending or a logout drains, so that no control may start another.
    #[must_use]
    pub fn is_busy(self) -> bool {
        self.read(MultiplayerConnectionState::is_busy)
    }

    /// Sends movement on the connection of a generation, where that is open.
    pub fn send_input(self, generation: RealtimeGeneration, packet: &InputPacket) {
        if let Some(executor) = self.executor.get_value() {
            executor.send_datagram(generation, packet);
        }
    }

    /// Starts a flow by one of the `start_*` functions, or selects something.
    pub fn start(self, begin: impl FnOnce(&mut MultiplayerConnectionState) -> Vec<Effect>) {
        self.is_reducing.set_value(true);
        self.apply(true, begin);
        self.is_reducing.set_value(false);
        self.drain();
    }

    /// Reduces an event. One that arrives while another is reduced waits for its turn.
    pub fn dispatch(self, event: ConnectionEvent) {
        self.inbox.update_value(|inbox| inbox.push_back(event));
        self.drain();
    }

    fn drain(self) {
        if self.is_reducing.get_value() {
            return;
        }
        self.is_reducing.set_value(true);
        while let Some(event) = self.inbox.try_update_value(VecDeque::pop_front).flatten() {
            let notify = !is_snapshot(&event);
            self.apply(notify, |state| reduce(state, event));
        }
        self.is_reducing.set_value(false);
    }

    /// Changes the state, tells those who read it, and carries the effects out.
    fn apply(
        self,
        notify: bool,
        change: impl FnOnce(&mut MultiplayerConnectionState) -> Vec<Effect>,
    ) {
        let told_before = self.peek(|state| (state.status.clone(), state.world_entry_ready()));
        let mut effects = Vec::new();
        self.state.update_untracked(|state| effects = change(state));
        let told_now = self.peek(|state| (state.status.clone(), state.world_entry_ready()));
        if notify || told_before != told_now {
            self.state.notify();
            self.keep_for_a_reload();
        }
        let facts = self.peek(WorldFacts::of);
        if self.facts.with_untracked(|known| *known != facts) {
            self.facts.set(facts);
        }
        let Some(executor) = self.executor.get_value() else { return };
        for effect in effects {
            executor.run(effect);
        }
    }

    /// A loss resets the state but not the login itself, so only what is there is saved.
    fn keep_for_a_reload(self) {
        self.peek(|state| {
            let Some(login) = &state.login_response else { return };
            let known = self.saved_login.with_value(|saved| {
                saved.as_ref().is_some_and(|token| *token == login.access_token)
            });
            if !known {
                storage::save_login(login);
                self.saved_login.set_value(Some(login.access_token.clone()));
            }
            if let Some(realm) = state.realm() {
                storage::save_realm(&realm.id);
            }
        });
    }
}

fn is_snapshot(event: &ConnectionEvent) -> bool {
    matches!(event, ConnectionEvent::Realtime { event: TransportEvent::Snapshot(_), .. })
}
