//! Where something is reached from outside: scheme, host and port of a URL without a path.

use std::net::SocketAddr;

/// Scheme and host under which browsers reach the process; ports may be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// `http` or `https`.
    pub scheme: String,
    /// Host, with brackets where it is an IPv6 address.
    pub host: String,
    /// Port, where it is not the scheme's own.
    pub port: Option<u16>,
}

impl PublicUrl {
    /// The URL without a path and without the port that its scheme has anyway: the form in
    /// which browsers write an Origin.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.port.filter(|port| *port != self.scheme_port()) {
            Some(port) => format!("{}://{}:{port}", self.scheme, self.host),
            None => format!("{}://{}", self.scheme, self.host),
        }
    }

    /// The port, given or the scheme's own.
    #[must_use]
    pub fn effective_port(&self) -> u16 {
        self.port.unwrap_or_else(|| self.scheme_port())
    }

    fn scheme_port(&self) -> u16 {
        if self.scheme == "https" { 443 } else { 80 }
    }

    /// The same host at another port.
    #[must_use]
    pub fn at_port(&self, port: u16) -> Self {
        Self { port: Some(port), ..self.clone() }
    }

    /// The URL of the listener `offset` ports further: at a port that was given, counting
    /// on from it; else at the port that listens.
    #[must_use]
    pub fn further(&self, offset: u16, listening: u16) -> Self {
        self.at_port(self.port.map_or(listening, |port| port.saturating_add(offset)))
    }

    /// The URL of something that listens on `address`; an unspecified address is reached
    /// at loopback.
    #[must_use]
    pub fn of_listener(scheme: &str, address: SocketAddr) -> Self {
        let host = match address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self { scheme: scheme.to_owned(), host, port: Some(address.port()) }
    }
}

fn parse_public_url(text: &str, schemes: &[&str]) -> Result<PublicUrl, String> {
    let expected = || format!("write {}://HOST or {0}://HOST:PORT, without a path", schemes[0]);
    let uri: axum::http::Uri = text.parse().map_err(|_| expected())?;
    let scheme = uri.scheme_str().filter(|scheme| schemes.contains(scheme)).ok_or_else(expected)?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(expected)?;
    if uri.path() != "/" || uri.query().is_some() {
        return Err(expected());
    }
    Ok(PublicUrl { scheme: scheme.to_owned(), host: host.to_owned(), port: uri.port_u16() })
}

/// Where HTTP is reached.
pub(super) fn parse_http_url(text: &str) -> Result<PublicUrl, String> {
    parse_public_url(text, &["http", "https"])
}

/// Where realtime is reached, which is always encrypted.
pub(super) fn parse_realtime_url(text: &str) -> Result<PublicUrl, String> {
    parse_public_url(text, &["https"])
}

/// The origin of a page.
pub(super) fn parse_origin(text: &str) -> Result<String, String> {
    parse_http_url(text.trim()).map(|url| url.origin())
}

/// Where one part of a backend reaches another, which it does in the clear: their network is
/// their own.
pub(super) fn parse_peer_url(text: &str) -> Result<PublicUrl, String> {
    parse_public_url(text.trim(), &["http"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls_keep_their_host_at_another_port() {
        let url = parse_http_url("https://play.example").unwrap();
        assert_eq!(url.origin(), "https://play.example");
        assert_eq!(url.at_port(8081).origin(), "https://play.example:8081");
        assert_eq!(url.at_port(443).origin(), "https://play.example");
        assert_eq!(url.further(1, 8081).origin(), "https://play.example:8081");
        let given = parse_http_url("https://play.example:9000").unwrap();
        assert_eq!(given.further(1, 8081).origin(), "https://play.example:9001");
        let any = PublicUrl::of_listener("http", "0.0.0.0:8080".parse().unwrap());
        assert_eq!(any.origin(), "http://127.0.0.1:8080");
    }
}
