//! The schema settings of editors, and that existing settings are kept.

use std::fs;
use std::path::Path;

use minds_operations::{
    CheckRequest, Editor, EditorSchema, InitDone, InitOutcome, InitRequest, OperationError, Scaffold, init,
};
use tempfile::TempDir;

const ALL: [Editor; 4] = [Editor::VsCode, Editor::Helix, Editor::Neovim, Editor::Zed];

fn schemas() -> Vec<EditorSchema> {
    let schema = |kind: &str, files: &str| EditorSchema {
        kind: kind.into(),
        files: files.into(),
        text: format!("{{\"title\": \"{kind}\"}}\n"),
    };
    vec![
        schema("team", ".minds/team.yaml"),
        schema("llm", ".minds/llm.yaml"),
        schema("minds", ".minds/minds.toml"),
    ]
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes a first team with the settings of editors.
fn write(
    folder: &Path,
    editors: &[Editor],
    schemas: &[EditorSchema],
    write: bool,
) -> Result<InitOutcome, OperationError> {
    init(&InitRequest { base: folder, scaffold: Scaffold::Team { editors, schemas }, write })
}

#[track_caller]
fn done(folder: &Path, editors: &[Editor]) -> InitDone {
    match write(folder, editors, &schemas(), true).expect("the folder can be written") {
        InitOutcome::Done(done) => done,
        other => panic!("{other:?}"),
    }
}

/// Every file below a folder, with its text.
fn picture(folder: &TempDir, paths: &[String]) -> String {
    paths.iter().map(|path| format!("=== {path}\n{}", read(folder, path))).collect()
}

#[test]
fn the_settings_of_each_editor() {
    for editor in ALL {
        let folder = folder(&[(".minds/team.yaml", "mine")]);
        let done = done(folder.path(), &[editor]);
        assert!(!done.is_first && done.unchanged.is_empty(), "{done:?}");
        insta::assert_snapshot!(format!("{editor:?}"), picture(&folder, &done.written));
        assert_eq!(read(&folder, ".minds/team.yaml"), "mine");
    }
}

#[test]
fn a_first_configuration_is_written_if_there_is_none() {
    let folder = folder(&[]);
    let first = done(folder.path(), &ALL);
    assert!(first.is_first);
    assert!(first.written.contains(&".minds/team.yaml".to_owned()), "{first:?}");
    let outcome = minds_operations::check(&CheckRequest::new(folder.path())).expect("the folder can be read");
    assert_eq!(outcome.report.diagnostics.len(), 0, "{:?}", outcome.report.diagnostics);
}

#[test]
fn a_second_run_changes_nothing() {
    let folder = folder(&[(".minds/team.yaml", "mine")]);
    // Who names an editor twice means it once.
    let first = done(folder.path(), &[ALL.as_slice(), &ALL].concat());
    let second = done(folder.path(), &ALL);
    assert_eq!((&second.written, &second.diff), (&vec![], &String::new()));
    assert_eq!(second.unchanged, first.written);
    assert_eq!(first.written.len(), 3 + 5);
}

#[test]
fn schemas_are_replaced_and_nothing_is_written_without_being_asked() {
    let folder = folder(&[(".minds/.schema/team.schema.json", "{\"title\": \"old\"}\n")]);
    let outcome = write(folder.path(), &[Editor::Helix], &schemas(), false).expect("the folder can be read");
    let InitOutcome::Done(planned) = outcome else { panic!("{outcome:?}") };
    insta::assert_snapshot!("dry_run", planned.diff);
    assert_eq!(read(&folder, ".minds/.schema/team.schema.json"), "{\"title\": \"old\"}\n");
    assert!(!folder.path().join(".helix").exists());
    assert_eq!(done(folder.path(), &[Editor::Helix]).written, planned.written);
    assert_eq!(read(&folder, ".minds/.schema/team.schema.json"), "{\"title\": \"team\"}\n");
}

/// Merges into an existing file; returns the new text, or the error.
#[track_caller]
fn merged(editor: Editor, path: &str, old: &str) -> Result<String, String> {
    let folder = folder(&[(".minds/team.yaml", "mine"), (path, old)]);
    let team = [schemas().remove(0)];
    match write(folder.path(), &[editor], &team, true).expect("the folder can be written") {
        InitOutcome::Done(_) => {
            let new = read(&folder, path);
            let again = write(folder.path(), &[editor], &team, true).expect("the folder can be written");
            assert!(matches!(&again, InitOutcome::Done(done) if done.written.is_empty()), "{again:?}");
            Ok(new)
        }
        InitOutcome::Refused(refused) => {
            assert_eq!(read(&folder, path), old);
            assert!(!folder.path().join(".minds/.schema").exists(), "all is written or nothing");
            assert!(!refused[0].snippet.is_empty());
            Err(format!("{}: {}", refused[0].file, refused[0].reason))
        }
        InitOutcome::Exists(file) => panic!("{file} exists"),
    }
}

/// A table of strings before and after, with all characters visible.
fn table(editor: Editor, path: &str, cases: &[(&str, &str)]) -> String {
    let visible = |text: &str| text.replace('\r', "␍").replace('\t', "→").replace('\u{feff}', "[mark]");
    let mut picture = String::new();
    for (name, old) in cases {
        let new = merged(editor, path, old);
        picture += &format!("=== {name}\n{}\n--- becomes\n", visible(old));
        picture += &match new {
            Ok(new) if new == **old => "(unchanged)\n".to_owned(),
            Ok(new) => format!("{}\n", visible(&new)),
            Err(reason) => format!("(refused) {reason}\n"),
        };
    }
    picture
}

const JSON: &[(&str, &str)] = &[
    ("nothing", ""),
    ("a comment only", "// mine"),
    ("an empty object", "{}\n"),
    ("an empty object over lines", "{\n}\n"),
    ("a comment inside", "{\n  // mine\n}\n"),
    ("a block comment inside", "{ /* mine */ }"),
    ("another key", "{\n    \"a\": 1\n}\n"),
    (
        "comments and order",
        "// top\n{\n  // of b\n  \"b\": [1, 2], // after b\n  \"a\": {} /* x */ // after a\n  // end\n}\n// bottom\n",
    ),
    ("a comma at the end", "{\n  \"a\": 1, // after a\n}\n"),
    ("a comma in the next line", "{\n  \"a\": 1 // after a\n  , \"b\": 2\n  ,\n}\n"),
    ("tabs", "{\n\t\"a\": 1\n}"),
    ("carriage returns", "{\r\n  \"a\": 1 // after a\r\n}\r\n"),
    ("one line", "{ \"a\": 1 }"),
    ("one line with a comma at the end", "{ \"a\": 1, }"),
    ("no line break", "{\"a\":1}"),
    ("characters beyond ASCII", "{\n  \"ä\": \"🤖\" // ü\n}\n"),
    ("slashes in a string", "{\n  \"a\": \"// , /* \\\" \" // , x\n}\n"),
    ("a byte order mark", "\u{feff}{}"),
    ("two byte order marks", "\u{feff}\u{feff}{}"),
    ("no object", "[1]\n"),
    ("broken", "{\n  \"a\": 1\n  \"b\": 2\n}\n"),
    ("words without quotes", "{a: 1}"),
    ("text after the object", "{} x"),
];

#[test]
fn visual_studio_code_settings_are_preserved() {
    let own: &[(&str, &str)] = &[
        ("other schemas", "{\n  \"yaml.schemas\": {\n    \"https://a\": \"b.yaml\" // mine\n  }\n}\n"),
        ("no schemas", "{\n  \"yaml.schemas\": {}\n}\n"),
        ("ours", "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": \".minds/team.yaml\"}}"),
        (
            "ours in a list",
            "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": [\"x\", \".minds\\/team.yaml\"]}}",
        ),
        (
            "ours for another file",
            "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": \"x.yaml\" /* mine */}}",
        ),
        (
            "our schema for a list of other files",
            "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": [\n      \"x.yaml\", // x\n      \"y.yaml\" // y\n    ]}}",
        ),
        ("ours for nothing", "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": []}}"),
        (
            "our schema for a value that is not a string",
            "{\"yaml.schemas\": {\"./.minds/.schema/team.schema.json\": null}}",
        ),
        ("schemas that are not an object", "{\"yaml.schemas\": [1]}"),
        ("schemas twice", "{\"yaml.schemas\": {}, \"yaml.schemas\": {}}"),
        ("a nested key of that name", "{\"x\": {\"yaml.schemas\": 1}}"),
    ];
    let picture = table(Editor::VsCode, ".vscode/settings.json", &[JSON, own].concat());
    insta::assert_snapshot!(picture);
}

#[test]
fn visual_studio_code_recommends_an_extension_once() {
    let picture = table(
        Editor::VsCode,
        ".vscode/extensions.json",
        &[
            ("other extensions", "{\n  \"recommendations\": [\n    \"a.b\" // mine\n  ]\n}\n"),
            ("other extensions on one line", "{\"recommendations\": [\"a.b\"]}"),
            ("nothing", "{\"recommendations\": []}"),
            ("already recommended", "{\"recommendations\": [\"a.b\", \"redhat.vscode-yaml\",]}"),
            ("it is not wanted", "{\"unwantedRecommendations\": [\"redhat.vscode-yaml\"]}"),
            ("another is not wanted", "{\"unwantedRecommendations\": [\"a.b\"]}"),
            ("no list", "{\"recommendations\": {}}"),
        ],
    );
    insta::assert_snapshot!(picture);
}

#[test]
fn zed_settings_are_preserved() {
    let own: &[(&str, &str)] = &[
        (
            "another server",
            "{\n  \"lsp\": {\n    \"rust-analyzer\": {} // mine\n  },\n  \"tab_size\": 2,\n}\n",
        ),
        (
            "the server",
            "{\n\t\"lsp\": {\n\t\t\"yaml-language-server\": {\n\t\t\t\"settings\": { \"yaml\": { \"keyOrdering\": true } }\n\t\t}\n\t}\n}\n",
        ),
        ("the server in one line", "{\"lsp\": {\"yaml-language-server\": {\"settings\": {}}}}"),
        ("no object on the way", "{\"lsp\": {\"yaml-language-server\": null}}"),
    ];
    let picture = table(Editor::Zed, ".zed/settings.json", own);
    insta::assert_snapshot!(picture);
}

#[test]
fn helix_settings_are_preserved() {
    let picture = table(
        Editor::Helix,
        ".helix/languages.toml",
        &[
            ("nothing", ""),
            ("a comment only", "# mine\n"),
            ("no line break at the end", "[x]\na = 'b'"),
            ("a string on several lines", "a = \"\"\"\nx\r\ny\"\"\"\n"),
            ("comments only, carriage returns", "# a\r\n# b\r\n"),
            (
                "another server",
                "# top\n[language-server.x]\ncommand = \"x\" # after\n\n# of rust\n[[language]]\nname = \"rust\"\n# bottom\n",
            ),
            (
                "the server",
                "[language-server.yaml-language-server]\nargs = [\"--stdio\"] # mine\n\n[[language]]\nname = \"yaml\"\n",
            ),
            (
                "its configuration",
                "[language-server.yaml-language-server.config.yaml]\nkeyOrdering = false\n",
            ),
            (
                "other schemas",
                "[language-server.yaml-language-server.config.yaml.schemas]\n# mine\n\"https://a\" = \"b.yaml\" # b\n\n[z]\n",
            ),
            (
                "keys with dots",
                "language-server.yaml-language-server.config.yaml.keyOrdering = false # mine\n",
            ),
            ("a table in braces", "[language-server]\nyaml-language-server = { command = \"x\" } # mine\n"),
            ("everything in braces", "language-server = {}\n"),
            ("carriage returns", "# top\r\n[a]\r\nb = 1 # mine\r\n"),
            (
                "ours",
                "[language-server.yaml-language-server.config.yaml.schemas]\n\"./.minds/.schema/team.schema.json\" = [\"x\", \".minds/team.yaml\"]\n",
            ),
            (
                "ours for another file",
                "[language-server.yaml-language-server.config.yaml.schemas]\n\"./.minds/.schema/team.schema.json\" = \"x.yaml\" # mine\n",
            ),
            (
                "our schema for a list of other files",
                "[language-server.yaml-language-server.config.yaml.schemas]\n\"./.minds/.schema/team.schema.json\" = [\n  \"x.yaml\", # mine\n]\n",
            ),
            (
                "our schema for a value that is not a string",
                "[language-server.yaml-language-server.config.yaml.schemas]\n\"./.minds/.schema/team.schema.json\" = 1\n",
            ),
            ("no table on the way", "[language-server]\nyaml-language-server = 1\n"),
            ("a list on the way", "[[language-server]]\na = 1\n"),
            ("a byte order mark", "\u{feff}a = 1\n"),
            ("broken", "a = 1\nb =\n"),
        ],
    );
    insta::assert_snapshot!(picture);
}

#[test]
fn a_neovim_program_is_not_merged() {
    let path = ".nvim.lua";
    let refusal = merged(Editor::Neovim, path, "vim.o.number = true\n").unwrap_err();
    assert_eq!(refusal, ".nvim.lua: it is a Lua program that does not contain this part yet");
    let ours = merged(Editor::Neovim, path, "").expect("no file exists");
    let both = format!("vim.o.number = true\n{ours}-- end\n");
    assert_eq!(merged(Editor::Neovim, path, &both).as_deref(), Ok(both.as_str()));
    let windows = both.replace('\n', "\r\n");
    assert_eq!(merged(Editor::Neovim, path, &windows).as_deref(), Ok(windows.as_str()));
}

#[test]
fn settings_that_cannot_be_parsed_are_not_merged() {
    let refuse = |prepare: &dyn Fn(&Path)| {
        let folder = folder(&[(".minds/team.yaml", "mine")]);
        prepare(folder.path());
        match write(folder.path(), &[Editor::Zed], &schemas(), true).expect("the folder can be read") {
            InitOutcome::Refused(refused) => refused[0].reason.clone(),
            other => panic!("{other:?}"),
        }
    };
    let zed = |folder: &Path, bytes: &[u8]| {
        fs::create_dir(folder.join(".zed")).expect("a folder can be made");
        fs::write(folder.join(".zed/settings.json"), bytes).expect("a file can be written");
    };
    assert_eq!(refuse(&|folder| zed(folder, b"{\"a\": \"\xff\"}")), "it is not valid UTF-8");
    assert_eq!(refuse(&|folder| zed(folder, &vec![b' '; (1 << 20) + 1])), "it is larger than 1 MiB");
    assert_eq!(
        refuse(&|folder| fs::write(folder.join(".zed"), "").expect("it can be written")),
        "it is not a directory"
    );
    assert_eq!(
        refuse(&|folder| fs::create_dir_all(folder.join(".zed/settings.json")).expect("it can be made")),
        "it is a directory"
    );
}

#[cfg(unix)]
#[test]
fn the_target_of_a_link_is_not_replaced() {
    let folder = folder(&[(".minds/team.yaml", "mine"), ("settings.json", "{}")]);
    fs::create_dir(folder.path().join(".zed")).expect("a folder can be made");
    std::os::unix::fs::symlink("../settings.json", folder.path().join(".zed/settings.json"))
        .expect("a link can be made");
    let error = write(folder.path(), &[Editor::Zed], &schemas(), true).expect_err("it is a link");
    assert_eq!(error.to_string(), "`.zed/settings.json` is a symbolic link; nothing was changed");
    assert!(!folder.path().join(".minds/.schema").exists());
}

#[test]
fn the_cost_of_large_settings_is_linear() {
    let lines = |line: &str| line.repeat(((1 << 20) - 4096) / line.len());
    let fill = |inside: String| format!("{{{inside}\n}}");
    for text in [
        fill(lines("\n")),
        fill(lines("// x\n")),
        fill(lines("/**/")),
        fill(format!("\"a\": [{}]", lines("1,"))),
        fill(lines("\"k\": 1,\n")),
        fill(format!("\"a\": 1{}", lines("/**/ "))),
    ] {
        let new = merged(Editor::Zed, ".zed/settings.json", &text).expect("it is JSON with comments");
        assert!(new.contains("team.schema.json"));
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(400_000), "]".repeat(400_000));
    assert!(merged(Editor::Zed, ".zed/settings.json", &deep).is_err());
    for text in [
        lines("\n"),
        lines("# x\n"),
        format!("a = [{}]", lines("1,")),
        (0..50_000).map(|key| format!("k{key} = 1\n")).collect(),
    ] {
        let new = merged(Editor::Helix, ".helix/languages.toml", &text).expect("it is TOML");
        assert!(new.contains("team.schema.json"));
    }
    let deep = format!("a = {}{}", "[".repeat(400_000), "]".repeat(400_000));
    assert!(merged(Editor::Helix, ".helix/languages.toml", &deep).is_err());
}
