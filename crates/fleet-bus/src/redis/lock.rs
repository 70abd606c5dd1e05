//! The lock of a running agent, and its epoch.

use minds_fleet_protocol::limits::HEARTBEAT_LIFETIME;
use minds_fleet_protocol::{AgentId, AgentInfo, ErrorCode, Failure};
use redis::{Value, cmd};

use super::Core;
use super::link::{Batch, Link};
use super::routing;
use super::scripts::Call;

/// The lock of one process.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    id: AgentId,
    pub(super) epoch: u64,
    /// What identifies the process: `HOST:PID:16 digits`.
    process: String,
}

impl Lock {
    /// Takes the lock. The epoch is higher than `last` and than all that the server knows.
    pub(super) fn take(core: &Core, link: &mut Link, info: &AgentInfo, last: u64) -> Result<Self, Failure> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let host: String = info.host.chars().filter(|c| is_name(*c)).take(64).collect();
        let process = format!("{host}:{}:{}", info.pid, routing::new_name()?);
        let mut lock = Self { id: info.id.clone(), epoch: last, process };
        lock.take_again(core, link)?;
        Ok(lock)
    }

    /// Takes the lock again, with another epoch, after the server has lost it.
    pub(super) fn take_again(&mut self, core: &Core, link: &mut Link) -> Result<(), Failure> {
        let next = Call::next_epoch(core.keys.epoch(&self.id), self.epoch).run(link)?;
        let next = if let Value::Int(next) = next { u64::try_from(next).ok() } else { None };
        let invalid = || Failure::new(ErrorCode::HandlerError, "the epoch on the server is not a number");
        let lock = Self { epoch: next.ok_or_else(invalid)?, ..self.clone() };
        let (key, seconds) = (core.keys.lock(&self.id), core.seconds(HEARTBEAT_LIFETIME));
        let mut batch = Batch::default();
        batch.add(cmd("SET").arg(key).arg(lock.value()).arg("NX").arg("EX").arg(seconds));
        if link.call(&batch)?.pop() != Some(Value::Okay) {
            let message = format!("the agent `{}` runs already", self.id);
            return Err(Failure::new(ErrorCode::DuplicateInstance, message));
        }
        *self = lock;
        Ok(())
    }

    /// Returns the script that refreshes the lock and stores an entry of the registry, if this process still has the lock. Its
    /// reply is 1 then. Without the lock, the entry is that of another process.
    pub(super) fn refresh(&self, core: &Core, entry: String) -> Call {
        let seconds = core.seconds(HEARTBEAT_LIFETIME);
        let entry = (core.keys.entry(&self.id), entry);
        Call::refresh(core.keys.lock(&self.id), &self.value(), seconds, entry)
    }

    /// Releases the lock, and removes other keys in the same step, if this process still has it.
    pub(super) fn release(
        &self,
        core: &Core,
        link: &mut Link,
        others: impl IntoIterator<Item = String>,
    ) -> Result<(), Failure> {
        Call::end(core.keys.lock(&self.id), others, &self.value()).run(link).map(drop)
    }

    /// Returns the name of the process, which clients put in front of their requests.
    pub(super) fn process_name(&self) -> &str {
        name_of(&self.process)
    }

    /// Returns the value of the key.
    pub(super) fn value(&self) -> String {
        format!("{}:{}", self.epoch, self.process)
    }
}

/// Returns the epoch and the process of the value of a lock; none if no process has it.
pub(super) fn split(value: &str) -> Option<(u64, &str)> {
    let (epoch, process) = value.split_once(':')?;
    Some((epoch.parse().ok()?, process))
}

/// Returns the name of a process, `HOST:PID:NAME`.
pub(super) fn name_of(process: &str) -> &str {
    process.rsplit(':').next().unwrap_or_default()
}
