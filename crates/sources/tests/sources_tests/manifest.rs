//! The meaning of `mind.toml`, and its errors.

use minds_diagnostics::{Severity, SourceFile};
use minds_sources::{AuthFailureAction, HookEvent, ItemKind, ManifestFile, Pin, Selection};
use minds_vfs::WorkspacePath;

/// Returns the file, and the codes of its findings.
fn read(text: &str) -> (ManifestFile, Vec<String>) {
    let parsed = ManifestFile::read(&SourceFile::new("mind.toml", text));
    let found = parsed.problems.into_sorted();
    let codes = found.iter().map(|found| match found.severity {
        Severity::Error => found.rule.code.to_owned(),
        other => format!("{other} {}", found.rule.code),
    });
    (parsed.value, codes.collect())
}

#[track_caller]
fn finds(text: &str, codes: &[&str]) {
    let (file, found) = read(text);
    assert_eq!(found, codes, "{text}");
    let has_errors = codes.iter().any(|code| !code.starts_with("warning"));
    assert_eq!(file.is_valid(), !has_errors, "{text}");
}

#[track_caller]
fn finds_in_item(rest: &str, codes: &[&str]) {
    finds(&format!("[[items]]\n{rest}"), codes);
}

#[test]
fn an_empty_file_is_valid() {
    for text in
        ["", "# nothing\n", "[source]\n", "items = []\n", "[discover]\nsources = []\n", "x-mine = 1\n"]
    {
        finds(text, &[]);
        assert!(!read(text).0.manifest().is_authoritative(), "{text}");
    }
}

#[test]
fn an_unknown_key_is_reported_at_every_level() {
    for text in [
        "bogus = 1\n",
        "[source]\nbogus = 1\n",
        "[[hooks]]\nrun = 'x'\nbogus = 1\n",
        "[[items]]\nkind = 'skill'\nname = 'a'\npath = 'a'\nbogus = 1\n",
        "[[items]]\nkind = 'skill'\nname = 'a'\npath = 'a'\n[[items.hooks]]\nrun = 'x'\nbogus = 1\n",
        "[discover]\nbogus = 1\n",
        "[discover]\nskills = { include = ['a'], bogus = 1 }\n",
        "[[discover.sources]]\nsource = 'o/r'\nbogus = 1\n",
        "[[discover.sources]]\nsource = 'o/r'\ninstall_items = ['skill:a']\n",
        "[[discover.sources]]\nsource = 'o/r'\n[[discover.sources.hooks]]\nrun = 'x'\nbogus = 1\n",
        "[[discover.sources]]\nsource = 'o/r'\non-auth-failure = { action = 'skip', bogus = 1 }\n",
    ] {
        finds(text, &["schema/unknown-key"]);
    }
}

#[test]
fn the_version_is_checked_first() {
    let newer = "newkey = 1\n[source]\nmin-mind-version = '9.0'\nprefix = '../x'\n";
    finds(newer, &["source/incompatible-version"]);
    assert_eq!(read(newer).0.newer(), Some("9.0"));
    assert!(read(newer).0.manifest().prefix().is_none());
    finds("newkey = 1\n[source]\nmin-mind-version = '0.8'\n", &["schema/unknown-key"]);
    finds("[source]\nmin-mind-version = 0.9\n", &["schema/type"]);
    finds("source = { min-mind-version = '0.8.1' }\n", &["source/incompatible-version"]);
}

#[test]
fn missing_keys_are_reported() {
    finds("[[hooks]]\nname = 'x'\n", &["schema/missing-key"]);
    finds("[[items]]\n", &["schema/missing-key", "schema/missing-key", "schema/missing-key"]);
    finds("[[discover.sources]]\nas = 'x'\n", &["schema/missing-key"]);
    finds("[[discover.sources]]\nsource = 'o/r'\non-auth-failure = {}\n", &["schema/missing-key"]);
    // A suppressed finding does not make the file valid.
    let (file, found) = read("# minds: allow(schema/missing-key) later\n[[hooks]]\nname = 'x'\n");
    assert!(found.is_empty() && !file.is_valid());
    let (file, found) = read("[source]\n# minds: allow(schema/unknown-key) ours\nprefx = 'jk'\n");
    assert!(found.is_empty() && !file.is_valid());
    let (file, found) = read("[source]\n# minds: allow(schema/unknown-key) ours\nsomething = 'jk'\n");
    assert!(found.is_empty() && file.is_valid());
}

#[test]
fn types_and_keywords_are_checked() {
    finds("[discover]\nskills = ['a']\n", &["schema/type"]);
    finds("hooks = { run = 'x' }\n", &["schema/type"]);
    finds("[source]\nroots = 'a'\n", &["schema/type"]);
    finds("[[hooks]]\nrun = 'x'\noptional = 'yes'\n", &["schema/type"]);
    for event in ["upgrade", "Install", ""] {
        finds(&format!("[[hooks]]\nrun = 'x'\nevent = '{event}'\n"), &["schema/value"]);
    }
    finds_in_item("kind = 'Skill'\nname = 'p'\npath = 'a'\n", &["schema/value"]);
    finds(
        "[[discover.sources]]\nsource = 'o/r'\non-auth-failure = { action = 'ignore' }\n",
        &["schema/value"],
    );
}

#[test]
fn pins_are_exclusive_and_name_revisions() {
    finds("[source]\npin-tag = 'v1'\npin-ref = 'abc'\n", &["source/conflicting-pins"]);
    finds(
        "[source]\nfollow-branch = 'a'\npin-tag = 'v1'\npin-ref = 'abc'\n",
        &["source/conflicting-pins", "source/conflicting-pins"],
    );
    finds(
        "[[discover.sources]]\nsource = 'o/r'\npin-tag = 'a'\nfollow-branch = 'b'\n",
        &["source/conflicting-pins"],
    );
    for value in ["-x", "", "a\\u0007b", "a b", "a..b"] {
        finds(&format!("[source]\npin-tag = \"{value}\"\n"), &["source/invalid-revision"]);
    }
    let pin = |text: &str| read(text).0.manifest().pin();
    assert_eq!(pin(""), Pin::DefaultBranch);
    assert_eq!(pin("[source]\nfollow-branch = 'main'\n").kind().as_str(), "follow-branch");
    assert_eq!(pin("[source]\npin-tag = 'v1'\n").kind().as_str(), "tag");
    assert_eq!(pin("[source]\npin-ref = 'a1b2'\n").kind().as_str(), "ref");
}

#[test]
fn names_and_paths_cannot_escape() {
    for prefix in ["../../../esc/p", "/x", ".", "a/b", "-x"] {
        finds(&format!("[source]\nprefix = '{prefix}'\n"), &["source/invalid-name"]);
        finds(&format!("[[discover.sources]]\nsource = 'o/r'\nas = '{prefix}'\n"), &["source/invalid-name"]);
    }
    for name in ["/home/u/precious", "../../../../precious", "./victim", "a:b", "", ".hidden"] {
        finds_in_item(&format!("kind = 'skill'\nname = '{name}'\npath = 'a'\n"), &["source/invalid-name"]);
    }
    for path in ["/home/u/id_rsa", "../home/id_rsa", "a/../../b", "a/../b", "", "a\\b"] {
        finds_in_item(&format!("kind = 'skill'\nname = 'a'\npath = '{path}'\n"), &["source/invalid-path"]);
        finds(&format!("[source]\nroots = ['{path}']\n"), &["source/invalid-path"]);
        let bin = format!("kind = 'tool'\nname = 'a'\npath = 'a'\nbin = '{path}'\n");
        finds_in_item(&bin, &["source/invalid-path"]);
    }
    for path in ["a", "./a/", "."] {
        finds_in_item(&format!("kind = 'skill'\nname = 'a'\npath = '{path}'\n"), &[]);
    }
    for pattern in ["../outside/*.md", "/etc/*", "a**", "agents/[.md", ""] {
        finds(&format!("[discover]\nagents = {{ include = ['{pattern}'] }}\n"), &["source/invalid-glob"]);
    }
}

#[test]
fn links_are_in_the_folder_of_their_kind_and_unique() {
    for (link, code) in [
        ("../.bash_profile", "source/invalid-path"),
        ("/home/u/.zshenv", "source/invalid-path"),
        ("settings.json", "source/invalid-link"),
        ("agents/x.md", "source/invalid-link"),
        ("rules/x", "source/invalid-link"),
    ] {
        finds_in_item(&format!("kind = 'rule'\nname = 'a'\npath = 'a.md'\nlink = '{link}'\n"), &[code]);
    }
    finds_in_item("kind = 'tool'\nname = 't'\npath = 't'\nlink = 'bin/t'\n", &[]);
    let two = |first: &str, second: &str| {
        format!(
            "[[items]]\nkind = 'rule'\nname = 'a'\npath = 'a.md'\n{first}\n[[items]]\nkind = 'rule'\nname = 'b'\npath = \
             'b.md'\n{second}\n"
        )
    };
    finds(&two("link = 'rules/x.md'", "link = 'rules/y.md'"), &[]);
    finds(&two("link = 'rules/x.md'", "link = 'rules/X.md'"), &["source/conflicting-link"]);
    finds(&two("link = 'rules/b.md'", ""), &["source/conflicting-link"]);
    finds(&two("link = 'rules/x.md/y.md'", "link = 'rules/x.md'"), &["source/conflicting-link"]);
    finds(&two("link = 'rules/x.md'", "link = 'rules/x.md/y.md'"), &["source/conflicting-link"]);
    let prefixed = format!("{}[source]\nprefix = 'p'\n", two("link = 'rules/b.md'", ""));
    finds(&prefixed, &[]);
}

#[test]
fn items_are_unique_and_have_the_keys_of_their_kind() {
    let item = "[[items]]\nkind = 'skill'\nname = 's'\npath = 'skills/s'\n";
    finds(&item.repeat(2), &["source/duplicate-item"]);
    finds(&format!("{item}{}", item.replace("'s'", "'S'")), &["source/duplicate-item"]);
    finds(&format!("{item}{}", item.replace("'skill'", "'tool'")), &[]);
    finds(&format!("{item}bin = 'x'\n"), &["source/tool-only-key"]);
    finds(&format!("{item}build = 'make'\n"), &["source/tool-only-key"]);
    finds(&format!("{}bin = 'x'\nbuild = 'make'\n", item.replace("'skill'", "'tool'")), &[]);
}

#[test]
fn hidden_characters_in_displayed_text_are_reported() {
    for text in [
        "[source]\ndescription = \"a\\u001b[2Jb\"\n",
        "[[hooks]]\nrun = \"evil #\\rmake build\"\n",
        "[[hooks]]\nrun = 'x'\nname = \"\\u202e\"\n",
        "[source]\ninstall = \"\\u0000\"\n",
    ] {
        let (file, found) = read(text);
        assert!(found.contains(&"source/hidden-character".to_owned()), "{found:?}");
        assert!(!file.is_valid());
    }
    finds("[[hooks]]\nrun = \"\"\"\nmake\r\nmake install\n\"\"\"\n", &[]);
}

#[test]
fn nested_sources_are_checked_completely() {
    for source in
        ["notaspec", "https://user:tok@h/o/r", "o/..", "git@../..:p/r", "ext::sh -c x", "--upload-pack=x"]
    {
        finds(&format!("[discover]\nsources = [{{ source = '{source}' }}]\n"), &["source/invalid-spec"]);
    }
    let nested = |rest: &str| format!("[[discover.sources]]\nsource = 'o/r'\n{rest}\n");
    finds(&nested("install-items = ['ns']"), &["source/invalid-reference"]);
    finds(&nested("install-items = ['skil:ns']"), &["source/invalid-reference"]);
    finds(&nested("install-items = ['skill:../x']"), &["source/invalid-reference"]);
    finds(&nested("install = true\ninstall-items = ['skill:ns']"), &["source/conflicting-selection"]);
    finds(&nested("install = true\ninstall-items = []"), &["warning source/conflicting-selection"]);
    let (file, _) = read(&nested("install = true\ninstall-items = []"));
    assert_eq!(file.manifest().nested_sources()[0].selection, Selection::None);
    finds(&nested("install = false\ninstall-items = ['skill:ns']"), &[]);
    finds(
        "[discover]\nsources = [{ source = 'o/r' }, { source = 'https://github.com/o/r.git' }]\n",
        &["warning source/repeated-source"],
    );
    finds(
        "[discover]\nsources = [{ source = './a' }, { source = './b/../a' }, { source = '../a' }]\n",
        &["warning source/repeated-source"],
    );
}

#[test]
fn settings_without_effect_are_reported() {
    let item = "[[items]]\nkind = 'skill'\nname = 's'\npath = 'skills/s'\n";
    finds(&format!("[source]\nroots = ['a']\n{item}"), &["warning source/unused-roots"]);
    finds("[source]\nroots = ['a']\n", &[]);
    finds("[discover]\nskills = { exclude = ['a'] }\n", &["warning source/unused-exclude"]);
    finds("[discover]\nskills = { include = [], exclude = ['a'] }\n", &["warning source/unused-exclude"]);
    finds("[discover]\nskills = { include = ['a'], exclude = ['a'] }\n", &[]);
    finds("[[hooks]]\nrun = '  '\n", &["warning source/blank-hook"]);
    finds(&format!("{item}install = ''\n"), &["warning source/blank-hook"]);
    finds("[source]\ninstall = 'make'\n", &["warning source/deprecated-install"]);
    // Values that could not be decoded do not cause further findings.
    finds("[discover]\nskills = { include = ['/'], exclude = ['a'] }\n", &["source/invalid-glob"]);
}

#[test]
fn a_file_is_authoritative_if_it_has_items_or_includes_something() {
    for (text, expected) in [
        ("[source]\nprefix = 'a'\n", false),
        ("[[hooks]]\nrun = 'x'\n", false),
        ("[discover]\nsources = [{ source = 'o/r' }]\n", false),
        ("[discover]\nskills = { exclude = ['a'] }\n", false),
        ("[discover]\nskills = { include = [] }\n", false),
        ("[discover]\nrules = { include = ['a'] }\n", true),
        ("[discover]\nagents = { include = ['a'] }\n", true),
        ("[discover]\nskills = { include = ['a'] }\n", true),
        ("[discover]\ntools = { include = ['a'] }\n", true),
        ("[[items]]\nkind = 'skill'\nname = 's'\npath = 's'\n", true),
        ("[[items]]\nkind = 'skill'\nname = '..'\npath = 's'\n", true),
    ] {
        assert_eq!(read(text).0.manifest().is_authoritative(), expected, "{text}");
    }
}

#[test]
fn hooks_run_in_their_order() {
    let text = "hooks = [{ run = 'b', name = 'B' }, { run = ' ' }, { run = 'c', optional = true, event = 'uninstall' }]\n\
                [source]\ninstall = 'a'\n[[items]]\nkind = 'tool'\nname = 't'\npath = 't'\nuninstall = 'u'\ninstall = 'i'\n\
                [[items.hooks]]\nrun = 'h'\n";
    let file = read(text).0;
    let hooks = file.manifest().hooks();
    let runs: Vec<&str> = hooks.iter().map(|hook| hook.run.as_str()).collect();
    assert_eq!(runs, ["a", "b", "c"]);
    assert_eq!(hooks[1].name.as_deref(), Some("B"));
    assert!(!hooks[0].is_optional && hooks[2].is_optional);
    assert_eq!((hooks[0].event, hooks[2].event), (HookEvent::Install, HookEvent::Uninstall));

    let items = file.manifest().declared_items();
    assert_eq!(items[0].key.to_string(), "tool:t");
    let runs: Vec<(&str, HookEvent)> =
        items[0].hooks.iter().map(|hook| (hook.run.as_str(), hook.event)).collect();
    assert_eq!(runs, [("i", HookEvent::Install), ("u", HookEvent::Uninstall), ("h", HookEvent::Install)]);
}

#[test]
fn nested_sources_select_the_offered_items() {
    let text = "[[discover.sources]]\nsource = 'o/a'\n\
                [[discover.sources]]\nsource = './b'\nas = ''\ninstall = true\npin-ref = 'abc'\nroots = ['p/', '.']\n\
                on-auth-failure = { action = 'skip', message = 'ask' }\n[[discover.sources.hooks]]\nrun = 'make'\n\
                [[discover.sources]]\nsource = 'o/c'\nas = 'c'\ninstall-items = ['skill:x', 'agent:y']\n";
    let file = read(text).0;
    assert!(file.is_valid());
    let nested = file.manifest().nested_sources();
    assert_eq!((nested[0].spec, &nested[0].selection, &nested[0].prefix), ("o/a", &Selection::None, &None));
    assert_eq!((nested[0].roots.as_ref(), nested[0].on_auth_failure), (None, AuthFailureAction::Error));
    assert_eq!((&nested[1].selection, &nested[1].prefix), (&Selection::All, &Some(None)));
    let roots: Vec<&str> = nested[1].roots.iter().flatten().map(WorkspacePath::as_str).collect();
    assert_eq!((roots, nested[1].pin.kind().as_str(), nested[1].hooks.len()), (vec!["p", ""], "ref", 1));
    assert_eq!(nested[1].on_auth_failure, AuthFailureAction::Skip);
    assert_eq!(nested[1].auth_failure_message, Some("ask"));
    let Selection::Items(items) = &nested[2].selection else { panic!("{:?}", nested[2].selection) };
    assert_eq!(items.iter().map(ToString::to_string).collect::<Vec<_>>(), ["skill:x", "agent:y"]);
    assert_eq!(file.manifest().globs(ItemKind::Skill).map(|globs| globs.include().count()), None);
}

#[test]
fn the_examples_of_the_format_are_valid() {
    for text in [
        "[source]\ndescription = \"A library\"\nprefix = \"jk\"\nmin-mind-version = \"0.5\"\nfollow-branch = \"main\"\nroots = \
         [\"packages\"]\n",
        "[discover]\nskills = { include = [\"packages/*/skill\"], exclude = [\"packages/internal/*\"] }\nagents = { include = \
         [\"agents/**/*.md\"] }\nrules  = { include = [\"rules/*.md\"] }\ntools  = { include = [\"packages/*/tool\"] }\n",
        "[[items]]\nkind = \"rule\"\nname = \"style\"\npath = \"guidelines/style.md\"\nlink = \"rules/house-style.md\"\n\
         description = \"Code style\"\n",
    ] {
        finds(text, &[]);
    }
}
