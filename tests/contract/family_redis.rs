//! Families whose coordination half is Redis. The durable half is the embedded store, or
//! Postgres as in a deployment.

use std::collections::BTreeMap;
use std::sync::Arc;

use edge_server::stores::keys;
use edge_server::stores::redis::RedisStores;
use serde_json::Value;
use shared::ids::LifecycleId;
use tests::redis::Redis;

use super::family::{Family, Sqlite, Stores};
use super::postgres::Postgres;

/// What keys begin with that hold no record: what records are found by.
const INDEX: &str = "index:";

/// The families that are listed, by what their keys begin with.
const LISTED: [&str; 3] =
    [keys::HANDOFF_PREFIX, keys::PRESENCE_CHARACTER_PREFIX, keys::RESUME_LEDGER_PREFIX];

/// Redis beside the durable half of another family.
pub(crate) struct WithRedis<D> {
    stores: Stores,
    durable: D,
    redis: Redis,
}

/// Redis beside a file in a folder of its own.
pub(crate) type BesideFile = WithRedis<Sqlite>;

/// What a deployment has: Redis beside Postgres.
pub(crate) type Deployed = WithRedis<Postgres>;

impl<D: Family> WithRedis<D> {
    /// Puts a family together, over whatever the two servers hold.
    pub(crate) async fn over(durable: D, redis: Redis) -> Self {
        let open = Arc::new(RedisStores::open(&redis.url()).await.unwrap());
        let stores = Stores {
            handoffs: open.clone(),
            holds: open.clone(),
            transfers: open.clone(),
            presence: open.clone(),
            ledger: open.clone(),
            registry: open.clone(),
            journal: open.clone(),
            garbage: open.clone(),
            listing: open,
            ..durable.stores().clone()
        };
        Self { stores, durable, redis }
    }

    /// The server itself.
    pub(crate) fn redis(&mut self) -> &mut Redis {
        &mut self.redis
    }

    /// Holds the index to the records: each is found by what it says of itself, and nothing is
    /// found that is not there.
    async fn check_index(&self, records: &BTreeMap<String, Value>) {
        let redis = &self.redis;
        let index: BTreeMap<String, String> = redis.texts().await;
        let found = |key: &str| index.get(key).map(String::as_str);
        for (key, record) in records {
            let end = record["expires_at"].as_f64();
            let indexed: Option<f64> = redis.ask(&["ZSCORE", "index:expiry", key]).await;
            assert_eq!(indexed, end, "{key} in the index of ends");
            let life: i64 = redis.ask(&["PTTL", key]).await;
            assert!(life > 0, "{key} is never collected");
            let (family, token) = key.rsplit_once(':').unwrap();
            let text = |field: &str| record[field].as_str().unwrap().to_owned();
            for listed in LISTED.iter().filter(|listed| key.starts_with(**listed)) {
                let place = ["ZSCORE", &format!("index:listed:{listed}"), key];
                let place: Option<f64> = redis.ask(&place).await;
                assert_eq!(place, Some(0.0), "{key} is not listed");
            }
            if family.starts_with("login:handoff:") {
                assert_eq!(found(&format!("index:handoff:{token}")), Some(key.as_str()));
            } else if family == "assign:hold" {
                let account = format!("index:hold:account:{}", text("account_id"));
                assert_eq!(found(&account), Some(key.as_str()));
                let seats = format!("index:hold:seats:{}:{}", text("placement"), text("instance"));
                let seat: Option<f64> = redis.ask(&["ZSCORE", &seats, key]).await;
                assert_eq!(seat, end, "{key} among {seats}");
            } else if family == "registry:instance" {
                let listed: bool = redis.ask(&["SISMEMBER", "index:instances", key]).await;
                assert!(listed, "{key}");
            }
        }
        let mut members: Vec<String> = redis.ask(&["ZRANGE", "index:expiry", "0", "-1"]).await;
        members.extend(redis.ask::<Vec<String>>(&["SMEMBERS", "index:instances"]).await);
        for listed in redis.ask::<Vec<String>>(&["KEYS", "index:listed:*"]).await {
            members.extend(redis.ask::<Vec<String>>(&["ZRANGE", &listed, "0", "-1"]).await);
        }
        for seats in redis.ask::<Vec<String>>(&["KEYS", "index:hold:seats:*"]).await {
            members.extend(redis.ask::<Vec<String>>(&["ZRANGE", &seats, "0", "-1"]).await);
        }
        members
            .extend(index.into_iter().filter_map(|(key, at)| key.starts_with(INDEX).then_some(at)));
        for member in members {
            assert!(records.contains_key(&member), "the index names {member}");
        }
    }
}

impl Deployed {
    /// Ends the servers under whoever still asks for them.
    pub(crate) async fn close(&mut self) {
        self.durable.open().close().await;
        self.redis.kill9().await;
    }
}

impl<D: Family> Family for WithRedis<D> {
    async fn fresh() -> Self {
        Self::over(D::fresh().await, Redis::start().await).await
    }

    fn stores(&self) -> &Stores {
        &self.stores
    }

    async fn restart(self) -> Self {
        let Self { stores, durable, redis } = self;
        drop(stores);
        Self::over(durable.restart().await, redis).await
    }

    async fn write_from_the_future(&self, key: &str) {
        let text: Option<String> = self.redis.ask(&["GET", key]).await;
        let text = text.unwrap_or_else(|| panic!("no record under {key}"));
        let mut record: Value = serde_json::from_str(&text).unwrap();
        record["payload_version"] = 2.into();
        record["news"] = "unheard of".into();
        self.redis.ask::<()>(&["SET", key, &record.to_string(), "KEEPTTL"]).await;
    }

    async fn entry_from_the_future(&self, id: LifecycleId) {
        let (queue, id) = (keys::LIFECYCLE_QUEUE, id.to_string());
        let text: Option<String> = self.redis.ask(&["HGET", queue, &id]).await;
        let mut entry: Value = serde_json::from_str(&text.expect("it waits")).unwrap();
        entry["payload_version"] = 2.into();
        self.redis.ask::<()>(&["HSET", queue, &id, &entry.to_string()]).await;
    }

    async fn coordination(&self) -> BTreeMap<String, String> {
        let mut texts = self.redis.texts().await;
        texts.retain(|key, _| !key.starts_with(INDEX));
        let parsed = |text: &String| serde_json::from_str::<Value>(text).unwrap();
        let records: BTreeMap<String, Value> =
            texts.iter().map(|(key, text)| (key.clone(), parsed(text))).collect();
        self.check_index(&records).await;
        let shown = |(key, text): (String, String)| {
            let record = &records[&key];
            let (version, end) = (&record["payload_version"], &record["expires_at"]);
            (key, format!("v{version} until {end}: {text}"))
        };
        texts.into_iter().map(shown).collect()
    }
}
