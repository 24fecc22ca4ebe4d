//! A fault at each step of reconciliation: what it repairs, it has repaired once a later run
//! was let through, and whatever else stands there it has never touched.

use std::collections::BTreeMap;
use std::sync::Arc;

use edge_server::clock::Clock;
use edge_server::domain::authority::EpochRaised;
use edge_server::domain::reconcile::Scope;
use edge_server::flows::reconcile_startup::{self, Reconciled, Reconciler};
use edge_server::stores::{
    CharacterStore, HandoffStore, HoldStore, LegacyHandoffStore, LoginStore, PresenceStore,
    RegistryStore, ResumeLedgerStore, keys,
};
use edge_server::workers::instance_keeper;
use shared::coordination::{
    AssignHold, HandoffCacheRecord, HandoffLookup, InstanceRecord, PresenceRecord,
    ResumeLedgerRecord, TransferActivation,
};
use shared::ids::{SessionEpoch, UnixMillis};
use shared::version::PayloadVersion;
use shared::world::Tile;
use tests::clock::now;
use tests::fault_report::During;
use tests::faults::stores::FaultyStores;
use tests::faults::{Fault, Plan, Run, Step};

use super::ground::{Family, Ground};
use super::rig::Rig;
use super::story::contain;
use super::sweep::at_every_step;
use crate::contract::samples;

/// The epoch of character 1, and the session that has it.
const EPOCH: u64 = 1;
const HOLDER: &str = "of-today";

/// Stores with what a crash may have left.
struct Wreck {
    ground: Ground,
    stores: FaultyStores,
}

fn soon() -> UnixMillis {
    now().plus(std::time::Duration::from_secs(600))
}

fn handoff(number: u128, expected: u64) -> HandoffCacheRecord {
    HandoffCacheRecord {
        expected_epoch: SessionEpoch(expected),
        expires_at: soon(),
        ..samples::handoff(number, samples::on_instance("edge-a"))
    }
}

fn presence(character: u128, name: &str, epoch: u64, incarnation: u64) -> PresenceRecord {
    PresenceRecord {
        incarnation,
        expires_at: soon(),
        ..samples::presence(character, character, name, epoch)
    }
}

fn ledger(character: u128, name: &str, epoch: u64, incarnation: u64) -> ResumeLedgerRecord {
    ResumeLedgerRecord {
        character_id: samples::character_id(character),
        incarnation,
        phase: samples::first_claim(),
        expires_at: soon(),
        ..samples::ledger(name, epoch)
    }
}

fn transfer(number: u128) -> HandoffCacheRecord {
    HandoffCacheRecord {
        transfer: Some(TransferActivation {
            payload_version: PayloadVersion::CURRENT,
            source_instance: "edge-b".parse().unwrap(),
            source_session: samples::session(HOLDER),
            source_zone: "meadow".parse().unwrap(),
            target_zone: "harbor".parse().unwrap(),
            target_tile: Tile { x: 5, y: 6 },
        }),
        ..handoff(number, EPOCH)
    }
}

impl Wreck {
    /// The second process of `edge-a` lives, and character 1 is held with [`EPOCH`]. Its account
    /// is logged in.
    async fn new(family: Family) -> Self {
        let ground = Ground::new(family).await;
        let open = ground.open().await;
        let stores = FaultyStores::without_faults(open.ports());
        samples::given_character(&stores.inner).await;
        let raise = samples::raise(0, samples::raised_by(1, 1, HOLDER));
        let raised = stores.raise_epoch(&raise, samples::NOW).await.unwrap();
        assert!(matches!(raised, EpochRaised::Raised(_)), "{raised:?}");
        let here = InstanceRecord { expires_at: soon(), ..samples::instance("edge-a", 2) };
        stores.put_instance(&here).await.unwrap();
        // A login that lives by the clock of today, for handoffs and their account.
        stores.create_login(&login(), samples::account_id(1), samples::PHC, soon()).await.unwrap();
        Self { ground, stores }
    }

    /// Such a one with [its disorder](Self::disorder).
    async fn in_disorder(family: Family) -> Self {
        let wreck = Self::new(family).await;
        wreck.disorder().await;
        wreck
    }

    /// Puts there whatever reconciliation repairs, beside whatever it must leave alone, and
    /// nothing else.
    async fn disorder(&self) {
        self.ground.expire_records().await;
        let stores = &self.stores;
        for (number, expected) in [(1, EPOCH), (2, EPOCH - 1), (3, EPOCH), (4, EPOCH)] {
            let record = HandoffCacheRecord { login: login(), ..handoff(number, expected) };
            stores.put_handoff_row(&record).await.unwrap();
        }
        let logged_out = HandoffCacheRecord { login: samples::token(77), ..handoff(5, EPOCH) };
        stores.put_handoff_row(&logged_out).await.unwrap();
        // Two of them are there, of which one is used.
        for number in [3, 4] {
            let record = HandoffCacheRecord { login: login(), ..handoff(number, EPOCH) };
            stores.put_handoff(&record).await.unwrap();
        }
        let asker = samples::claimant(1, "edge-a");
        stores.consume(&samples::token(4), &asker, now()).await.unwrap();

        // A transfer that was prepared and never activated, with its promise; and one that is
        // under way.
        for (number, end) in [(6, UnixMillis(now().0 - 1)), (7, soon())] {
            let moving = HandoffCacheRecord { expires_at: end, ..transfer(number) };
            stores.put_handoff(&moving).await.unwrap();
            let promise =
                AssignHold { expires_at: soon(), ..samples::hold(number, number, "edge-a") };
            assert!(stores.hold(&promise, None, now()).await.unwrap());
        }

        for record in [
            // Outranked; somebody has entered since.
            ledger(1, "of-yesterday", EPOCH - 1, 1),
            // Can be claimed again.
            ledger(1, HOLDER, EPOCH, 1),
            // Its process lives, and finds out by itself.
            ledger(1, "of-the-living", EPOCH - 1, 2),
        ] {
            stores.put_ledger(&record, now()).await.unwrap();
        }
        for record in [
            presence(1, HOLDER, EPOCH, 1),
            // The character of nobody, and no ledger.
            presence(2, "of-nobody", 7, 1),
            presence(3, "of-nobody-else", 7, 2),
            // A process that the registry does not know yet.
            presence(4, "of-the-next", 7, 3),
        ] {
            stores.put_presence(&record, now()).await.unwrap();
        }
    }

    fn reconciler(&self, plan: &Arc<Plan>, scope: Scope) -> Reconciler {
        let inner = self.stores.inner.clone();
        let faulty = Arc::new(FaultyStores { inner, plan: plan.clone() });
        Reconciler {
            scope,
            characters: faulty.clone(),
            logins: faulty.clone(),
            legacy_handoffs: faulty.clone(),
            handoffs: faulty.clone(),
            transfers: faulty.clone(),
            presence: faulty.clone(),
            ledger: faulty.clone(),
            registry: faulty.clone(),
            listing: faulty,
            clock: Clock,
        }
    }

    /// One run with these faults; no answer where the process died.
    async fn run(&self, scope: Scope, faults: &[(usize, Fault)]) -> (Option<Reconciled>, Run) {
        let plan = Arc::new(Plan::default());
        let reconciler = self.reconciler(&plan, scope);
        plan.begin(faults);
        let done = plan.while_alive(reconcile_startup::run(&reconciler)).await;
        (done, plan.end())
    }
}

fn login() -> shared::coordination::TokenHash {
    samples::token(0x1092)
}

/// What stands after [`Wreck::in_disorder`] was repaired.
fn in_order() -> Vec<String> {
    let scope = samples::on_instance("edge-a");
    let mut keys = vec![
        keys::handoff(&scope, &samples::token(1)),
        keys::handoff(&scope, &samples::token(3)),
        keys::handoff_consumed(&samples::token(4)),
        keys::handoff(&scope, &samples::token(7)),
        keys::hold(&samples::token(7)),
        keys::instance(&"edge-a".parse().unwrap()),
        keys::resume_ledger(&samples::session(HOLDER)),
        keys::resume_ledger(&samples::session("of-the-living")),
    ];
    for number in [1, 3, 4] {
        keys.push(keys::presence_account(samples::account_id(number)));
        keys.push(keys::presence_character(samples::character_id(number)));
    }
    keys.sort();
    keys
}

fn repaired() -> BTreeMap<&'static str, usize> {
    BTreeMap::from([
        ("remove_ledger", 1),
        ("remove_presence", 1),
        ("restore_handoff", 1),
        ("roll_back_transfer", 1),
    ])
}

async fn clean_run(family: Family) -> Vec<Step> {
    let wreck = Wreck::in_disorder(family).await;
    let (done, run) = wreck.run(Scope::Everything, &[]).await;
    let expected = Reconciled { repairs: repaired(), is_incomplete: false };
    assert_eq!(done, Some(expected));
    assert_eq!(wreck.ground.keys().await, in_order());
    run.steps
}

async fn reconciliation_takes_the_steps_that_the_specification_names(family: Family) {
    contain(
        &clean_run(family).await,
        &[
            "legacy_handoffs.handoff_rows",
            "handoffs.forgotten_handoffs",
            "logins.account_of_login",
            "characters.character",
            "handoffs.restore_handoff",
            "listing.list_handoffs",
            "transfers.activated",
            "handoffs.end_handoff",
            "listing.list_presence",
            "listing.list_ledger",
            "registry.instances",
            "characters.character",
            "ledger.remove_ledger",
            "presence.remove_presence",
        ],
    );
}

async fn a_second_run_finds_nothing_to_repair(family: Family) {
    let wreck = Wreck::in_disorder(family).await;
    wreck.run(Scope::Everything, &[]).await;
    let (done, _) = wreck.run(Scope::Everything, &[]).await;
    assert_eq!(done, Some(Reconciled::default()));
    assert_eq!(wreck.ground.keys().await, in_order());
    // A restored handoff is good, and one that was used before is still spent.
    let asker = samples::claimant(2, "edge-a");
    let good = wreck.stores.consume(&samples::token(1), &asker, now()).await.unwrap();
    assert!(matches!(good, HandoffLookup::Found { .. }), "{good:?}");
    let spent = wreck.stores.consume(&samples::token(4), &asker, now()).await.unwrap();
    assert_eq!(spent, HandoffLookup::AlreadyConsumed);
}

async fn reconciliation_outlives_a_fault_at_any_step(family: Family) {
    let steps = clean_run(family).await;
    let wreck = Wreck::new(family).await;
    at_every_step(family, "startup reconciliation", &steps, async |faults| {
        wreck.disorder().await;
        let (done, run) = wreck.run(Scope::Everything, faults).await;
        assert_eq!(run.struck.len(), 1, "{run:?}");
        let (_, fault) = run.struck[0];
        assert_eq!(done.is_none(), fault.is_crash());
        if matches!(fault, Fault::FailBefore | Fault::FailAfter) {
            assert!(done.unwrap().is_incomplete, "a lost answer is not taken for one");
        }
        let kept: Vec<_> = wreck.ground.keys().await;
        let lost = in_order().into_iter().filter(|key| !kept.contains(key));
        let restored = keys::handoff(&samples::on_instance("edge-a"), &samples::token(1));
        assert_eq!(lost.filter(|key| *key != restored).count(), 0, "{kept:?}");

        let (done, _) = wreck.run(Scope::Everything, &[]).await;
        assert!(!done.unwrap().is_incomplete);
        assert_eq!(wreck.ground.keys().await, in_order());
    })
    .await;
}

async fn a_game_server_repairs_what_its_own_earlier_processes_left_and_nothing_else(
    family: Family,
) {
    let wreck = Wreck::in_disorder(family).await;
    let before = wreck.ground.keys().await;
    let other = Scope::Instance("edge-b".parse().unwrap());
    assert_eq!(wreck.run(other, &[]).await.0, Some(Reconciled::default()));
    assert_eq!(wreck.ground.keys().await, before);
    let own = Scope::Instance("edge-a".parse().unwrap());
    let done = wreck.run(own, &[]).await.0.unwrap();
    let repairs = BTreeMap::from([("remove_ledger", 1), ("remove_presence", 1)]);
    assert_eq!(done, Reconciled { repairs, is_incomplete: false });
    let scope = samples::on_instance("edge-a");
    let mut expected = in_order();
    // Handoffs are the control plane's.
    expected.retain(|key| *key != keys::handoff(&scope, &samples::token(1)));
    expected.push(keys::handoff(&scope, &samples::token(6)));
    expected.push(keys::hold(&samples::token(6)));
    expected.sort();
    assert_eq!(wreck.ground.keys().await, expected);
}

/// Sessions come, are renewed and go at a living process while runs follow each other.
async fn reconciliation_during_play_takes_nothing_from_who_plays(family: Family) {
    let wreck = Wreck::new(family).await;
    let plan = Arc::new(Plan::default());
    let reconciler = wreck.reconciler(&plan, Scope::Everything);
    let stores = wreck.stores.clone();
    let playing = tokio::spawn(async move {
        for number in 10..60_u128 {
            let name = format!("player-{number}");
            // As a handshake writes them, one after the other.
            stores.put_ledger(&ledger(number, &name, 1, 2), now()).await.unwrap();
            stores.put_presence(&presence(number, &name, 1, 2), now()).await.unwrap();
        }
    });
    let mut runs = 0;
    while !playing.is_finished() || runs == 0 {
        let done = reconcile_startup::run(&reconciler).await;
        assert_eq!(done, Reconciled::default());
        runs += 1;
    }
    playing.await.unwrap();
    reconcile_startup::run(&reconciler).await;
    for number in 10..60_u128 {
        let character = samples::character_id(number);
        let there = wreck.stores.presence_of_character(character, now()).await.unwrap();
        assert!(there.is_some(), "character {number}");
    }
}

/// The records of who plays are gone, and the next heartbeat has them written again, whatever
/// goes wrong with it the first time.
async fn who_plays_is_written_down_again_after_its_records_were_lost(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let name = &playing.admission.activation.session_token;
    let game = rig.game();
    let before = rig.ground().session_keys().await;
    assert_eq!(instance_keeper::heartbeat(game).await.unwrap(), []);

    rig.ground().expire_records().await;
    let absent = instance_keeper::heartbeat(game).await.unwrap();
    assert_eq!(absent, std::slice::from_ref(name));
    rig.plan().begin(&[]);
    instance_keeper::renew_absent(game, &absent).await;
    let steps = rig.plan().end().steps;
    contain(&steps, &["presence.put_presence", "ledger.put_ledger"]);
    assert_eq!(rig.ground().session_keys().await, before);
    for number in 0..steps.len() {
        for fault in [Fault::FailBefore, Fault::FailAfter, Fault::Repeat] {
            let faults = [(number, fault)];
            let _during = During(format!("{fault:?} at {number}"));
            rig.ground().expire_records().await;
            rig.plan().begin(&faults);
            instance_keeper::renew_absent(game, &absent).await;
            rig.plan().end();
            let absent = instance_keeper::heartbeat(game).await.unwrap();
            instance_keeper::renew_absent(game, &absent).await;
            assert_eq!(instance_keeper::heartbeat(game).await.unwrap(), []);
            let presence: Vec<_> =
                before.iter().filter(|key| key.starts_with("presence:")).collect();
            let there = rig.ground().session_keys().await;
            assert!(presence.iter().all(|key| there.contains(key)), "{there:?}");
        }
    }

    // Under a new incarnation what was written before says nothing any more.
    game.identity.lease.begin_incarnation(now());
    assert_eq!(instance_keeper::heartbeat(game).await.unwrap(), std::slice::from_ref(name));
    assert_eq!(rig.holders(hero.character).await, 1);
}

over_both_families!(
    reconciliation_takes_the_steps_that_the_specification_names,
    a_second_run_finds_nothing_to_repair,
    reconciliation_outlives_a_fault_at_any_step,
    a_game_server_repairs_what_its_own_earlier_processes_left_and_nothing_else,
    reconciliation_during_play_takes_nothing_from_who_plays,
    who_plays_is_written_down_again_after_its_records_were_lost,
);
