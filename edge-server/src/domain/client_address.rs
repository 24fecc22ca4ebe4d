//! Whose request it is, as far as limits go: which address stands behind the proxies of
//! the operator, and how much of an address counts.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use ipnet::IpNet;

/// The part of an IPv6 address that one customer of a network has at least.
const IPV6_PREFIX_BITS: u32 = 64;

/// What limits count as one address: an IPv4 address, or the /64 of an IPv6 one, within
/// which a single machine may choose its addresses freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressBlock(IpAddr);

impl From<IpAddr> for AddressBlock {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let host_bits = u128::BITS - IPV6_PREFIX_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> host_bits << host_bits))
            }
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// Proxies whose word on where a request comes from is taken; by default none.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Trusts the proxies in these ranges.
    #[must_use]
    pub fn new(ranges: &[IpNet]) -> Self {
        Self(ranges.into())
    }

    /// Whether an address is a trusted proxy's.
    #[must_use]
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|range| range.contains(&address))
    }

    /// The address of the client behind `peer`, by the lines of `X-Forwarded-For` in the
    /// order in which they came.
    ///
    /// Each proxy adds at the right whom it has heard, so everything left of the rightmost
    /// address that is no trusted proxy's may be the client's invention. Where nothing can
    /// be told (the peer is not trusted, or the header is missing, garbage or about trusted
    /// proxies alone) it is the peer.
    #[must_use]
    pub fn client(&self, peer: IpAddr, forwarded_for: &[&str]) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        for hop in forwarded_for.iter().rev().flat_map(|line| line.rsplit(',')) {
            match hop.trim().parse::<IpAddr>() {
                Ok(address) if self.trusts(address) => {}
                Ok(address) => return address.to_canonical(),
                Err(_) => return peer,
            }
        }
        peer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_counts_whole_in_ipv4_and_by_its_64_in_ipv6() {
        let same = |one: &str, other: &str| AddressBlock::from(ip(one)) == ip(other).into();
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("::ffff:192.0.2.1", "::ffff:192.0.2.2"));
    }

    #[track_caller]
    fn check(peer: &str, forwarded_for: &[&str], client: &str) {
        let ranges = ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"].map(|r| r.parse().unwrap());
        let proxies = TrustedProxies::new(&ranges);
        assert_eq!(proxies.client(ip(peer), forwarded_for), ip(client));
    }

    #[test]
    fn the_rightmost_address_that_is_no_proxy_is_the_client() {
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["203.0.113.9, 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["203.0.113.9 ,198.51.100.1, 192.0.2.7,10.3.2.1"], "198.51.100.1");
        check("10.0.0.1", &["203.0.113.9", "198.51.100.1", "10.0.0.2"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1");
        check("2001:db8::1", &["2001:db9::5"], "2001:db9::5");
    }

    #[test]
    fn the_word_of_a_stranger_is_not_taken() {
        check("198.51.100.1", &["203.0.113.9"], "198.51.100.1");
        check("192.0.2.8", &["203.0.113.9"], "192.0.2.8");
        let nobody = TrustedProxies::default();
        assert_eq!(nobody.client(ip("127.0.0.1"), &["203.0.113.9"]), ip("127.0.0.1"));
    }

    #[test]
    fn what_cannot_be_told_counts_as_the_peer() {
        for lines in [
            &[][..],
            &[""],
            &["unknown"],
            &["203.0.113.9, "],
            &["203.0.113.9, 198.51.100.1:4711"],
            &["203.0.113.9, nonsense, 10.0.0.3"],
            &["10.0.0.2, 10.0.0.3"],
        ] {
            check("10.0.0.1", lines, "10.0.0.1");
        }
    }
}
