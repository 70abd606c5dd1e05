//! Authentication of requests, and the security headers of replies.

use crate::transport::{Claims, OriginError, Reply, Ticket, Token};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request};

/// The first segment of the path that opens the page once.
const OPEN: &str = "open";

/// The headers of every reply. Scripts and styles are loaded only from this server; nothing is cached, framed or sniffed.
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

/// The reason why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The request is for another server, or from a page of another origin.
    Origin(OriginError),
    /// The path does not begin with the token.
    Token,
    /// The ticket was used, or has expired.
    Ticket,
    /// The browser prefetches the URL, which the user has not opened yet.
    Prefetch,
}

impl Rejection {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Origin(OriginError::Host) => "invalid host",
            Self::Origin(OriginError::Origin) => "requests from other origins are not allowed",
            Self::Token => "open the `file` or the complete URL that `minds task view` printed",
            Self::Ticket => {
                "this URL can be used only once, within five minutes; open the `file` that `minds task view` printed"
            }
            Self::Prefetch => "this URL cannot be prefetched",
        }
    }
}

/// What an accepted request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission<'r> {
    /// Access the resource with this path after the token.
    Resource(&'r str),
    /// Be redirected to the URL with the token.
    Redirect,
}

/// Checks every request.
#[derive(Debug)]
pub(super) struct RequestGuard {
    token: Token,
    ticket: Ticket,
    hosts: [String; 2],
}

impl RequestGuard {
    pub(super) fn new(token: Token, ticket: Ticket, port: u16) -> Self {
        Self { token, ticket, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    pub(super) fn page_path(&self) -> String {
        format!("/{}/", self.token.as_str())
    }

    /// Returns the path that opens the page once.
    pub(super) fn once_path(&self) -> String {
        format!("/{OPEN}/{}", self.ticket.as_str())
    }

    /// Decides whether a request is accepted.
    pub(super) fn admit<'r, B>(&self, request: &'r Request<B>) -> Result<Admission<'r>, Rejection> {
        let claims = Claims::of(request).map_err(Rejection::Origin)?;
        if !self.hosts.iter().any(|host| host == claims.host) {
            return Err(Rejection::Origin(OriginError::Host));
        }
        if claims.origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(claims.host)) {
            return Err(Rejection::Origin(OriginError::Origin));
        }
        let path = request.uri().path().strip_prefix('/').unwrap_or_default();
        let (secret, rest) = path.split_once('/').ok_or(Rejection::Token)?;
        if secret == OPEN && *request.method() == Method::GET {
            // A browser may prefetch a URL that the user could open, which must not redeem the ticket.
            let purpose = ["sec-purpose", "purpose"].into_iter().find_map(|name| request.headers().get(name));
            if purpose.is_some() {
                return Err(Rejection::Prefetch);
            }
            return if self.ticket.redeem(rest.as_bytes()) {
                Ok(Admission::Redirect)
            } else {
                Err(Rejection::Ticket)
            };
        }
        if self.token.matches(secret.as_bytes()) {
            Ok(Admission::Resource(rest))
        } else {
            Err(Rejection::Token)
        }
    }
}

/// Adds the headers of every reply.
pub(super) fn add_security_headers(mut reply: Reply) -> Reply {
    let headers = reply.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    #[track_caller]
    fn check(uri: &str, headers: &[(&str, &str)], expected: Result<&str, Rejection>) {
        let guard = RequestGuard::new(Token::parse(TOKEN).unwrap(), Ticket::issue().unwrap(), 8080);
        let request = headers
            .iter()
            .fold(Request::builder().uri(uri), |built, (name, value)| built.header(*name, *value));
        let request = request.body(()).unwrap();
        assert_eq!(guard.admit(&request), expected.map(Admission::Resource), "{uri} {headers:?}");
    }

    #[test]
    fn only_requests_with_the_token_are_accepted() {
        let home = &format!("/{TOKEN}/");
        let host = ("host", "127.0.0.1:8080");
        check(home, &[host], Ok(""));
        check(&format!("{home}api/package"), &[host], Ok("api/package"));
        check(home, &[("host", "localhost:8080")], Ok(""));
        check(home, &[host, ("origin", "http://127.0.0.1:8080")], Ok(""));
        check(&format!("http://127.0.0.1:8080{home}"), &[host], Ok(""));
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example",
            "evil.example:8080",
            "127.0.0.1:8080.evil.example",
            "[::1]:8080",
            "",
        ] {
            check(home, &[("host", host)], Err(Rejection::Origin(OriginError::Host)));
        }
        check(home, &[], Err(Rejection::Origin(OriginError::Host)));
        check(home, &[host, ("host", "evil.example")], Err(Rejection::Origin(OriginError::Host)));
        check(&format!("http://evil.example{home}"), &[host], Err(Rejection::Origin(OriginError::Host)));
        for origin in [
            "http://evil.example",
            "https://127.0.0.1:8080",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://127.0.0.1:8080.evil.example",
            "null",
            "",
        ] {
            check(home, &[host, ("origin", origin)], Err(Rejection::Origin(OriginError::Origin)));
        }
        let twice = [host, ("origin", "http://127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")];
        check(home, &twice, Err(Rejection::Origin(OriginError::Origin)));
        for path in [
            "/",
            "/api/package",
            "//",
            home.trim_end_matches('/'),
            home.get(..20).unwrap(),
            &format!("/x{home}"),
        ] {
            check(path, &[host], Err(Rejection::Token));
        }
        check(&format!("/{}0/", TOKEN.get(..31).unwrap()), &[host], Err(Rejection::Token));
    }

    #[test]
    fn a_ticket_opens_the_page_once() {
        let guard = RequestGuard::new(Token::parse(TOKEN).unwrap(), Ticket::issue().unwrap(), 8080);
        let admit = |method: &str, path: &str, more: Option<(&str, &str)>| {
            let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8080");
            let request =
                more.into_iter().fold(request, |request, (name, value)| request.header(name, value));
            let request = request.body(()).unwrap();
            guard.admit(&request).map(|admission| admission == Admission::Redirect)
        };
        let once = guard.once_path();
        assert_eq!(admit("HEAD", &once, None), Err(Rejection::Token));
        assert_eq!(
            admit("GET", &once, Some(("sec-purpose", "prefetch;prerender"))),
            Err(Rejection::Prefetch)
        );
        assert_eq!(
            admit("GET", &once, Some(("origin", "null"))),
            Err(Rejection::Origin(OriginError::Origin))
        );
        assert_eq!(admit("GET", "/open/", None), Err(Rejection::Ticket));
        assert_eq!(admit("GET", &format!("/open/{TOKEN}"), None), Err(Rejection::Ticket));
        assert_eq!(admit("GET", &once, None), Ok(true));
        assert_eq!(admit("GET", &once, None), Err(Rejection::Ticket));
        let ticket = once.rsplit('/').next().unwrap();
        assert_eq!(admit("GET", &format!("/{ticket}/"), None), Err(Rejection::Token));
        assert!(!once.contains(TOKEN));
    }
}
