//! Records of a newer server in the way of each flow (I5): the flow refuses, and every
//! table stays as it was.

use std::collections::BTreeMap;
use std::time::Duration;

use edge_server::stores::PresenceStore as _;
use shared::coordination::PresenceRecord;
use shared::gameplay::RejectionCode;
use shared::ids::{AccountEntry, SessionEpoch};
use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use shared::version::PayloadVersion;

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Shaken};
use super::rig::{Rig, harbor};

#[track_caller]
fn refused_for_its_version(answer: &Shaken) {
    let expected = RejectionCode::PayloadVersionUnsupported;
    assert!(matches!(answer, Shaken::Rejected(code) if *code == expected), "{answer:?}");
}

async fn a_handoff_of_the_future_is_refused_and_changes_nothing(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let pass = rig.select(&rig.hero().await).await;
    rig.ground().write_from_the_future("login:handoff:").await;
    let before = rig.ground().dump().await;
    refused_for_its_version(&rig.shake(&pass, 1).await);
    assert_eq!(rig.ground().dump().await, before);
    checks::nothing_is_left(&rig).await;
}

async fn a_marker_of_the_future_is_refused_and_changes_nothing(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let admission = rig.shake(&pass, 1).await.accepted();
    rig.ground().write_from_the_future("login:handoff-consumed:").await;
    let before = rig.ground().dump().await;
    for again in [&pass, &pass.stolen()] {
        refused_for_its_version(&rig.shake(again, 2).await);
        assert_eq!(rig.ground().dump().await, before);
    }
    // Who waits for its claim is not disturbed by it.
    rig.claim(&admission).await.playing();
}

async fn a_ledger_entry_of_the_future_is_not_claimed_over(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let admission = rig.shake(&pass, 1).await.accepted();
    rig.ground().write_from_the_future("realtime:resume:").await;
    let before = rig.ground().dump().await;
    let answer = rig.claim(&admission).await;
    assert!(matches!(answer, Claimed::Bye(ByeCode::Unavailable)), "{answer:?}");
    assert_eq!(rig.ground().dump().await, before);
    assert_eq!(rig.holders(hero.character).await, 0);
}

/// A server of the next build plays the character: this one neither throws it out by a
/// raise nor writes over what names it.
async fn presence_of_the_future_is_not_entered_over(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let elsewhere = PresenceRecord {
        payload_version: PayloadVersion::CURRENT,
        account_id: hero.account.id,
        character_id: hero.character,
        session_token: "session-of-another-server".parse().unwrap(),
        epoch: SessionEpoch(0),
        entry: AccountEntry(0),
        instance: "edge-z".parse().unwrap(),
        incarnation: 1,
        placement: harbor(),
        profile: "quic-standard".to_owned(),
        expires_at: Rig::now().plus(Duration::from_secs(60)),
    };
    rig.stores().put_presence(&elsewhere, Rig::now()).await.unwrap();
    rig.ground().write_from_the_future("presence:").await;
    let before = rig.ground().dump().await;
    let answer = rig.shake(&pass, 1).await;
    assert!(!answer.is_accepted(), "{answer:?}");
    assert_eq!(rig.seats_taken(), 0);
    let after = rig.ground().dump().await;
    assert_eq!(after["characters"], before["characters"], "the other server's epoch stands");
    // Rows of one table, or records under keys of their own.
    let presence = |dump: &BTreeMap<String, Vec<String>>| -> Vec<String> {
        let rows =
            dump.iter().flat_map(|(at, rows)| rows.iter().map(move |row| format!("{at} {row}")));
        rows.filter(|row| row.contains("presence:")).collect()
    };
    assert_eq!(presence(&after), presence(&before));
    assert_eq!(
        rig.ground().session_keys().await.len(),
        2,
        "presence under its two keys, and no ledger"
    );
}

async fn nobody_is_sent_to_an_instance_of_the_future(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    rig.ground().write_from_the_future("registry:instance:").await;
    let before = rig.ground().dump().await;
    let refusal = rig.try_select(&hero).await.unwrap().unwrap_err();
    assert_eq!(refusal.problem.code, ProblemCode::RealmUnavailable);
    assert_eq!(rig.ground().dump().await, before);
}

over_both_families!(
    a_handoff_of_the_future_is_refused_and_changes_nothing,
    a_marker_of_the_future_is_refused_and_changes_nothing,
    a_ledger_entry_of_the_future_is_not_claimed_over,
    presence_of_the_future_is_not_entered_over,
    nobody_is_sent_to_an_instance_of_the_future,
);
