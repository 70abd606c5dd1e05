//! The same samples in every format.

use minds_diagnostics::{Diagnostic, Origin, Report, Rule, Severity, SourceFile, Span, emit};

static ERROR: Rule = Rule {
    code: "team/unknown-member",
    summary: "a reference names a member that the team does not define",
    default_severity: Severity::Error,
    origin: Origin::Files,
    is_suppressible: true,
    since: "0.1.0",
    page: "",
};
static WARNING: Rule = Rule {
    code: "access/backslash",
    summary: "a pattern has a backslash",
    default_severity: Severity::Warning,
    origin: Origin::Files,
    is_suppressible: true,
    since: "0.1.0",
    page: "",
};
static INFO: Rule = Rule {
    code: "team/labelled-list",
    summary: "a list of labelled strings would be clearer as a mapping",
    default_severity: Severity::Info,
    origin: Origin::Files,
    is_suppressible: true,
    since: "0.1.0",
    page: "",
};

fn span_of(source: &SourceFile, part: &str) -> Span {
    let start = source.text().unwrap().find(part).unwrap();
    Span::new(u32::try_from(start).unwrap(), u32::try_from(start + part.len()).unwrap())
}

/// Every shape that a finding can have.
fn samples() -> Report {
    let team = SourceFile::new(
        ".minds/team.yaml",
        "\u{feff}default_responder: codr\r\n\r\nmembers:\r\n  coder:\r\n    name: 全栈\t工程师 # 'é'\r\n    write_dirs: ['src\\gen']\r\n",
    );
    let llm = SourceFile::new(".minds/llm.yaml", "providers:\n  openai: {}\n");
    let wide = SourceFile::new(".minds/mcp.yaml", format!("servers: {{{}x: 1}}\n", "a: b, ".repeat(500)));
    let bytes = SourceFile::new("bytes.yaml", b"name: \xff\n".to_vec());
    let long: String = "word ".repeat(60);
    let narrow = SourceFile::new(
        "z-long.yaml",
        format!("first: 1\nname: {long}typo\n{}last: 2\n", "# -\n".repeat(40)),
    );

    let diagnostics = vec![
        Diagnostic::new(&ERROR, "nothing to say about a file").help("start again"),
        Diagnostic::new(&ERROR, "cannot read the file").primary(llm.label(Span::at(0))),
        Diagnostic::new(&ERROR, "unknown model")
            .primary(llm.label(span_of(&llm, "{}")).message("has no models"))
            .secondary(team.label(span_of(&team, "coder:")).message("used here"))
            .pointer("/providers/openai"),
        Diagnostic::new(&ERROR, "a column far to the right")
            .primary(wide.label(span_of(&wide, "x: 1")).message("too long a line to show"))
            .help("break the line"),
        Diagnostic::new(&ERROR, "unknown member `codr`")
            .primary(team.label(span_of(&team, "codr")).message("not defined in `members`"))
            .secondary(team.label(span_of(&team, "coder")).message("a member with a similar id"))
            .pointer("/default_responder")
            .note("the first message of a dialog goes to the default responder")
            .note("and a second note")
            .help("did you mean `coder`?"),
        Diagnostic::new(&INFO, "over two lines")
            .primary(team.label(span_of(&team, "name: 全栈\t工程师 # 'é'\r\n    write_dirs"))),
        Diagnostic::new(&INFO, "behind a tab and wide characters")
            .primary(team.label(span_of(&team, "工程师")).message("here")),
        Diagnostic::new(&WARNING, "escape \u{1b}[31m codes and \u{202e} are spelled out")
            .primary(team.label(span_of(&team, "src\\gen")).message("`\\` reads as `/`"))
            .fix("write `/`", &team, span_of(&team, "\\"), "/"),
        Diagnostic::new(&ERROR, "not UTF-8").primary(bytes.label(Span::new(6, 7)).message("byte 0xff")),
        Diagnostic::new(&WARNING, "two places far apart")
            .primary(narrow.label(span_of(&narrow, "last")).message("second"))
            .secondary(narrow.label(span_of(&narrow, "first")).message("first")),
        Diagnostic::new(&WARNING, "in a long line")
            .primary(narrow.label(span_of(&narrow, "typo")).message("here")),
    ];
    let tricks = SourceFile::new("tricks.yaml", "a: \u{9b}31m\r: b\u{202e}c\u{1b}[0m\n");
    let mut diagnostics = diagnostics;
    diagnostics.push(
        Diagnostic::new(&ERROR, "an excerpt with escape codes")
            .primary(tricks.label(span_of(&tricks, "b")).message("b")),
    );
    let files = [".minds/llm.yaml", ".minds/team.yaml", "bytes.yaml"].map(String::from).to_vec();
    Report { root: ".".into(), files, diagnostics, allowed: 2 }
}

#[test]
fn human() {
    insta::assert_snapshot!(emit::human(&samples(), emit::Human::default()));
}

#[test]
fn human_with_colors() {
    let mut report = samples();
    report.diagnostics.truncate(3);
    let drawn = emit::human(&report, emit::Human { color: true, width: 80 });
    insta::assert_snapshot!(drawn.replace('\u{1b}', "␛"));
}

#[test]
fn concise() {
    insta::assert_snapshot!(emit::concise(&samples()));
}

#[test]
fn json() {
    let document: serde_json::Value = serde_json::from_str(&emit::json(&samples())).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn github() {
    insta::assert_snapshot!(emit::github(&samples()));
}

const RULES: &[&Rule] = &[&ERROR, &WARNING, &INFO];

#[test]
fn sarif() {
    let log = emit::sarif(&samples(), emit::Tool { version: "0.0.0", rules: RULES });
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
}

#[test]
fn sarif_conforms_to_the_standard() {
    let mut schema: serde_json::Value =
        serde_json::from_str(include_str!("schemas/sarif-2.1.0.json")).unwrap();
    // The schema as published has an expression whose brackets do not match.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"]["pattern"] = "^[a-zA-Z]{2}".into();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut abroad = samples();
    abroad.root = "../my team".into();
    for report in [samples(), abroad, Report { root: ".".into(), ..Report::default() }] {
        let log = emit::sarif(&report, emit::Tool { version: "0.1.0", rules: RULES });
        let log: serde_json::Value = serde_json::from_str(&log).unwrap();
        let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    // The validator bites.
    assert!(!validator.is_valid(&serde_json::json!({ "version": "2.0.0", "runs": [] })));
}

#[test]
fn names_of_files_are_escaped_where_they_must_be() {
    let odd = SourceFile::new("a b/ü,x:y%.yaml", "text");
    let found = Diagnostic::new(&ERROR, "50% of\nlines").primary(odd.label(Span::new(0, 4)));
    let report = Report {
        root: "..".into(),
        files: vec![odd.name().into()],
        diagnostics: vec![found],
        ..Report::default()
    };
    assert_eq!(
        emit::github(&report),
        "::error file=../a b/ü%2Cx%3Ay%25.yaml,line=1,endLine=1,col=1,endColumn=5,\
         title=team/unknown-member::50%25 of%0Alines\n"
    );
    let log = emit::sarif(&report, emit::Tool { version: "0.1.0", rules: RULES });
    assert!(log.contains("\"../a%20b/%C3%BC%2Cx%3Ay%25.yaml\""), "{log}");
}

#[test]
fn a_report_without_findings() {
    let report = Report {
        root: "..".into(),
        files: vec!["team.yaml".into()],
        diagnostics: vec![],
        ..Report::default()
    };
    assert_eq!(emit::human(&report, emit::Human::default()), "checked 1 file in ..: no problems\n");
    assert_eq!(emit::concise(&report), "");
    assert_eq!(
        emit::json(&report),
        "{\"version\":1,\"root\":\"..\",\"files\":[\"team.yaml\"],\"diagnostics\":[],\
         \"summary\":{\"errors\":0,\"warnings\":0,\"infos\":0,\"allowed\":0}}\n"
    );
}
