//! The host and the origin of a request.

use hyper::Request;
use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};

/// The reason why a request is refused because of its host or origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginError {
    /// The request has another host, several hosts, or none: a foreign host name can resolve to this server.
    Host,
    /// The request comes from a page of another origin, or of an unclear one.
    Origin,
}

/// The host and the origin that a request claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims<'r> {
    /// The value of `Host`.
    pub host: &'r str,
    /// The value of `Origin`, if present.
    pub origin: Option<&'r str>,
}

impl<'r> Claims<'r> {
    /// Reads the claims of a request.
    ///
    /// # Errors
    ///
    /// Refuses a header that is repeated or not valid text, a missing host, and a host that differs from the one in the
    /// URI, because a proxy and a server could interpret the request differently.
    pub fn of<B>(request: &'r Request<B>) -> Result<Self, OriginError> {
        let Header::Once(host) = header(request.headers(), &HOST) else { return Err(OriginError::Host) };
        if let Some(authority) = request.uri().authority()
            && !authority.as_str().eq_ignore_ascii_case(host)
        {
            return Err(OriginError::Host);
        }
        if request.uri().scheme_str().is_some_and(|scheme| scheme != "http") {
            return Err(OriginError::Host);
        }
        let origin = match header(request.headers(), &ORIGIN) {
            Header::Absent => None,
            Header::Once(origin) => Some(origin),
            Header::Unclear => return Err(OriginError::Origin),
        };
        Ok(Self { host, origin })
    }
}

/// The value of a header.
enum Header<'h> {
    /// The header is missing.
    Absent,
    /// The header has one value, which is text.
    Once(&'h str),
    /// The header is repeated, or is not text.
    Unclear,
}

fn header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Header<'h> {
    let mut values = headers.get_all(name).iter();
    match (values.next().map(|value| value.to_str()), values.next()) {
        (None, _) => Header::Absent,
        (Some(Ok(value)), None) => Header::Once(value),
        _ => Header::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, headers: &[(&str, &str)], expected: Result<(&str, Option<&str>), OriginError>) {
        let request = headers
            .iter()
            .fold(Request::builder().uri(uri), |built, (name, value)| built.header(*name, *value));
        let request = request.body(()).unwrap();
        let actual = Claims::of(&request).map(|claims| (claims.host, claims.origin));
        assert_eq!(actual, expected, "{uri} {headers:?}");
    }

    #[test]
    fn claims_must_be_given_exactly_once() {
        let host = ("host", "localhost:1");
        check("/x", &[host], Ok(("localhost:1", None)));
        check("/x", &[host, ("origin", "null")], Ok(("localhost:1", Some("null"))));
        check("http://localhost:1/x", &[host], Ok(("localhost:1", None)));
        check("/x", &[], Err(OriginError::Host));
        check("/x", &[host, host], Err(OriginError::Host));
        check("/x", &[host, ("host", "evil.example")], Err(OriginError::Host));
        check("http://evil.example/x", &[host], Err(OriginError::Host));
        check("http://localhost:2/x", &[host], Err(OriginError::Host));
        check("http://user@localhost:1/x", &[host], Err(OriginError::Host));
        check("https://localhost:1/x", &[host], Err(OriginError::Host));
        let origin = ("origin", "http://localhost:1");
        check("/x", &[host, origin, origin], Err(OriginError::Origin));
        check("/x", &[host, origin, ("origin", "http://evil.example")], Err(OriginError::Origin));
        check("/x", &[host, ("origin", "http://ö.example")], Err(OriginError::Origin));
    }
}
