//! One team of the teams of several clients.
//!
//! Clients are in the order of [`CLIENTS`](crate::CLIENTS). Of agents with one name, the first becomes the member; if the
//! others are not equal, that is reported. Equal servers become one; of different ones with one name, the first is used.

use std::collections::{BTreeMap, BTreeSet};

use minds_core::catalog::Ability;
use minds_diagnostics::{Diagnostic, Label};
use minds_vfs::portable::fold;

use crate::context::Context;
use crate::findings::{Findings, shorten};
use crate::ids::{claim_free, server_id};
use crate::models::assumed_model;
use crate::rules;
use crate::team::{ClientTeam, ImportedMember, ImportedServer, ImportedTeam, ModelReference, ServerGrant};

/// The ids of servers, by the id of the client and the name in its files.
type ServerIds = BTreeMap<(&'static str, String), String>;

/// Makes one team.
pub(crate) fn merge(teams: Vec<ClientTeam>, cx: &mut Context<'_>) -> ImportedTeam {
    let mut servers: Vec<ImportedServer> = Vec::new();
    let mut ids = ServerIds::new();
    let mut used = BTreeSet::new();
    for team in &teams {
        for server in &team.servers {
            let id = add_server(server, &mut servers, &mut used, &mut cx.findings);
            ids.insert((team.client.id, server.name.clone()), id);
        }
    }
    let model = team_model(&teams, &mut cx.findings);
    let mut members: Vec<ImportedMember> = Vec::new();
    let mut member_ids = BTreeSet::new();
    let mut names = BTreeMap::new();
    let mut responder = None;
    for team in teams {
        for mut member in team.members {
            name_servers(&mut member, &ids);
            close_lists(&mut member);
            let is_new = match names.get(&fold(&member.agent)).and_then(|at: &usize| members.get(*at)) {
                Some(first) => {
                    report_conflict(first, &member, &mut cx.findings);
                    false
                }
                None => true,
            };
            if is_new {
                names.insert(fold(&member.agent), members.len());
                let id = claim_free(&member.id, &mut member_ids);
                report_renamed(&member.agent, &id, &member.place, &mut cx.findings);
                members.push(ImportedMember { id, ..member });
            }
        }
        for member in members.iter_mut().filter(|member| member.client.id == team.client.id) {
            let own = member.model.take().or_else(|| team.model.clone());
            member.model = own.filter(|own| *own != model);
        }
        if let Some((name, at)) = team.responder {
            let found =
                members.iter().find(|member| member.agent == name && member.client.id == team.client.id);
            match found {
                Some(member) => {
                    responder.get_or_insert_with(|| member.id.clone());
                }
                None => cx.findings.report_loss(
                    &at,
                    format!("the default agent `{}` is not a member", shorten(&name)),
                    "set `default_responder` in `.minds/team.yaml` to a member",
                ),
            }
        }
    }
    let providers = std::mem::take(&mut cx.providers).into_used();
    ImportedTeam { model, responder, members, servers, providers }
}

fn team_model(teams: &[ClientTeam], findings: &mut Findings) -> ModelReference {
    if let Some(model) = teams.iter().find_map(|team| team.model.clone()) {
        return model;
    }
    let own = |team: &ClientTeam| !team.members.is_empty() && team.client.team.provider.is_some();
    let client = teams.iter().find(|team| own(team)).or(teams.first()).map(|team| team.client);
    let model = client
        .map_or_else(|| ModelReference { provider: String::new(), model: String::new() }, assumed_model);
    let members = teams.iter().flat_map(|team| &team.members).map(|member| &member.place);
    let places = members.chain(teams.iter().flat_map(|team| &team.servers).map(|server| &server.place));
    if let Some(first) = { places }.next() {
        findings.report(
            &rules::ASSUMED_VALUE,
            first,
            format!(
                "no file names the model of a session, so the team has `{}` of `{}`",
                model.model, model.provider
            ),
            "set `provider` and `model` in `member_defaults` of `.minds/team.yaml`",
        );
    }
    model
}

/// Adds a server, unless an equal one exists, and returns its id.
fn add_server(
    server: &ImportedServer,
    servers: &mut Vec<ImportedServer>,
    used: &mut BTreeSet<String>,
    findings: &mut Findings,
) -> String {
    if let Some(first) = servers.iter_mut().find(|first| first.name == server.name) {
        if !first.is_same_service(server) {
            let message = format!("the MCP server `{}` is different in two files", shorten(&server.name));
            findings.problems.push(
                Diagnostic::new(&rules::CONFLICTING_SERVER, message)
                    .primary(server.place.clone().message("not used"))
                    .secondary(first.place.clone().message("used"))
                    .help("give one of them another name, and import again, or add it to `.minds/mcp.yaml`"),
            );
        }
        first.narrow(server);
        return first.id.clone();
    }
    let id = claim_free(&server_id(&server.name), used);
    report_renamed(&server.name, &id, &server.place, findings);
    servers.push(ImportedServer { id: id.clone(), ..server.clone() });
    id
}

fn report_renamed(name: &str, id: &str, place: &Label, findings: &mut Findings) {
    if name != id {
        findings.report(
            &rules::RENAMED,
            place,
            format!("`{}` cannot be an id in a team, so it is `{id}`", shorten(name)),
            "use the new id where other files refer to it",
        );
    }
}

/// Replaces the names of servers by their ids.
fn name_servers(member: &mut ImportedMember, ids: &ServerIds) {
    let client = member.client.id;
    let own = ids.iter().filter(|((owner, _), _)| *owner == client);
    let named: BTreeSet<String> = match &member.servers {
        ServerGrant::AllExcept(names) => {
            own.filter(|((_, name), _)| !names.contains(name)).map(|(_, id)| id.clone()).collect()
        }
        ServerGrant::Only(names) => {
            own.filter(|((_, name), _)| names.contains(name)).map(|(_, id)| id.clone()).collect()
        }
    };
    member.servers = ServerGrant::Only(named);
}

/// Takes the tools of operations that are denied altogether, for which a team has no list.
fn close_lists(member: &mut ImportedMember) {
    if member.access.read.is_closed {
        member.abilities.retain(|ability| !Ability::READING.contains(ability));
        member.access.read = crate::access::Limits::default();
    }
    if member.access.write.is_closed {
        member.abilities.retain(|ability| !Ability::WRITING.contains(ability));
        member.access.write = crate::access::Limits::default();
    }
}

/// Reports that an agent does not become a member, unless it is equal to the one that does.
fn report_conflict(first: &ImportedMember, member: &ImportedMember, findings: &mut Findings) {
    let different = differences(first, member);
    if different.is_empty() {
        return;
    }
    let message = format!("another agent `{}` differs in {}", shorten(&member.agent), different.join(", "));
    findings.problems.push(
        Diagnostic::new(&rules::CONFLICTING_AGENT, message)
            .primary(member.place.clone().message("does not become a member"))
            .secondary(first.place.clone().message("becomes a member"))
            .help("give one of them another name, and import again, or change the member"),
    );
}

/// Returns in what two agents differ.
fn differences(first: &ImportedMember, second: &ImportedMember) -> Vec<&'static str> {
    let compared = [
        ("the description", first.description == second.description),
        ("the text", first.persona.trim() == second.persona.trim()),
        // One that has the model of the session differs in nothing that a file says.
        ("the model", first.model.is_none() || second.model.is_none() || first.model == second.model),
        ("the tools", first.abilities == second.abilities && first.server_tools == second.server_tools),
        ("the servers", first.servers == second.servers),
        ("what they may read and write", first.access == second.access),
    ];
    compared.into_iter().filter(|(_, is_equal)| !is_equal).map(|(what, _)| what).collect()
}
