//! Who is let in, and what everybody is told.

use hyper::Request;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use minds_serve::{Reply, Token};

/// What every reply says. Scripts and styles come from here alone; nothing is kept, passed on, framed or guessed.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stranger {
    /// The request names another host: a name of a stranger was made to point here.
    Host,
    /// A page from elsewhere asks.
    Origin,
    /// The path does not begin with the token.
    Token,
}

impl Stranger {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Host => "this server has another name",
            Self::Origin => "pages from elsewhere may ask for nothing here",
            Self::Token => "open the whole address that `minds task view` printed",
        }
    }
}

/// What every request passes.
#[derive(Debug)]
pub(super) struct Door {
    token: Token,
    hosts: [String; 2],
}

impl Door {
    pub(super) fn new(token: Token, port: u16) -> Self {
        Self { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// Returns the path behind the token.
    pub(super) fn let_in<'r, B>(&self, request: &'r Request<B>) -> Result<&'r str, Stranger> {
        let headers = request.headers();
        let host = only(headers, &HOST).filter(|host| self.hosts.iter().any(|ours| ours == host));
        let host = host.ok_or(Stranger::Host)?;
        // A request to a proxy has a host of its own.
        if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
            return Err(Stranger::Host);
        }
        let origin = only(headers, &ORIGIN).map(|origin| origin.strip_prefix("http://"));
        if headers.contains_key(ORIGIN) && origin.flatten() != Some(host) {
            return Err(Stranger::Origin);
        }
        let path = request.uri().path().strip_prefix('/').unwrap_or_default();
        let (word, rest) = path.split_once('/').ok_or(Stranger::Token)?;
        if self.token.is(word.as_bytes()) { Ok(rest) } else { Err(Stranger::Token) }
    }
}

/// Returns the value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Adds what every reply says.
pub(super) fn seal(mut reply: Reply) -> Reply {
    let headers = reply.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = "0123456789abcdef0123456789abcdef";

    #[track_caller]
    fn check(uri: &str, headers: &[(&str, &str)], expected: Result<&str, Stranger>) {
        let door = Door::new(Token::agreed(WORD).unwrap(), 8080);
        let request = headers
            .iter()
            .fold(Request::builder().uri(uri), |built, (name, value)| built.header(*name, *value));
        assert_eq!(door.let_in(&request.body(()).unwrap()), expected, "{uri} {headers:?}");
    }

    #[test]
    fn whoever_knows_the_address_is_let_in_and_nobody_else() {
        let home = &format!("/{WORD}/");
        let host = ("host", "127.0.0.1:8080");
        check(home, &[host], Ok(""));
        check(&format!("{home}api/package"), &[host], Ok("api/package"));
        check(home, &[("host", "localhost:8080")], Ok(""));
        check(home, &[host, ("origin", "http://127.0.0.1:8080")], Ok(""));
        check(&format!("http://127.0.0.1:8080{home}"), &[host], Ok(""));
        for stranger in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example",
            "evil.example:8080",
            "127.0.0.1:8080.evil.example",
            "[::1]:8080",
            "",
        ] {
            check(home, &[("host", stranger)], Err(Stranger::Host));
        }
        check(home, &[], Err(Stranger::Host));
        check(home, &[host, ("host", "evil.example")], Err(Stranger::Host));
        check(&format!("http://evil.example{home}"), &[host], Err(Stranger::Host));
        for origin in [
            "http://evil.example",
            "https://127.0.0.1:8080",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://127.0.0.1:8080.evil.example",
            "null",
            "",
        ] {
            check(home, &[host, ("origin", origin)], Err(Stranger::Origin));
        }
        let twice = [host, ("origin", "http://127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")];
        check(home, &twice, Err(Stranger::Origin));
        for path in [
            "/",
            "/api/package",
            "//",
            home.trim_end_matches('/'),
            home.get(..20).unwrap(),
            &format!("/x{home}"),
        ] {
            check(path, &[host], Err(Stranger::Token));
        }
        check(&format!("/{}0/", WORD.get(..31).unwrap()), &[host], Err(Stranger::Token));
    }
}
