//! Selects the tools that a caller can use.

use std::cell::OnceCell;

use minds_access_control::{Access, Policy, Reason};
use minds_task_store::Tasks;
use minds_taskdoc::tools::RECALL_TASKDOC;
use minds_vfs::WorkspacePath;

use crate::tools::{CHANGES, MCP_ADMIN, READS};
use crate::{Caller, Tool, ToolContext};

/// Decides which tools are offered to a caller. A call of a tool that is not offered is refused by the tool itself, with
/// the reason.
pub(crate) struct Availability<'o> {
    context: &'o ToolContext,
    caller: &'o Caller,
    policy: &'o Policy,
    /// Whether a gateway runs.
    has_servers: bool,
    changes_tasks: OnceCell<bool>,
}

impl<'o> Availability<'o> {
    pub(crate) fn new(
        context: &'o ToolContext,
        caller: &'o Caller,
        policy: &'o Policy,
        has_servers: bool,
    ) -> Self {
        Self { context, caller, policy, has_servers, changes_tasks: OnceCell::new() }
    }

    /// Returns whether any call of a tool by this caller can succeed.
    pub(crate) fn includes(&self, tool: &Tool) -> bool {
        if is_for_maintainers(tool) {
            return self.changes_tasks();
        }
        if tool.toolsets == MCP_ADMIN {
            return self.has_servers;
        }
        let is_general =
            tool.toolsets.iter().all(|toolset| READS.contains(toolset) || CHANGES.contains(toolset));
        let changes = !tool.toolsets.contains(&"ws_read");
        !is_general || (self.is_open(Access::Read) && (!changes || self.is_open(Access::Write)))
    }

    /// Returns whether the caller may change tasks. Unreadable settings are reported by each call.
    fn changes_tasks(&self) -> bool {
        *self.changes_tasks.get_or_init(|| {
            let tasks = Tasks::open(self.context.root());
            tasks.is_ok_and(|tasks| tasks.maintainers().permit(&self.caller.label(), "").is_ok())
        })
    }

    /// Returns whether the lists allow an operation anywhere, unless several entries together deny everything.
    fn is_open(&self, access: Access) -> bool {
        let top = WorkspacePath::root();
        // An entry that denies the root denies everything.
        if matches!(self.policy.check(access, &top).reason(), Reason::Denied | Reason::InvalidPolicy) {
            return false;
        }
        // The only other pattern that matches everything is `*`: no other one matches two names without a common character.
        let denying = |name: &str| {
            let path = WorkspacePath::parse(name).ok()?;
            let decision = self.policy.check(access, &path);
            let is_denied = decision.reason() == Reason::Denied;
            decision.entry().filter(|_| is_denied)?.text.map(str::to_owned)
        };
        let entry = denying("a");
        entry.is_none() || entry != denying("0")
    }
}

/// Returns whether a tool is only for maintainers of tasks: all task tools but the one that reads a section.
fn is_for_maintainers(tool: &Tool) -> bool {
    tool.name != RECALL_TASKDOC && crate::tools::task::ALL.iter().any(|known| known.name == tool.name)
}
