//! For any files, a check returns findings with valid places.

use minds_diagnostics::{Diagnostic, MAX_PROBLEMS_PER_FILE, Report, emit};
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

fn check(team: &[u8], llm: Option<&[u8]>, mcp: Option<&[u8]>) -> Vec<Diagnostic> {
    let path = |path| WorkspacePath::parse(path).expect("the path is valid");
    let mut snapshot = Snapshot::new().with_file(path(".minds/team.yaml"), team);
    if let Some(llm) = llm {
        snapshot = snapshot.with_file(path(".minds/llm.yaml"), llm);
    }
    if let Some(mcp) = mcp {
        snapshot = snapshot.with_file(path(".minds/mcp.yaml"), mcp);
    }
    minds_workspace::check(&snapshot).diagnostics
}

fn expect_valid(found: &[Diagnostic]) -> Result<(), TestCaseError> {
    let mut before = None;
    for diagnostic in found {
        let label = diagnostic.primary.as_ref().expect("every finding has a place");
        let place = (label.source.name().to_owned(), label.span.start(), diagnostic.rule.code);
        prop_assert!(before <= Some(place.clone()), "{before:?} before {place:?}");
        before = Some(place);
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let fits = match label.source.text() {
                Ok(text) => text.get(label.span.range()).is_some(),
                Err(_) => label.source.bytes().get(label.span.range()).is_some(),
            };
            prop_assert!(fits, "{diagnostic:?}");
        }
        for edit in diagnostic.fix.iter().flat_map(|fix| &fix.edits) {
            let text = edit.source.text().expect("only text is edited");
            prop_assert!(text.get(edit.span.range()).is_some(), "{diagnostic:?}");
        }
        let whole = [&diagnostic.message].into_iter().chain(&diagnostic.notes).chain(&diagnostic.help);
        for text in whole {
            prop_assert!(!text.is_empty() && !text.ends_with('.'), "{text:?}");
        }
    }
    prop_assert!(found.len() <= 2 * MAX_PROBLEMS_PER_FILE);
    let report = Report { root: ".".into(), files: vec![], diagnostics: found.to_vec(), ..Report::default() };
    let text = emit::human(&report, emit::Human::default()) + &emit::concise(&report);
    prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    let json: Result<serde_json::Value, _> = serde_json::from_str(&emit::json(&report));
    prop_assert!(json.is_ok(), "{json:?}");
    Ok(())
}

/// Valid and invalid values of team files.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "1.5",
        "true",
        "yes",
        "~",
        "''",
        "text",
        "codex",
        "gpt-5.2",
        "os",
        "'*'",
        "'!os'",
        "'!'",
        "src",
        "../x",
        "a\\b",
        "'**'",
        "x.tsk",
        ".minds/x",
        "'a?'",
        "shell_cmd",
        "*a",
        "&a text",
        "!!str 5",
        "\"\\u202e\"",
        "é",
        "{text: 1}",
        "[text, 5]",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(KEYS.to_vec());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec((key, inner), 0..5).prop_map(|entries| {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

/// Comments after or below a line.
fn comment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        " # kept",
        " # minds: allow(team/unknown-toolset, team/unknown-member) so it is",
        "\n  # minds: allow(schema/unknown-key,é) so it is",
        "\n# minds: allow(access/backslash, access/literal-character)",
        " # minds: allow",
        " '# minds: allow(a/b) c'",
        "\n# minds: allow(team/missing-model, team/missing-model) — é",
    ])
}

/// An `llm.yaml` that is valid at the top level, with arbitrary content below.
fn llm() -> impl Strategy<Value = String> {
    (value(), value(), value()).prop_map(|(any, provider, models)| {
        format!(
            "providers: {{local: {provider}, other: {{apiType: openai, models: {models}}}}}\nx-any: {any}\n"
        )
    })
}

/// An `mcp.yaml` that is valid at the top level, with arbitrary content below.
fn mcp() -> impl Strategy<Value = String> {
    (value(), value(), value()).prop_map(|(server, tools, transform)| {
        format!("version: 1\nservers: {{a: {server}, b: {{transport: stdio, tools: {tools}, transform: {transform}}}}}\n")
    })
}

const KEYS: &[&str] = &[
    "member_defaults",
    "members",
    "default_responder",
    "shell_specialists",
    "name",
    "icon",
    "gofor",
    "nogo",
    "provider",
    "model",
    "model_params",
    "codex",
    "openai",
    "temperature",
    "toolsets",
    "tools",
    "diligence-push-max",
    "diligence_push_max",
    "read_dirs",
    "write_dirs",
    "no_read_dirs",
    "no_write_dirs",
    "read_file_ext_names",
    "streaming",
    "hidden",
    "fbr-effort",
    "from",
    "use",
    "import",
    "fuxi",
    "pangu",
    "coder",
    "Coder",
    "x-note",
    "<<",
    "a b",
    "''",
    "../x",
    "providers",
    "models",
    "apiType",
    "context_length",
    "version",
    "servers",
    "transport",
    "command",
    "url",
    "whitelist",
    "transform",
    "prefix",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_team_can_be_checked(
        top in prop::collection::vec((prop::sample::select(KEYS.to_vec()), value()), 0..6),
        llm in prop::option::of(llm()),
        mcp in prop::option::of(mcp()),
        comments in prop::collection::vec(comment(), 6),
        crlf in any::<bool>(),
    ) {
        let lines = top.iter().zip(comments).map(|((key, value), comment)| format!("{key}: {value}{comment}"));
        let lines: Vec<String> = lines.collect();
        let text = lines.join(if crlf { "\r\n" } else { "\n" });
        expect_valid(&check(text.as_bytes(), llm.as_deref().map(str::as_bytes), mcp.as_deref().map(str::as_bytes)))?;
    }

    #[test]
    fn any_bytes_can_be_checked(team in prop::collection::vec(any::<u8>(), 0..300)) {
        expect_valid(&check(&team, Some(&team), Some(&team)))?;
    }

    /// Fixing keeps a valid file valid, and leaves nothing more to fix.
    #[test]
    fn fixing_is_idempotent_and_keeps_files_valid(
        top in prop::collection::vec((prop::sample::select(KEYS.to_vec()), value()), 0..6),
    ) {
        let lines: Vec<String> = top.iter().map(|(key, value)| format!("{key}: {value} # kept")).collect();
        let path = WorkspacePath::parse(".minds/team.yaml").expect("the path is valid");
        let before = Snapshot::new().with_file(path, lines.join("\n"));
        let broken = |snapshot: &Snapshot| {
            let found = minds_workspace::check(snapshot).diagnostics;
            found.iter().filter(|found| found.rule.area() == "yaml").count()
        };
        let fixed = minds_workspace::fix(&before);
        prop_assert!(broken(&fixed.snapshot) <= broken(&before));
        prop_assert_eq!(minds_workspace::fix(&fixed.snapshot).count, 0);
        for (_, after) in fixed.files.values() {
            prop_assert_eq!(after.matches("# kept").count(), lines.len());
        }
    }

    /// The same input gives the same result.
    #[test]
    fn checks_are_deterministic(team in value()) {
        let text = |found: Vec<Diagnostic>| {
            emit::json(&Report { root: ".".into(), files: vec![], diagnostics: found, ..Report::default() })
        };
        prop_assert_eq!(text(check(team.as_bytes(), None, None)), text(check(team.as_bytes(), None, None)));
    }
}
