//! Queries about the access of team members.

mod entry;
mod explain;
mod list_view;
mod matrix;
mod witness;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minds_access_control::Policy;
pub use minds_access_control::{Access, ListKey, Reason};
pub use minds_core::TEAM_FILE;
use minds_core::catalog::Ability;
use minds_core::{Grants, MemberPolicies, MemberPolicy, Team, TeamFamily, catalog};
use minds_diagnostics::{Diagnostic, Problems, Rule, Severity, find_nearest};
use minds_document::Document;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

pub use self::entry::EntryView;
pub use self::explain::{Change, Explanation, Obstacle, Step};
pub use self::list_view::ListView;
pub use self::matrix::{Cell, Matrix, MatrixFilter, MatrixRow, MatrixTooLarge, Right};
use crate::redact::without_secrets;

/// The directory of the team file.
const FOLDER: &str = ".minds";

/// Returns whether a rule is about access lists.
pub fn is_about_entries(rule: &Rule) -> bool {
    rule.code.starts_with("access/")
}

/// The team of a workspace, for access queries.
///
/// Unreadable input never grants access; see [`MemberPolicy`].
#[derive(Debug)]
pub struct TeamAccess {
    family: TeamFamily,
    errors: usize,
}

/// A member of the team, for access queries.
#[derive(Debug)]
pub struct MemberAccess<'t> {
    /// The id.
    pub id: String,
    /// The MCP servers whose toolsets the member has, in file order. Access lists do not apply to their tools.
    pub servers: Vec<String>,
    policy: Arc<MemberPolicy>,
    grants: Grants<'t>,
    /// Whether the file says which tools the member has.
    has_stated_tools: bool,
    document: Option<&'t Document>,
    entries: BTreeMap<entry::Key, Arc<EntryView>>,
}

/// The answer to an access query.
#[derive(Clone, Debug)]
pub struct AccessDecision {
    /// The normalized path; `None` if the string is not a valid path in the workspace.
    pub path: Option<WorkspacePath>,
    /// Why the access is allowed or denied.
    pub reason: Reason,
    /// The entry that decided, if one did.
    pub entry: Option<Arc<EntryView>>,
    /// Whether the entry denies the path only because deny lists ignore letter case and Unicode normalization.
    pub is_by_folding: bool,
}

impl TeamAccess {
    /// Loads the team of a snapshot; `None` if there is no team file.
    pub fn load(snapshot: &Snapshot) -> Option<Self> {
        let mut problems = Problems::new();
        let family = TeamFamily::load(snapshot).take(&mut problems);
        let find = |path: &str| {
            let path = WorkspacePath::parse(path).ok()?;
            snapshot.get(&Location::new(MountId::WORKSPACE, path))
        };
        let is_closed = matches!(find(FOLDER), Some(SnapshotEntry::Unreadable { .. }));
        // If the directory could not be listed, a team file may exist.
        if find(TEAM_FILE).is_none() && !is_closed {
            return None;
        }
        let is_about_team = |found: &&Diagnostic| {
            let file = found.primary.as_ref().map(|label| label.source.name());
            found.severity == Severity::Error && file.is_none_or(|file| [FOLDER, TEAM_FILE].contains(&file))
        };
        let errors = problems.into_sorted().iter().filter(is_about_team).count();
        Some(Self { family, errors })
    }

    /// Returns the number of errors from loading the team file. Unreadable parts deny access.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the member with an id.
    ///
    /// If the members are not known, every id is accepted, and all access is denied.
    ///
    /// # Errors
    ///
    /// Returns the most similar ids if the member does not exist.
    pub fn member(&self, id: &str) -> Result<MemberAccess<'_>, Vec<String>> {
        let Some((team, document)) = self.family.readable_team() else {
            return Ok(MemberAccess::new(id, Arc::new(MemberPolicy::deny_all()), None));
        };
        let mut policies = MemberPolicies::new(team, document);
        let mut servers = Vec::new();
        let mut grants = Grants::default();
        let mut has_stated_tools = false;
        let policy = match team.effective().find(|member| member.id == id) {
            Some(member) => {
                grants = policies.grants(&member);
                has_stated_tools = !member.field(|fields| &fields.toolsets).is_absent()
                    || !member.field(|fields| &fields.tools).is_absent()
                    || member.shadow().is_some();
                let is_granted = |id: &&str| catalog::find_toolset(id).is_none() && grants.has_toolset(id);
                servers.extend(self.family.servers.ids().filter(is_granted).map(str::to_owned));
                policies.policy(&member)
            }
            None if policies.are_reliable() => {
                let near = find_nearest(id, team.ids(), 3).into_iter();
                return Err(near.map(|id| without_secrets(TEAM_FILE, id).into_owned()).collect());
            }
            None => Arc::new(MemberPolicy::deny_all()),
        };
        Ok(MemberAccess {
            servers,
            grants,
            has_stated_tools,
            ..MemberAccess::new(id, policy, Some(document))
        })
    }

    /// Returns the ids of the members that the file defines, or those of the members that every team has if it defines none;
    /// `None` if not all members are known.
    pub fn ids(&self) -> Option<Vec<&str>> {
        let (team, document) = self.family.readable_team()?;
        if !MemberPolicies::new(team, document).are_reliable() {
            return None;
        }
        let defined = team.effective().filter(|member| member.definition().is_some());
        let defined: Vec<&str> = defined.map(|member| member.id).collect();
        Some(if defined.is_empty() { team.ids().collect() } else { defined })
    }

    /// Returns the ids of the MCP servers in `mcp.yaml`, in file order.
    pub fn server_ids(&self) -> impl Iterator<Item = &str> {
        self.family.servers.ids()
    }

    /// Returns the directory for task packages; `None` if the settings could not be read.
    pub fn task_home(&self) -> Option<WorkspacePath> {
        self.family.task_home()
    }

    /// Returns what each selected member may do with each selected directory.
    ///
    /// # Errors
    ///
    /// Returns the size of the matrix if it is too large; a filter can reduce it.
    pub fn matrix(&self, filter: &MatrixFilter) -> Result<Matrix, MatrixTooLarge> {
        let Some((team, document)) = self.family.readable_team() else {
            let bootstrap = Team::default();
            let members = bootstrap.effective().map(|member| (member.id, Arc::new(MemberPolicy::deny_all())));
            return matrix::matrix(&bootstrap, &members.collect::<Vec<_>>(), filter);
        };
        let mut policies = MemberPolicies::new(team, document);
        let members: Vec<(&str, Arc<MemberPolicy>)> =
            team.effective().map(|member| (member.id, policies.policy(&member))).collect();
        matrix::matrix(team, &members, filter)
    }
}

impl AccessDecision {
    /// Returns the decision about a string that is not a valid path.
    pub fn invalid_path() -> Self {
        Self { path: None, reason: Reason::InvalidPath, entry: None, is_by_folding: false }
    }

    /// Returns whether the access is allowed.
    pub fn is_allowed(&self) -> bool {
        self.reason.is_allowed()
    }

    /// Returns the normalized path as a string; empty for the workspace itself.
    pub fn path_text(&self) -> Option<&str> {
        self.path.as_ref().map(WorkspacePath::as_str)
    }
}

/// Writes whether the access is allowed, and the entry that decided, or the reason if no entry did, such as
/// "denied: no entry allows it".
impl fmt::Display for AccessDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = if self.is_allowed() { "allowed" } else { "denied" };
        let Some(entry) = &self.entry else { return write!(f, "{outcome}: {}", self.reason) };
        match self.reason {
            Reason::InvalidPolicy => write!(f, "{outcome}: {entry} cannot be read"),
            _ => write!(f, "{outcome} by {entry}"),
        }?;
        f.write_str(if self.is_by_folding { ", ignoring letter case and Unicode form" } else { "" })
    }
}

impl<'t> MemberAccess<'t> {
    /// Returns the member `id` with its policy. `document` is the source of the policy, if it was read from a file.
    pub fn new(id: &str, policy: Arc<MemberPolicy>, document: Option<&'t Document>) -> Self {
        let (servers, grants) = (Vec::new(), Grants::default());
        Self {
            id: id.to_owned(),
            servers,
            policy,
            grants,
            has_stated_tools: false,
            document,
            entries: BTreeMap::new(),
        }
    }

    /// Returns the member without the file, so that its decisions do not name places.
    #[must_use]
    pub fn into_owned(self) -> MemberAccess<'static> {
        let Self { id, servers, policy, grants, has_stated_tools, document: _, entries: _ } = self;
        let grants = grants.into_owned();
        let (document, entries) = (None, BTreeMap::new());
        MemberAccess { id, servers, policy, grants, has_stated_tools, document, entries }
    }

    /// Returns the compiled access lists.
    pub fn policy(&self) -> &Policy {
        &self.policy.policy
    }

    /// Returns an entry that could deny access to a path below a directory; see [`Policy::find_denial_below`].
    pub fn denial_below(&self, access: Access, directory: &WorkspacePath) -> Option<EntryView> {
        let found = self.policy.policy.find_denial_below(access, directory)?;
        let key = entry::Key { access, list: found.list, index: found.index };
        Some(EntryView::new(self.document, &self.policy, key, found.text))
    }

    /// Returns whether the team gives the member tools, but none that reads files, or none that changes or creates them.
    pub fn lacks_tools(&self, access: Access) -> bool {
        let abilities: &[Ability] = match access {
            Access::Read => &[Ability::Read],
            Access::Write => &Ability::WRITING,
        };
        self.has_stated_tools && !abilities.iter().any(|ability| self.grants.has_ability(*ability))
    }

    /// Returns whether the team gives the member tools, but none that runs commands.
    pub fn lacks_shell(&self) -> bool {
        self.has_stated_tools && !self.grants.has_ability(Ability::Shell)
    }

    /// Returns whether any access list applies to the member.
    pub fn has_lists(&self) -> bool {
        Access::ALL.into_iter().any(|access| {
            let lists = self.policy.policy.lists(access);
            lists.is_unreadable()
                || !(lists.deny.entries().is_empty()
                    && lists.deny_extensions.entries().is_empty()
                    && lists.allow.entries().is_empty()
                    && lists.allow_extensions.entries().is_empty())
        })
    }

    /// Returns whether the member has a tool of an MCP server, whose id is the toolset. The id must not be that of a built-in
    /// toolset, whose tools the server would get otherwise.
    pub fn has_server_tool(&self, server: &str, tool: &str) -> bool {
        !catalog::is_toolset_name(server) && self.grants.has_tool_of(&[server], tool)
    }

    /// Decides whether `access` to `path` is allowed. `path` is relative to the workspace and is normalized first.
    pub fn decide(&mut self, access: Access, path: &str) -> AccessDecision {
        let path = match WorkspacePath::normalize(path) {
            Ok(path) => path,
            Err(error) => {
                return AccessDecision { reason: error.kind().into(), ..AccessDecision::invalid_path() };
            }
        };
        let decision = self.policy.policy.check(access, &path);
        let reason = decision.reason();
        let deciding = decision.entry();
        let is_by_folding = deciding.is_some_and(|entry| entry.is_by_folding);
        let entry = deciding.map(|found| {
            let key = entry::Key { access, list: found.list, index: found.index };
            let known = self.entries.entry(key);
            let made = || EntryView::new(self.document, &self.policy, key, found.text);
            Arc::clone(known.or_insert_with(|| Arc::new(made())))
        });
        AccessDecision { path: Some(path), reason, entry, is_by_folding }
    }
}
