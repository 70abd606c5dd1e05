//! The contents of `team-compose.yaml`.

use minds_document::{Decode, Field, Keys, List};

use crate::decode::{
    http_url, http_url_schema, project_limits, project_limits_schema, timestamp, timestamp_schema,
};
use crate::raw_scalar::RawScalar;
use crate::values::{
    MAX_32_BITS, count, count_schema, integer_up_to, is_empty, is_null, keyword, keyword_schema, not_blank,
    not_blank_schema, number, number_schema, up_to_schema, version, version_schema,
};

/// Settings that apply to all projects of a team.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "team-compose", describe)]
pub struct Compose {
    /// The version of the format: 2.
    #[key(required, decode = version, schema = version_schema, examples = [2])]
    pub version: Field<u64>,
    /// Where messages are stored.
    #[key(absent = is_empty)]
    pub broker: Field<Broker>,
    /// The process supervisor that runs the agents.
    #[key(absent = is_empty)]
    pub supervisor: Field<Supervisor>,
    /// Spending limits. They are displayed, not enforced.
    #[key(absent = is_empty)]
    pub budget: Field<Budget>,
    /// Actions that require human approval.
    #[key(absent = is_empty)]
    pub hitl: Field<Hitl>,
    /// What to do when a provider's rate limit is reached.
    #[key(absent = is_empty)]
    pub rate_limits: Field<RateLimits>,
    /// Interfaces through which people contact the team.
    #[key(absent = is_empty)]
    pub interfaces: Field<List<Interface>>,
    /// The project files.
    #[key(absent = is_empty)]
    pub projects: Field<List<ProjectEntry>>,
    /// Which attachments agents accept.
    #[key(absent = is_empty)]
    pub attachments: Field<Attachments>,
}

impl Compose {
    /// Returns the path of the mailbox as written, or the default.
    pub fn broker_path(&self) -> &str {
        let path = self.broker.as_given().and_then(|broker| broker.value.path.as_given());
        path.map_or(Broker::DEFAULT_PATH, |path| &path.value)
    }

    /// Returns the prefix of session names, or the default.
    pub fn tmux_prefix(&self) -> &str {
        let prefix =
            self.supervisor.as_given().and_then(|supervisor| supervisor.value.tmux_prefix.as_given());
        prefix.map_or(Supervisor::DEFAULT_PREFIX, |prefix| &prefix.value)
    }

    /// Returns the supervisor, one of [`Supervisor::KINDS`], or the default.
    pub fn supervisor(&self) -> &str {
        let kind = self.supervisor.as_given().and_then(|supervisor| supervisor.value.kind.as_given());
        kind.map_or(Supervisor::DEFAULT_KIND, |kind| &kind.value)
    }
}

/// Where messages are stored.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "broker")]
pub struct Broker {
    /// The kind.
    ///
    /// One of [`Broker::KINDS`].
    #[key(name = "type", decode = keyword(&Self::KINDS), schema = keyword_schema(&Self::KINDS), default = "sqlite")]
    pub kind: Field<RawScalar>,
    /// The path of the mailbox, relative to the compose root.
    #[key(default = Self::DEFAULT_PATH)]
    pub path: Field<RawScalar>,
}

impl Broker {
    /// The supported brokers.
    pub const KINDS: [&str; 1] = ["sqlite"];
    /// The default path of the mailbox.
    pub const DEFAULT_PATH: &str = "state/mailbox.db";
}

/// The process supervisor that runs the agents.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "supervisor")]
pub struct Supervisor {
    /// The kind.
    ///
    /// One of [`Supervisor::KINDS`].
    #[key(
        name = "type",
        decode = keyword(&Self::KINDS),
        schema = keyword_schema(&Self::KINDS),
        default = Self::DEFAULT_KIND
    )]
    pub kind: Field<RawScalar>,
    /// The prefix of session names.
    #[key(default = Self::DEFAULT_PREFIX)]
    pub tmux_prefix: Field<RawScalar>,
    /// How many seconds agents have to shut down.
    ///
    /// Up to [`Supervisor::MAX_DRAIN_SECONDS`].
    #[key(decode = integer_up_to(Self::MAX_DRAIN_SECONDS), schema = up_to_schema(Self::MAX_DRAIN_SECONDS), default = 10)]
    pub drain_timeout_secs: Field<u64>,
}

impl Supervisor {
    /// The supported supervisors.
    pub const KINDS: [&str; 3] = ["tmux", "systemd", "launchd"];
    /// The default supervisor.
    pub const DEFAULT_KIND: &str = "tmux";
    /// The default prefix of session names.
    pub const DEFAULT_PREFIX: &str = "a-";
    /// The upper limit of [`Supervisor::drain_timeout_secs`], in seconds.
    pub const MAX_DRAIN_SECONDS: i64 = 600;
}

/// Spending limits. They are displayed, not enforced.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "budget")]
pub struct Budget {
    /// US dollars per day.
    #[key(absent = is_null, decode = number, schema = number_schema)]
    pub daily_usd_limit: Field<f64>,
    /// The percentage of the limit at which a warning is sent.
    #[key(absent = is_null, decode = integer_up_to(MAX_32_BITS), schema = up_to_schema(MAX_32_BITS))]
    pub warn_threshold_pct: Field<u64>,
    /// How many hours messages are kept.
    #[key(absent = is_null, decode = integer_up_to(MAX_32_BITS), schema = up_to_schema(MAX_32_BITS))]
    pub message_ttl_hours: Field<u64>,
    /// US dollars per day, by project.
    #[key(absent = is_empty, decode = project_limits, schema = project_limits_schema)]
    pub per_project_usd_limit: Field<Vec<(String, f64)>>,
}

/// Actions that require human approval.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "hitl")]
pub struct Hitl {
    /// Names of actions that require approval.
    #[key(absent = is_empty)]
    pub globally_sensitive_actions: Field<List<RawScalar>>,
    /// Actions that are approved in advance for a limited time.
    #[key(absent = is_empty)]
    pub auto_approve_windows: Field<List<AutoApproval>>,
}

/// An action that is approved in advance.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "approval", list = "a list of approvals")]
pub struct AutoApproval {
    /// The name of the action.
    #[key(required)]
    pub action: Field<RawScalar>,
    /// The project to which the approval is limited.
    #[key(absent = is_null)]
    pub project: Field<RawScalar>,
    /// The agent to which the approval is limited.
    #[key(absent = is_null)]
    pub agent: Field<RawScalar>,
    /// The scope of the action.
    #[key(absent = is_null)]
    pub scope: Field<RawScalar>,
    /// When the approval ends.
    ///
    /// A date, or a date and a time of day.
    #[key(required, decode = timestamp, schema = timestamp_schema, examples = ["2026-05-01T09:00:00Z"])]
    pub until: Field<RawScalar>,
}

/// What to do when a provider's rate limit is reached.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "rate limits")]
pub struct RateLimits {
    /// The hooks that run for agents without `on_rate_limit`.
    ///
    /// In their order.
    #[key(absent = is_empty)]
    pub default_on_hit: Field<List<RawScalar>>,
    /// The hooks that agents can name.
    #[key(absent = is_empty)]
    pub hooks: Field<List<Hook>>,
    /// How many seconds an agent waits if the end of the limit is unknown.
    #[key(decode = count, schema = count_schema, default = 1800)]
    pub fallback_wait_seconds: Field<u64>,
}

/// An action to take when a rate limit is reached.
#[derive(Clone, Debug, Default, Keys)]
#[keys(title = "hook", list = "a list of hooks")]
pub struct Hook {
    /// The name.
    #[key(required, decode = not_blank, schema = not_blank_schema)]
    pub name: Field<RawScalar>,
    /// The action of the hook.
    ///
    /// One of [`Hook::ACTIONS`].
    #[key(required, decode = keyword(&Self::ACTIONS), schema = keyword_schema(&Self::ACTIONS))]
    pub action: Field<RawScalar>,
    /// The recipient, for `send`.
    #[key(absent = is_null, decode = not_blank, schema = not_blank_schema)]
    pub to: Field<RawScalar>,
    /// The message.
    ///
    /// For `send` and `webhook`.
    #[key(absent = is_null)]
    pub template: Field<RawScalar>,
    /// The URL, for `webhook`.
    #[key(absent = is_null, decode = http_url, schema = http_url_schema)]
    pub url: Field<RawScalar>,
    /// The environment variable that contains the URL, for `webhook`.
    #[key(absent = is_null, decode = not_blank, schema = not_blank_schema)]
    pub url_env: Field<RawScalar>,
    /// The HTTP method, for `webhook`.
    #[key(absent = is_null)]
    pub method: Field<RawScalar>,
    /// The program and its arguments, for `run`.
    #[key(absent = is_empty)]
    pub command: Field<List<RawScalar>>,
}

impl Hook {
    /// The supported actions.
    pub const ACTIONS: [&str; 4] = ["wait", "send", "webhook", "run"];
    /// The hook that every team has.
    pub const BUILT_IN: &str = "wait";
}

/// An interface through which people contact the team.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "interface", list = "a list of interfaces")]
pub struct Interface {
    /// The kind.
    ///
    /// Such as `email`.
    #[key(name = "type", required)]
    pub kind: Field<RawScalar>,
    /// The name.
    #[key(required)]
    pub name: Field<RawScalar>,
    /// The configuration of the adapter, which defines its keys.
    pub config: Field<AdapterConfig>,
}

/// The configuration of the adapter of an interface. Its value is available from the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdapterConfig;

/// The entry of a project file.
#[derive(Clone, Debug, Default, Keys)]
#[keys(title = "project entry", list = "a list of project files")]
pub struct ProjectEntry {
    /// The path of the project file, relative to the compose root.
    #[key(required, examples = ["projects/shop.yaml"])]
    pub file: Field<RawScalar>,
}

/// Which attachments agents accept.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "attachments")]
pub struct Attachments {
    /// Whether agents accept attachments.
    #[key(default = true)]
    pub enabled: Field<bool>,
    /// The maximum file size in bytes.
    #[key(decode = count, schema = count_schema, default = 5_242_880)]
    pub max_size_bytes: Field<u64>,
    /// The directories that attachments may come from.
    #[key(absent = is_empty)]
    pub allowed_roots: Field<List<RawScalar>>,
    /// The program that scans each file.
    #[key(absent = is_null)]
    pub scanner: Field<Scanner>,
    /// The path of the audit log.
    #[key(absent = is_null)]
    pub audit_log_path: Field<RawScalar>,
    /// How many seconds temporary copies are kept.
    #[key(decode = count, schema = count_schema)]
    pub tempfile_ttl_seconds: Field<u64>,
}

/// A program that scans attachments.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "scanner")]
pub struct Scanner {
    /// The program. Its argument is the path of the file.
    #[key(required)]
    pub command: Field<RawScalar>,
    /// The timeout in seconds.
    #[key(decode = count, schema = count_schema, default = 30)]
    pub timeout_seconds: Field<u64>,
}
