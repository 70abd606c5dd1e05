//! Addresses of servers.

use minds_document::{Context, Decode, Node, Value};

/// An absolute `http` or `https` URL with a host.
///
/// The rest of it is not judged: what it means is the server's affair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// Returns the URL, without white space around it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads a URL; what is wrong comes back as what to do about it.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err("begin it with `http://` or `https://`");
        };
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err("`http` and `https` are the only schemes that work here");
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("remove the white space, or write it as `%20`");
        }
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        // The colons of an IPv6 address stand in brackets.
        let (host, port) = match host_and_port.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (host_and_port, ""),
        };
        if host.is_empty() {
            return Err("write a host behind `://`");
        }
        if host.contains(['{', '}', '$', '<', '>', '|', '^', '%', '"', '`']) {
            return Err("write the host itself: variables are not filled in");
        }
        let is_port =
            port.chars().all(|c| c.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok());
        if !is_port {
            return Err("write a port between 0 and 65535");
        }
        Ok(Self(text.to_owned()))
    }
}

impl Decode for ServerUrl {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let Value::String(text) = node.value() else {
            // Quotes would not make a number a URL, so they are not offered.
            cx.type_error(node, "a string");
            return None;
        };
        match Self::parse(text) {
            Ok(url) => Some(url),
            Err(help) => {
                cx.value_error(node, "an absolute `http` or `https` URL", |found| found.help(help));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(ServerUrl::parse(text).is_ok(), expected, "{text:?}");
    }

    #[test]
    fn urls_are_absolute_and_have_a_host() {
        check("http://127.0.0.1:3000/mcp", true);
        check("HTTPS://Example.org", true);
        check("https://user:secret@example.org:8443?x=1#y", true);
        check("http://[::1]:8080/mcp", true);
        check("http://[::1]", true);
        check("https://例え.jp/mcp", true);
        check("https://example.org:/mcp", true);
        check(" https://example.org ", true);
        check("", false);
        check("example.org/mcp", false);
        check("/mcp", false);
        check("ws://example.org", false);
        check("http://", false);
        check("http:///mcp", false);
        check("http://:80/mcp", false);
        check("http://example.org:port", false);
        check("http://example.org:70000", false);
        check("http://exa mple.org", false);
        check("http://${HOST}/mcp", false);
        check("http://example.org/{id}/%20", true);
    }
}
