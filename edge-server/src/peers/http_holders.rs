//! Game servers that are processes of their own, as the control plane reaches them: by their
//! HTTP, at the address under which the registry knows them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use shared::control_plane::InstanceDrain;
use shared::coordination::{InstanceRecord, ReleaseRequest};

use super::backend_http::{client, in_full};
use super::service_token::ServiceToken;
use super::session_holders::{HolderUnreachable, LocalHolders, SessionHolders};
use crate::flows::release_sessions::RELEASE_TIMEOUT;

/// From asking a game server to its answer: it waits that long itself, at most, for sessions
/// to leave. Whoever does not answer within it is fenced by the raise that follows.
pub const HOLDER_CALL_TIMEOUT: Duration = RELEASE_TIMEOUT;

/// See the module.
pub struct HttpHolders {
    http: reqwest::Client,
    token: ServiceToken,
}

impl HttpHolders {
    /// Shows them this token.
    #[must_use]
    pub fn new(token: ServiceToken) -> Self {
        Self { http: client(), token }
    }

    async fn ask(
        &self,
        instance: &InstanceRecord,
        path: &str,
        request: &impl Serialize,
    ) -> Result<(), HolderUnreachable> {
        let body = serde_json::to_string(request).expect("bodies are plain data");
        let asked = self
            .http
            .post(format!("{}{path}", instance.internal_url))
            .bearer_auth(self.token.expose())
            .header(CONTENT_TYPE, "application/json")
            .timeout(HOLDER_CALL_TIMEOUT)
            .body(body)
            .send()
            .await;
        let why = match asked {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) => format!("it answers {}", answer.status()),
            Err(error) => in_full(&error),
        };
        tracing::warn!(instance = %instance.id, path, why, "a game server does not do as asked");
        Err(HolderUnreachable(instance.id.clone()))
    }
}

#[async_trait]
impl SessionHolders for HttpHolders {
    async fn release(
        &self,
        instance: &InstanceRecord,
        request: &ReleaseRequest,
    ) -> Result<(), HolderUnreachable> {
        self.ask(instance, "/internal/v1/sessions/release", request).await
    }

    async fn drain(
        &self,
        instance: &InstanceRecord,
        request: &InstanceDrain,
    ) -> Result<(), HolderUnreachable> {
        self.ask(instance, "/internal/v1/instances/drain", request).await
    }
}

/// The game servers of this process, and those that are processes of their own.
pub struct EveryHolder {
    /// Those of this process.
    pub here: Arc<LocalHolders>,
    /// The others.
    pub elsewhere: HttpHolders,
}

#[async_trait]
impl SessionHolders for EveryHolder {
    async fn release(
        &self,
        instance: &InstanceRecord,
        request: &ReleaseRequest,
    ) -> Result<(), HolderUnreachable> {
        if self.here.has(&instance.id) {
            self.here.release(instance, request).await
        } else {
            self.elsewhere.release(instance, request).await
        }
    }

    async fn drain(
        &self,
        instance: &InstanceRecord,
        request: &InstanceDrain,
    ) -> Result<(), HolderUnreachable> {
        if self.here.has(&instance.id) {
            self.here.drain(instance, request).await
        } else {
            self.elsewhere.drain(instance, request).await
        }
    }
}
