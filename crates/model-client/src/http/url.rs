//! The beginning of the URL of a provider.

use std::net::{IpAddr, Ipv6Addr};

use hyper::Uri;
use hyper::http::uri::{Authority, Scheme};

/// The ends of host names that are only used in the own network.
const OWN_NETWORK: &[&str] = &["localhost", "local", "lan", "internal", "intranet", "home.arpa"];

/// The beginning of the URL of a provider.
#[derive(Clone, Debug)]
pub(super) struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    path: String,
    query: Option<String>,
}

impl BaseUrl {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// Returns the reason as a sentence, without the URL, which may contain a secret.
    pub(super) fn parse(url: &str, has_key: bool) -> Result<Self, String> {
        let invalid = || "the base URL is not valid: expected `https://HOST/PATH`".to_owned();
        let parts = url.parse::<Uri>().map_err(|_| invalid())?.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else { return Err(invalid()) };
        if !(scheme == Scheme::HTTP || scheme == Scheme::HTTPS) || authority.host().is_empty() {
            return Err(invalid());
        }
        if authority.as_str().contains('@') {
            return Err(
                "the base URL contains a user or a password: name the variable of the key with `api_key_env`"
                    .to_owned(),
            );
        }
        if has_key && scheme == Scheme::HTTP && !is_own_network(authority.host()) {
            return Err(format!(
                "the key would be sent to {} without encryption: write the base URL with `https://`",
                authority.host()
            ));
        }
        let path =
            parts.path_and_query.as_ref().map_or("", |path| path.path()).trim_end_matches('/').to_owned();
        let query = parts.path_and_query.as_ref().and_then(|path| path.query()).map(str::to_owned);
        Ok(Self { scheme, authority, path, query })
    }

    pub(super) fn is_plain(&self) -> bool {
        self.scheme == Scheme::HTTP
    }

    /// Returns the host and the port.
    pub(super) fn host(&self) -> &str {
        self.authority.as_str()
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the URL with a path, and maybe a query, at its end; none if that is not a URL.
    pub(super) fn join(&self, path: &str) -> Option<Uri> {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let query: Vec<&str> =
            [self.query.as_deref(), query].into_iter().flatten().filter(|one| !one.is_empty()).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let path = format!("{}{path}{query}", self.path);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(path)
            .build()
            .ok()
    }
}

/// Returns whether a host is this machine or in its network.
fn is_own_network(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
    match address.parse() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => is_own_address(address),
        Err(_) => {
            let is_below = |end: &str| host.strip_suffix(end).is_some_and(|start| start.ends_with('.'));
            !host.contains('.') || OWN_NETWORK.iter().any(|end| is_below(end))
        }
    }
}

fn is_own_address(address: Ipv6Addr) -> bool {
    let mapped = address.to_ipv4_mapped();
    mapped.is_some_and(|address| address.is_loopback() || address.is_private())
        || address.is_loopback()
        || address.is_unique_local()
        || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added() {
        for (base, path, expected) in [
            ("https://api.openai.com/v1", "/chat/completions", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1/", "/chat/completions", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "/x", "http://localhost:11434/x"),
            ("https://h/a?api-version=1", "/b:c?alt=sse", "https://h/a/b:c?api-version=1&alt=sse"),
            ("https://h?v=1", "/b", "https://h/b?v=1"),
        ] {
            let url = BaseUrl::parse(base, true).unwrap();
            assert_eq!(url.join(path).unwrap().to_string(), expected, "{base}");
        }
    }

    #[test]
    fn a_url_that_is_not_safe_is_refused() {
        for (url, expected) in [
            ("", "is not valid"),
            ("/v1", "is not valid"),
            ("ftp://host/", "is not valid"),
            ("https://", "is not valid"),
            ("https://user:hunter2@host/v1", "contains a user"),
            ("http://api.example.org/v1", "without encryption"),
            ("http://8.8.8.8/v1", "without encryption"),
            ("http://[2001:db8::1]/v1", "without encryption"),
            ("http://evil-localhost.example/v1", "without encryption"),
        ] {
            let reason = BaseUrl::parse(url, true).unwrap_err();
            assert!(reason.contains(expected) && !reason.contains("hunter2"), "{url}: {reason}");
        }
        assert!(BaseUrl::parse("http://api.example.org/v1", false).is_ok());
    }

    #[test]
    fn the_own_network_needs_no_encryption() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:1",
            "[::1]:1",
            "ollama:11434",
            "gpu.lan",
            "a.b.internal",
            "192.168.1.5",
            "10.0.0.1",
            "172.16.3.4",
            "[fd00::1]",
            "[::ffff:127.0.0.1]",
            "x.localhost",
        ] {
            assert!(BaseUrl::parse(&format!("http://{host}/v1"), true).is_ok(), "{host}");
        }
    }
}
