//! Who is let in, and what everybody is told.

use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request};
use minds_serve::{Claims, Reply, Stranger, Ticket, Token};

/// The first part of the path that leads to the page once.
const OPEN: &str = "open";

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

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is for another server, or from a page from elsewhere.
    Stranger(Stranger),
    /// The path does not begin with the token.
    Token,
    /// The ticket was used, or is too old.
    Ticket,
    /// A browser asks although nobody has opened the address yet.
    Early,
}

impl Refused {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Stranger(Stranger::Host) => "this server has another name",
            Self::Stranger(Stranger::Origin) => "pages from elsewhere may ask for nothing here",
            Self::Token => "open the `file` or the whole address that `minds task view` printed",
            Self::Ticket => {
                "this address can be used once, and for five minutes; open the `file` that `minds task view` printed"
            }
            Self::Early => "this address is not opened in advance",
        }
    }
}

/// What a request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission<'r> {
    /// Ask for what the path after the token names.
    Inside(&'r str),
    /// Go to the address with the token.
    Redirect,
}

/// What every request passes.
#[derive(Debug)]
pub(super) struct Door {
    token: Token,
    ticket: Ticket,
    hosts: [String; 2],
}

impl Door {
    pub(super) fn new(token: Token, ticket: Ticket, port: u16) -> Self {
        Self { token, ticket, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// Returns the path of the page.
    pub(super) fn home(&self) -> String {
        format!("/{}/", self.token.as_str())
    }

    /// Returns the path that leads to the page once.
    pub(super) fn once(&self) -> String {
        format!("/{OPEN}/{}", self.ticket.as_str())
    }

    /// Decides whether a request is let in.
    pub(super) fn admit<'r, B>(&self, request: &'r Request<B>) -> Result<Admission<'r>, Refused> {
        let claims = Claims::of(request).map_err(Refused::Stranger)?;
        if !self.hosts.iter().any(|ours| ours == claims.host) {
            return Err(Refused::Stranger(Stranger::Host));
        }
        if claims.origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(claims.host)) {
            return Err(Refused::Stranger(Stranger::Origin));
        }
        let path = request.uri().path().strip_prefix('/').unwrap_or_default();
        let (word, rest) = path.split_once('/').ok_or(Refused::Token)?;
        if word == OPEN && *request.method() == Method::GET {
            // A browser may load what it expects the user to open; that is no use of the ticket.
            let purpose = ["sec-purpose", "purpose"].into_iter().find_map(|name| request.headers().get(name));
            if purpose.is_some() {
                return Err(Refused::Early);
            }
            return if self.ticket.redeem(rest.as_bytes()) {
                Ok(Admission::Redirect)
            } else {
                Err(Refused::Ticket)
            };
        }
        if self.token.is(word.as_bytes()) { Ok(Admission::Inside(rest)) } else { Err(Refused::Token) }
    }
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
    fn check(uri: &str, headers: &[(&str, &str)], expected: Result<&str, Refused>) {
        let door = Door::new(Token::agreed(WORD).unwrap(), Ticket::issue().unwrap(), 8080);
        let request = headers
            .iter()
            .fold(Request::builder().uri(uri), |built, (name, value)| built.header(*name, *value));
        let request = request.body(()).unwrap();
        assert_eq!(door.admit(&request), expected.map(Admission::Inside), "{uri} {headers:?}");
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
            check(home, &[("host", stranger)], Err(Refused::Stranger(Stranger::Host)));
        }
        check(home, &[], Err(Refused::Stranger(Stranger::Host)));
        check(home, &[host, ("host", "evil.example")], Err(Refused::Stranger(Stranger::Host)));
        check(&format!("http://evil.example{home}"), &[host], Err(Refused::Stranger(Stranger::Host)));
        for origin in [
            "http://evil.example",
            "https://127.0.0.1:8080",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://127.0.0.1:8080.evil.example",
            "null",
            "",
        ] {
            check(home, &[host, ("origin", origin)], Err(Refused::Stranger(Stranger::Origin)));
        }
        let twice = [host, ("origin", "http://127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")];
        check(home, &twice, Err(Refused::Stranger(Stranger::Origin)));
        for path in [
            "/",
            "/api/package",
            "//",
            home.trim_end_matches('/'),
            home.get(..20).unwrap(),
            &format!("/x{home}"),
        ] {
            check(path, &[host], Err(Refused::Token));
        }
        check(&format!("/{}0/", WORD.get(..31).unwrap()), &[host], Err(Refused::Token));
    }
    #[test]
    fn a_ticket_leads_to_the_page_once() {
        let door = Door::new(Token::agreed(WORD).unwrap(), Ticket::issue().unwrap(), 8080);
        let ask = |method: &str, path: &str, more: Option<(&str, &str)>| {
            let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8080");
            let request =
                more.into_iter().fold(request, |request, (name, value)| request.header(name, value));
            let request = request.body(()).unwrap();
            door.admit(&request).map(|admission| admission == Admission::Redirect)
        };
        let once = door.once();
        assert_eq!(ask("HEAD", &once, None), Err(Refused::Token));
        assert_eq!(ask("GET", &once, Some(("sec-purpose", "prefetch;prerender"))), Err(Refused::Early));
        assert_eq!(ask("GET", &once, Some(("origin", "null"))), Err(Refused::Stranger(Stranger::Origin)));
        assert_eq!(ask("GET", "/open/", None), Err(Refused::Ticket));
        assert_eq!(ask("GET", &format!("/open/{WORD}"), None), Err(Refused::Ticket));
        assert_eq!(ask("GET", &once, None), Ok(true));
        assert_eq!(ask("GET", &once, None), Err(Refused::Ticket));
        let word = once.rsplit('/').next().unwrap();
        assert_eq!(ask("GET", &format!("/{word}/"), None), Err(Refused::Token));
        assert!(!once.contains(WORD));
    }
}
