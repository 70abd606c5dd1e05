//! Why a request failed, without anything of the request or of the response.

use std::error::Error;
use std::io;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{DATE, RETRY_AFTER};

use super::connector::ConnectTimeout;
use crate::ModelErrorKind;

/// Returns the class of a request that was not answered; `is_connecting` if there was no connection.
pub(super) fn classify(error: &(dyn Error + 'static), is_connecting: bool) -> ModelErrorKind {
    let mut cause = Some(error);
    while let Some(one) = cause {
        if let Some(ConnectTimeout(time)) = one.downcast_ref() {
            return ModelErrorKind::Timeout(*time);
        }
        let reason = one.downcast_ref::<io::Error>().and_then(|error| of_connecting(error.kind()));
        if let Some(reason) = reason.filter(|_| is_connecting) {
            return ModelErrorKind::Unreachable(reason);
        }
        if let Some(tls) = one.downcast_ref::<rustls::Error>() {
            return of_tls(tls);
        }
        // The source of an I/O error is that of the error in it.
        let inner = one.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| one.source());
    }
    if is_connecting {
        ModelErrorKind::Unreachable("no connection can be made: check the address and the network")
    } else {
        ModelErrorKind::Connection
    }
}

fn of_tls(error: &rustls::Error) -> ModelErrorKind {
    match error {
        rustls::Error::InvalidCertificate(reason) => {
            ModelErrorKind::Unavailable(format!("the certificate of the server is not trusted: {reason:?}"))
        }
        _ => ModelErrorKind::Unreachable("no connection with TLS can be made"),
    }
}

fn of_connecting(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::ConnectionRefused => Some("the connection was refused"),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            Some("the network of the server cannot be reached")
        }
        io::ErrorKind::TimedOut => Some("the server did not answer the connection"),
        _ => None,
    }
}

/// Returns the time before the next request, from the headers of a response.
///
/// RFC 9110, section 10.2.3: seconds, or a date, which is compared with that of the response, because clocks differ.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let end = httpdate::parse_http_date(value).ok()?;
    let start = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    Some(end.duration_since(start).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn the_time_before_the_next_request_is_read() {
        let date = "Sun, 29 Nov 2026 02:00:00 GMT";
        for (value, date, expected) in [
            ("7", None, Some(7_000)),
            (" 0.5 ", None, Some(500)),
            ("-1", None, None),
            ("NaN", None, None),
            ("soon", None, None),
            ("Sun, 29 Nov 2026 02:00:20 GMT", Some(date), Some(20_000)),
            ("Sun, 29 Nov 2026 01:00:00 GMT", Some(date), Some(0)),
            ("Sun, 29 Nov 2026 02:00:20 GMT", None, None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            headers.extend(date.map(|date| (DATE, HeaderValue::from_static(date))));
            assert_eq!(retry_after(&headers).map(|time| time.as_millis()), expected, "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
