//! From the members of a team to parts of files.

use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{Access, ListKind};
use minds_clients::{AgentTools, Client, ClientId};
use minds_core::catalog::{Abilities, Ability};
use minds_diagnostics::Problems;
use minds_document::NodeId;
use minds_render::parts::{FilePart, PartContent};
use minds_render::{Aspect, TeamTarget};
use minds_vfs::WorkspacePath;
use minds_vfs::portable::fold;

use crate::report::{Reporter, place_of};
use crate::rights::{self, Obstacle, find_unreadable, has_limits};
use crate::team::{Member, Team, Tools};
use crate::{clients, confined, directory, hooks};

/// What to render.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The team.
    pub team: &'r Team<'r>,
    /// The targets.
    pub targets: &'r [TeamTarget],
    /// The clients whose hook is installed, or is rendered too.
    pub hooks: &'r BTreeSet<ClientId>,
    /// The members that are rendered although a client does not hold their limits.
    pub allow_wider: &'r [String],
    /// The member that the main agent of a client acts as.
    pub main_member: Option<&'r str>,
    /// Whether the file system of the workspace ignores letter case.
    pub folds_case: bool,
}

/// The parts of files, and what they do not hold.
#[derive(Debug)]
#[must_use]
pub struct Compiled {
    /// The parts.
    pub parts: Vec<FilePart>,
    /// The findings. If there are errors, nothing must be written.
    pub problems: Problems,
}

/// Renders the members of a team for clients.
pub fn compile(request: &Request<'_>) -> Compiled {
    let mut compiled = Compiled { parts: Vec::new(), problems: Problems::new() };
    let mut reported = BTreeSet::new();
    for target in TeamTarget::all().filter(|target| request.targets.contains(target)) {
        let client = target.client;
        let mut context = Context {
            request,
            target,
            client,
            omitted: Vec::new(),
            compiled: &mut compiled,
            reported: &mut reported,
        };
        match target.aspect {
            Aspect::Agents => clients::add_agents(&mut context),
            Aspect::Permissions => clients::add_permissions(&mut context),
            Aspect::Rules => directory::add(&mut context),
            Aspect::Hooks => hooks::add(&mut context),
            Aspect::Confined => confined::add(&mut context),
        }
    }
    compiled
}

/// One target while it is rendered.
pub(crate) struct Context<'c, 'r> {
    pub(crate) request: &'c Request<'r>,
    pub(crate) target: TeamTarget,
    pub(crate) client: ClientId,
    /// What the client does not have of the current member.
    omitted: Vec<(String, Option<NodeId>)>,
    compiled: &'c mut Compiled,
    reported: &'c mut BTreeSet<(&'static str, NodeId, String)>,
}

/// The tools of a client for files and programs.
#[derive(Default)]
struct FileTools {
    names: Vec<String>,
    /// The tools that are not given, because they do not obey the limits of the member.
    unlimited: Vec<String>,
    /// What the member can do, and no tool of the client does without doing more.
    missing: Vec<Ability>,
}

impl<'r> Context<'_, 'r> {
    pub(crate) fn team(&self) -> &'r Team<'r> {
        self.request.team
    }

    pub(crate) fn reporter(&mut self) -> Reporter<'_> {
        let document = self.request.team.document;
        Reporter {
            client: self.client,
            document,
            problems: &mut self.compiled.problems,
            has_hook: self.request.hooks.contains(&self.client),
            reported: self.reported,
        }
    }

    /// Returns what is known about the client.
    pub(crate) fn data(&self) -> Option<&'static Client> {
        Client::find(self.client.as_str())
    }

    /// Adds a part of a file.
    pub(crate) fn add(&mut self, path: &str, content: PartContent) {
        // Ids of members are names of directories, so the paths are valid.
        let Ok(path) = WorkspacePath::parse(path) else { return };
        let is_same = |part: &&mut FilePart| part.target == self.target && part.path == path;
        if let PartContent::Json(values) = &content
            && let Some(FilePart { content: PartContent::Json(known), .. }) =
                self.compiled.parts.iter_mut().find(is_same)
        {
            known.extend(values.iter().cloned());
            return;
        }
        self.compiled.parts.push(FilePart { target: self.target, path, content });
    }

    /// Returns the members whose ids give each a file of its own.
    pub(crate) fn members(&mut self, file: impl Fn(&str) -> String) -> Vec<&'r Member<'r>> {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        let mut members = Vec::new();
        for member in &self.team().members {
            if let Some(obstacle) = find_unreadable(&member.policy.policy, member.hands) {
                let node = place_of(member, &obstacle);
                self.reporter().leave_out(member, node, &obstacle.reason, "correct the list");
                continue;
            }
            match seen.insert(fold(&file(member.id)), member.id) {
                Some(other) => {
                    let file = file(member.id);
                    self.reporter().refuse_same_file(member, other, &file);
                }
                None => members.push(member),
            }
        }
        members
    }

    /// Returns whether a member is rendered: the files of the client or its hook hold all limits, or the user allows that they
    /// do not. Reports what is not held.
    pub(crate) fn can_render(&mut self, member: &Member<'_>, obstacle: Option<(NodeId, String)>) -> bool {
        let Some((node, reason)) = obstacle else { return true };
        if self.request.hooks.contains(&self.client) {
            return true;
        }
        if self.request.allow_wider.iter().any(|id| id == member.id) {
            self.reporter().widen(member, node, &reason);
            return true;
        }
        let help = format!(
            "install the hook, which holds all limits, with `--target hooks:{}`; or render the member without them with \
             `--allow-wider {}`",
            self.client, member.id
        );
        self.reporter().leave_out(member, node, &reason, &help);
        false
    }

    /// Returns the first list that limits a member, with the reason why the client does not hold it.
    pub(crate) fn first_limit(member: &Member<'_>, reason: &str) -> Option<(NodeId, String)> {
        let list = Access::ALL.into_iter().filter(|access| member.hands.has(*access)).find_map(|access| {
            let lists = member.policy.policy.lists(access);
            let kinds = [
                (ListKind::Deny, lists.deny.entries().len()),
                (ListKind::DenyExtension, lists.deny_extensions.entries().len()),
                (ListKind::Allow, lists.allow.entries().len()),
                (ListKind::AllowExtension, lists.allow_extensions.entries().len()),
            ];
            kinds.into_iter().find(|(_, count)| *count > 0).map(|(kind, _)| kind.key(access))
        })?;
        let obstacle = Obstacle { list, entry: None, reason: reason.to_owned() };
        Some((place_of(member, &obstacle), obstacle.reason))
    }

    /// Returns the tools of a member in the names of the client, and the fields that have none.
    pub(crate) fn tools(&mut self, member: &Member<'_>) -> Vec<String> {
        let Some(data) = self.data() else { return Vec::new() };
        let Some(tools) = &data.agent_tools else { return Vec::new() };
        let FileTools { mut names, unlimited, missing } = self.file_tools(member, data, tools);
        let phrase = |ability: Ability| (ability.phrase().to_owned(), None);
        let mut missing: Vec<_> = missing.into_iter().map(phrase).collect();
        if !unlimited.is_empty() {
            missing.push((format!("searching (`{}`)", unlimited.join("`, `")), None));
        }
        for server in member.servers.iter().filter_map(|index| self.team().servers.get(*index)) {
            let spelled = clients::server_spelling(self.client, server.id);
            match (&server.tools, spelled) {
                (_, None) | (Tools::Unknown, _) => {
                    missing.push((format!("the server `{}`", server.id), None));
                }
                (Tools::All, Some(id)) => {
                    names.extend(tools.server.iter().map(|form| form.replace("{server}", &id)));
                }
                (Tools::Named(given), Some(id)) => names.extend(given.iter().filter_map(|tool| {
                    Some(tools.server_tool.as_ref()?.replace("{server}", &id).replace("{tool}", tool))
                })),
            }
        }
        self.omitted.extend(missing);
        self.omit_toolsets(member);
        // Ids of servers can become equal in the names of a client.
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// Returns the tools for files and programs: those that let an agent do nothing that the member cannot do.
    fn file_tools(&self, member: &Member<'_>, data: &Client, tools: &AgentTools) -> FileTools {
        // The hook judges these tools too.
        let can_be_unlimited =
            self.request.hooks.contains(&self.client) || !has_limits(&member.policy.policy, Access::Read);
        let mut made = FileTools::default();
        let mut covered = Abilities::new();
        for name in &tools.names {
            let whole = tools.parts.iter().find(|(part, _)| part == name).map_or(name, |(_, whole)| whole);
            // A tool of which nothing is known is not given.
            let Some(abilities) = data.team.abilities_of(whole, false) else { continue };
            let abilities: Option<Abilities> = abilities.iter().map(|name| Ability::find(name)).collect();
            let Some(abilities) = abilities.filter(|needed| needed.is_subset(&member.abilities)) else {
                continue;
            };
            if can_be_unlimited || !tools.unlimited.contains(name) {
                made.names.push(name.clone());
            } else {
                made.unlimited.push(name.clone());
            }
            covered.extend(abilities);
        }
        made.missing = member.abilities.difference(&covered).copied().collect();
        made
    }

    /// Notes the toolsets that no client has.
    pub(crate) fn omit_toolsets(&mut self, member: &Member<'_>) {
        let toolsets = member.other_toolsets.iter();
        self.omitted.extend(toolsets.map(|toolset| (format!("the toolset `{toolset}`"), None)));
    }

    /// Notes something that the client does not have.
    pub(crate) fn omit(&mut self, what: &str, place: Option<NodeId>) {
        self.omitted.push((what.to_owned(), place));
    }

    /// Reports what was noted about a member.
    pub(crate) fn report_omissions(&mut self, member: &Member<'_>) {
        let omitted = std::mem::take(&mut self.omitted);
        self.reporter().omit(member, &omitted);
    }

    /// Returns the model of a member in the form of the client; it is left out if the client does not have its provider.
    pub(crate) fn model(&mut self, member: &Member<'_>) -> Option<String> {
        let (provider, model) = (member.text("provider")?, member.text("model")?);
        let data = self.data();
        let providers = data.map(|data| data.providers.as_slice()).unwrap_or_default();
        let is_dashed = data.is_some_and(|data| data.dashed_providers.iter().any(|key| key == provider));
        let name = if is_dashed { model.replace('.', "-") } else { model.to_owned() };
        let form = providers.iter().find(|(key, _)| key == provider).map(|(_, form)| format!("{form}{name}"));
        if form.is_none() {
            self.omit(&format!("the model `{model}` of `{provider}`"), member.place("model"));
        }
        form
    }

    /// Notes the fields that the file gives and the client does not have, and reports all that was noted.
    pub(crate) fn omit_fields(&mut self, member: &Member<'_>, also: &[&str]) {
        const NEVER: [&str; 8] = [
            "diligence-push-max",
            "streaming",
            "fbr-effort",
            "fbr_model_params",
            "from",
            "use",
            "import",
            "icon",
        ];
        let given = NEVER.iter().chain(also).filter(|key| member.gives(key));
        self.omitted.extend(given.map(|key| (format!("`{key}`"), member.place(key))));
        self.report_omissions(member);
    }

    /// Translates the lists of a member, or says which one the client cannot hold.
    pub(crate) fn translate<T>(
        &mut self,
        member: &Member<'_>,
        translation: Result<rights::Translation<T>, Obstacle>,
    ) -> Result<T, (NodeId, String)> {
        match translation {
            Ok(translation) => {
                self.reporter().lose(member, &translation.losses);
                Ok(translation.permissions)
            }
            Err(obstacle) => Err((place_of(member, &obstacle), obstacle.reason)),
        }
    }
}
