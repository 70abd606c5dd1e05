//! Scripts that the server runs, each of them as one step.

use std::sync::LazyLock;

use minds_fleet_protocol::{AgentId, Failure};
use redis::{Cmd, Script, ServerErrorKind, Value, cmd};

use super::keys::Keys;
use super::link::{Batch, Link};

/// The text of a script, and the hash by which the server remembers it.
struct Code {
    text: String,
    hash: String,
}

impl Code {
    fn new(parts: &[&str]) -> Self {
        let text = parts.concat();
        let hash = Script::new(&text).get_hash().to_owned();
        Self { text, hash }
    }
}

/// Declares scripts, each made of files.
macro_rules! scripts {
    ($($name:ident: $($file:literal)+;)+) => {
        $(static $name: LazyLock<Code> = LazyLock::new(|| {
            Code::new(&[$(include_str!(concat!("scripts/", $file, ".lua"))),+])
        });)+
    };
}

scripts! {
    NEXT_EPOCH: "next_epoch";
    REFRESH: "refresh";
    END: "end";
    CLAIM: "owner" "claim";
    GIVE_UP: "owner" "give_up";
    LOOK: "owner" "look";
}

/// A script with its arguments.
pub(super) struct Call {
    code: &'static Code,
    keys: Vec<String>,
    arguments: Vec<Vec<u8>>,
}

/// The scripts about owners.
#[derive(Clone, Copy)]
pub(super) enum OwnerScript {
    /// Claims an agent.
    Claim,
    /// Ends what a connection has.
    GiveUp,
    /// Reads the state, and refreshes the owner.
    Look,
}

impl OwnerScript {
    /// Calls the script for an agent. `seconds` is the lifetime of an owner.
    pub(super) fn call(self, keys: &Keys, id: &AgentId, seconds: u64) -> Call {
        let code = match self {
            Self::Claim => &CLAIM,
            Self::GiveUp => &GIVE_UP,
            Self::Look => &LOOK,
        };
        let call = Call { code, keys: keys.ownership(id).into(), arguments: Vec::new() };
        call.arg(keys.owner_changes(id)).arg(seconds.to_string())
    }
}

impl Call {
    pub(super) fn next_epoch(key: String, last: u64) -> Self {
        Self::new(&NEXT_EPOCH, key).arg(last.to_string())
    }

    /// Refreshes a lock and an entry of the registry, if the value of the lock is still the own one.
    pub(super) fn refresh(lock: String, value: &str, seconds: u64, entry: (String, String)) -> Self {
        let (key, text) = entry;
        let mut call = Self::new(&REFRESH, lock).arg(value).arg(seconds.to_string()).arg(text);
        call.keys.push(key);
        call
    }

    /// Releases a lock, and removes other keys in the same step, if the value is still the own one.
    pub(super) fn end(lock: String, others: impl IntoIterator<Item = String>, value: &str) -> Self {
        let mut call = Self::new(&END, lock).arg(value);
        call.keys.extend(others);
        call
    }

    fn new(code: &'static Code, key: String) -> Self {
        Self { code, keys: vec![key], arguments: Vec::new() }
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Runs two scripts after the commands of a batch, all in one write, and returns their replies. The replies of the batch are
    /// not read.
    pub(super) fn run_both(
        link: &mut Link,
        mut batch: Batch,
        first: &Self,
        second: &Self,
    ) -> Result<[Value; 2], Failure> {
        batch.add(&first.command("EVALSHA", &first.code.hash));
        batch.add(&second.command("EVALSHA", &second.code.hash));
        let mut replies = link.try_call(&batch)?;
        let second_reply = replies.pop().unwrap_or_default();
        let first_reply = replies.pop().unwrap_or_default();
        Ok([first.read(link, first_reply)?, second.read(link, second_reply)?])
    }

    /// Runs the script and returns its reply.
    pub(super) fn run(&self, link: &mut Link) -> Result<Value, Failure> {
        let mut batch = Batch::default();
        batch.add(&self.command("EVALSHA", &self.code.hash));
        let reply = link.try_call(&batch)?.pop().unwrap_or_default();
        self.read(link, reply)
    }

    /// Returns the reply of the script. A server that has not seen the script yet, or has forgotten it, gets its text.
    fn read(&self, link: &mut Link, reply: Value) -> Result<Value, Failure> {
        match reply {
            Value::ServerError(error) if error.kind() == Some(ServerErrorKind::NoScript) => {
                let mut batch = Batch::default();
                batch.add(&self.command("EVAL", &self.code.text));
                Ok(link.call(&batch)?.pop().unwrap_or_default())
            }
            Value::ServerError(error) => {
                Err(link.refuse(&format!("{} {}", error.code(), error.details().unwrap_or(""))))
            }
            reply => Ok(reply),
        }
    }

    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.arguments);
        command
    }
}
