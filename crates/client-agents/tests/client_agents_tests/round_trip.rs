//! What a team is made of by `minds init --from CLIENT` is rendered for the same client with the same meaning, by the rules of
//! the client as its model has them.

use std::collections::{BTreeMap, BTreeSet};

use minds_access_control::{Access, Policy};
use minds_client_agents::{Request, Team, compile};
use minds_client_import::{Directories, IGNORE_FILES, ImportRequest, ImportedMember, import};
use minds_clients::permissions::{CodexAccess, CodexBase, CodexProfile, Effect, Operation};
use minds_clients::{ClientId, ClientsFamily};
use minds_core::{MemberPolicies, TeamFamily};
use minds_diagnostics::{Problems, SourceFile};
use minds_render::parts::PartContent;
use minds_render::{Aspect, TeamTarget};
use minds_vfs::{Location, MountId, Snapshot, WorkspacePath};
use toml_edit::DocumentMut;

use crate::golden::member_files;

const PATHS: [&str; 14] = [
    "README.md",
    "src/a.rs",
    "src/deep/b.rs",
    "src/gen/g.rs",
    "src-old/a.rs",
    "docs/d.md",
    "docs/pub/p.md",
    "docs/pub/deep/p.md",
    "secret/k",
    "secret/deep/k",
    "a/secret/k",
    "keys/k.pem",
    "SRC/a.rs",
    "build/out",
];

type Files = BTreeMap<String, String>;

fn snapshot<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Snapshot {
    files.into_iter().fold(Snapshot::new(), |snapshot, (path, text)| {
        snapshot.with_text(WorkspacePath::parse(path).unwrap(), text)
    })
}

/// Imports the files of a client; returns the members, and the files of the team.
fn import_files(files: &Snapshot) -> (Vec<ImportedMember>, Snapshot) {
    let family = ClientsFamily::load(files).value;
    let place = |name: &&str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(name).unwrap());
    let ignored: Vec<SourceFile> =
        IGNORE_FILES.iter().filter_map(|name| files.source(&place(name), &mut Problems::new())).collect();
    let imported = import(&ImportRequest {
        family: &family,
        client: None,
        ignore_files: &ignored,
        directories: Directories { workspace: "/work", home: Some("/home/me") },
    });
    let team = snapshot(imported.files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    (imported.team.expect("there is a team").members, team)
}

/// Renders a team; returns its files and profiles.
fn render(team: &Snapshot, client: ClientId, has_hook: bool) -> (Files, BTreeMap<String, CodexProfile>) {
    let family = TeamFamily::load(team).value;
    let read = Team::read(&family, &|id| member_files(team, id)).expect("the team is readable");
    let hooks: BTreeSet<ClientId> = has_hook.then_some(client).into_iter().collect();
    let targets: Vec<TeamTarget> = TeamTarget::all()
        .filter(|target| {
            target.client == client && matches!(target.aspect, Aspect::Agents | Aspect::Permissions)
        })
        .collect();
    let request = Request {
        team: &read,
        targets: &targets,
        hooks: &hooks,
        allow_wider: &[],
        main_member: None,
        folds_case: false,
    };
    let (mut files, mut profiles) = (Files::new(), BTreeMap::new());
    for part in compile(&request).parts {
        match part.content {
            PartContent::File(text) => {
                files.insert(part.path.as_str().to_owned(), text);
            }
            PartContent::Toml(tables) => {
                for (keys, body) in tables {
                    profiles.insert(keys[1].clone(), read_profile(&body));
                }
            }
            PartContent::Json(_) | PartContent::Block(_) => {}
        }
    }
    (files, profiles)
}

fn read_profile(body: &str) -> CodexProfile {
    let table: DocumentMut = body.parse().unwrap();
    let base = match table.get("extends").and_then(toml_edit::Item::as_str) {
        Some(":workspace") => CodexBase::Workspace,
        Some(":read-only") => CodexBase::ReadOnly,
        _ => CodexBase::Minimal,
    };
    let roots = table["filesystem"][":workspace_roots"].as_table_like().unwrap();
    let all = [CodexAccess::Deny, CodexAccess::Read, CodexAccess::Write];
    let entries = roots.iter().map(|(path, access)| {
        let access = all.into_iter().find(|known| access.as_str() == Some(known.as_str())).unwrap();
        (path.to_owned(), access)
    });
    CodexProfile { base, entries: entries.collect() }
}

/// Compares a profile that all roles have with those of the members.
#[track_caller]
fn check_codex(base: &str, entries: &str) {
    let config = format!(
        "model = \"gpt-5.2\"\nmodel_reasoning_effort = \"high\"\ndefault_permissions = \"team\"\n\
         [permissions.team]\n{base}[permissions.team.filesystem.\":workspace_roots\"]\n{entries}"
    );
    let role = |name: &str, more: &str| {
        format!(
            "name = \"{name}\"\ndescription = \"Works on code\"\n{more}developer_instructions = \"You are {name}.\\n\"\n"
        )
    };
    let (builder, reviewer) = (role("builder", ""), role("reviewer", "sandbox_mode = \"read-only\"\n"));
    let files = snapshot([
        (".codex/config.toml", config.as_str()),
        (".codex/agents/builder.toml", &builder),
        (".codex/agents/reviewer.toml", &reviewer),
    ]);
    let (members, team) = import_files(&files);
    assert_eq!(members.len(), 2);
    let (files, profiles) = render(&team, ClientId::Codex, true);
    let original = read_profile(&format!("{base}[filesystem.\":workspace_roots\"]\n{entries}"));
    for id in ["builder", "reviewer"] {
        let rendered = profiles.get(id).unwrap_or_else(|| panic!("{id}: {entries}"));
        for path in PATHS {
            let read = original.decide(Operation::Read, path);
            assert_eq!(rendered.decide(Operation::Read, path), read, "{id} read {path}\n{rendered:#?}");
            // The role says that it does not write.
            let write = if id == "builder" { original.decide(Operation::Write, path) } else { Effect::Deny };
            assert_eq!(rendered.decide(Operation::Write, path), write, "{id} write {path}\n{rendered:#?}");
        }
        let role: DocumentMut = files[&format!(".codex/agents/{id}.toml")].parse().unwrap();
        let text = |key: &str| role[key].as_str().unwrap_or_default().trim_end().to_owned();
        assert_eq!(text("developer_instructions"), format!("You are {id}."));
        assert_eq!(text("description"), "Works on code.");
        assert_eq!(
            (text("model"), text("model_reasoning_effort")),
            ("gpt-5.2".to_owned(), "high".to_owned())
        );
    }
    // A role alone has no limits.
    let (files, _) = render(&team, ClientId::Codex, false);
    assert!(!files.keys().any(|path| path.starts_with(".codex/agents/")), "{files:?}");
}

#[test]
fn profiles_of_codex_keep_their_meaning() {
    check_codex(
        "extends = \":workspace\"\n",
        "\"secret\" = \"deny\"\n\"src/gen\" = \"read\"\n\"docs\" = \"read\"\n",
    );
    check_codex(
        "extends = \":read-only\"\n",
        "\"src\" = \"write\"\n\"src/gen\" = \"read\"\n\"docs/pub\" = \"write\"\n\"keys\" = \"deny\"\n",
    );
    check_codex("", "\"src\" = \"read\"\n\"docs/pub\" = \"write\"\n\"build\" = \"write\"\n");
}

/// Returns what members are, apart from their places.
fn describe(members: &[ImportedMember]) -> Vec<String> {
    let describe = |member: &ImportedMember| {
        format!(
            "{} {:?} {:?} {:?} {:?} {} {:?}",
            member.id,
            member.name,
            member.abilities,
            member.servers,
            member.server_tools,
            member.is_hidden,
            member.persona.trim_end()
        )
    };
    members.iter().map(describe).collect()
}

/// Imports what was rendered, together with files that are not rendered here.
fn import_again(files: &Files, more: &[(&str, &str)]) -> Vec<ImportedMember> {
    let rendered = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    import_files(&snapshot(rendered.chain(more.iter().copied()))).0
}

fn policy(team: &Snapshot, id: &str) -> Policy {
    let family = TeamFamily::load(team).value;
    let (team, document) = family.readable_team().unwrap();
    let mut policies = MemberPolicies::new(team, document);
    let member = team.effective().find(|member| member.id == id).unwrap();
    policies.policy(&member).policy.clone()
}

#[test]
fn agents_of_cursor_keep_their_meaning() {
    let servers = "{\"mcpServers\": {\"tickets\": {\"command\": \"tickets-mcp\"}}}";
    let limits = "{\"permissions\": {\"allow\": [], \"deny\": [\"Read(secret/**)\", \"Write(src/gen/**)\", \"Shell(*)\"]}}";
    let reviewer = "---\nname: reviewer\ndescription: Reviews changes\nreadonly: true\n---\nYou review.\n";
    let original = [
        (".cursor/agents/reviewer.md", reviewer),
        (".cursor/cli.json", limits),
        (".cursorignore", "keys/\n"),
        (".cursor/mcp.json", servers),
    ];
    let (members, team) = import_files(&snapshot(original));
    let (files, _) = render(&team, ClientId::Cursor, true);
    let again = import_again(&files, &original[1..]);
    assert_eq!(describe(&again), describe(&members));
    assert_eq!(again[0].description.gofor, "Reviews changes");
    assert!(files[".cursor/agents/reviewer.md"].contains("readonly: true\n"), "{files:?}");
    // The lists hold what the settings deny, and the hook holds the lists.
    let policy = policy(&team, "reviewer");
    for path in PATHS {
        let is_readable = !path.starts_with("secret/") && !path.starts_with("keys/");
        let path = WorkspacePath::parse(path).unwrap();
        assert_eq!(policy.check(Access::Read, &path).is_allowed(), is_readable, "{path}");
    }
    // Without the hook an agent of Cursor has no limits.
    assert!(render(&team, ClientId::Cursor, false).0.is_empty());
}

#[test]
fn agents_of_copilot_keep_their_meaning() {
    let servers = "{\"mcpServers\": {\"tickets\": {\"command\": \"tickets-mcp\", \"tools\": [\"*\"]}}}";
    let agent = |name: &str, tools: &str, more: &str| {
        format!("---\nname: {name} agent\ndescription: Works\ntools: [{tools}]\n{more}---\nYou are {name}.\n")
    };
    let (reader, writer, worker) = (
        agent("reader", "read, search, tickets/*", "user-invocable: false\n"),
        agent("writer", "read, edit", ""),
        agent("worker", "read, search, edit, execute", ""),
    );
    let original = [
        (".github/mcp.json", servers),
        (".github/agents/reader.agent.md", reader.as_str()),
        (".github/agents/writer.agent.md", &writer),
        (".github/agents/worker.agent.md", &worker),
    ];
    let (members, team) = import_files(&snapshot(original));
    let (files, _) = render(&team, ClientId::Copilot, true);
    let again = import_again(&files, &original[..1]);
    assert_eq!(describe(&again), describe(&members));
    for member in &again {
        // The display name is repeated there, for clients that show only the description.
        assert_eq!(member.description.gofor, format!("{} agent: Works.", member.id));
    }
    // An agent has no limits for paths, so it does not write without the hook: members do not write the files of the client.
    let (files, _) = render(&team, ClientId::Copilot, false);
    let rendered: Vec<&String> = files.keys().collect();
    assert_eq!(rendered, [".github/agents/reader.agent.md"]);
}
