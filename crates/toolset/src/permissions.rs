//! The permissions of a caller, from the files of the team.

use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use minds_access_control::Policy;
use minds_core::{Grants, MemberPolicies, MemberPolicy, TEAM_FILE, TeamFamily};
use minds_diagnostics::{Problems, find_nearest};
use minds_task_store::Author;
use minds_taskdoc::OPERATOR;
use minds_vfs::{Location, MountId, Scope, Snapshot, WorkspacePath};
use minds_workspace::access::MemberAccess;
use minds_workspace::without_secrets;

use crate::answer::{Fields, Refusal};
use crate::file_refusal::quote;
use crate::tools::TEAM_MGMT_TOOLSET;
use crate::{Caller, Code, ForeignTool, Tool, ToolContext};

/// The permissions of a caller according to the current files of the team.
///
/// Without a `team.yaml` that is a mapping, the team consists of the two members that every team has: one that manages the
/// team and has no tools for the rest of the workspace, and one with general tools that cannot change `.minds`. So a team
/// can be created and repaired with its own tools, and no other member gains permissions by breaking the file.
pub(crate) struct Permissions {
    /// `None` for the operator, who has all tools and no access lists.
    member: Option<Arc<Member>>,
    /// The policy without lists: only reserved areas are denied.
    open: Arc<MemberPolicy>,
}

/// The policy without lists.
static OPEN: LazyLock<Arc<MemberPolicy>> = LazyLock::new(|| Arc::new(MemberPolicy::allow_by_default()));

/// The member that was decoded last, with the files that it was decoded from.
#[derive(Default)]
pub(crate) struct DecodedMember(Mutex<Option<(Snapshot, Arc<Member>)>>);

impl DecodedMember {
    /// Returns a member of the team in a snapshot.
    fn member(&self, snapshot: Snapshot, id: &str) -> Result<Arc<Member>, Refusal> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, member)) = &*last
            && *same == snapshot
            && member.id == id
        {
            return Ok(Arc::clone(member));
        }
        let member = Arc::new(Member::find(&snapshot, id)?);
        *last = Some((snapshot, Arc::clone(&member)));
        Ok(member)
    }
}

impl fmt::Debug for DecodedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodedMember").finish_non_exhaustive()
    }
}

struct Member {
    id: String,
    lists: Arc<MemberPolicy>,
    grants: Grants<'static>,
    /// The team from which the lists were loaded.
    family: TeamFamily,
}

/// The maximum number of suggestions for an unknown id.
const MAX_SUGGESTIONS: usize = 3;
/// The maximum number of ids that are listed if none is similar.
const MAX_NAMED: usize = 5;

impl Permissions {
    /// Loads the permissions of `caller`. The file is read for each call, so changes take effect with the next call; only a
    /// file with the same content is not decoded again.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member.
    pub(crate) fn load(context: &ToolContext, caller: &Caller) -> Result<Self, Refusal> {
        let member = match caller {
            Caller::Operator { .. } => None,
            Caller::Member { id } => {
                Some(context.last_member().member(context.root().snapshot(&scope()), id)?)
            }
        };
        let open = Arc::clone(&OPEN);
        Ok(Self { member, open })
    }

    /// Returns whether the caller has a tool.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        self.has_tool_of(tool.toolsets, tool.name)
    }

    /// Returns whether the caller has a tool of a server, whose id is the toolset.
    pub(crate) fn has_foreign(&self, tool: &ForeignTool) -> bool {
        self.has_tool_of(&[tool.server.as_str()], &tool.name)
    }

    /// Returns whether the caller has a tool of these toolsets.
    pub(crate) fn has_tool_of(&self, toolsets: &[&str], tool: &str) -> bool {
        self.member.as_ref().is_none_or(|member| member.grants.has_tool_of(toolsets, tool))
    }

    /// Returns the caller as the author of a change of a task package that a tool makes at `time`.
    ///
    /// # Errors
    ///
    /// Refuses a member without the tool.
    pub(crate) fn author(&self, tool: &Tool, caller: &Caller, time: u64) -> Result<Author, Refusal> {
        let author = match (&self.member, caller) {
            (Some(member), _) => Author::member(&member.id, &member.grants, tool.toolsets, tool.name, time),
            (None, Caller::Operator { name }) => Some(Author::operator(name, time)),
            (None, Caller::Member { .. }) => None,
        };
        author.ok_or_else(|| self.refuse_tool(tool.name, tool.toolsets, caller))
    }

    /// Returns the policy for paths.
    pub(crate) fn policy(&self) -> &Policy {
        &self.member.as_ref().map_or(&self.open, |member| &member.lists).policy
    }

    /// Returns the access lists of the caller, which explain their decisions.
    pub(crate) fn access(&self) -> MemberAccess<'_> {
        match &self.member {
            None => MemberAccess::new("", Arc::clone(&self.open), None),
            Some(member) => {
                let document = member.family.readable_team().map(|(_, document)| document);
                MemberAccess::new(&member.id, Arc::clone(&member.lists), document)
            }
        }
    }

    /// Returns whether the caller manages the team: it has the toolset for that, or is the operator.
    pub(crate) fn manages_team(&self) -> bool {
        self.member.as_ref().is_none_or(|member| member.grants.has_toolset(TEAM_MGMT_TOOLSET))
    }

    /// Returns the toolsets that are granted to the caller by name.
    pub(crate) fn named_toolsets(&self) -> impl Iterator<Item = &str> {
        self.member.iter().flat_map(|member| member.grants.named_toolsets())
    }

    /// Returns the ids of the first `max` members that manage the team.
    pub(crate) fn managers(&self, max: usize) -> Vec<String> {
        let team = self.member.as_ref().and_then(|member| member.family.readable_team());
        let Some((team, document)) = team else { return Vec::new() };
        let policies = MemberPolicies::new(team, document);
        let managers =
            team.effective().filter(|member| policies.grants(member).has_toolset(TEAM_MGMT_TOOLSET));
        managers.take(max).map(|member| without_secrets(TEAM_FILE, member.id).into_owned()).collect()
    }

    /// Returns the refusal of a tool that the caller does not have.
    pub(crate) fn refuse_tool(&self, tool: &str, toolsets: &[&str], caller: &Caller) -> Refusal {
        let who = quote(&caller.label());
        let names: Vec<String> = toolsets.iter().map(|toolset| format!("`{toolset}`")).collect();
        let names = names.join(" or ");
        let excluded = self
            .member
            .as_ref()
            .and_then(|member| toolsets.iter().find(|toolset| member.grants.excludes(toolset)));
        let message = match excluded {
            Some(excluded) => {
                format!("{who} does not have `{tool}`: its toolset `{excluded}` is excluded")
            }
            None => format!("{who} does not have `{tool}`, which is in the toolset {names}"),
        };
        Refusal::new(Code::ToolNotGranted, message)
            .next("use a tool that you have, or ask the team's manager")
            .details(Fields::new().with("toolsets", toolsets.to_vec()))
    }
}

impl Member {
    fn find(snapshot: &Snapshot, id: &str) -> Result<Self, Refusal> {
        if id.starts_with(OPERATOR) {
            // Records of such a member would look like those of an operator.
            let message = format!("{} is reserved for operators and cannot be the id of a member", quote(id));
            return Err(Refusal::new(Code::UnknownMember, message).next("give the member another id"));
        }
        let family = load(snapshot);
        let (family, prefix) = if family.readable_team().is_some() {
            (family, "the team has")
        } else if snapshot.is_empty() {
            (bootstrap(), "`.minds/team.yaml` does not exist yet, and the initial team has")
        } else {
            (bootstrap(), "`.minds/team.yaml` cannot be read, and the team for repairs has")
        };
        let readable = family.readable_team();
        let (team, document) =
            readable.ok_or_else(|| refuse_unknown_member(id, std::iter::empty(), prefix))?;
        let member = team.effective().find(|member| member.id == id);
        let member = member.ok_or_else(|| refuse_unknown_member(id, team.ids(), prefix))?;
        let mut policies = MemberPolicies::new(team, document);
        let grants = policies.grants(&member).into_owned();
        let lists = policies.policy(&member);
        Ok(Self { id: id.to_owned(), lists, grants, family })
    }
}

/// Returns the files that are read to load the team.
fn scope() -> Scope {
    Scope::of_files(WorkspacePath::parse(TEAM_FILE).map(|path| Location::new(MountId::WORKSPACE, path)))
}

/// Returns the initial team, which is that of an empty mapping.
fn bootstrap() -> TeamFamily {
    let snapshot = WorkspacePath::parse(TEAM_FILE).map(|path| Snapshot::new().with_file(path, "{}\n"));
    load(&snapshot.unwrap_or_default())
}

fn load(snapshot: &Snapshot) -> TeamFamily {
    TeamFamily::load(snapshot).take(&mut Problems::new())
}

fn refuse_unknown_member<'i>(id: &str, ids: impl Iterator<Item = &'i str>, prefix: &str) -> Refusal {
    let ids: Vec<&str> = ids.collect();
    let near = find_nearest(id, ids.iter().copied(), MAX_SUGGESTIONS);
    let refusal = Refusal::new(Code::UnknownMember, format!("{prefix} no member {}", quote(id)));
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
