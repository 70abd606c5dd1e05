//! What `team-compose.yaml` says.

use minds_document::{Field, List};

use crate::spelled::Spelled;

/// Everything that holds for all projects.
#[derive(Clone, Debug, Default)]
pub struct Compose {
    /// The version of the format.
    pub version: Field<u64>,
    /// Where messages are kept.
    pub broker: Field<Broker>,
    /// What runs the agents.
    pub supervisor: Field<Supervisor>,
    /// What may be spent.
    pub budget: Field<Budget>,
    /// What people must approve.
    pub hitl: Field<Hitl>,
    /// What happens at a limit of a provider.
    pub rate_limits: Field<RateLimits>,
    /// Ways by which people reach the team.
    pub interfaces: Field<List<Interface>>,
    /// The project files.
    pub projects: Field<List<ProjectEntry>>,
    /// Which files agents may take in.
    pub attachments: Field<Attachments>,
}

impl Compose {
    /// The kinds of brokers that there are.
    pub const BROKERS: [&str; 1] = ["sqlite"];
    /// The kinds of supervisors that there are.
    pub const SUPERVISORS: [&str; 3] = ["tmux", "systemd", "launchd"];
    /// The number of seconds that agents have at most to end.
    pub const MAX_DRAIN_SECONDS: i64 = 600;

    /// Returns the path of the mailbox as it is written, or the one that counts where none is.
    pub fn broker_path(&self) -> &str {
        let path = self.broker.given().and_then(|broker| broker.value.path.given());
        path.map_or("state/mailbox.db", |path| &path.value)
    }

    /// Returns what the name of every session begins with.
    pub fn tmux_prefix(&self) -> &str {
        let prefix = self.supervisor.given().and_then(|supervisor| supervisor.value.tmux_prefix.given());
        prefix.map_or("a-", |prefix| &prefix.value)
    }

    /// Returns the kind of supervisor, one of [`Compose::SUPERVISORS`].
    pub fn supervisor(&self) -> &str {
        let kind = self.supervisor.given().and_then(|supervisor| supervisor.value.kind.given());
        kind.map_or("tmux", |kind| &kind.value)
    }
}

/// Where messages are kept.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    /// One of [`Compose::BROKERS`].
    pub kind: Field<Spelled>,
    /// The file, from the compose root.
    pub path: Field<Spelled>,
}

/// What runs the agents.
#[derive(Clone, Debug, Default)]
pub struct Supervisor {
    /// One of [`Compose::SUPERVISORS`].
    pub kind: Field<Spelled>,
    /// What the name of every session begins with.
    pub tmux_prefix: Field<Spelled>,
    /// How many seconds agents have to end, up to [`Compose::MAX_DRAIN_SECONDS`].
    pub drain_timeout_secs: Field<u64>,
}

/// What may be spent. Shown to people, and never enforced.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// US dollars a day.
    pub daily_usd_limit: Field<f64>,
    /// From how many percent on people are warned.
    pub warn_threshold_pct: Field<u64>,
    /// For how many hours messages are kept.
    pub message_ttl_hours: Field<u64>,
    /// US dollars a day, by project.
    pub per_project_usd_limit: Field<Vec<(String, f64)>>,
}

/// What people must approve.
#[derive(Clone, Debug, Default)]
pub struct Hitl {
    /// Names of actions.
    pub globally_sensitive_actions: Field<List<Spelled>>,
    /// What is approved in advance, for a time.
    pub auto_approve_windows: Field<List<AutoApproval>>,
}

/// An action that is approved in advance.
#[derive(Clone, Debug, Default)]
pub struct AutoApproval {
    /// The name of the action.
    pub action: Field<Spelled>,
    /// The project in which it is approved; in all if none is named.
    pub project: Field<Spelled>,
    /// The agent for whom it is approved; for all if none is named.
    pub agent: Field<Spelled>,
    /// What the action may be about.
    pub scope: Field<Spelled>,
    /// Until when: a date, or a date and a time of day.
    pub until: Field<Spelled>,
}

/// What happens at a limit of a provider.
#[derive(Clone, Debug, Default)]
pub struct RateLimits {
    /// The hooks that run, in order, where an agent names none itself.
    pub default_on_hit: Field<List<Spelled>>,
    /// The hooks.
    pub hooks: Field<List<Hook>>,
    /// For how many seconds an agent waits if nobody says until when.
    pub fallback_wait_seconds: Field<u64>,
}

/// What can be done at a limit.
#[derive(Clone, Debug, Default)]
pub struct Hook {
    /// The name.
    pub name: Field<Spelled>,
    /// One of [`Hook::ACTIONS`].
    pub action: Field<Spelled>,
    /// Who gets the message, for `send`.
    pub to: Field<Spelled>,
    /// The message.
    pub template: Field<Spelled>,
    /// The address, for `webhook`.
    pub url: Field<Spelled>,
    /// The variable that holds the address, for `webhook`.
    pub url_env: Field<Spelled>,
    /// The method of HTTP, for `webhook`.
    pub method: Field<Spelled>,
    /// The program and its arguments, for `run`.
    pub command: Field<List<Spelled>>,
}

impl Hook {
    /// What hooks can do.
    pub const ACTIONS: [&str; 4] = ["wait", "send", "webhook", "run"];
    /// The hook that every team has.
    pub const BUILT_IN: &str = "wait";
}

/// A way by which people reach the team. What it is configured by belongs to its adapter.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The kind, such as `email`.
    pub kind: Field<Spelled>,
    /// The name.
    pub name: Field<Spelled>,
}

/// The entry of a project file.
#[derive(Clone, Debug, Default)]
pub struct ProjectEntry {
    /// The file: a path from the compose root.
    pub file: Field<Spelled>,
}

/// Which files agents may take in.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Whether they may take in any.
    pub enabled: Field<bool>,
    /// How large a file may be.
    pub max_size_bytes: Field<u64>,
    /// In which directories files may lie.
    pub allowed_roots: Field<List<Spelled>>,
    /// What looks at each file first.
    pub scanner: Field<Scanner>,
    /// Where it is noted what was taken in.
    pub audit_log_path: Field<Spelled>,
    /// For how many seconds copies are kept.
    pub tempfile_ttl_seconds: Field<u64>,
}

/// A program that looks at files.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    /// The program.
    pub command: Field<Spelled>,
    /// How many seconds it has.
    pub timeout_seconds: Field<u64>,
}
