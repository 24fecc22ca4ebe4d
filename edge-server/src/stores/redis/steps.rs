//! Steps: the Lua scripts, how one is run, and what it answers.
//!
//! A script is called by its hash; where Redis does not know it (a new server, one that was
//! started again or told to forget its scripts) the same call goes out once more with the
//! script in full, which cannot fail for that reason. Nothing has been run the first time, so
//! this repeats no step.

use std::time::Duration;

use redis::{Script, Value};
use shared::ids::UnixMillis;
use shared::version::PayloadVersion;

use super::RedisStores;
use super::link::is_unknown_script;
use super::records::{unavailable, unreadable};
use crate::stores::{StoreError, StoreResult};

/// How long Redis keeps a record after its end, for callers whose clocks are behind.
pub(super) const GARBAGE_MARGIN: Duration = Duration::from_secs(60 * 60);
/// How long Redis keeps a record that was written by a step without a `now`, which cannot
/// tell how far off the record's end is: far longer than any of them lives.
pub(super) const UNTIMED_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

const _: () = assert!(
    shared::limits::HANDOFF_TOKEN_LIFE.as_secs() + GARBAGE_MARGIN.as_secs()
        < UNTIMED_LIFE.as_secs()
);

/// The text of a script: the prelude, and the files of the step.
macro_rules! script {
    ($name:literal, $($file:literal),+) => {
        Step::new($name, concat!(include_str!("lua/records.lua"), $(include_str!($file)),+))
    };
}

/// Every step.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) put_handoff: Step,
    pub(super) preflight: Step,
    pub(super) consume: Step,
    pub(super) redirect: Step,
    pub(super) hold: Step,
    pub(super) give_up: Step,
    pub(super) put_unless_outranked: Step,
    pub(super) remove_if: Step,
    pub(super) instances: Step,
    pub(super) prune: Step,
    pub(super) list: Step,
    pub(super) forgotten_handoffs: Step,
    pub(super) end_handoff: Step,
    pub(super) restore_handoff: Step,
    pub(super) lifecycle_begin: Step,
    pub(super) lifecycle_take: Step,
    pub(super) lifecycle_finish: Step,
    pub(super) lifecycle_move: Step,
    pub(super) lifecycle_recover: Step,
    pub(super) lifecycle_dead: Step,
    pub(super) lifecycle_requeue: Step,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            put_handoff: script!("put_handoff", "lua/put_handoff.lua"),
            preflight: script!("preflight", "lua/lookup.lua", "lua/preflight.lua"),
            consume: script!("consume", "lua/lookup.lua", "lua/consume.lua"),
            redirect: script!("redirect", "lua/lookup.lua", "lua/redirect.lua"),
            hold: script!("hold", "lua/hold.lua"),
            give_up: script!("give_up", "lua/give_up.lua"),
            put_unless_outranked: script!("put_unless_outranked", "lua/put_unless_outranked.lua"),
            remove_if: script!("remove_if", "lua/remove_if.lua"),
            instances: script!("instances", "lua/instances.lua"),
            prune: script!("prune", "lua/prune.lua"),
            list: script!("list", "lua/list.lua"),
            forgotten_handoffs: script!(
                "forgotten_handoffs",
                "lua/forgotten.lua",
                "lua/forgotten_handoffs.lua"
            ),
            end_handoff: script!("end_handoff", "lua/end_handoff.lua"),
            restore_handoff: script!(
                "restore_handoff",
                "lua/forgotten.lua",
                "lua/restore_handoff.lua"
            ),
            lifecycle_begin: script!(
                "lifecycle_begin",
                "lua/lifecycle.lua",
                "lua/lifecycle_begin.lua"
            ),
            lifecycle_take: script!(
                "lifecycle_take",
                "lua/lifecycle.lua",
                "lua/lifecycle_take.lua"
            ),
            lifecycle_finish: script!(
                "lifecycle_finish",
                "lua/lifecycle.lua",
                "lua/lifecycle_finish.lua"
            ),
            lifecycle_move: script!(
                "lifecycle_move",
                "lua/lifecycle.lua",
                "lua/lifecycle_move.lua"
            ),
            lifecycle_recover: script!(
                "lifecycle_recover",
                "lua/lifecycle.lua",
                "lua/lifecycle_recover.lua"
            ),
            lifecycle_dead: script!(
                "lifecycle_dead",
                "lua/lifecycle.lua",
                "lua/lifecycle_dead.lua"
            ),
            lifecycle_requeue: script!(
                "lifecycle_requeue",
                "lua/lifecycle.lua",
                "lua/lifecycle_requeue.lua"
            ),
        }
    }
}

/// One script.
#[derive(Debug)]
pub(super) struct Step {
    name: &'static str,
    text: &'static str,
    hash: String,
}

impl Step {
    fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text, hash: Script::new(text).get_hash().to_owned() }
    }
}

/// A step about to be run.
pub(super) struct Call<'a> {
    stores: &'a RedisStores,
    step: &'a Step,
    now: Option<UnixMillis>,
    keys: Vec<String>,
    arguments: Vec<String>,
}

impl RedisStores {
    /// A call of a step, at the caller's `now`; without one every record counts as live.
    pub(super) fn call<'a>(&'a self, step: &'a Step, now: Option<UnixMillis>) -> Call<'a> {
        Call { stores: self, step, now, keys: Vec::new(), arguments: Vec::new() }
    }
}

impl Call<'_> {
    /// Adds the key of a record.
    pub(super) fn key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    /// Adds an argument of the step's own.
    pub(super) fn argument(mut self, argument: impl ToString) -> Self {
        self.arguments.push(argument.to_string());
        self
    }

    /// Runs the step.
    pub(super) async fn run(self) -> StoreResult<Answer> {
        let link = &self.stores.link;
        let by_hash = link.ask(&self.command("EVALSHA", &self.step.hash)).await;
        let answer = match by_hash {
            Err(error) if is_unknown_script(&error) => {
                link.ask(&self.command("EVAL", self.step.text)).await
            }
            answer => answer,
        };
        Answer::of(self.step.name, answer.map_err(|error| unavailable(&error))?)
    }

    fn command(&self, how: &str, script: &str) -> redis::Cmd {
        let now = self.now.map(|now| now.0.to_string()).unwrap_or_default();
        let mut command = redis::cmd(how);
        command
            .arg(script)
            .arg(self.keys.len())
            .arg(&self.keys)
            // What `lua/records.lua` opens with.
            .arg(PayloadVersion::CURRENT.get())
            .arg(now)
            .arg(milliseconds(GARBAGE_MARGIN))
            .arg(milliseconds(UNTIMED_LIFE))
            .arg(&self.arguments);
        command
    }
}

/// A span as the scripts take it.
pub(super) fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// What a step came to: its outcome, and texts that belong to it.
#[derive(Debug)]
pub(super) struct Answer {
    step: &'static str,
    outcome: String,
    texts: Vec<String>,
}

impl Answer {
    fn of(step: &'static str, value: Value) -> StoreResult<Self> {
        let strange = || StoreError::Unavailable(format!("step {step}: an answer of another kind"));
        let mut texts: Vec<String> = redis::from_redis_value(value).map_err(|_| strange())?;
        if texts.is_empty() {
            return Err(strange());
        }
        let outcome = texts.remove(0);
        match (outcome.as_str(), texts.as_slice()) {
            ("unreadable", [key, text]) => Err(unreadable(key, text)),
            _ => Ok(Self { step, outcome, texts }),
        }
    }

    /// Outcome and texts, to be matched on.
    pub(super) fn parts(&self) -> (&str, Vec<&str>) {
        (&self.outcome, self.texts.iter().map(String::as_str).collect())
    }

    /// For an outcome that the step does not have.
    pub(super) fn strange(&self) -> StoreError {
        StoreError::Unavailable(format!("step {} answered {}", self.step, self.outcome))
    }
}
