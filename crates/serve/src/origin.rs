//! Where a request says that it comes from.

use hyper::Request;
use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};

/// Why a request is refused whose sender says, or leaves open, that it means another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// The request names another host, several, or none: a name of a stranger may have been made to point here.
    Host,
    /// A page from elsewhere asks, or it is not clear which.
    Origin,
}

/// Who a request says that it is for, and which page it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims<'r> {
    /// The one value of `Host`.
    pub host: &'r str,
    /// The one value of `Origin`, if there is one.
    pub origin: Option<&'r str>,
}

impl<'r> Claims<'r> {
    /// Reads what a request says.
    ///
    /// # Errors
    ///
    /// Refuses a request that says it twice, not at all, not as text, or in its URI otherwise than in its header: a proxy
    /// and a server could each believe another one.
    pub fn of<B>(request: &'r Request<B>) -> Result<Self, Stranger> {
        let Header::Once(host) = header(request.headers(), &HOST) else { return Err(Stranger::Host) };
        if let Some(authority) = request.uri().authority()
            && !authority.as_str().eq_ignore_ascii_case(host)
        {
            return Err(Stranger::Host);
        }
        if request.uri().scheme_str().is_some_and(|scheme| scheme != "http") {
            return Err(Stranger::Host);
        }
        let origin = match header(request.headers(), &ORIGIN) {
            Header::Absent => None,
            Header::Once(origin) => Some(origin),
            Header::Unclear => return Err(Stranger::Origin),
        };
        Ok(Self { host, origin })
    }
}

/// What a request says in a header.
enum Header<'h> {
    /// There is no such header.
    Absent,
    /// It is given once, as text.
    Once(&'h str),
    /// It is given several times, or is not text.
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
    fn check(uri: &str, headers: &[(&str, &str)], expected: Result<(&str, Option<&str>), Stranger>) {
        let request = headers
            .iter()
            .fold(Request::builder().uri(uri), |built, (name, value)| built.header(*name, *value));
        let request = request.body(()).unwrap();
        let found = Claims::of(&request).map(|claims| (claims.host, claims.origin));
        assert_eq!(found, expected, "{uri} {headers:?}");
    }

    #[test]
    fn what_is_said_once_counts_and_anything_else_is_refused() {
        let host = ("host", "localhost:1");
        check("/x", &[host], Ok(("localhost:1", None)));
        check("/x", &[host, ("origin", "null")], Ok(("localhost:1", Some("null"))));
        check("http://localhost:1/x", &[host], Ok(("localhost:1", None)));
        check("/x", &[], Err(Stranger::Host));
        check("/x", &[host, host], Err(Stranger::Host));
        check("/x", &[host, ("host", "evil.example")], Err(Stranger::Host));
        check("http://evil.example/x", &[host], Err(Stranger::Host));
        check("http://localhost:2/x", &[host], Err(Stranger::Host));
        check("http://user@localhost:1/x", &[host], Err(Stranger::Host));
        check("https://localhost:1/x", &[host], Err(Stranger::Host));
        let origin = ("origin", "http://localhost:1");
        check("/x", &[host, origin, origin], Err(Stranger::Origin));
        check("/x", &[host, origin, ("origin", "http://evil.example")], Err(Stranger::Origin));
        check("/x", &[host, ("origin", "http://ö.example")], Err(Stranger::Origin));
    }
}
