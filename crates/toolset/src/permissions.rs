//! What the team lets a caller do.

use std::sync::Arc;

use minds_access_control::Policy;
use minds_core::{Grants, MemberPolicies, MemberPolicy, TEAM_FILE, TeamFamily};
use minds_diagnostics::{Problems, nearest};
use minds_document::{Scope, Snapshot};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_taskdoc::OPERATOR;
use minds_workspace::access::MemberAccess;
use minds_workspace::without_secrets;

use crate::answer::{Fields, Refusal};
use crate::file_refusal::quote;
use crate::tools::TEAM_MGMT_TOOLSET;
use crate::{Caller, Code, Tool, ToolContext};

/// What a caller may do, as the files of the team say at this moment.
///
/// While there is no `team.yaml`, or none that is a mapping, the team is the one that every team has: the member that
/// manages it and has no tools for the rest of the workspace, and the one that has these and cannot change `.minds`. So
/// a team can begin, and be mended, from within, and nobody who depends on the file gains anything by breaking it.
pub(crate) struct Permissions {
    /// None for the operator, who has every tool and no lists.
    member: Option<Member>,
    /// Reserved areas alone.
    open: Arc<MemberPolicy>,
}

struct Member {
    id: String,
    lists: Arc<MemberPolicy>,
    grants: Grants<'static>,
    /// The team that the lists were read from.
    family: TeamFamily,
}

/// How many ids are offered in the place of one that nobody has.
const MAX_SUGGESTIONS: usize = 3;
/// How many ids are named where none is near.
const MAX_NAMED: usize = 5;

impl Permissions {
    /// Returns what `caller` may do in the workspace. The file is read anew, so what a manager of the team writes holds
    /// for the next call.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have.
    pub(crate) fn of(context: &ToolContext, caller: &Caller) -> Result<Self, Refusal> {
        let member = match caller {
            Caller::Operator { .. } => None,
            Caller::Member { id } => Some(Member::find(&context.root().snapshot(&scope()), id)?),
        };
        Ok(Self { member, open: Arc::new(MemberPolicy::open()) })
    }

    /// Returns whether the caller has a tool.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        self.member.as_ref().is_none_or(|member| member.grants.has_tool_of(tool.toolsets, tool.name))
    }

    /// Returns what decides about paths.
    pub(crate) fn policy(&self) -> &Policy {
        &self.member.as_ref().map_or(&self.open, |member| &member.lists).policy
    }

    /// Returns the lists of the caller, to be asked why they decide as they do.
    pub(crate) fn access(&self) -> MemberAccess<'_> {
        match &self.member {
            None => MemberAccess::new("", Arc::clone(&self.open), None),
            Some(member) => {
                let document = member.family.readable_team().map(|(_, document)| document);
                MemberAccess::new(&member.id, Arc::clone(&member.lists), document)
            }
        }
    }

    /// Returns whether the caller may do everything to the files of the team: it has the toolset for that, or is the operator.
    pub(crate) fn manages_team(&self) -> bool {
        self.member.as_ref().is_none_or(|member| member.grants.has_toolset(TEAM_MGMT_TOOLSET))
    }

    /// Returns the toolsets that the team grants the caller by name.
    pub(crate) fn named_toolsets(&self) -> impl Iterator<Item = &str> {
        self.member.iter().flat_map(|member| member.grants.named_toolsets())
    }

    /// Returns the first `max` ids of members that manage the team of the caller.
    pub(crate) fn managers(&self, max: usize) -> Vec<String> {
        let team = self.member.as_ref().and_then(|member| member.family.readable_team());
        let Some((team, document)) = team else { return Vec::new() };
        let policies = MemberPolicies::new(team, document);
        let managers =
            team.effective().filter(|member| policies.grants(member).has_toolset(TEAM_MGMT_TOOLSET));
        managers.take(max).map(|member| without_secrets(TEAM_FILE, member.id).into_owned()).collect()
    }

    /// Returns the refusal of a tool that the caller does not have.
    pub(crate) fn refuse_tool(&self, tool: &Tool, caller: &Caller) -> Refusal {
        let who = quote(&caller.label());
        let names: Vec<String> = tool.toolsets.iter().map(|toolset| format!("`{toolset}`")).collect();
        let names = names.join(" or ");
        let excluded = self
            .member
            .as_ref()
            .and_then(|member| tool.toolsets.iter().find(|toolset| member.grants.excludes(toolset)));
        let message = match excluded {
            Some(excluded) => {
                format!("{who} does not have `{}`: its toolset `{excluded}` is excluded", tool.name)
            }
            None => format!("{who} does not have `{}`, which is in the toolset {names}", tool.name),
        };
        let toolsets: Vec<&str> = tool.toolsets.to_vec();
        Refusal::new(Code::ToolNotGranted, message)
            .next("use a tool that you have, or ask the team's manager")
            .details(Fields::new().with("toolsets", toolsets))
    }
}

impl Member {
    fn find(snapshot: &Snapshot, id: &str) -> Result<Self, Refusal> {
        if id.starts_with(OPERATOR) {
            // What is remembered of such a member would be taken for what an operator did.
            let message = format!("{} is the name of an operator, and no member can have it", quote(id));
            return Err(Refusal::new(Code::UnknownMember, message).next("give the member another id"));
        }
        let family = load(snapshot);
        let (family, whose) = if family.readable_team().is_some() {
            (family, "the team has")
        } else if snapshot.is_empty() {
            (bootstrap(), "there is no `.minds/team.yaml` yet, and the team of the beginning has")
        } else {
            (bootstrap(), "`.minds/team.yaml` cannot be read, and the team that can mend it has")
        };
        let readable = family.readable_team();
        let (team, document) =
            readable.ok_or_else(|| refuse_unknown_member(id, std::iter::empty(), whose))?;
        let member = team.effective().find(|member| member.id == id);
        let member = member.ok_or_else(|| refuse_unknown_member(id, team.ids(), whose))?;
        let mut policies = MemberPolicies::new(team, document);
        let grants = policies.grants(&member).into_owned();
        let lists = policies.policy(&member);
        Ok(Self { id: id.to_owned(), lists, grants, family })
    }
}

/// Returns what is read to know the team.
fn scope() -> Scope {
    Scope::of_files(WorkspacePath::parse(TEAM_FILE).map(|path| Location::new(MountId::WORKSPACE, path)))
}

/// Returns the team that is there before its file is: that of a file that says nothing.
fn bootstrap() -> TeamFamily {
    let snapshot = WorkspacePath::parse(TEAM_FILE).map(|path| Snapshot::new().with_file(path, "{}\n"));
    load(&snapshot.unwrap_or_default())
}

fn load(snapshot: &Snapshot) -> TeamFamily {
    TeamFamily::load(snapshot).take(&mut Problems::new())
}

fn refuse_unknown_member<'i>(id: &str, ids: impl Iterator<Item = &'i str>, whose: &str) -> Refusal {
    let ids: Vec<&str> = ids.collect();
    let near = nearest(id, ids.iter().copied(), MAX_SUGGESTIONS);
    let refusal = Refusal::new(Code::UnknownMember, format!("{whose} no member {}", quote(id)));
    if near.is_empty() {
        let known: Vec<String> = ids.iter().take(MAX_NAMED).map(|id| quote(id)).collect();
        return if known.is_empty() {
            refusal.next("add the member to `.minds/team.yaml`")
        } else {
            refusal.next(format!("members are {}", known.join(", ")))
        };
    }
    let names: Vec<String> = near.iter().map(|near| quote(near)).collect();
    refusal.next(format!("did you mean {}?", names.join(" or "))).details(Fields::new().with("nearest", near))
}
