//! Prepared handoffs, their consumed markers and redirects.

use async_trait::async_trait;
use shared::account::GameEndpoint;
use shared::coordination::{
    AssignHold, ConsumedMarker, HandoffCacheRecord, HandoffClaimant, HandoffLookup,
    HandoffRedirectRecord, HandoffScope, Redirection, TokenHash,
};
use shared::ids::UnixMillis;
use shared::limits::CONSUMED_MARKER_LIFE;
use shared::version::PayloadVersion;

use super::RedisStores;
use super::records::{decode, encode};
use super::steps::{Answer, Call, Step, milliseconds};
use crate::stores::found::Found;
use crate::stores::{HandoffStore, LISTING_PAGE, StoreError, StoreResult, keys};

/// How often a redirect looks again because record or promise have changed under its eyes.
/// The first time it has seen neither.
const REDIRECT_LOOKS: usize = 4;

#[async_trait]
impl HandoffStore for RedisStores {
    async fn put_handoff(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let answer = self
            .call(&self.steps.put_handoff, None)
            .key(keys::handoff(&record.scope, &record.token))
            .argument(encode(record))
            .argument(&record.token)
            .run()
            .await?;
        match answer.parts().0 {
            "done" => Ok(()),
            _ => Err(answer.strange()),
        }
    }

    async fn forgotten_handoffs(
        &self,
        tokens: &[TokenHash],
        now: UnixMillis,
    ) -> StoreResult<Vec<TokenHash>> {
        let mut forgotten = Vec::new();
        for some in tokens.chunks(LISTING_PAGE) {
            let mut call = self.call(&self.steps.forgotten_handoffs, Some(now));
            for token in some {
                call = call
                    .key(keys::handoff_consumed(token))
                    .key(keys::handoff_redirect(token))
                    .argument(token);
            }
            let answer = call.run().await?;
            let ("forgotten", texts) = answer.parts() else { return Err(answer.strange()) };
            forgotten.extend(some.iter().filter(|token| texts.contains(&token.as_str())).cloned());
        }
        Ok(forgotten)
    }

    async fn restore_handoff(
        &self,
        record: &HandoffCacheRecord,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        if record.expires_at.has_passed(now) {
            return Ok(false);
        }
        let answer = self
            .call(&self.steps.restore_handoff, Some(now))
            .key(keys::handoff_consumed(&record.token))
            .key(keys::handoff_redirect(&record.token))
            .key(keys::handoff(&record.scope, &record.token))
            .argument(encode(record))
            .argument(&record.token)
            .run()
            .await?;
        match answer.parts().0 {
            "done" => Ok(true),
            "known" => Ok(false),
            _ => Err(answer.strange()),
        }
    }

    async fn end_handoff(&self, token: &TokenHash, now: UnixMillis) -> StoreResult<bool> {
        let call = self.call(&self.steps.end_handoff, Some(now)).key(keys::hold(token));
        let answer = call.argument(token).run().await?;
        match answer.parts().0 {
            "removed" => Ok(true),
            "nothing" => Ok(false),
            _ => Err(answer.strange()),
        }
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let call = self.look_up(&self.steps.preflight, token, claimant, now);
        Ok(Found::read(&call.run().await?)?.answer())
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let call = self
            .look_up(&self.steps.consume, token, claimant, now)
            .argument(milliseconds(CONSUMED_MARKER_LIFE));
        Ok(Found::read(&call.run().await?)?.answer())
    }

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
        now: UnixMillis,
    ) -> StoreResult<Redirection> {
        let mut plan = Move::default();
        for _look in 0..REDIRECT_LOOKS {
            let call = self
                .look_up(&self.steps.redirect, token, claimant, now)
                .argument(&plan.seen)
                .argument(&plan.seen_hold)
                .argument(&plan.moved)
                .argument(&plan.moved_hold)
                .argument(&plan.moved_key)
                .argument(&plan.left);
            let answer = call.run().await?;
            if let ("done", _) = answer.parts() {
                return Ok(Redirection::Moved { to: to.clone() });
            }
            match Found::read(&answer)?.into_prepared() {
                Ok((record, Seen { text, hold })) => {
                    plan = Move::plan(*record, text, hold, claimant, to)?;
                }
                Err(nothing_to_move) => return Ok(nothing_to_move),
            }
        }
        Err(StoreError::Unavailable("the handoff was put anew at every look".to_owned()))
    }
}

impl RedisStores {
    /// A call of a step that opens with `lua/lookup.lua`.
    fn look_up<'a>(
        &'a self,
        step: &'a Step,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> Call<'a> {
        let mut call = self
            .call(step, Some(now))
            .key(keys::handoff_consumed(token))
            .key(keys::handoff_redirect(token))
            .key(keys::hold(token));
        for scope in claimant.scopes() {
            call = call.key(keys::handoff(&scope, token));
        }
        call.argument(token).argument(claimant.attempt_id).argument(&claimant.instance)
    }
}

/// What a redirect compares: the texts of record and promise, as they stand.
struct Seen {
    text: String,
    hold: String,
}

impl Found<Seen> {
    fn read(answer: &Answer) -> StoreResult<Self> {
        let (outcome, texts) = answer.parts();
        match (outcome, texts.as_slice()) {
            ("prepared", [key, text, rest @ ..]) => Ok(Self::Prepared {
                record: decode(key, text)?,
                place: Seen {
                    text: (*text).to_owned(),
                    hold: rest.first().copied().unwrap_or_default().to_owned(),
                },
            }),
            ("consumed_by_self", [key, text]) => {
                let marker: ConsumedMarker = decode(key, text)?;
                Ok(Self::ConsumedBySelf { record: Box::new(marker.record) })
            }
            ("consumed_by_other", []) => Ok(Self::ConsumedByOther),
            ("moved", [key, text]) => {
                let left: HandoffRedirectRecord = decode(key, text)?;
                Ok(Self::Moved { to: left.to })
            }
            ("nothing", []) => Ok(Self::Nothing),
            _ => Err(answer.strange()),
        }
    }
}

/// What a redirect has seen, and what it puts in its place.
#[derive(Default)]
struct Move {
    seen: String,
    seen_hold: String,
    moved: String,
    moved_hold: String,
    moved_key: String,
    left: String,
}

impl Move {
    fn plan(
        mut record: HandoffCacheRecord,
        seen: String,
        seen_hold: String,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
    ) -> StoreResult<Self> {
        record.scope = HandoffScope::Instance(to.instance_id.clone());
        record.target_instance = to.instance_id.clone();
        record.redirected_from.push(claimant.instance.clone());
        let mut moved_hold = String::new();
        if !seen_hold.is_empty() {
            let mut hold: AssignHold = decode(&keys::hold(&record.token), &seen_hold)?;
            hold.instance = to.instance_id.clone();
            // Found for the redirect, it must not outlive what it is for.
            hold.expires_at = record.expires_at;
            moved_hold = encode(&hold);
        }
        let left = HandoffRedirectRecord {
            payload_version: PayloadVersion::CURRENT,
            to: to.clone(),
            expires_at: record.expires_at,
        };
        Ok(Self {
            seen,
            seen_hold,
            moved: encode(&record),
            moved_hold,
            moved_key: keys::handoff(&record.scope, &record.token),
            left: encode(&left),
        })
    }
}
