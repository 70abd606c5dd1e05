//! The methods of agents: one row per method, with its parameters, its value and how it is called.

mod agent;
mod input;
mod knowledge;
mod prompt;
mod records;

use minds_fleet::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Failure, Json, Timeout};

pub use agent::*;
pub use input::*;
pub use knowledge::*;
pub use prompt::*;
pub use records::*;

/// Who may call a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every caller.
    Observer,
    /// The owner, and the agents of the same project.
    Project,
    /// The owner of the agent only.
    Owner,
}

/// How duplicates of a request are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The method changes nothing: it is performed again.
    Repeat,
    /// The item of the queue is the record.
    Item,
    /// The answer is recorded in `calls.jsonl`.
    Record,
}

/// The parameters of a method.
pub trait Call: Serialize + DeserializeOwned {
    /// The method.
    const METHOD: Method;
    /// What the method returns.
    type Value: Serialize + DeserializeOwned;

    /// Checks what the types do not express: limits and combinations.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, as a clause.
    fn check(&self) -> Result<(), String>;

    /// Decodes and checks the parameters of a request.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid`.
    fn decode(params: &Json) -> Result<Self, Failure> {
        let invalid = |message: String| Failure::new(ErrorCode::ArgsInvalid, message);
        let call: Self = params.decode().map_err(|error| invalid(error.to_string()))?;
        call.check().map_err(invalid)?;
        Ok(call)
    }

    /// Encodes the parameters for a request.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if they exceed a limit.
    fn encode(&self) -> Result<Json, Failure> {
        let invalid = |message: String| Failure::new(ErrorCode::ArgsInvalid, message);
        self.check().map_err(invalid)?;
        Json::from_value(self).map_err(|error| invalid(error.to_string()))
    }
}

/// Declares the methods.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:literal $access:ident $duplicates:ident $seconds:literal
        $params:ident => $value:ty $(, $check:path)?;)*) => {
        /// A method of agents.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$doc])* $params,)*
        }

        impl Method {
            /// Every method.
            pub const ALL: &[Self] = &[$(Self::$params),*];

            /// Returns the name in the protocol.
            pub fn name(self) -> &'static str {
                match self { $(Self::$params => $name,)* }
            }

            /// Returns who may call the method.
            pub fn access(self) -> Access {
                match self { $(Self::$params => Access::$access,)* }
            }

            /// Returns how duplicates of a request are recognized.
            pub fn duplicates(self) -> Duplicates {
                match self { $(Self::$params => Duplicates::$duplicates,)* }
            }

            /// Returns the timeout that clients use by default.
            pub fn default_timeout(self) -> Timeout {
                let seconds: f64 = match self { $(Self::$params => $seconds,)* };
                Timeout::from_seconds(seconds).unwrap_or_default()
            }

            /// Checks the parameters of a request without using them.
            ///
            /// # Errors
            ///
            /// Returns `args.invalid`.
            pub fn check(self, params: &Json) -> Result<(), Failure> {
                match self { $(Self::$params => <$params as Call>::decode(params).map(|_| ()),)* }
            }
        }

        $(impl Call for $params {
            const METHOD: Method = Method::$params;
            type Value = $value;

            fn check(&self) -> Result<(), String> {
                $($check(self)?;)?
                Ok(())
            }
        })*
    };
}

methods! {
    /// Reports the state of the agent.
    "status" Observer Repeat 15.0 Status => StatusValue;
    /// Returns retained frames.
    "tail" Observer Repeat 15.0 Tail => TailValue, Tail::check_limit;
    /// Adds an item to the queue.
    "input" Owner Item 15.0 Input => InputValue;
    /// Interrupts the work on the current item, cooperatively.
    "interrupt" Owner Record 15.0 Interrupt => StopValue;
    /// Cancels the current item or tool.
    "cancel" Owner Record 15.0 Cancel => StopValue;
    /// Returns the system prompt and its parts.
    "prompt.get" Observer Repeat 15.0 PromptGet => PromptGetValue;
    /// Replaces parts of the system prompt.
    "prompt.set" Owner Record 15.0 PromptSet => PromptSetValue, PromptSet::check_parts;
    /// Appends a line to the overlay.
    "prompt.append" Owner Record 15.0 PromptAppend => Done, PromptAppend::check_line;
    /// Reads the prompt files again.
    "prompt.reload" Owner Record 15.0 PromptReload => Done;
    /// Adds documents to a knowledge base.
    "kb.ingest" Owner Record 120.0 KbIngest => KbIngestValue, KbIngest::check_sources;
    /// Searches a knowledge base.
    "kb.search" Observer Repeat 15.0 KbSearch => KbSearchValue, KbSearch::check_number;
    /// Returns documents, in parts.
    "kb.get_items" Project Repeat 15.0 KbGetItems => KbGetItemsValue, KbGetItems::check_ids;
    /// Lists documents, the newest first.
    "kb.list_recent" Observer Repeat 15.0 KbListRecent => KbListRecentValue;
    /// Copies documents of another agent.
    "kb.copy_from" Owner Record 120.0 KbCopyFrom => KbCopyFromValue, KbCopyFrom::check_ids;
    /// Reports the use of the context.
    "memory.stats" Observer Repeat 15.0 MemoryStats => MemoryStatsValue;
    /// Returns turns of the history.
    "history.read" Observer Repeat 15.0 HistoryRead => HistoryReadValue;
    /// Removes the history, the summaries and the rotated files.
    "history.clear" Owner Record 15.0 HistoryClear => Done;
    /// Sets the model until the agent ends.
    "model.use" Owner Record 15.0 ModelUse => ModelUseValue;
    /// Writes the configuration of the agent to a file.
    "config.save" Owner Record 15.0 ConfigSave => ConfigSaveValue;
    /// Returns the plan.
    "plan.read" Observer Repeat 15.0 PlanRead => PlanReadValue;
    /// Lists the lines of the plan.
    "plan.list" Observer Repeat 15.0 PlanList => PlanListValue;
    /// Replaces the plan.
    "plan.write" Owner Record 15.0 PlanWrite => Done;
    /// Appends to the plan.
    "plan.append" Owner Record 15.0 PlanAppend => Done;
    /// Deletes a line of the plan, or all lines.
    "plan.delete" Owner Record 15.0 PlanDelete => Done;
    /// Lists the tools, and the state of sandbox, transport and servers.
    "tools.list" Observer Repeat 15.0 ToolsList => ToolsListValue;
    /// Lists the items of the queue.
    "queue.list" Observer Repeat 15.0 QueueList => QueueListValue;
    /// Removes the pending items.
    "queue.clear" Owner Record 15.0 QueueClear => QueueClearValue;
    /// Makes a parked item pending again.
    "queue.retry" Owner Record 15.0 QueueRetry => Done;
    /// Ends a parked item without performing it.
    "queue.drop" Owner Record 15.0 QueueDrop => Done;
    /// Answers a confirmation.
    "confirm.answer" Owner Record 15.0 ConfirmAnswer => Done;
    /// Proposes an agent that takes a part of the work.
    "offload.propose" Observer Repeat 15.0 OffloadPropose => OffloadProposal;
    /// Ends the agent.
    "agent.stop" Owner Record 15.0 AgentStop => Done;
}

impl Method {
    /// Finds a method by its name.
    ///
    /// # Errors
    ///
    /// Returns `no_such_method`.
    pub fn parse(name: &str) -> Result<Self, Failure> {
        Self::ALL.iter().copied().find(|method| method.name() == name).ok_or_else(|| {
            let name: String = name.chars().take(80).collect();
            Failure::new(ErrorCode::NoSuchMethod, format!("unknown method `{}`", name.escape_debug()))
        })
    }

    /// Returns whether a client sends at most one request of this method at a time.
    ///
    /// Only inputs wait; `interrupt`, `cancel`, `status` and all other methods are sent at once.
    pub fn is_limited(self) -> bool {
        matches!(self, Self::Input)
    }
}
