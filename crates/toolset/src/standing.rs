//! What the team lets a caller do.

use std::sync::Arc;

use minds_access_control::Policy;
use minds_core::{Grants, MemberPolicies, MemberPolicy, TeamFamily};
use minds_diagnostics::Problems;

use crate::answer::Refusal;
use crate::fault::shown;
use crate::{Caller, Code, Workbench};

/// What a caller may do, as the files of the team say at this moment.
pub(crate) struct Standing {
    /// Its lists; none for the operator, who has no lists.
    lists: Option<Arc<MemberPolicy>>,
    /// Reserved areas alone.
    open: Policy,
    /// The tools that it has; none for the operator, who has all.
    tools: Option<Vec<String>>,
}

impl Standing {
    /// Returns what `caller` may do in the workspace.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have.
    pub(crate) fn of(bench: &Workbench, caller: &Caller) -> Result<Self, Refusal> {
        let open = Policy::builder().build();
        let Caller::Member { id } = caller else { return Ok(Self { lists: None, open, tools: None }) };
        let snapshot = bench.root().snapshot(&minds_core::scope());
        let family = TeamFamily::load(&snapshot).take(&mut Problems::new());
        let unknown = || {
            Refusal::new(Code::UnknownMember, format!("the team has no member {}", shown(id)))
                .next("`minds team show` lists the members")
        };
        let file = family.team.as_ref().ok_or_else(unknown)?;
        let (Some(document), Some(team)) = (&file.document, &file.team) else { return Err(unknown()) };
        let member = team.effective().find(|member| member.id == id).ok_or_else(unknown)?;
        let lists = MemberPolicies::new(team, document).policy(&member);
        let toolsets = member.toolsets().unwrap_or_default();
        let grants = Grants::new(&toolsets, member.tools().unwrap_or_default());
        let tools = crate::tools::ALL.iter().map(|tool| tool.name);
        let tools = tools.filter(|tool| grants.has_tool(tool)).map(ToOwned::to_owned).collect();
        Ok(Self { lists: Some(lists), open, tools: Some(tools) })
    }

    /// Returns whether the caller has a tool.
    pub(crate) fn has(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|known| known == tool))
    }

    /// Returns what decides about paths.
    pub(crate) fn policy(&self) -> &Policy {
        self.lists.as_ref().map_or(&self.open, |lists| &lists.policy)
    }

    /// Returns the refusal of a tool that the caller does not have.
    #[allow(clippy::unused_self, reason = "what a caller has is said by its standing")]
    pub(crate) fn not_granted(&self, tool: &str, caller: &Caller) -> Refusal {
        let message = format!("{} does not have the tool {}", shown(&caller.label()), shown(tool));
        Refusal::new(Code::ToolNotGranted, message).next("use a tool of your list")
    }
}
