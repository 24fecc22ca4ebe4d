//! What must always hold, as looks at a [`Rig`]: each is named for its invariant and says
//! what it found.

use std::collections::BTreeSet;
use std::sync::Arc;

use edge_server::domain::session_directory::PendingRealtimeSession;
use edge_server::game::GameServer;
use edge_server::session_handle::SessionHandle;
use edge_server::stores::{
    CharacterStore as _, LocationSave, LoginStore as _, PresenceStore as _, SaveOutcome,
};
use edge_server::workers::instance_keeper;
use shared::ids::{CharacterId, SessionEpoch};
use tests::patience::{HAPPENED, within};

use super::heard::{Claimed, Hero, Pass, Playing, Shaken};
use super::rig::{Rig, harbor, places};

impl Rig {
    /// Seats taken over all instances: reserved, pending and active.
    pub(super) fn seats_taken(&self) -> u32 {
        let taken = |game: &Arc<GameServer>| -> u32 {
            let directory = game.directory();
            assert_eq!(directory.check_invariants(), Ok(()), "I3 at {}", game.identity.id);
            directory.loads().iter().map(|load| load.occupied).sum()
        };
        self.games().iter().map(taken).sum()
    }

    /// Live sessions, as who has them, with the instance's.
    fn live_sessions(&self) -> Vec<Live> {
        let of = |game: &Arc<GameServer>| {
            let directory = game.directory();
            let all = directory.all_active();
            all.map(|active| (active.session.clone(), active.handle.clone())).collect()
        };
        self.games().iter().flat_map(|game| -> Vec<Live> { of(game) }).collect()
    }

    /// Live sessions of a character that have its row's epoch: those that may write.
    pub(super) async fn holders(&self, character: CharacterId) -> usize {
        let row = self.stores().character(character).await.unwrap().unwrap();
        let own =
            |live: &&Live| live.0.character.id == character && live.0.character.epoch == row.epoch;
        self.live_sessions().iter().filter(own).count()
    }

    /// Every instance's keeper renews its sessions, which tells those that have lost their
    /// character, their account or their login to end; comes back when they have.
    pub(super) async fn renew(&self) {
        for game in self.games() {
            instance_keeper::renew(game).await;
        }
        for (session, handle) in self.live_sessions() {
            if self.has_lost_its_ground(&session).await {
                within("a session that has lost its ground ends", HAPPENED, handle.ended()).await;
            }
        }
    }

    async fn has_lost_its_ground(&self, session: &PendingRealtimeSession) -> bool {
        let own = &session.character;
        let row = self.stores().character(own.id).await.unwrap().unwrap();
        let login = self.stores().account_of_login(&session.login, Self::now()).await.unwrap();
        let account = self.stores().presence_of_account(session.account_id, Self::now());
        let later = account.await.unwrap().is_some_and(|there| there.entry > own.entry);
        row.epoch > own.epoch || login.is_none() || later
    }
}

type Live = (PendingRealtimeSession, SessionHandle);

/// I6 after a handshake that failed, and I3 once everything has ended: no seat is
/// reserved, pending or active, and nothing outside names a session.
pub(super) async fn nothing_is_left(rig: &Rig) {
    assert_eq!(rig.seats_taken(), 0, "I3, I6: seats are held for nobody");
    assert_eq!(rig.ground().session_keys().await, Vec::<String>::new(), "I6: records of nobody");
}

/// I1: whoever shows a token again gets no further session of it, the attempt that used it
/// with a higher try included.
pub(super) async fn a_used_token_makes_no_further_session(rig: &Rig, pass: &Pass) {
    for game in rig.games() {
        let pass = Pass { instance: game.identity.id.clone(), ..pass.clone() };
        for (pass, r#try) in [(pass.clone(), 7), (pass.stolen(), 1), (pass.stolen(), 9)] {
            let answer = rig.shake(&pass, r#try).await;
            assert!(matches!(answer, Shaken::Rejected(_)), "I1: {answer:?}");
        }
    }
}

/// I2: of all epochs that a character ever had, only the row's own writes, and at most one
/// living session has it.
pub(super) async fn one_epoch_writes(rig: &Rig, character: CharacterId) {
    let row = rig.stores().character(character).await.unwrap().unwrap();
    let others = (0..=row.epoch.0 + 1).map(SessionEpoch).filter(|epoch| *epoch != row.epoch);
    let save = |epoch| LocationSave {
        character_id: character,
        epoch,
        zone: harbor().zone,
        tile: places()[9],
    };
    let saves: Vec<_> = others.map(save).collect();
    let outcomes = rig.stores().save_locations(&saves).await.unwrap();
    let stale = outcomes.iter().all(|outcome| *outcome == SaveOutcome::Stale);
    assert!(stale, "I2: {outcomes:?} beside {:?}", row.epoch);
    assert_eq!(rig.stores().character(character).await.unwrap().unwrap(), row);
    assert!(rig.holders(character).await <= 1, "I2: two sessions can write one character");
    let mut epochs = BTreeSet::new();
    for (own, _) in rig.live_sessions() {
        let fresh = own.character.id != character || epochs.insert(own.character.epoch);
        assert!(fresh, "I2: two sessions share {:?}", own.character.epoch);
    }
}

/// I4: the character enters again, at its last committed place.
pub(super) async fn enters_where_it_was_committed(rig: &Rig, hero: &Hero) -> Playing {
    let row = rig.stores().character(hero.character).await.unwrap().unwrap();
    let playing = rig.enter(hero).await;
    let activation = &playing.admission.activation;
    assert_eq!((&activation.zone, activation.tile), (&row.zone, row.tile), "I4");
    assert_eq!(rig.holders(hero.character).await, 1);
    playing
}

/// An answer of another try, or of a session that has been pushed out, opens nothing.
#[track_caller]
pub(super) fn opens_nothing(claimed: &Claimed) {
    assert!(matches!(claimed, Claimed::Bye(_)), "{claimed:?}");
}
