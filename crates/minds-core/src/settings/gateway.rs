//! The settings of the gateway to the servers of `mcp.yaml`.

use std::time::Duration;

use minds_document::{Field, Keys};

/// The maximum of a time in seconds: a day.
const MAX_SECONDS: i64 = 86_400;
const DEFAULT_START_SECONDS: i64 = 30;
const DEFAULT_CALL_SECONDS: i64 = 300;
const DEFAULT_IDLE_SECONDS: i64 = 60;
const DEFAULT_STOP_SECONDS: i64 = 3;
const DEFAULT_INHERIT_ENV: bool = true;

/// The settings of the gateway to the servers of `mcp.yaml`. Times are in seconds.
#[derive(Debug, Default, Keys)]
#[keys(title = "gateway")]
pub struct Gateway {
    /// The time in which a server must start and list its tools.
    #[key(range = 1..=MAX_SECONDS, default = DEFAULT_START_SECONDS)]
    pub start_timeout_seconds: Field<i64>,
    /// The time that a call may take.
    #[key(range = 1..=MAX_SECONDS, default = DEFAULT_CALL_SECONDS)]
    pub call_timeout_seconds: Field<i64>,
    /// The time that a call may take without progress.
    #[key(range = 1..=MAX_SECONDS, default = DEFAULT_IDLE_SECONDS)]
    pub idle_timeout_seconds: Field<i64>,
    /// The time in which running calls may finish before their server is stopped.
    #[key(range = 1..=MAX_SECONDS, default = DEFAULT_STOP_SECONDS)]
    pub stop_timeout_seconds: Field<i64>,
    /// Whether programs inherit the environment of `minds`. Otherwise they have `PATH`, `HOME`, `LANG`, `TERM`, `TMPDIR`,
    /// `USER` and their own `env`.
    #[key(default = DEFAULT_INHERIT_ENV)]
    pub inherit_env: Field<bool>,
}

/// The values of [`Gateway`] that apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewaySettings {
    /// The time in which a server must start and list its tools.
    pub start_timeout: Duration,
    /// The time that a call may take.
    pub call_timeout: Duration,
    /// The time that a call may take without progress.
    pub idle_timeout: Duration,
    /// The time in which running calls may finish before their server is stopped.
    pub stop_timeout: Duration,
    /// Whether programs inherit the environment.
    pub inherits_env: bool,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            start_timeout: duration(DEFAULT_START_SECONDS),
            call_timeout: duration(DEFAULT_CALL_SECONDS),
            idle_timeout: duration(DEFAULT_IDLE_SECONDS),
            stop_timeout: duration(DEFAULT_STOP_SECONDS),
            inherits_env: DEFAULT_INHERIT_ENV,
        }
    }
}

impl GatewaySettings {
    /// The settings if nothing could be read: the defaults, but programs do not inherit the environment, because the setting
    /// may be to withhold it.
    pub(crate) fn unreadable() -> Self {
        Self { inherits_env: false, ..Self::default() }
    }

    pub(super) fn of(field: &Field<Gateway>) -> Self {
        let default = Self::default();
        let gateway = match field {
            Field::Absent => return default,
            Field::Unreadable(_) => return Self::unreadable(),
            Field::Given(gateway) => &gateway.value,
        };
        let seconds = |field: &Field<i64>, default: Duration| {
            field.as_given().map_or(default, |seconds| duration(seconds.value))
        };
        Self {
            start_timeout: seconds(&gateway.start_timeout_seconds, default.start_timeout),
            call_timeout: seconds(&gateway.call_timeout_seconds, default.call_timeout),
            idle_timeout: seconds(&gateway.idle_timeout_seconds, default.idle_timeout),
            stop_timeout: seconds(&gateway.stop_timeout_seconds, default.stop_timeout),
            inherits_env: match &gateway.inherit_env {
                Field::Absent => default.inherits_env,
                Field::Given(inherits) => inherits.value,
                Field::Unreadable(_) => false,
            },
        }
    }
}

fn duration(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs())
}
