//! The help of findings, and findings about several layers.

use crate::support;

use minds_diagnostics::Problems;
use minds_fleet::{FleetFamily, check, home};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use support::{AGENT, WORKSPACE, find_codes, layer_snapshot};

/// Returns what the findings of a rule advise.
fn advice(snapshot: &Snapshot, code: &str) -> Vec<String> {
    let mut problems = Problems::new();
    let family = FleetFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    let of_rule = problems.into_sorted().into_iter().filter(|found| found.rule.code == code);
    of_rule.map(|found| found.help.unwrap_or_default()).collect()
}

/// What counts after all layers are put together is judged, at the nearest value that has a part in it.
#[test]
fn the_scheme_of_the_url_is_compared_with_tls_over_all_layers() {
    let at = |mount: MountId, text: &'static str| (mount, "tools.yaml", text);
    let tls = "mcp: {transport: {tls: true}}\n";
    let no_tls = "mcp: {transport: {tls: false}}\n";
    let plain = "mcp:\n  transport: {url: 'redis://h'}\n";
    let secure = "mcp:\n  transport: {url: 'rediss://h'}\n";
    let both = "mcp: {transport: {tls: true, url: 'redis://h'}}\n";
    let (redis, local) = ("mcp: {transport: {kind: redis}}\n", "mcp: {transport: {kind: local}}\n");
    for (files, place) in [
        (vec![at(WORKSPACE, plain), at(home(), tls)], ".ateam/tools.yaml:2"),
        (vec![at(WORKSPACE, tls), at(home(), plain)], ".ateam/tools.yaml:1"),
        (vec![at(WORKSPACE, secure), at(home(), no_tls)], ".ateam/tools.yaml:2"),
        (vec![at(home(), both)], "home:.ateam/tools.yaml:1"),
        // The URL that is built in is one as well, but only for a Redis server.
        (vec![at(home(), tls), at(WORKSPACE, redis)], "home:.ateam/tools.yaml:1"),
        (vec![at(home(), tls)], ""),
        (vec![at(home(), both), at(WORKSPACE, local)], ""),
        (vec![at(WORKSPACE, no_tls)], ""),
        (vec![at(WORKSPACE, secure), at(home(), tls)], ""),
        (vec![at(WORKSPACE, plain)], ""),
        (vec![at(WORKSPACE, secure)], ""),
        // What a nearer layer replaces contradicts nothing.
        (vec![at(WORKSPACE, secure), at(home(), both)], ""),
        (vec![at(WORKSPACE, no_tls), at(home(), both)], ""),
        (vec![at(WORKSPACE, "redact: []\n"), at(home(), both)], "home:.ateam/tools.yaml:1"),
    ] {
        let found = find_codes(&layer_snapshot(&files));
        let expected = usize::from(!place.is_empty());
        assert_eq!(found.len(), expected, "{files:?}: {found:?}");
        assert!(
            found.iter().all(|found| found.starts_with(&format!("{place}: fleet/tls-mismatch"))),
            "{found:?}"
        );
    }
}

#[test]
fn unreadable_transports_have_no_finding_about_tls() {
    let both = (home(), "tools.yaml", "mcp: {transport: {tls: true, url: 'redis://h'}}\n");
    for text in [
        "mcp: [",
        "[]\n",
        "mcp: []\n",
        "mcp: {transport: []}\n",
        "mcp: {transport: {url: 5}}\n",
        "mcp: {transport: {ulr: 'rediss://h'}}\n",
        "mcp: {transport: {tls: maybe}}\n",
    ] {
        let found = find_codes(&layer_snapshot(&[(WORKSPACE, "tools.yaml", text), both.clone()]));
        assert!(!found.is_empty(), "{text}");
        assert!(found.iter().all(|found| !found.contains("tls-mismatch")), "{text}: {found:?}");
    }
    let mut closed = layer_snapshot(&[both]);
    let folder = Location::new(WORKSPACE, WorkspacePath::parse(".ateam").unwrap());
    closed.insert(folder, SnapshotEntry::Unreadable { reason: "permission denied".into() });
    assert_eq!(find_codes(&closed).len(), 1);
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_name() {
    let models = (WORKSPACE, "models.yaml", "models: {m: {provider: a, context_window_size: 1}}\n");
    for (text, expected) in [
        ("\u{feff}zeus\n", Vec::<String>::new()),
        ("\u{feff}  zeus", Vec::new()),
        (
            "\u{feff}\n hera\n",
            vec![".ateam/defaults/agent:2: fleet/unknown-default-agent: there is no agent `hera`".to_owned()],
        ),
        (
            "\u{feff}",
            vec![".ateam/defaults/agent:1: fleet/unknown-default-agent: the file is empty".to_owned()],
        ),
    ] {
        let files = [
            models.clone(),
            (WORKSPACE, "agents/zeus/agent.yaml", AGENT),
            (WORKSPACE, "agents/zeus/base.md", "a"),
            (WORKSPACE, "defaults/agent", text),
        ];
        assert_eq!(find_codes(&layer_snapshot(&files)), expected, "{text:?}");
    }
}

#[test]
fn a_directory_with_an_invalid_name_has_to_be_renamed() {
    for (folder, expected) in [
        ("hera", "write `name: hera`, or rename the directory"),
        ("my agent", "rename the directory: a name has letters, digits, `_` and `-`"),
        ("zeús", "rename the directory: a name has letters, digits, `_` and `-`"),
    ] {
        let file = format!("agents/{folder}/agent.yaml");
        assert_eq!(advice(&layer_snapshot(&[(WORKSPACE, &file, AGENT)]), "fleet/name-mismatch"), [expected]);
        let other = format!("agents/{folder}/base.md");
        let advised = advice(&layer_snapshot(&[(WORKSPACE, &other, "a")]), "fleet/missing-agent-file");
        assert_eq!(advised[0].starts_with("write the file"), folder == "hera", "{advised:?}");
    }
}

#[test]
fn a_directory_without_a_path_is_found() {
    let mut snapshot = Snapshot::new();
    let folder = |mount| Location::new(mount, WorkspacePath::parse(".ateam/agents").unwrap());
    let elsewhere = Location::new(WORKSPACE, WorkspacePath::parse(".ateam/agents/zeus").unwrap());
    snapshot.insert_unnamed(folder(WORKSPACE), "a\\xff".to_owned());
    snapshot.insert_unnamed(folder(home()), "b\\u{1}".to_owned());
    snapshot.insert_unnamed(elsewhere, "c".to_owned());
    let expected = [
        ".ateam/agents:1: fleet/invalid-name: `a\\xff` cannot be the name of an agent",
        "home:.ateam/agents:1: fleet/invalid-name: `b\\u{1}` cannot be the name of an agent",
    ];
    assert_eq!(find_codes(&snapshot), expected);
}

/// Following the advice results in a file without findings.
#[test]
fn the_help_for_an_older_retention_can_be_decoded() {
    let advised =
        |text: &str| advice(&layer_snapshot(&[(WORKSPACE, "project.yaml", text)]), "fleet/legacy-form");
    for (text, expected) in [
        ("retention: {days: 5}\n", "write `retention_days: 5`"),
        ("retention: {days: 5.0}\n", "write `retention_days: 5`"),
        ("retention: {}\n", "write `retention_days: 30`"),
        ("retention: {days: 400}\n", "write `retention_days` with a number from 1 to 365"),
        ("retention: {days: '5'}\n", "write `retention_days` with a number from 1 to 365"),
        ("retention: {day: 5}\n", "write `retention_days` with a number from 1 to 365"),
        ("retention: {days: }\n", "write `retention_days` with a number from 1 to 365"),
        ("retention: 5\n", "write `retention_days` with a number from 1 to 365"),
        ("{retention_days: 9, retention: {days: 5}}\n", "remove it"),
    ] {
        assert_eq!(advised(text), [expected], "{text}");
    }
}

#[test]
fn duplicate_ids_are_distinguished_from_hidden_agents() {
    let agents =
        "agents:\n- {id: zeus, model: m, tools: [fs.read]}\n- {id: zeus, model: m, tools: [os.exec]}\n";
    let files = [
        (WORKSPACE, "models.yaml", "models: {m: {provider: a, context_window_size: 1}}\n"),
        (home(), "agents.yaml", agents),
    ];
    let duplicate = "home:.ateam/agents.yaml:3: fleet/duplicate-agent: duplicate agent id `zeus`";
    let older =
        "home:.ateam/agents.yaml:1: fleet/legacy-form: defining all agents in one file is an older form";
    assert_eq!(find_codes(&layer_snapshot(&files)), [older, duplicate]);
    let family = FleetFamily::load(&layer_snapshot(&files)).value;
    let zeus = family.effective("zeus", "p").unwrap();
    assert_eq!(zeus.given_tools().map(ToString::to_string).collect::<Vec<_>>(), ["fs.read"]);
    let with_directory =
        [&files[..], &[(home(), "agents/zeus/agent.yaml", AGENT), (home(), "agents/zeus/base.md", "a")]]
            .concat();
    let hidden = "home:.ateam/agents.yaml:2: fleet/shadowed-agent: the agent `zeus` of this file is hidden";
    assert_eq!(find_codes(&layer_snapshot(&with_directory)), [older, hidden, duplicate]);
}
