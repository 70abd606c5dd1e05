//! The contents of `team-compose.yaml`.

use minds_document::{Field, List};

use crate::raw_scalar::RawScalar;

/// The settings that apply to all projects.
#[derive(Clone, Debug, Default)]
pub struct Compose {
    /// The version of the format.
    pub version: Field<u64>,
    /// Where messages are stored.
    pub broker: Field<Broker>,
    /// The process supervisor that runs the agents.
    pub supervisor: Field<Supervisor>,
    /// Spending limits.
    pub budget: Field<Budget>,
    /// Actions that require human approval.
    pub hitl: Field<Hitl>,
    /// What to do when a provider's rate limit is reached.
    pub rate_limits: Field<RateLimits>,
    /// Interfaces through which people contact the team.
    pub interfaces: Field<List<Interface>>,
    /// The project files.
    pub projects: Field<List<ProjectEntry>>,
    /// Which attachments agents accept.
    pub attachments: Field<Attachments>,
}

impl Compose {
    /// The supported brokers.
    pub const BROKERS: [&str; 1] = ["sqlite"];
    /// The supported supervisors.
    pub const SUPERVISORS: [&str; 3] = ["tmux", "systemd", "launchd"];
    /// The upper limit of [`Supervisor::drain_timeout_secs`], in seconds.
    pub const MAX_DRAIN_SECONDS: i64 = 600;

    /// Returns the path of the mailbox as written, or the default.
    pub fn broker_path(&self) -> &str {
        let path = self.broker.as_given().and_then(|broker| broker.value.path.as_given());
        path.map_or("state/mailbox.db", |path| &path.value)
    }

    /// Returns the prefix of session names, or the default.
    pub fn tmux_prefix(&self) -> &str {
        let prefix =
            self.supervisor.as_given().and_then(|supervisor| supervisor.value.tmux_prefix.as_given());
        prefix.map_or("a-", |prefix| &prefix.value)
    }

    /// Returns the supervisor, one of [`Compose::SUPERVISORS`], or the default.
    pub fn supervisor(&self) -> &str {
        let kind = self.supervisor.as_given().and_then(|supervisor| supervisor.value.kind.as_given());
        kind.map_or("tmux", |kind| &kind.value)
    }
}

/// Where messages are stored.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    /// One of [`Compose::BROKERS`].
    pub kind: Field<RawScalar>,
    /// The path of the mailbox, relative to the compose root.
    pub path: Field<RawScalar>,
}

/// The process supervisor that runs the agents.
#[derive(Clone, Debug, Default)]
pub struct Supervisor {
    /// One of [`Compose::SUPERVISORS`].
    pub kind: Field<RawScalar>,
    /// The prefix of session names.
    pub tmux_prefix: Field<RawScalar>,
    /// How many seconds agents have to shut down, up to [`Compose::MAX_DRAIN_SECONDS`].
    pub drain_timeout_secs: Field<u64>,
}

/// Spending limits. They are displayed, not enforced.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// US dollars per day.
    pub daily_usd_limit: Field<f64>,
    /// The percentage of the limit at which a warning is sent.
    pub warn_threshold_pct: Field<u64>,
    /// How many hours messages are kept.
    pub message_ttl_hours: Field<u64>,
    /// US dollars per day, by project.
    pub per_project_usd_limit: Field<Vec<(String, f64)>>,
}

/// Actions that require human approval.
#[derive(Clone, Debug, Default)]
pub struct Hitl {
    /// Names of actions that require approval.
    pub globally_sensitive_actions: Field<List<RawScalar>>,
    /// Actions that are approved in advance for a limited time.
    pub auto_approve_windows: Field<List<AutoApproval>>,
}

/// An action that is approved in advance.
#[derive(Clone, Debug, Default)]
pub struct AutoApproval {
    /// The name of the action.
    pub action: Field<RawScalar>,
    /// The project to which the approval is limited, if any.
    pub project: Field<RawScalar>,
    /// The agent to which the approval is limited, if any.
    pub agent: Field<RawScalar>,
    /// The scope of the action.
    pub scope: Field<RawScalar>,
    /// When the approval ends: a date, or a date and a time of day.
    pub until: Field<RawScalar>,
}

/// What to do when a provider's rate limit is reached.
#[derive(Clone, Debug, Default)]
pub struct RateLimits {
    /// The hooks that run, in order, for agents without `on_rate_limit`.
    pub default_on_hit: Field<List<RawScalar>>,
    /// The hooks that agents can name.
    pub hooks: Field<List<Hook>>,
    /// How many seconds an agent waits if the end of the limit is unknown.
    pub fallback_wait_seconds: Field<u64>,
}

/// An action to take when a rate limit is reached.
#[derive(Clone, Debug, Default)]
pub struct Hook {
    /// The name.
    pub name: Field<RawScalar>,
    /// One of [`Hook::ACTIONS`].
    pub action: Field<RawScalar>,
    /// The recipient, for `send`.
    pub to: Field<RawScalar>,
    /// The message, for `send` and `webhook`.
    pub template: Field<RawScalar>,
    /// The URL, for `webhook`.
    pub url: Field<RawScalar>,
    /// The environment variable that contains the URL, for `webhook`.
    pub url_env: Field<RawScalar>,
    /// The HTTP method, for `webhook`.
    pub method: Field<RawScalar>,
    /// The program and its arguments, for `run`.
    pub command: Field<List<RawScalar>>,
}

impl Hook {
    /// The supported actions.
    pub const ACTIONS: [&str; 4] = ["wait", "send", "webhook", "run"];
    /// The hook that every team has.
    pub const BUILT_IN: &str = "wait";
}

/// An interface through which people contact the team. Its `config` is defined by its adapter.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The kind, such as `email`.
    pub kind: Field<RawScalar>,
    /// The name.
    pub name: Field<RawScalar>,
}

/// The entry of a project file.
#[derive(Clone, Debug, Default)]
pub struct ProjectEntry {
    /// The path of the file, relative to the compose root.
    pub file: Field<RawScalar>,
}

/// Which attachments agents accept.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Whether attachments are accepted at all.
    pub enabled: Field<bool>,
    /// The maximum file size in bytes.
    pub max_size_bytes: Field<u64>,
    /// The directories that attachments may come from.
    pub allowed_roots: Field<List<RawScalar>>,
    /// The program that scans each file.
    pub scanner: Field<Scanner>,
    /// The path of the audit log.
    pub audit_log_path: Field<RawScalar>,
    /// How many seconds temporary copies are kept.
    pub tempfile_ttl_seconds: Field<u64>,
}

/// A program that scans attachments.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    /// The program.
    pub command: Field<RawScalar>,
    /// The timeout in seconds.
    pub timeout_seconds: Field<u64>,
}
