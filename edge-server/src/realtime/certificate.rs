//! The endpoint's self-signed certificates, which browsers accept by their hash.
//!
//! A browser takes such a certificate when it is of P-256 and valid for 14 days at most
//! (W3C WebTransport, "custom certificate requirements"). There are always two: the one
//! that is shown, and the one that follows it. Both hashes are handed out from the first
//! moment, so a page that keeps its list over a change of certificates still gets in.

use std::time::Duration;

use shared::ids::UnixMillis;
use wtransport::Identity;
use wtransport::tls::self_signed::time::OffsetDateTime;

/// From `not_before` to `not_after`: a day less than browsers allow.
pub const CERTIFICATE_LIFE: Duration = Duration::from_secs(13 * 24 * 60 * 60);
/// How long before its first use a certificate begins to be valid, for clients whose
/// clocks are behind.
pub const CERTIFICATE_BACKDATED: Duration = Duration::from_secs(60 * 60);
/// How long before its end a certificate is replaced, for clients whose clocks are ahead
/// and for machines that sleep.
pub const CERTIFICATE_REPLACED_BEFORE_END: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// How often the certificates are looked at.
pub const CERTIFICATE_CHECK_EVERY: Duration = Duration::from_secs(60 * 60);

/// A name that no certificate can carry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no certificate can be made for {names:?}: check the host in EDGE_PUBLIC_REALTIME_URL")]
pub struct BadCertificateName {
    /// The names that were asked for.
    pub names: Vec<String>,
}

/// One certificate with its key.
struct Certificate {
    identity: Identity,
    sha256: String,
    replaced_at: UnixMillis,
}

/// The certificate that is shown and the one that follows.
pub struct CertificateRotation {
    names: Vec<String>,
    current: Certificate,
    next: Certificate,
}

impl CertificateRotation {
    /// Makes both certificates for a host, beside the names of this machine.
    ///
    /// # Errors
    /// A host that no certificate can carry.
    pub fn new(host: &str, now: UnixMillis) -> Result<Self, BadCertificateName> {
        let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        if !host.is_empty() && !names.iter().any(|name| name == host) {
            names.push(host.to_owned());
        }
        let current = Certificate::first_used_at(now, &names)?;
        let next = Certificate::first_used_at(current.replaced_at, &names)?;
        Ok(Self { names, current, next })
    }

    /// The certificate to show.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.current.identity.clone_identity()
    }

    /// SHA-256 of both certificates, lower-case hex, the shown one first.
    #[must_use]
    pub fn hashes(&self) -> Vec<String> {
        vec![self.current.sha256.clone(), self.next.sha256.clone()]
    }

    /// Moves on when the shown certificate's time is over; gives whether it did. A
    /// process that slept through both makes two new ones.
    ///
    /// # Errors
    /// A host that no certificate can carry; the certificates stay as they were.
    pub fn advance(&mut self, now: UnixMillis) -> Result<bool, BadCertificateName> {
        if !self.current.replaced_at.has_passed(now) {
            return Ok(false);
        }
        if self.next.replaced_at.has_passed(now) {
            let current = Certificate::first_used_at(now, &self.names)?;
            let next = Certificate::first_used_at(current.replaced_at, &self.names)?;
            (self.current, self.next) = (current, next);
        } else {
            let after = Certificate::first_used_at(self.next.replaced_at, &self.names)?;
            self.current = std::mem::replace(&mut self.next, after);
        }
        Ok(true)
    }
}

impl Certificate {
    fn first_used_at(at: UnixMillis, names: &[String]) -> Result<Self, BadCertificateName> {
        let bad = || BadCertificateName { names: names.to_vec() };
        let not_before = UnixMillis(at.0.saturating_sub(millis(CERTIFICATE_BACKDATED)));
        let not_after = not_before.plus(CERTIFICATE_LIFE);
        let replaced_at =
            UnixMillis(not_after.0.saturating_sub(millis(CERTIFICATE_REPLACED_BEFORE_END)));
        let identity = Identity::self_signed_builder()
            .subject_alt_names(names)
            .validity_period(moment(not_before), moment(not_after))
            .build()
            .map_err(|_| bad())?;
        let leaf = identity.certificate_chain().as_slice().first().ok_or_else(bad)?;
        let sha256 = hex::encode(leaf.hash().as_ref());
        Ok(Self { identity, sha256, replaced_at })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn moment(at: UnixMillis) -> OffsetDateTime {
    let seconds = i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX);
    OffsetDateTime::from_unix_timestamp(seconds)
        .expect("certificates end within the years that a calendar has")
}

/// The host of a URL, without port and brackets; empty where there is none.
#[must_use]
pub fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: UnixMillis = UnixMillis(1_900_000_000_000);

    #[test]
    fn the_next_certificate_is_handed_out_long_before_it_is_shown() {
        let mut certificates = CertificateRotation::new("play.example", START).unwrap();
        let first = certificates.hashes();
        assert_eq!(first.len(), 2);
        assert_ne!(first[0], first[1]);
        let change = certificates.current.replaced_at;
        assert!(!certificates.advance(UnixMillis(change.0 - 1)).unwrap());
        assert_eq!(certificates.hashes(), first);
        assert!(certificates.advance(change).unwrap());
        let second = certificates.hashes();
        assert_eq!(second[0], first[1]);
        assert!(!first.contains(&second[1]));
        assert!(!certificates.advance(change).unwrap());
    }

    #[test]
    fn the_shown_certificate_is_valid_from_an_hour_back_until_after_it_is_replaced() {
        let mut certificates = CertificateRotation::new("", START).unwrap();
        for _ in 0..4 {
            let current = &certificates.current;
            let ends = current.replaced_at.plus(CERTIFICATE_REPLACED_BEFORE_END);
            let begins = UnixMillis(ends.0 - millis(CERTIFICATE_LIFE));
            let (now, next) = (begins.plus(CERTIFICATE_BACKDATED), certificates.next.replaced_at);
            // The next one's first use is this one's last.
            let next_ends = next.plus(CERTIFICATE_REPLACED_BEFORE_END);
            let next_begins = UnixMillis(next_ends.0 - millis(CERTIFICATE_LIFE));
            assert_eq!(next_begins.plus(CERTIFICATE_BACKDATED), current.replaced_at);
            assert!(now < current.replaced_at && current.replaced_at < ends);
            assert!(certificates.advance(certificates.current.replaced_at).unwrap());
        }
    }

    #[test]
    fn browsers_take_a_certificate_of_14_days_at_most() {
        assert!(CERTIFICATE_LIFE < Duration::from_secs(14 * 24 * 60 * 60));
    }

    #[test]
    fn a_process_that_slept_through_both_shows_a_new_one() {
        let mut certificates = CertificateRotation::new("", START).unwrap();
        let (first, late) = (certificates.hashes(), START.plus(CERTIFICATE_LIFE * 5));
        assert!(certificates.advance(late).unwrap());
        assert!(certificates.hashes().iter().all(|hash| !first.contains(hash)));
        assert!(!certificates.advance(late).unwrap());
    }

    #[test]
    fn the_host_of_a_url_is_found() {
        for (url, host) in [
            ("https://play.example:4433/realtime", "play.example"),
            ("https://127.0.0.1:4433", "127.0.0.1"),
            ("https://[::1]:4433/realtime", "::1"),
            ("play.example", "play.example"),
            ("https://", ""),
        ] {
            assert_eq!(host_of(url), host);
        }
    }

    #[test]
    fn a_host_that_no_certificate_can_carry_is_named() {
        let Err(error) = CertificateRotation::new("plây.example", START) else {
            panic!("a name outside ASCII was certified");
        };
        assert!(error.to_string().contains("EDGE_PUBLIC_REALTIME_URL"), "{error}");
    }
}
