//! Absolute URLs with a host.
//!
//! A library for URLs would accept more than the runtimes do (it repairs `http:host` and `http:///host`), reports no
//! reason that a person can act on, and brings tables for internationalized host names, so this is a reader of our own.

use std::net::Ipv6Addr;

use crate::json_schema::{self, Keywords as _};
use crate::{Context, Node, Text, Value};

/// Which URLs a key takes.
#[derive(Clone, Copy, Debug)]
pub struct UrlKind {
    schemes: [&'static str; 2],
    expected: &'static str,
    example: &'static str,
    /// Whether the scheme may be in upper case and white space around the URL is ignored.
    is_lenient: bool,
}

impl UrlKind {
    /// `http` and `https`.
    pub const HTTP: Self = Self {
        schemes: ["http", "https"],
        expected: "an absolute `http` or `https` URL",
        example: "http://127.0.0.1:3000/mcp",
        is_lenient: true,
    };

    /// `redis` and `rediss`. Clients compare the scheme exactly.
    pub const REDIS: Self = Self {
        schemes: ["redis", "rediss"],
        expected: "a `redis://` or `rediss://` URL with a host",
        example: "redis://127.0.0.1:6379/0",
        is_lenient: false,
    };

    /// Reads a URL and reports what is wrong with it. The URL comes back without white space around it.
    pub fn decode(self, node: Node<'_>, cx: &mut Context) -> Option<Text> {
        let Value::String(text) = node.value() else {
            // Quotes would not make a number a URL, so they are not offered.
            cx.type_error(node, "a string");
            return None;
        };
        match self.parse(text) {
            Ok(url) => Some(url.to_owned()),
            Err(help) => {
                cx.value_error(node, self.expected, |found| found.help(help));
                None
            }
        }
    }

    /// Returns the URL of a string, or what to do about it.
    ///
    /// What follows the host is not judged: what it means is up to the server.
    ///
    /// # Errors
    ///
    /// Returns an instruction that repeats nothing of the text, which may contain a password.
    pub fn parse(self, text: &str) -> Result<&str, String> {
        let text = if self.is_lenient { text.trim() } else { text };
        let [plain, encrypted] = self.schemes;
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(format!("begin it with `{plain}://` or `{encrypted}://`"));
        };
        let is_known = |known: &&str| {
            if self.is_lenient { scheme.eq_ignore_ascii_case(known) } else { scheme == *known }
        };
        if !self.schemes.iter().any(is_known) {
            return Err(format!("use the scheme `{plain}` or `{encrypted}`"));
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("remove the white space, or write it as `%20`".to_owned());
        }
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        check_authority(authority).map_err(str::to_owned)?;
        Ok(text)
    }

    /// Returns the JSON Schema, which leaves the number of the port and IPv6 addresses to the check.
    pub fn json_schema(self) -> json_schema::Schema {
        let (expression, message) = self.pattern();
        json_schema::string().pattern(&expression, &message).examples([self.example])
    }

    /// Returns a regular expression for the URLs, and the message for strings that do not match it.
    pub fn pattern(self) -> (String, String) {
        let [plain, _] = self.schemes;
        let either_case = |c: char| format!("[{}{c}]", c.to_ascii_uppercase());
        let (space, scheme) = if self.is_lenient {
            ("\\s*", format!("{}[Ss]?", plain.chars().map(either_case).collect::<String>()))
        } else {
            ("", format!("{plain}s?"))
        };
        let user = "([^\\s/?#\\\\]*@)?";
        let host = "(\\[[^\\s\\[\\]/?#@]+\\]|[^\\s/?#\\\\:@\\[\\]{}$<>|^%\"`]+)";
        let expression = format!("^{space}{scheme}://{user}{host}(:[0-9]*)?([/?#\\\\]\\S*)?{space}$");
        (expression, format!("must be {}", self.expected))
    }
}

/// Checks a host with an optional port, and an optional user with a password.
fn check_authority(authority: &str) -> Result<(), &'static str> {
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host_and_port.strip_prefix('[') {
        Some(inside) => {
            let Some((address, rest)) = inside.split_once(']') else {
                return Err("close the bracket after the IPv6 address");
            };
            // A zone may follow the address.
            let address = address.split('%').next().unwrap_or_default();
            if address.parse::<Ipv6Addr>().is_err() {
                return Err("write an IPv6 address in the brackets");
            }
            match rest.strip_prefix(':') {
                Some(port) => (address, port),
                None if rest.is_empty() => (address, ""),
                None => return Err("write only a port after the bracket"),
            }
        }
        // A password with an unescaped `/` or `?` ends there, and what is left of it is not a port.
        None => host_and_port.split_once(':').unwrap_or((host_and_port, "")),
    };
    if host.is_empty() {
        return Err("write a host after `://`");
    }
    if host.contains(['{', '}', '$', '<', '>', '|', '^', '%', '"', '`', '[', ']']) {
        return Err("write the host itself: variables are not filled in");
    }
    let is_port =
        port.is_empty() || (port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok());
    if !is_port {
        return Err("write a port between 0 and 65535");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: UrlKind, text: &str, expected: bool) {
        assert_eq!(kind.parse(text).is_ok(), expected, "{text:?}: {:?}", kind.parse(text));
    }

    #[test]
    fn http_urls_are_absolute_and_have_a_host() {
        for (text, expected) in [
            ("http://127.0.0.1:3000/mcp", true),
            ("HTTPS://Example.org", true),
            ("https://user:secret@example.org:8443?x=1#y", true),
            ("http://[::1]:8080/mcp", true),
            ("http://[::1]", true),
            ("http://[fe80::1%25eth0]:80/", true),
            ("https://例え.jp/mcp", true),
            ("https://example.org:/mcp", true),
            (" https://example.org ", true),
            ("http://example.org/{id}/%20", true),
            ("http://localhost:65535", true),
            ("", false),
            ("not a url", false),
            ("localhost:8000", false),
            ("example.org/mcp", false),
            ("/mcp", false),
            ("ws://example.org", false),
            ("ftp://x", false),
            ("http:example.org", false),
            ("http://", false),
            ("http:///mcp", false),
            ("http://:80/mcp", false),
            ("http://ann@", false),
            ("http://example.org:port", false),
            ("http://example.org:65536", false),
            ("http://example.org:+1", false),
            ("http://a:1:2", false),
            ("http://exa mple.org", false),
            ("http://${HOST}/mcp", false),
            ("http://[]", false),
            ("http://[::1", false),
            ("http://[::1]80", false),
            ("http://[localhost]", false),
        ] {
            check(UrlKind::HTTP, text, expected);
        }
    }

    #[test]
    fn redis_urls_are_exact() {
        for (text, expected) in [
            ("redis://a", true),
            ("rediss://ann:hun%2fter2@a:6379/0", true),
            ("redis://[::1]:6379", true),
            ("redis://:password@host", true),
            ("REDIS://a", false),
            (" redis://a", false),
            ("http://a", false),
            ("redis://ann:hun/ter2@a", false),
            ("redis://user:hunter2", false),
        ] {
            check(UrlKind::REDIS, text, expected);
        }
    }
}
