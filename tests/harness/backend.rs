//! What journeys ask of a backend, whichever shape it has: one process on one file, or the
//! roles as processes on Postgres and Redis.

use shared::ids::CharacterId;
use shared::world::Tile;

use crate::api::Api;
use crate::cluster::Cluster;
use crate::hero::Hero;
use crate::server::Server;
use crate::store::CharacterRow;

/// A running backend that a page can be played on.
#[expect(async_fn_in_trait, reason = "tests await it where they stand")]
pub trait Backend: Sized {
    /// The instance that players come to while it has room.
    const FIRST_INSTANCE: &'static str;

    /// Starts one with default limits.
    async fn start() -> Self;

    /// The origin of the page.
    fn origin(&self) -> &str;

    /// A client of the login server.
    fn api(&self) -> Api;

    /// A character's row.
    async fn character(&self, id: CharacterId) -> CharacterRow;

    /// The living character of a name.
    async fn character_id(&self, name: &str) -> Option<CharacterId>;

    /// Waits until a character's row has it on a tile.
    async fn until_saved_at(&self, id: CharacterId, tile: Tile);

    /// Whoever serves the first players stands still, until it may [go on](Self::go_on).
    async fn pause(&self);

    /// Lets it go on.
    async fn go_on(&self);

    /// Whoever serves the first players drains and ends.
    async fn stop(&mut self);

    /// Whoever serves the first players ends as by a crash.
    async fn kill9(&mut self);

    /// Starts it again.
    async fn start_again(&mut self);

    /// A fresh account with one character of this name in the realm `dawn`.
    async fn hero(&self, name: &str) -> Hero {
        Hero::create(self.api(), name).await
    }
}

impl Backend for Server {
    const FIRST_INSTANCE: &'static str = "edge-a";

    async fn start() -> Self {
        Self::start().await
    }

    fn origin(&self) -> &str {
        self.origin()
    }

    fn api(&self) -> Api {
        self.api()
    }

    async fn character(&self, id: CharacterId) -> CharacterRow {
        self.lasting_store().await.character(id).await
    }

    async fn character_id(&self, name: &str) -> Option<CharacterId> {
        self.lasting_store().await.character_id(name).await
    }

    async fn until_saved_at(&self, id: CharacterId, tile: Tile) {
        self.lasting_store().await.until_saved_at(id, tile).await;
    }

    async fn pause(&self) {
        self.pause().await;
    }

    async fn go_on(&self) {
        self.go_on().await;
    }

    async fn stop(&mut self) {
        self.stop().await;
    }

    async fn kill9(&mut self) {
        self.kill9().await;
    }

    async fn start_again(&mut self) {
        self.start_again().await;
    }
}

impl Backend for Cluster {
    const FIRST_INSTANCE: &'static str = "game-1";

    async fn start() -> Self {
        Self::start().await
    }

    fn origin(&self) -> &str {
        self.login.address()
    }

    fn api(&self) -> Api {
        self.api()
    }

    async fn character(&self, id: CharacterId) -> CharacterRow {
        self.character(id).await
    }

    async fn character_id(&self, name: &str) -> Option<CharacterId> {
        self.character_id(name).await
    }

    async fn until_saved_at(&self, id: CharacterId, tile: Tile) {
        self.until_saved_at(id, tile).await;
    }

    async fn pause(&self) {
        self.games[0].pause().await;
    }

    async fn go_on(&self) {
        self.games[0].go_on().await;
    }

    async fn stop(&mut self) {
        self.games[0].stop().await;
    }

    async fn kill9(&mut self) {
        self.games[0].kill9().await;
    }

    async fn start_again(&mut self) {
        self.games[0].start_again().await;
    }
}
