//! The rendered files of each client for the teams in the fixtures, and the findings.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use minds_client_agents::{Compiled, MemberText, Request, Team, compile};
use minds_clients::ClientId;
use minds_core::{MindFile, TeamFamily, choose_mind_files};
use minds_fixture::{display, read};
use minds_render::parts::PartContent;
use minds_render::{Aspect, TeamTarget};
use minds_vfs::{Location, MountId, Snapshot};

/// Reads the persona, knowledge and lessons of a member.
pub(crate) fn member_files(snapshot: &Snapshot, id: &str) -> Vec<MemberText> {
    let paths = snapshot.iter().map(|(location, _)| &location.path);
    let own = paths.filter(|path| MindFile::parse(path).is_some_and(|file| file.member == id));
    let chosen = choose_mind_files(own, id, None);
    let text = chosen.into_iter().map(|(file, path)| {
        let entry = snapshot.get(&Location::new(MountId::WORKSPACE, path.clone())).unwrap();
        let bytes = entry.bytes().unwrap();
        MemberText { kind: file.kind.to_owned(), text: String::from_utf8(bytes.to_vec()).unwrap() }
    });
    text.collect()
}

fn compile_fixture(case: &Path, targets: &[TeamTarget], hooks: &[ClientId], allow_wider: &[&str]) -> String {
    let snapshot = read(case);
    let family = TeamFamily::load(&snapshot).value;
    let team = Team::read(&family, &|id| member_files(&snapshot, id)).expect("the team is readable");
    let allow_wider: Vec<String> = allow_wider.iter().map(|id| (*id).to_owned()).collect();
    let hooks: BTreeSet<ClientId> = hooks.iter().copied().collect();
    let request = Request {
        team: &team,
        targets,
        hooks: &hooks,
        allow_wider: &allow_wider,
        main_member: Some("coder"),
        folds_case: false,
    };
    let Compiled { parts, problems } = compile(&request);
    let mut shown = String::new();
    for part in parts {
        writeln!(shown, "===== {} of {}", part.path, part.target.name()).unwrap();
        match part.content {
            PartContent::File(text) | PartContent::Block(text) => shown += &text,
            PartContent::Json(values) => {
                for value in values {
                    writeln!(shown, "{value:?}").unwrap();
                }
            }
            PartContent::Toml(tables) => {
                for (keys, body) in tables {
                    writeln!(shown, "[{}]\n{body}", keys.join(".")).unwrap();
                }
            }
        }
        shown.push('\n');
    }
    shown + &display(problems)
}

fn targets_of(client: ClientId) -> Vec<TeamTarget> {
    TeamTarget::all().filter(|target| target.client == client).collect()
}

/// The findings in each fixture, with the arguments of its file.
#[test]
fn findings() {
    insta::glob!("../../../../fixtures/client-agents", "*/invalid/*", |case| {
        let arguments = std::fs::read_to_string(case.join("arguments")).unwrap();
        let mut words = arguments.split_whitespace();
        let target = TeamTarget::find(words.next().unwrap()).expect("the target exists");
        let allow_wider: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
        let shown = compile_fixture(case, &[target], &[], &allow_wider);
        // The files are in other snapshots.
        let findings = ["error[", "warning[", "info["].iter().filter_map(|start| shown.find(start)).min();
        let (_, findings) = shown.split_at(findings.unwrap());
        insta::assert_snapshot!(findings);
    });
}

/// Without the hook, a member whose limits a client does not hold is left out.
#[test]
fn agents_alone() {
    insta::glob!("../../../../fixtures/client-agents", "*/valid/*", |case| {
        for client in ClientId::ALL {
            let targets: Vec<TeamTarget> =
                targets_of(client).into_iter().filter(|target| target.aspect != Aspect::Hooks).collect();
            insta::assert_snapshot!(format!("alone-{client}"), compile_fixture(case, &targets, &[], &[]));
        }
    });
}

#[test]
fn agents_with_the_hook() {
    insta::glob!("../../../../fixtures/client-agents", "*/valid/*", |case| {
        for client in ClientId::ALL {
            let targets = targets_of(client);
            insta::assert_snapshot!(
                format!("hook-{client}"),
                compile_fixture(case, &targets, &[client], &[])
            );
        }
    });
}

#[test]
fn a_member_is_wider_only_if_it_is_named() {
    insta::glob!("../../../../fixtures/client-agents", "*/valid/*", |case| {
        let targets = [TeamTarget { aspect: Aspect::Agents, client: ClientId::Codex }];
        insta::assert_snapshot!(compile_fixture(case, &targets, &[], &["coder"]));
    });
}
