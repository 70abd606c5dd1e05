//! Requests and responses: one JSON object per message, in UTF-8, of at most [`MAX_MESSAGE_BYTES`].
//!
//! Members are written in a fixed order and read in any order. Members of later versions are ignored; a member that
//! is given twice, is missing, or has another type makes the message invalid.

use std::borrow::Cow;

use minds_fleet::ErrorCode;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::limits::{CLOCK_SKEW_SECONDS, DEFAULT_TIMEOUT_SECONDS, MAX_MESSAGE_BYTES, MAX_TIMEOUT_SECONDS};
use crate::members::Members;
use crate::timestamp::parse_number;
use crate::{Caller, Failure, Json, RequestId, Timestamp};

/// A request of a client to an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// The id, which the response repeats. The same id again, from the same caller, is the same request.
    pub req_id: RequestId,
    /// The name of the method, which may be unknown.
    pub method: String,
    /// The arguments, as an object.
    pub params: Json,
    /// When the client sent the request.
    pub ts: Timestamp,
    /// The sender.
    pub caller: Caller,
    /// The timeout, if it is not the default.
    #[serde(rename = "timeout_sec", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
}

/// How long a client waits for an answer: more than 0 seconds, and no more than 3,600.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Timeout(f64);

/// The response to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id of the request.
    pub req_id: RequestId,
    /// What the agent answers.
    pub outcome: Outcome,
    /// The epoch of the agent. Clients ignore responses with a lower epoch than the highest that they have read.
    pub epoch: Option<u64>,
}

/// The success or failure of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The request was performed.
    Success {
        /// The result. All methods of this version return objects.
        value: Json,
        /// When the agent answered.
        ts: Timestamp,
    },
    /// The request was refused, or failed.
    Failure(Failure),
}

/// A message that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EnvelopeError {
    code: ErrorCode,
    req_id: Option<RequestId>,
    message: String,
}

impl EnvelopeError {
    /// Returns the code: `payload.too_large` or `args.invalid`.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the response to the sender; `None` if the id of the request is not readable.
    pub fn to_response(&self, epoch: Option<u64>) -> Option<Response> {
        let req_id = self.req_id.clone()?;
        Some(Response { req_id, outcome: Outcome::Failure(Failure::new(self.code, &self.message)), epoch })
    }

    fn invalid(req_id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self { code: ErrorCode::ArgsInvalid, req_id, message: message.into() }
    }

    fn too_large(req_id: Option<RequestId>, size: usize) -> Self {
        let message = format!("the message has {size} bytes, the maximum is {MAX_MESSAGE_BYTES}");
        Self { code: ErrorCode::PayloadTooLarge, req_id, message }
    }
}

impl Timeout {
    /// Makes a timeout, if the number of seconds is in the range.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        (seconds > 0.0 && seconds <= MAX_TIMEOUT_SECONDS).then_some(Self(seconds))
    }

    /// Returns the number of seconds.
    pub fn as_seconds(self) -> f64 {
        self.0
    }
}

impl Default for Timeout {
    fn default() -> Self {
        Self(DEFAULT_TIMEOUT_SECONDS)
    }
}

const REQUEST: [&str; 6] = ["req_id", "method", "params", "ts", "caller", "timeout_sec"];
const RESPONSE: [&str; 6] = ["req_id", "ok", "value", "error", "ts", "epoch"];

impl Request {
    /// Decodes a request.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` for a message above the limit, and `args.invalid` for every other problem.
    /// The error has the id of the request, if it could be read: of a message that is too large or is not valid JSON,
    /// only an id that is the first member is read.
    pub fn decode(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let reader = Reader::new(bytes, REQUEST)?;
        Ok(Self {
            req_id: reader.req_id()?,
            method: reader.string(1)?.into_owned(),
            params: reader.object(2)?,
            ts: reader.timestamp(3)?,
            caller: reader.parse(4, Caller::parse)?,
            timeout: reader.timeout(5)?,
        })
    }

    /// Encodes the request.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` above the limit.
    pub fn encode(&self) -> Result<String, EnvelopeError> {
        encode(self, &self.req_id)
    }

    /// Returns the timeout, which is 15 seconds if the request has none.
    pub fn timeout(&self) -> Timeout {
        self.timeout.unwrap_or_default()
    }

    /// Returns whether the client has stopped waiting. Such a request is answered with `timeout` and never performed.
    ///
    /// The clocks of two machines may differ by 2 seconds.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        let deadline = self.ts.as_seconds() + self.timeout().as_seconds() + CLOCK_SKEW_SECONDS;
        now.as_seconds() > deadline
    }
}

impl Response {
    /// Decodes a response.
    ///
    /// An `error` that is `null` counts as absent, and so does a `value` that is `null` beside an error.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` above the limit, and `args.invalid` for every other problem.
    pub fn decode(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let reader = Reader::new(bytes, RESPONSE)?;
        let req_id = reader.req_id()?;
        let is_ok = match reader.require(1)?.get() {
            "true" => true,
            "false" => false,
            _ => return Err(reader.wrong_type(1, "a boolean")),
        };
        let epoch = reader.number(5)?;
        let is_null = |raw: &&RawValue| raw.get() == "null";
        let value = reader.members.value(2);
        let error = reader.members.value(3).filter(|raw| !is_null(raw));
        let outcome = match (is_ok, value, error) {
            (true, Some(value), None) => {
                Outcome::Success { value: Json::from_raw(value), ts: reader.timestamp(4)? }
            }
            (false, value, Some(_)) if value.as_ref().is_none_or(is_null) => {
                Outcome::Failure(reader.decode(3, "an object with `code` and `message`")?)
            }
            (true, ..) => return Err(reader.invalid("a success has `value` and no `error`")),
            (false, ..) => return Err(reader.invalid("a failure has `error` and no `value`")),
        };
        Ok(Self { req_id, outcome, epoch })
    }

    /// Encodes the response.
    ///
    /// # Errors
    ///
    /// Returns `payload.too_large` above the limit.
    pub fn encode(&self) -> Result<String, EnvelopeError> {
        encode(self, &self.req_id)
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Success<'r> {
            req_id: &'r RequestId,
            ok: bool,
            value: &'r Json,
            error: (),
            ts: Timestamp,
            #[serde(skip_serializing_if = "Option::is_none")]
            epoch: Option<u64>,
        }
        #[derive(Serialize)]
        struct Refusal<'r> {
            req_id: &'r RequestId,
            ok: bool,
            error: &'r Failure,
            #[serde(skip_serializing_if = "Option::is_none")]
            epoch: Option<u64>,
        }
        let (req_id, epoch) = (&self.req_id, self.epoch);
        match &self.outcome {
            Outcome::Success { value, ts } => {
                Success { req_id, ok: true, value, error: (), ts: *ts, epoch }.serialize(serializer)
            }
            Outcome::Failure(error) => Refusal { req_id, ok: false, error, epoch }.serialize(serializer),
        }
    }
}

fn encode(message: &impl Serialize, req_id: &RequestId) -> Result<String, EnvelopeError> {
    let text = serde_json::to_string(message)
        .map_err(|error| EnvelopeError::invalid(Some(req_id.clone()), error.to_string()))?;
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(EnvelopeError::too_large(Some(req_id.clone()), text.len()));
    }
    Ok(text)
}

/// Decodes the members of a message, and adds the id of the request to errors.
struct Reader<'t> {
    names: [&'static str; 6],
    members: Members<'t, 6>,
    req_id: Option<RequestId>,
}

impl<'t> Reader<'t> {
    fn new(bytes: &'t [u8], names: [&'static str; 6]) -> Result<Self, EnvelopeError> {
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(EnvelopeError::too_large(leading_req_id(bytes), bytes.len()));
        }
        let broken = |message: String| EnvelopeError::invalid(leading_req_id(bytes), message);
        let text =
            std::str::from_utf8(bytes).map_err(|_| broken("the message is not valid UTF-8".to_owned()))?;
        let members = Members::parse(text, names)
            .map_err(|error| broken(format!("the message is not a JSON object: {error}")))?;
        let req_id = members.value(0).filter(|_| !members.is_duplicate("req_id")).and_then(|raw| {
            match plain_string(raw) {
                Some(text) => RequestId::parse(text).ok(),
                None => serde_json::from_str(raw.get()).ok(),
            }
        });
        let reader = Self { names, members, req_id };
        match reader.members.duplicate() {
            Some(name) => {
                let name: String = name.chars().take(80).collect();
                Err(reader.invalid(format!("duplicate member `{}`", name.escape_debug())))
            }
            None => Ok(reader),
        }
    }

    fn invalid(&self, message: impl Into<String>) -> EnvelopeError {
        EnvelopeError::invalid(self.req_id.clone(), message)
    }

    fn name(&self, position: usize) -> &'static str {
        self.names.get(position).copied().unwrap_or_default()
    }

    fn req_id(&self) -> Result<RequestId, EnvelopeError> {
        self.req_id.clone().ok_or_else(|| match self.members.value(0) {
            Some(_) => self.invalid("invalid `req_id`: expected 1 to 64 characters of `A-Za-z0-9._-`"),
            None => self.invalid("missing member `req_id`"),
        })
    }

    fn require(&self, position: usize) -> Result<&'t RawValue, EnvelopeError> {
        let missing = || self.invalid(format!("missing member `{}`", self.name(position)));
        self.members.value(position).ok_or_else(missing)
    }

    fn wrong_type(&self, position: usize, expected: &str) -> EnvelopeError {
        self.invalid(format!("invalid `{}`: expected {expected}", self.name(position)))
    }

    fn decode<T: serde::de::DeserializeOwned>(
        &self,
        position: usize,
        expected: &str,
    ) -> Result<T, EnvelopeError> {
        let raw = self.require(position)?;
        serde_json::from_str(raw.get()).map_err(|_| self.wrong_type(position, expected))
    }

    fn number(&self, position: usize) -> Result<Option<u64>, EnvelopeError> {
        let Some(raw) = self.members.value(position) else { return Ok(None) };
        // The digits of JSON are those of a number, without a sign in front.
        let number = raw.get().parse().ok().filter(|_| raw.get().starts_with(|c: char| c.is_ascii_digit()));
        number.map(Some).ok_or_else(|| self.wrong_type(position, "a number of at least 0"))
    }

    fn string(&self, position: usize) -> Result<Cow<'t, str>, EnvelopeError> {
        let raw = self.require(position)?;
        match plain_string(raw) {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.decode(position, "a string").map(Cow::Owned),
        }
    }

    fn parse<T, E: ToString>(
        &self,
        position: usize,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, EnvelopeError> {
        parse(&self.string(position)?).map_err(|error| self.invalid(error.to_string()))
    }

    fn object(&self, position: usize) -> Result<Json, EnvelopeError> {
        let raw = self.require(position)?;
        if !raw.get().starts_with('{') {
            return Err(self.wrong_type(position, "an object"));
        }
        Ok(Json::from_raw(raw))
    }

    fn timestamp(&self, position: usize) -> Result<Timestamp, EnvelopeError> {
        let number = parse_number(self.require(position)?).and_then(Timestamp::from_seconds);
        number.ok_or_else(|| self.wrong_type(position, "seconds since 1970"))
    }

    fn timeout(&self, position: usize) -> Result<Option<Timeout>, EnvelopeError> {
        let Some(raw) = self.members.value(position) else { return Ok(None) };
        match parse_number(raw).and_then(Timeout::from_seconds) {
            Some(timeout) => Ok(Some(timeout)),
            None => Err(self.wrong_type(position, "more than 0 and at most 3600 seconds")),
        }
    }
}

/// Returns the id of a request that begins with it, without reading the rest.
/// Returns the text of a string without escapes, which is the same in JSON.
fn plain_string(raw: &RawValue) -> Option<&str> {
    let text = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr(b'\\', text.as_bytes()).is_none().then_some(text)
}

fn leading_req_id(bytes: &[u8]) -> Option<RequestId> {
    fn strip<'b>(bytes: &'b [u8], prefix: &[u8]) -> Option<&'b [u8]> {
        bytes.trim_ascii_start().strip_prefix(prefix)
    }
    // An id has at most 64 characters; some whitespace is permitted.
    let start = bytes.get(..bytes.len().min(256))?;
    let rest = strip(strip(strip(strip(start, b"{")?, b"\"req_id\"")?, b":")?, b"\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    RequestId::parse(std::str::from_utf8(rest.get(..end)?).ok()?).ok()
}
