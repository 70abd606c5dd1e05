//! What two policies permit together, compared with a list of everything that each of them permits.

use std::collections::{BTreeMap, BTreeSet};

use minds_agent_tools::policy::{EnginePolicy, ExecPolicy, Folders, Policy, ServerPolicy};
use proptest::prelude::*;

const TOOLS: [&str; 5] = ["fs.read", "fs.write", "os.exec", "mcp.web", "mcp.web.open"];
const FOLDERS: [&str; 5] = ["/", "/w", "/w/a", "/w/ab", "/x"];
/// A path in each folder, and in none of the deeper ones.
const PATHS: [&str; 6] = ["/f", "/w/f", "/w/a/f", "/w/ab/f", "/x/f", "/wider/f"];
const VARIABLES: [&str; 2] = ["A", "B"];
const MEMBERS: [&str; 2] = ["ann", "ben"];
const PERMISSIONS: [&str; 3] = ["allow", "ask", "deny"];

fn names(values: &'static [&'static str]) -> impl Strategy<Value = BTreeSet<String>> {
    proptest::sample::subsequence(values, 0..=values.len())
        .prop_map(|names| names.into_iter().map(str::to_owned).collect())
}

fn engines() -> impl Strategy<Value = EnginePolicy> {
    (0..3_usize, 0..3_usize, any::<bool>()).prop_map(|(command, permission, has_permission)| EnginePolicy {
        kind: if command == 0 { "llm" } else { "acp" }.to_owned(),
        command: if command == 0 { Vec::new() } else { vec![format!("engine-{command}")] },
        env: BTreeMap::new(),
        permissions: has_permission
            .then(|| ("execute".to_owned(), PERMISSIONS[permission].to_owned()))
            .into_iter()
            .collect(),
    })
}

/// Returns the entry of a server, in one of two forms, or none.
fn servers() -> impl Strategy<Value = BTreeMap<String, ServerPolicy>> {
    (0..3_usize).prop_map(|form| {
        let policy = ServerPolicy { hash: form.to_string(), shown: format!("server-{form}") };
        (form > 0).then(|| ("web".to_owned(), policy)).into_iter().collect()
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    let exec = (any::<bool>(), names(&VARIABLES), names(&FOLDERS), names(&FOLDERS), any::<bool>()).prop_map(
        |(inherit_env, env, read, write, require_sandbox)| ExecPolicy {
            inherit_env,
            env,
            read,
            write,
            require_sandbox,
        },
    );
    let own = (names(&TOOLS), names(&TOOLS), 0..FOLDERS.len(), names(&FOLDERS));
    let others = (names(&MEMBERS), names(&TOOLS[4..]), servers());
    (own, others, exec, any::<bool>(), engines()).prop_map(
        |((tools, confirm, cwd, mut folders), (members, denied, servers), exec, is_unsafe, engine)| {
            let cwd = FOLDERS[cwd].to_owned();
            folders.insert(cwd.clone());
            let (r#unsafe, engine) = (is_unsafe, Some(engine));
            Policy { tools, confirm, members, denied, servers, cwd, folders, exec, r#unsafe, engine }
        },
    )
}

/// Returns whether a path is in one of the folders, part by part.
fn is_inside(path: &str, folders: &Folders) -> bool {
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    folders.iter().any(|folder| parts(path).starts_with(&parts(folder)))
}

/// Returns everything that a policy permits. This is the oracle: slow, and each line is one right.
fn rights(policy: &Policy) -> BTreeSet<String> {
    let mut rights = BTreeSet::new();
    let has = |names: &BTreeSet<String>, tool: &str| {
        names.contains(tool) || (tool == "mcp.web.open" && names.contains("mcp.web"))
    };
    for tool in TOOLS {
        if has(&policy.tools, tool) && !policy.denied.contains(tool) {
            rights.insert(format!("call {tool} with a confirmation"));
        }
        if !has(&policy.confirm, tool) {
            rights.insert(format!("need no confirmation for {tool}"));
        }
    }
    for path in PATHS {
        let is_file = is_inside(path, &policy.folders);
        let is_written = is_file || is_inside(path, &policy.exec.write);
        let is_read = is_written || is_inside(path, &policy.exec.read);
        for (right, holds) in [("file", is_file), ("write", is_written), ("read", is_read)] {
            if holds {
                rights.insert(format!("{right} {path}"));
            }
        }
    }
    rights.extend(policy.servers.iter().map(|(id, server)| format!("use {id} as {}", server.hash)));
    let unbound = MEMBERS.iter().filter(|member| !policy.members.contains(**member));
    rights.extend(unbound.map(|member| format!("need no permission of {member}")));
    rights.extend(policy.exec.env.iter().map(|name| format!("see {name}")));
    for (right, holds) in [
        ("see everything", policy.exec.inherit_env),
        ("run without a complete sandbox", !policy.exec.require_sandbox),
        ("run without a sandbox", policy.r#unsafe),
    ] {
        if holds {
            rights.insert(right.to_owned());
        }
    }
    if let Some(engine) = &policy.engine {
        let program = format!("{} {:?}", engine.kind, engine.command);
        rights.insert(format!("start {program}"));
        let permission = engine.permissions.get("execute").map_or("deny", String::as_str);
        if permission != "deny" {
            rights.insert(format!("ask to execute in {program}"));
        }
        if permission == "allow" {
            rights.insert(format!("execute in {program}"));
        }
    }
    rights
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// The result permits exactly what both permit: nothing more, so the files cannot widen it, and nothing less, so what was
    /// accepted works. What the files do not permit is not permitted from the next step on.
    #[test]
    fn both_must_permit(accepted in policies(), files in policies()) {
        let effective = Policy::effective(&accepted, &files);
        let both: BTreeSet<String> = rights(&accepted).intersection(&rights(&files)).cloned().collect();
        prop_assert_eq!(rights(&effective), both);
    }

    /// Widenings are reported exactly if the files permit something that was not accepted.
    #[test]
    fn widenings_are_what_was_not_accepted(accepted in policies(), files in policies()) {
        let is_wider = !rights(&files).is_subset(&rights(&accepted));
        let widenings = files.find_widenings(&accepted);
        prop_assert_eq!(!widenings.is_empty(), is_wider, "{:?}", widenings);
        if !is_wider {
            prop_assert_eq!(rights(&Policy::effective(&accepted, &files)), rights(&files));
        }
    }

    /// After the files are accepted, they count.
    #[test]
    fn accepted_files_count(files in policies()) {
        let effective = Policy::effective(&files, &files);
        prop_assert_eq!(rights(&effective), rights(&files));
        prop_assert!(files.find_widenings(&files).is_empty());
        let text = serde_json::to_string(&files).unwrap();
        prop_assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), files);
    }
}

#[test]
fn a_widening_reads_like_a_diff() {
    let accepted = Policy {
        tools: ["fs.read".to_owned()].into(),
        confirm: ["fs.write".to_owned()].into(),
        members: ["ann".to_owned()].into(),
        cwd: "/w".to_owned(),
        folders: ["/w".to_owned()].into(),
        engine: Some(EnginePolicy { kind: "llm".to_owned(), ..EnginePolicy::default() }),
        exec: ExecPolicy { require_sandbox: true, ..ExecPolicy::default() },
        denied: ["mcp.web.open".to_owned()].into(),
        servers: [("web".to_owned(), ServerPolicy { hash: "1".to_owned(), shown: "npx web".to_owned() })]
            .into(),
        ..Policy::default()
    };
    let mut files = accepted.clone();
    files.tools.insert("os.exec".to_owned());
    files.confirm.clear();
    files.tools.insert("mcp.web".to_owned());
    files.denied.clear();
    files.members = ["ben".to_owned()].into();
    let server = |shown: &str| ServerPolicy { hash: shown.len().to_string(), shown: shown.to_owned() };
    files.servers = [("web".to_owned(), server("npx other"))].into();
    files.folders.insert("/home/ann\n+ x".to_owned());
    files.exec.require_sandbox = false;
    files.exec.env.insert("TOKEN".to_owned());
    let command = ["engine", "--token=hunter2hunter2", "run"].map(str::to_owned).to_vec();
    let env = [("KEY".to_owned(), "sha256:0".to_owned())].into();
    files.engine = Some(EnginePolicy { kind: "acp".to_owned(), command, env, ..EnginePolicy::default() });
    let lines: Vec<String> = files.find_widenings(&accepted).iter().map(ToString::to_string).collect();
    let expected = [
        "+ tools.allow: mcp.web",
        "+ tools.allow: os.exec",
        "- tools.deny: mcp.web.open",
        "- servers: web: npx web",
        "+ servers: web: npx other",
        "- tools.confirm: fs.write",
        "- member: ann",
        "+ fs.whitelist: /home/ann\\n+ x",
        "+ exec.env: TOKEN",
        "- exec.require_sandbox: true",
        "- engine: llm",
        "+ engine: acp KEY=… engine --token=************** run",
    ];
    assert_eq!(lines, expected);
}
