//! Which of the tools that a caller has can be of use to it at all.

use std::cell::OnceCell;

use minds_access_control::{Access, Policy, Reason};
use minds_operations::task::Tasks;
use minds_paths::WorkspacePath;
use minds_taskdoc::tools::RECALL_TASKDOC;

use crate::tools::{CHANGES, READS};
use crate::{Caller, Tool, ToolContext};

/// What decides which tools are offered. A tool that is not offered and called all the same is refused by what it does, so
/// the caller learns the reason.
pub(crate) struct Offer<'o> {
    context: &'o ToolContext,
    caller: &'o Caller,
    policy: &'o Policy,
    changes_tasks: OnceCell<bool>,
}

impl<'o> Offer<'o> {
    pub(crate) fn new(context: &'o ToolContext, caller: &'o Caller, policy: &'o Policy) -> Self {
        Self { context, caller, policy, changes_tasks: OnceCell::new() }
    }

    /// Returns whether there can be a call of this tool that is not refused because of who the caller is.
    pub(crate) fn includes(&self, tool: &Tool) -> bool {
        if is_for_maintainers(tool) {
            return self.changes_tasks();
        }
        let is_general =
            tool.toolsets.iter().all(|toolset| READS.contains(toolset) || CHANGES.contains(toolset));
        let changes = !tool.toolsets.contains(&"ws_read");
        !is_general || (self.is_open(Access::Read) && (!changes || self.is_open(Access::Write)))
    }

    /// Returns whether the caller may change tasks. What the settings do not say in a readable way is said by each call.
    fn changes_tasks(&self) -> bool {
        *self.changes_tasks.get_or_init(|| {
            let tasks = Tasks::open(self.context.root());
            tasks.is_ok_and(|tasks| tasks.maintainers().permit(&self.caller.label(), "").is_ok())
        })
    }

    /// Returns whether the lists leave anything of the workspace for an operation, as far as a single entry closes it.
    fn is_open(&self, access: Access) -> bool {
        let top = WorkspacePath::root();
        // What closes the top closes everything below it.
        if matches!(self.policy.check(access, &top).reason(), Reason::Denied | Reason::InvalidPolicy) {
            return false;
        }
        // The only other pattern for everything is `*`; no other one matches two names without a common character.
        let denying = |name: &str| {
            let path = WorkspacePath::parse(name).ok()?;
            let decision = self.policy.check(access, &path);
            let is_denied = decision.reason() == Reason::Denied;
            decision.entry().filter(|_| is_denied)?.written.map(str::to_owned)
        };
        let entry = denying("a");
        entry.is_none() || entry != denying("0")
    }
}

/// Returns whether a tool is about tasks and for their maintainers alone: all but the one that reads a section.
fn is_for_maintainers(tool: &Tool) -> bool {
    tool.name != RECALL_TASKDOC && crate::tools::task::ALL.iter().any(|known| known.name == tool.name)
}
