//! An account that is logged in and has one character: where most tests begin.

use shared::account::{LoginResponse, RosterCharacter, SelectResponse};
use shared::ids::{CharacterId, RealmId, Try};
use shared::realtime::message::Bye;
use shared::secret::{AccessToken, ResumeToken};

use crate::api::{Admission, Api, Refused, accepted, hello};
use crate::clock::new_attempt;
use crate::player::Player;

/// The password of every account that tests make.
pub const PASSWORD: &str = "correct horse battery";

/// A player before entering the world.
#[derive(Clone, Debug)]
pub struct Hero {
    /// The server's HTTP.
    pub api: Api,
    /// The account's name.
    pub username: String,
    /// The login.
    pub login: LoginResponse,
    /// Where the character lives.
    pub realm: RealmId,
    /// The character.
    pub id: CharacterId,
}

impl Hero {
    /// Registers an account, logs in and creates its character in the realm `dawn`.
    ///
    /// # Panics
    /// If the server refuses any of it.
    pub async fn create(api: Api, name: &str) -> Self {
        let username = name.to_lowercase();
        api.register(&username, PASSWORD).await.expect("the username is free");
        let login = api.login(&username, PASSWORD).await.expect("the account exists");
        let roster = api
            .create_character(&login.access_token, "dawn", name)
            .await
            .expect("the character's name is free");
        let id = roster.characters[0].id;
        let realm = "dawn".parse().expect("a realm id");
        Self { api, username, login, realm, id }
    }

    /// The same login over a server that has come back at another address.
    #[must_use]
    pub fn at(&self, api: Api) -> Self {
        Self { api, ..self.clone() }
    }

    /// The login's secret.
    #[must_use]
    pub fn token(&self) -> &AccessToken {
        &self.login.access_token
    }

    /// The character as the roster shows it.
    ///
    /// # Panics
    /// If the roster does not.
    pub async fn in_roster(&self) -> RosterCharacter {
        let roster = self.api.roster(self.token(), self.realm.as_str()).await;
        let roster = roster.expect("the roster is one's own");
        roster.characters.into_iter().find(|c| c.id == self.id).expect("the roster has the hero")
    }

    /// Selects the character.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn try_select(&self) -> Result<SelectResponse, Refused> {
        self.api.select(self.token(), &self.realm, self.id).await
    }

    /// Selects the character.
    ///
    /// # Panics
    /// If the server refuses.
    pub async fn select(&self) -> SelectResponse {
        self.try_select().await.expect("one's own character can be selected")
    }

    /// Selects the character and has it admitted.
    ///
    /// # Panics
    /// If the server refuses.
    pub async fn admitted(&self) -> Admission {
        let selected = self.select().await;
        self.admitted_with(&selected).await
    }

    /// Has a selected character admitted.
    ///
    /// # Panics
    /// If the server refuses.
    pub async fn admitted_with(&self, selected: &SelectResponse) -> Admission {
        let first = hello(new_attempt(), Try::FIRST);
        let url = &selected.endpoint.http_url;
        let answer = self.api.handshake(url, first, &selected.handoff.token).await;
        accepted(answer.expect("the game server answers"))
    }

    /// Enters the world: select, handshake, dial, hello, and the first snapshot that
    /// shows the own body.
    ///
    /// # Panics
    /// If the server refuses any of it.
    pub async fn enter(&self) -> Player {
        let admission = self.admitted().await;
        self.claim(&admission).await
    }

    /// Claims a session again that has been claimed before, and waits for the own body.
    ///
    /// # Errors
    /// The server's Bye.
    pub async fn resume(
        &self,
        admission: &Admission,
        resume_token: &ResumeToken,
    ) -> Result<Player, Bye> {
        let map = self.api.map(&admission.activation).await;
        Player::resume(self.api.origin(), admission, resume_token, map).await
    }

    /// Claims an admitted session and waits for the own body.
    ///
    /// # Panics
    /// If the server refuses.
    pub async fn claim(&self, admission: &Admission) -> Player {
        let map = self.api.map(&admission.activation).await;
        Player::claim(self.api.origin(), admission, map)
            .await
            .expect("the ticket opens the session")
    }
}
