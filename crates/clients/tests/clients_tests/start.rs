//! What clients read at the start of a session.

use std::collections::BTreeSet;

use minds_clients::{
    Client, ClientsFamily, NamedFile, StartSource, clients, find_start_files, find_start_servers,
};
use minds_diagnostics::SourceFile;
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

fn path(text: &str) -> WorkspacePath {
    if text.is_empty() { WorkspacePath::root() } else { WorkspacePath::parse(text).unwrap() }
}

fn family(files: &[(&str, &str)]) -> ClientsFamily {
    let mut snapshot = Snapshot::new();
    for (name, text) in files {
        snapshot = snapshot.with_file(path(name), text);
    }
    ClientsFamily::load(&snapshot).value
}

/// Returns the files that a client reads, each with its number of bytes. `further` exist and are not files of clients.
fn start(client: &str, directory: &str, files: &[(&str, &str)], further: &[(&str, &str)]) -> Vec<String> {
    let read = |wanted: &WorkspacePath| match further.iter().find(|(name, _)| *name == wanted.as_str()) {
        Some((_, "unreadable")) => NamedFile::Unreadable,
        Some((name, text)) => NamedFile::Text(SourceFile::new(*name, *text)),
        None => NamedFile::Missing,
    };
    let client = Client::find(client).unwrap();
    let found = find_start_files(client, &path(directory), &family(files), &read);
    let show = |file: minds_clients::StartFile| {
        let bytes = file.bytes.map_or("?".to_owned(), |bytes| bytes.to_string());
        let by = file.imported_by.map(|by| format!(" from {by}")).unwrap_or_default();
        format!("{} {bytes}{by}", file.path)
    };
    found.into_iter().map(show).collect()
}

#[track_caller]
fn check(client: &str, directory: &str, files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(start(client, directory, files, &[]), expected, "{client} in `{directory}`");
}

#[test]
fn instructions_are_those_of_the_directory_and_its_parents() {
    let files =
        [("CLAUDE.md", "1"), ("a/CLAUDE.md", "22"), ("a/b/CLAUDE.md", "333"), ("c/CLAUDE.md", "4444")];
    check("claude-code", "", &files, &["CLAUDE.md 1"]);
    check("claude-code", "a", &files, &["CLAUDE.md 1", "a/CLAUDE.md 2"]);
    check("claude-code", "a/b", &files, &["CLAUDE.md 1", "a/CLAUDE.md 2", "a/b/CLAUDE.md 3"]);
    check("gemini", "a", &files, &[]);
}

#[test]
fn imports_are_followed_once_and_not_in_circles() {
    let files = [("CLAUDE.md", "@a.md @b.md @missing.md @odd.md"), ("AGENTS.md", "x")];
    let further = [("a.md", "@b.md @CLAUDE.md"), ("b.md", "@AGENTS.md"), ("odd.md", "unreadable")];
    let found = start("claude-code", "", &files, &further);
    let expected = [
        "CLAUDE.md 31",
        "a.md 16 from CLAUDE.md",
        "b.md 10 from a.md",
        "AGENTS.md 1 from b.md",
        "odd.md ? from CLAUDE.md",
    ];
    assert_eq!(found, expected);
    assert_eq!(start("codex", "", &files, &further), ["AGENTS.md 1"], "Codex does not import files");
}

#[test]
fn imports_have_a_maximum_depth() {
    let further = [
        ("1.md", "@2.md"),
        ("2.md", "@3.md"),
        ("3.md", "@4.md"),
        ("4.md", "@5.md"),
        ("5.md", "@6.md"),
        ("6.md", "x"),
    ];
    let found = start("claude-code", "", &[("CLAUDE.md", "@1.md")], &further);
    assert_eq!(found.len(), 6, "{found:?}");
}

#[test]
fn codex_reads_one_file_of_each_directory_up_to_a_limit() {
    let files = [("AGENTS.md", "1"), ("AGENTS.override.md", "22"), ("a/AGENTS.md", "333")];
    check("codex", "a", &files, &["AGENTS.override.md 2", "a/AGENTS.md 3"]);
    let settings = "project_doc_max_bytes = 4\nproject_doc_fallback_filenames = [\"TEAM.md\"]\n";
    let limited = [files.as_slice(), &[(".codex/config.toml", settings)]].concat();
    check("codex", "a", &limited, &["AGENTS.override.md 2", "a/AGENTS.md 2"]);
    let fallback = start("codex", "", &[(".codex/config.toml", settings)], &[("TEAM.md", "1234567")]);
    assert_eq!(fallback, ["TEAM.md 4"]);
    let long = "x".repeat(40_000);
    check("codex", "", &[("AGENTS.md", &long)], &["AGENTS.md 32768"]);
}

#[test]
fn settings_name_files() {
    let gemini = r#"{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}"#;
    let files = [("AGENTS.md", "1"), ("GEMINI.md", "22"), (".gemini/settings.json", gemini)];
    check("gemini", "", &files, &["AGENTS.md 1", "GEMINI.md 2"]);
    let opencode = r#"{"instructions": ["docs/style.md", "https://example.org/x.md", "../x.md", "nope.md"]}"#;
    let found = start("opencode", "", &[("opencode.json", opencode)], &[("docs/style.md", "123")]);
    assert_eq!(found, ["docs/style.md 3"]);
}

#[test]
fn opencode_reads_the_first_name_that_exists() {
    check("opencode", "a", &[("AGENTS.md", "1"), ("a/CLAUDE.md", "22")], &["AGENTS.md 1"]);
    check("opencode", "a", &[("CLAUDE.md", "1"), ("a/CLAUDE.md", "22")], &["CLAUDE.md 1", "a/CLAUDE.md 2"]);
}

#[test]
fn rules_for_some_files_are_not_read_at_the_start() {
    let rule = |head: &str| format!("---\n{head}\n---\nText.\n");
    for (path, head, is_read) in [
        (".cursor/rules/a.mdc", "alwaysApply: true", true),
        (".cursor/rules/a.mdc", "alwaysApply: false", false),
        (".cursor/rules/a.mdc", "globs: \"*.rs\"", false),
    ] {
        let found = start("cursor", "", &[(path, &rule(head))], &[]);
        assert_eq!(!found.is_empty(), is_read, "{head}: {found:?}");
    }
    for (head, is_read) in
        [("applyTo: \"**\"", true), ("applyTo: \"*.ts, **\"", true), ("applyTo: src/**", false)]
    {
        let found = start("copilot", "", &[(".github/instructions/a.instructions.md", &rule(head))], &[]);
        assert_eq!(!found.is_empty(), is_read, "{head}: {found:?}");
    }
}

#[test]
fn only_names_and_descriptions_of_agents_and_skills_are_read() {
    let agent = "---\nname: abc\ndescription: four\n---\nA long text.\n";
    let files = [
        (".claude/agents/abc.md", agent),
        (".claude/agents/README.md", "Text"),
        (".claude/skills/abc/SKILL.md", agent),
    ];
    check("claude-code", "", &files, &[".claude/agents/abc.md 7", ".claude/skills/abc/SKILL.md 7"]);
    check("copilot", "", &files, &[".claude/agents/abc.md 7", ".claude/skills/abc/SKILL.md 7"]);
    check("codex", "", &files, &[]);
}

#[test]
fn servers_are_those_of_the_client_at_the_top() {
    let files = [
        (".mcp.json", r#"{"mcpServers": {"b": {"command": "b"}, "a": {"command": "a"}}}"#),
        ("sub/.mcp.json", r#"{"mcpServers": {"c": {"command": "c"}}}"#),
        (".codex/config.toml", "[mcp_servers.d]\ncommand = \"d\"\n"),
        (".cursor/mcp.json", "["),
    ];
    let family = family(&files);
    let names = |id: &str| -> Vec<&str> {
        let client = Client::find(id).unwrap();
        find_start_servers(client, &family).into_iter().map(|(server, _)| server).collect()
    };
    assert_eq!(names("claude-code"), ["b", "a"]);
    assert_eq!(names("codex"), ["d"]);
    assert!(names("cursor").is_empty() && names("copilot").is_empty());
}

/// Names of files, of which every client reads some.
const NAMES: [&str; 9] = [
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    "a/AGENTS.md",
    "a/CLAUDE.md",
    ".claude/agents/x.md",
    ".claude/skills/x/SKILL.md",
    ".cursor/rules/x.mdc",
    ".github/copilot-instructions.md",
];

proptest! {
    /// Each file is read at most once and never more than it has, whatever it contains.
    #[test]
    fn no_file_is_read_twice(texts in prop::collection::vec("(@?(AGENTS|CLAUDE|x)[.]md |[-a:\n])*", 9), inside: bool) {
        let files: Vec<(&str, &str)> = NAMES.into_iter().zip(texts.iter().map(String::as_str)).collect();
        let family = family(&files);
        let directory = path(if inside { "a" } else { "" });
        for client in clients() {
            let found = find_start_files(client, &directory, &family, &|_| NamedFile::Missing);
            let paths: BTreeSet<&WorkspacePath> = found.iter().map(|file| &file.path).collect();
            prop_assert_eq!(paths.len(), found.len());
            for file in &found {
                let whole = files.iter().find(|(name, _)| *name == file.path.as_str()).map(|(_, text)| text.len());
                prop_assert!(file.bytes <= whole, "{:?}", file);
                if file.source == StartSource::Instructions {
                    prop_assert_eq!(file.bytes, whole);
                }
            }
        }
    }
}
