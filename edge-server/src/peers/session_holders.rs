//! The game servers as the control plane reaches them: those who hold sessions.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use async_trait::async_trait;
use shared::control_plane::InstanceDrain;
use shared::coordination::{InstanceRecord, ReleaseRequest};
use shared::ids::InstanceId;

/// A game server that could not be asked, or did not answer in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game server {0} does not answer")]
pub struct HolderUnreachable(pub InstanceId);

/// How the control plane reaches whoever holds a session.
#[async_trait]
pub trait SessionHolders: Send + Sync {
    /// Has an instance end the sessions in question and save their characters; comes back
    /// when they have left, after [`crate::flows::release_sessions::RELEASE_TIMEOUT`] at the
    /// latest.
    ///
    /// # Errors
    /// [`HolderUnreachable`]; whether anybody left is unknown then.
    async fn release(
        &self,
        instance: &InstanceRecord,
        request: &ReleaseRequest,
    ) -> Result<(), HolderUnreachable>;

    /// Has an instance admit nobody new, or admit players again.
    ///
    /// # Errors
    /// [`HolderUnreachable`]; its next record in the registry says whether it has heard.
    async fn drain(
        &self,
        instance: &InstanceRecord,
        request: &InstanceDrain,
    ) -> Result<(), HolderUnreachable>;
}

/// A game server, asked to let sessions go.
#[async_trait]
pub trait SessionHolder: Send + Sync {
    /// See [`SessionHolders::release`].
    async fn release(&self, request: &ReleaseRequest);

    /// See [`SessionHolders::drain`].
    fn drain(&self, request: &InstanceDrain);
}

/// The game servers of the same process. They come after the control plane that they ask
/// themselves, so they are entered one by one, and are not kept alive by it.
#[derive(Default)]
pub struct LocalHolders {
    holders: RwLock<BTreeMap<InstanceId, Weak<dyn SessionHolder>>>,
}

impl LocalHolders {
    /// Enters a game server.
    pub fn enter(&self, id: InstanceId, holder: &Arc<impl SessionHolder + 'static>) {
        let holder: Arc<dyn SessionHolder> = holder.clone();
        let mut holders = self.holders.write().unwrap_or_else(PoisonError::into_inner);
        holders.insert(id, Arc::downgrade(&holder));
    }

    /// Whether a game server of this process has that name.
    #[must_use]
    pub fn has(&self, id: &InstanceId) -> bool {
        self.find(id).is_some()
    }

    fn find(&self, id: &InstanceId) -> Option<Arc<dyn SessionHolder>> {
        self.holders.read().unwrap_or_else(PoisonError::into_inner).get(id)?.upgrade()
    }
}

#[async_trait]
impl SessionHolders for LocalHolders {
    async fn release(
        &self,
        instance: &InstanceRecord,
        request: &ReleaseRequest,
    ) -> Result<(), HolderUnreachable> {
        let holder =
            self.find(&instance.id).ok_or_else(|| HolderUnreachable(instance.id.clone()))?;
        holder.release(request).await;
        Ok(())
    }

    async fn drain(
        &self,
        instance: &InstanceRecord,
        request: &InstanceDrain,
    ) -> Result<(), HolderUnreachable> {
        let holder =
            self.find(&instance.id).ok_or_else(|| HolderUnreachable(instance.id.clone()))?;
        holder.drain(request);
        Ok(())
    }
}
