//! How many places of something scarce one address may hold at a time: hashes of passwords,
//! open connections. Memory is bounded by what is held.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::client_address::AddressBlock;

/// How many places each address has; no entry is kept for one that has none.
#[derive(Clone)]
pub(crate) struct Shares {
    taken: Arc<Mutex<HashMap<AddressBlock, usize>>>,
    each: usize,
}

impl Shares {
    /// Shares of so many places.
    pub(crate) fn new(each: usize) -> Self {
        Self { taken: Arc::default(), each }
    }

    /// Whether an address has taken half of its share.
    pub(crate) fn is_half_taken(&self, address: AddressBlock) -> bool {
        locked(&self.taken).get(&address).is_some_and(|count| *count >= self.each / 2)
    }

    /// How many addresses hold anything.
    #[cfg(test)]
    pub(crate) fn addresses(&self) -> usize {
        locked(&self.taken).len()
    }

    /// One place of an address, if it has one left.
    pub(crate) fn take(&self, address: AddressBlock) -> Option<Share> {
        let mut taken = locked(&self.taken);
        let count = taken.entry(address).or_default();
        if *count >= self.each {
            return None;
        }
        *count += 1;
        Some(Share { taken: self.taken.clone(), address })
    }
}

/// One place of an address, given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    taken: Arc<Mutex<HashMap<AddressBlock, usize>>>,
    address: AddressBlock,
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = locked(&self.taken).entry(self.address) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// The counts stay right if a thread dies beside them: each change is one step.
fn locked(
    taken: &Mutex<HashMap<AddressBlock, usize>>,
) -> MutexGuard<'_, HashMap<AddressBlock, usize>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn an_address_over_its_share_stops_nobody_else_and_gets_it_back() {
        let shares = Shares::new(2);
        let address = |host| AddressBlock::from(IpAddr::from([10, 0, 0, host]));
        let held = [shares.take(address(1)), shares.take(address(1))];
        assert!(held.iter().all(Option::is_some));
        assert!(shares.take(address(1)).is_none());
        assert!(shares.take(address(2)).is_some());
        assert!(shares.is_half_taken(address(1)) && !shares.is_half_taken(address(2)));
        drop(held);
        assert!(shares.take(address(1)).is_some(), "it has its places back");
        assert_eq!(shares.addresses(), 0, "what is given back is forgotten");
    }
}
