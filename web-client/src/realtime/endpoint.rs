//! Which of the activation's endpoints to dial.

use shared::gameplay::RealtimeEndpoint;

/// The first endpoint that the server believes to answer; servers list the best first.
#[must_use]
pub fn first_healthy(endpoints: &[RealtimeEndpoint]) -> Option<&RealtimeEndpoint> {
    endpoints.iter().find(|endpoint| endpoint.healthy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, healthy: bool) -> RealtimeEndpoint {
        RealtimeEndpoint { url: url.to_owned(), cert_hashes: Vec::new(), healthy }
    }

    #[test]
    fn the_first_healthy_endpoint_is_dialled() {
        let list = [endpoint("a", false), endpoint("b", true), endpoint("c", true)];
        assert_eq!(first_healthy(&list).map(|e| e.url.as_str()), Some("b"));
        assert_eq!(first_healthy(&list[..1]), None);
        assert_eq!(first_healthy(&[]), None);
    }
}
