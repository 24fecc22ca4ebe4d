//! Carries out the reducer's effects: jobs over HTTP, and the realtime connection.
//!
//! Every task reports through the one `dispatch` that it was given; none of them holds the
//! connection state.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use shared::realtime::message::{ClientMessage, InputPacket};
use wasm_bindgen_futures::spawn_local;

use super::webtransport::{Link, Report};
use super::{clock, http, storage, timer};
use crate::connection::event::RuntimeProblem;
use crate::connection::locate::located;
use crate::connection::{ConnectionEvent, Effect, Job, JobId, JobStep, Notice};
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::transport::{TransportAction, TransportEvent};

/// The page's executor of effects.
#[derive(Clone)]
pub struct Executor(Rc<Inner>);

struct Inner {
    dispatch: Box<dyn Fn(ConnectionEvent)>,
    is_pending: Box<dyn Fn(JobId) -> bool>,
    show: Box<dyn Fn(Notice)>,
    /// Connections that are dialled or open. At most the present one and those that are
    /// saying goodbye.
    links: RefCell<BTreeMap<RealtimeGeneration, Rc<Link>>>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("links", &self.0.links.borrow().len()).finish()
    }
}

impl Executor {
    /// An executor that reports to `dispatch` and asks `is_pending` whether a job is still
    /// the one under way; `show` shows what has happened.
    #[must_use]
    pub fn new(
        dispatch: impl Fn(ConnectionEvent) + 'static,
        is_pending: impl Fn(JobId) -> bool + 'static,
        show: impl Fn(Notice) + 'static,
    ) -> Self {
        Self(Rc::new(Inner {
            dispatch: Box::new(dispatch),
            is_pending: Box::new(is_pending),
            show: Box::new(show),
            links: RefCell::default(),
        }))
    }

    /// Carries out one effect, or starts to.
    pub fn run(&self, effect: Effect) {
        match effect {
            Effect::SpawnJob(job) => self.spawn(*job),
            Effect::StartRealtime { generation, endpoint } => {
                let report = self.report(generation);
                if let Some(link) = Link::dial(&endpoint, report) {
                    self.0.links.borrow_mut().insert(generation, link);
                }
            }
            Effect::Transport { generation, action } => self.act(generation, action),
            Effect::RequestRealtimeShutdown { generation } => {
                if let Some(link) = self.0.links.borrow_mut().remove(&generation) {
                    link.leave();
                }
            }
            Effect::LocateSession { generation, call } => {
                let report = self.report(generation);
                spawn_local(async move {
                    report(TransportEvent::Located(located(&http::perform(&call).await)));
                });
            }
            Effect::Show(notice) => (self.0.show)(notice),
            Effect::KeepSession(session) => storage::save_session(&session),
            Effect::ForgetSession => storage::forget_session(),
            Effect::ForgetLogin => storage::forget_login(),
            Effect::EndLogin(call) => spawn_local(async move {
                http::perform(&call).await;
            }),
        }
    }

    /// Sends a datagram on the connection of a generation, where that is open.
    pub fn send_datagram(&self, generation: RealtimeGeneration, packet: &InputPacket) {
        if let Some(link) = self.0.links.borrow().get(&generation) {
            link.send_datagram(packet);
        }
    }

    fn dispatch(&self, event: ConnectionEvent) {
        (self.0.dispatch)(event);
    }

    fn report(&self, generation: RealtimeGeneration) -> Report {
        let executor = self.clone();
        Rc::new(move |event| {
            executor.dispatch(ConnectionEvent::Realtime { generation, at: clock::now(), event });
        })
    }

    fn act(&self, generation: RealtimeGeneration, action: TransportAction) {
        let link = self.0.links.borrow().get(&generation).cloned();
        match (action, link) {
            (TransportAction::SendHello(hello), Some(link)) => {
                link.send(&ClientMessage::Hello(hello));
            }
            (TransportAction::SendBye, Some(link)) => link.send(&ClientMessage::Bye),
            (TransportAction::SendPing(number), Some(link)) => {
                link.send(&ClientMessage::Ping(number));
            }
            (TransportAction::SendCommand(command), Some(link)) => {
                link.send(&ClientMessage::Command(command));
            }
            // Effects of their own.
            (TransportAction::Redial | TransportAction::Locate(_), _) => {}
            (TransportAction::Close, Some(link)) => {
                self.0.links.borrow_mut().remove(&generation);
                link.close();
            }
            (TransportAction::Schedule { after, event }, _) => {
                let report = self.report(generation);
                spawn_local(async move {
                    timer::after(after).await;
                    report(*event);
                });
            }
            // The connection has ended already.
            (_, None) => {}
        }
    }

    fn spawn(&self, job: Job) {
        if job.may_start_realtime()
            && let Some(problem) = missing_runtime()
        {
            let job = job.pending().id;
            return self.dispatch(ConnectionEvent::RuntimeUnavailable { job, problem });
        }
        spawn_local(run_job(self.clone(), job));
    }
}

/// What the browser lacks for a realtime session, if anything.
#[must_use]
pub fn missing_runtime() -> Option<RuntimeProblem> {
    if http::has_web_transport() {
        return None;
    }
    let is_secure = web_sys::window().is_some_and(|window| window.is_secure_context());
    Some(if is_secure { RuntimeProblem::NoWebTransport } else { RuntimeProblem::InsecureContext })
}

async fn run_job(executor: Executor, mut job: Job) {
    let id = job.pending().id;
    let mut step = job.begin();
    loop {
        match step {
            JobStep::Done(completion) => return executor.dispatch(completion),
            JobStep::Call { progress, after, call } => {
                executor.dispatch(progress);
                if !after.is_zero() {
                    timer::after(after).await;
                }
                // A job that was given up must not go on to take a seat in the world.
                if !(executor.0.is_pending)(id) {
                    return;
                }
                let asked_at = clock::now();
                let outcome = http::perform(&call).await;
                let took = (clock::now() - asked_at).max(0.0);
                step = job.answer(outcome, Duration::from_secs_f64(took / 1_000.0));
            }
        }
    }
}
