//! Faults at the ports: a [`Plan`] stands between the flows and what they call, writes
//! down every call as a step, and lets chosen steps fail, happen twice, or be the last
//! thing that their process does.
//!
//! The decorators here know every port and decide nothing. A port that gets a method gets
//! its line in [`stores`] or [`control_plane`], or does not compile.

pub mod control_plane;
pub mod stores;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use edge_server::peers::control_plane::ControlPlaneError;
use edge_server::peers::session_holders::HolderUnreachable;
use edge_server::stores::StoreError;
use tokio::sync::watch;

/// A call of a port: `port.method`.
pub type Step = &'static str;

/// What goes wrong at one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// It is not done, and the caller is told that it may not have been.
    FailBefore,
    /// It is done, and the answer is lost.
    FailAfter,
    /// It is done twice, as by a caller that lost the first answer; the second is given.
    Repeat,
    /// The process dies before it is done.
    CrashBefore,
    /// The process dies once it is done.
    CrashAfter,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::FailBefore, Self::FailAfter, Self::Repeat, Self::CrashBefore, Self::CrashAfter];

    /// Whether the process is dead afterwards.
    #[must_use]
    pub fn is_crash(self) -> bool {
        matches!(self, Self::CrashBefore | Self::CrashAfter)
    }
}

/// An error that leaves the outcome unknown.
pub trait Unanswered {
    /// The error with this reason.
    fn unanswered(reason: &str) -> Self;
}

impl Unanswered for StoreError {
    fn unanswered(reason: &str) -> Self {
        Self::Unavailable(reason.to_owned())
    }
}

impl Unanswered for HolderUnreachable {
    fn unanswered(_: &str) -> Self {
        Self("nobody".parse().expect("an id of an instance"))
    }
}

impl Unanswered for ControlPlaneError {
    fn unanswered(reason: &str) -> Self {
        Self::Unavailable(reason.to_owned())
    }
}

/// What happened while a plan was being followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Every call, in the order in which they began. A call of the control plane comes
    /// before the calls of stores that it makes.
    pub steps: Vec<Step>,
    /// Where a fault struck.
    pub struck: Vec<(Step, Fault)>,
}

#[derive(Debug, Default)]
struct Progress {
    following: bool,
    run: Run,
    faults: BTreeMap<usize, Fault>,
}

/// The error of a call that is [kept away](Plan::keep_away).
const AWAY: &str = "planned: away";

type Look = Box<dyn Fn() + Send + Sync>;

/// The faults of one process. Outside of [`begin`](Self::begin) and [`end`](Self::end) it
/// lets every call pass.
pub struct Plan {
    progress: Mutex<Progress>,
    dead: watch::Sender<bool>,
    look: OnceLock<Look>,
    away: Mutex<BTreeSet<Step>>,
    next_of: Mutex<Option<(Step, Fault)>>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            progress: Mutex::default(),
            dead: watch::channel(false).0,
            look: OnceLock::new(),
            away: Mutex::default(),
            next_of: Mutex::default(),
        }
    }
}

impl Plan {
    /// Looks at the process whenever it calls a port, such as for what must always hold;
    /// set once.
    pub fn look_at_each_step(&self, look: impl Fn() + Send + Sync + 'static) {
        let _ = self.look.set(Box::new(look));
    }

    /// Whether a call was made since the beginning of what is written down.
    pub fn has_called(&self, step: Step) -> bool {
        self.progress().run.steps.contains(&step)
    }

    /// The next call of a step goes wrong, whenever it comes.
    pub fn strike_next(&self, step: Step, fault: Fault) {
        *self.next_of.lock().unwrap_or_else(PoisonError::into_inner) = Some((step, fault));
    }

    /// Whether what was to [go wrong next](Self::strike_next) has.
    #[must_use]
    pub fn has_struck(&self) -> bool {
        self.next_of.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// From now on these calls fail, each and every one; none of them with an empty list.
    pub fn keep_away(&self, steps: &[Step]) {
        *self.away.lock().unwrap_or_else(PoisonError::into_inner) = steps.iter().copied().collect();
    }

    /// From now on calls are written down and counted from 0, and the calls of these
    /// numbers go wrong.
    pub fn begin(&self, faults: &[(usize, Fault)]) {
        let faults = faults.iter().copied().collect();
        *self.progress() = Progress { following: true, run: Run::default(), faults };
    }

    /// Lets every call pass again; gives what happened since the beginning.
    pub fn end(&self) -> Run {
        std::mem::take(&mut *self.progress()).run
    }

    /// Whether the process has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        *self.dead.borrow()
    }

    /// Takes the process down where it is.
    pub fn die(&self) {
        self.dead.send_replace(true);
    }

    /// What comes of a part of the process; nothing if the process dies before its end.
    pub async fn while_alive<T>(&self, part: impl Future<Output = T>) -> Option<T> {
        let mut dead = self.dead.subscribe();
        let died = async {
            // The sender lives as long as the plan.
            let _ = dead.wait_for(|dead| *dead).await;
        };
        tokio::select! {
            biased;
            () = died => None,
            done = part => if self.is_dead() { None } else { Some(done) },
        }
    }

    /// Makes one call of a port, as planned.
    ///
    /// # Errors
    /// Those of the call, and one without an answer where that is planned or the process
    /// is dead.
    pub async fn around<T, E, F>(&self, step: Step, call: impl Fn() -> F) -> Result<T, E>
    where
        E: Unanswered,
        F: Future<Output = Result<T, E>>,
    {
        if self.is_dead() {
            return Err(E::unanswered("the process is dead"));
        }
        if let Some(look) = self.look.get() {
            look();
        }
        if self.away.lock().unwrap_or_else(PoisonError::into_inner).contains(step) {
            return Err(E::unanswered(AWAY));
        }
        match self.struck_by_name(step).or_else(|| self.next(step)) {
            None => call().await,
            Some(Fault::FailBefore) => Err(E::unanswered("planned: not done")),
            Some(Fault::FailAfter) => {
                let _lost = call().await;
                Err(E::unanswered("planned: the answer is lost"))
            }
            Some(Fault::Repeat) => {
                let _lost = call().await;
                call().await
            }
            Some(Fault::CrashBefore) => self.last_step().await,
            Some(Fault::CrashAfter) => {
                let _lost = call().await;
                self.last_step().await
            }
        }
    }

    /// The caller goes no further: whoever waits for it drops it.
    async fn last_step<T>(&self) -> T {
        self.die();
        std::future::pending().await
    }

    fn struck_by_name(&self, step: Step) -> Option<Fault> {
        let mut next_of = self.next_of.lock().unwrap_or_else(PoisonError::into_inner);
        next_of.take_if(|(named, _)| *named == step).map(|(_, fault)| fault)
    }

    fn next(&self, step: Step) -> Option<Fault> {
        let mut progress = self.progress();
        if !progress.following {
            return None;
        }
        let number = progress.run.steps.len();
        progress.run.steps.push(step);
        let fault = progress.faults.get(&number).copied()?;
        progress.run.struck.push((step, fault));
        Some(fault)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
