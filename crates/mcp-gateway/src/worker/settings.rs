//! The times and limits of `minds.toml`.

use std::time::Duration;

use minds_core::TeamFamily;
use minds_core::settings::GatewaySettings;
use minds_vfs::Snapshot;

use crate::client::{CallLimits, Times};

/// The time for an answer of a server that did not answer a call.
const CHECK: Duration = Duration::from_secs(5);

/// How long steps may take, and what servers inherit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// A start.
    pub(super) times: Times,
    /// A list of tools.
    pub(super) list: CallLimits,
    /// A call.
    pub(super) call: CallLimits,
    /// The check of a server that did not answer.
    pub(super) check: CallLimits,
    /// The calls that use a connection which is to be closed.
    pub(super) stop: Duration,
    /// Whether programs have the environment of the gateway.
    pub(super) inherit_env: bool,
}

impl Settings {
    /// Reads the settings of a team; a value that cannot be used is the default.
    pub(super) fn read(snapshot: &Snapshot) -> Self {
        let family = TeamFamily::load(snapshot).value;
        Self::of(&family.gateway_settings())
    }

    fn of(settings: &GatewaySettings) -> Self {
        let times = Times { start: settings.start_timeout, ..Times::default() };
        let idle = settings.idle_timeout;
        Self {
            times,
            list: CallLimits { total: times.start, idle },
            call: CallLimits { total: settings.call_timeout, idle },
            check: CallLimits { total: CHECK, idle: CHECK },
            stop: settings.stop_timeout,
            inherit_env: settings.inherits_env,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&GatewaySettings::default())
    }
}
