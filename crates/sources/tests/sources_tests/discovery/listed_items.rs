//! Discovery of `[[items]]`, and problems of `mind.toml` itself.

use minds_sources::discovery::Options;

use crate::discovery::tree::{Tree, show};

const TREE: &str = "skills/s/SKILL.md
    skills/empty/x
    agents/a.md
    guidelines/style.md
    t/detect/detect.sh
    t/detect/TOOL.md = ---|description: Detects|bin: other.sh|install: ./head|uninstall: ./gone|---|
    ln -> guidelines
    out -> ../home
    gone.md -> nowhere
    .git/hooks/x";

fn of(manifest: &str) -> Tree {
    Tree::of(TREE).with_file("mind.toml", manifest)
}

#[track_caller]
fn check(items: &str, expected: &str) {
    let mut manifest = String::new();
    for item in items.lines().map(str::trim) {
        let [kind, name, path] = item.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{item}") };
        manifest += &format!("[[items]]\nkind = \"{kind}\"\nname = \"{name}\"\npath = \"{path}\"\n");
    }
    let expected: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(show(of(&manifest).discover()), expected, "{items}");
}

#[test]
fn only_listed_items_are_offered() {
    check(
        "rule style guidelines/style.md
        rule linked ln/style.md
        skill scanner skills/s
        tool detect t/detect",
        "skill:scanner skills/s \"skills/s/SKILL.md\"
        rule:style guidelines/style.md
        rule:linked guidelines/style.md by ln/style.md
        tool:detect t/detect \"Detects\"",
    );
}

#[test]
fn a_missing_or_wrong_path_makes_the_source_invalid() {
    for (item, why) in [
        ("skill gone skills/gone", "missing-item the path of the skill `gone` does not exist: `skills/gone`"),
        ("rule gone gone.md", "missing-item the path of the rule `gone` does not exist: `gone.md`"),
        ("rule x out/x.md", "link-outside `out/x.md` is a symbolic link to `../home`, outside of the source"),
        ("tool git .git/hooks", "unreadable-item `.git/hooks` cannot be read: it belongs to git"),
        (
            "skill s skills/s/SKILL.md",
            "item-shape a skill must be a folder, but `skills/s/SKILL.md` is not: it is a file",
        ),
        ("agent a agents", "item-shape an agent must be a file, but `agents` is not: it is a folder"),
    ] {
        check(item, &format!("{why}\ncannot be used"));
    }
}

#[test]
fn a_listed_folder_without_a_skill_file_is_offered_with_a_warning() {
    check(
        "skill empty skills/empty",
        "skill:empty skills/empty
        no-skill-file the skill `skills/empty` does not contain a `SKILL.md`",
    );
}

#[test]
fn the_same_item_twice_is_an_error_in_every_mode() {
    let overlap = "[[items]]\nkind = \"agent\"\nname = \"a\"\npath = \"agents/a.md\"\n\
                   [discover]\nagents = { include = [\"agents/*.md\"] }\n";
    let found = show(of(overlap).discover());
    assert!(
        found.contains("duplicate-item agent `a` is defined twice: in `agents/a.md` and `agents/a.md`"),
        "{found}"
    );
    assert!(found.ends_with("cannot be used\n"), "{found}");

    let clash = "[discover]\nrules = { include = [\"**/style.md\", \"other/*\"] }\n";
    let found = show(of(clash).with_file("other/STYLE.md", "").discover());
    assert!(
        found.contains(
            "duplicate-item rule `STYLE` is defined twice: in `guidelines/style.md` and `other/STYLE.md`"
        ),
        "{found}"
    );
}

#[test]
fn mind_toml_takes_precedence_over_front_matter() {
    let manifest = "[[items]]\nkind = \"tool\"\nname = \"detect\"\npath = \"t/detect\"\ndescription = \"D\"\nbin = \"detect.sh\"\n\
                    install = \"./setup\"\n[[items.hooks]]\nrun = \"more\"\n";
    let found = of(manifest).discover().value;
    let item = &found.catalog.items[0];
    assert_eq!((item.description.as_deref(), item.bin.as_deref()), (Some("D"), Some("detect.sh")));
    let hooks: Vec<_> = item.hooks.iter().map(|hook| (hook.event.name(), hook.run.as_str())).collect();
    assert_eq!(hooks, [("uninstall", "./gone"), ("install", "./setup"), ("install", "more")]);
}

#[test]
fn the_file_must_be_a_file_of_the_source() {
    let refused = |lines: &str| show(Tree::of(lines).discover());
    assert_eq!(
        refused("mind.toml -> ../outside.toml\nskills/s/SKILL.md"),
        "unreadable-manifest `mind.toml` is a symbolic link to `../outside.toml`, outside of the source\ncannot be used\n"
    );
    assert!(
        refused("mind.toml/").contains("unreadable-manifest `mind.toml` cannot be read: it is not a file")
    );
    assert!(
        refused("mind.toml !")
            .contains("unreadable-manifest `mind.toml` cannot be read: it is not a regular file")
    );
    assert!(refused("mind.toml = nonsense").contains("cannot be used"));
    let large = format!("# {}", "x".repeat(1 << 20));
    let found = show(Tree::of("").with_file("mind.toml", &large).discover());
    assert!(found.contains("is larger than 1 MiB"), "{found}");
    for target in ["nowhere", "mind.toml"] {
        assert_eq!(
            refused(&format!("mind.toml -> {target}\nagents/a.md")),
            "unreadable-manifest `mind.toml` is a dangling symbolic link\ncannot be used\n"
        );
    }
    let linked = refused(
        "mind.toml -> deep/mind.toml\ndeep/mind.toml = [source]|roots = [\"r\"]|\nr/agents/a.md\nagents/b.md",
    );
    assert_eq!(linked, "agent:a r/agents/a.md\n");
}

#[test]
fn roots_of_the_user_take_precedence() {
    let tree = |manifest: Option<&str>| {
        let tree = Tree::of("agents/top.md\np/agents/p.md\nq/agents/q.md\nr/agents/r.md");
        manifest.map_or(tree.clone(), |manifest| tree.with_file("mind.toml", manifest))
    };
    let options = |roots: Option<&str>, curator: Option<&str>| Options {
        roots: roots.map(|root| vec![root.to_owned()]),
        curator_roots: curator.map(|root| vec![root.to_owned()]),
    };
    let manifest_roots = Some("[source]\nroots = [\"p\"]\n");
    for (manifest, options, expected) in [
        (None, options(None, None), "agent:top"),
        (None, options(None, Some("r")), "agent:r"),
        (None, options(Some("q"), Some("r")), "agent:q"),
        (manifest_roots, options(None, None), "agent:p"),
        (manifest_roots, options(None, Some("r")), "agent:p"),
        (manifest_roots, options(Some("q"), Some("r")), "agent:q"),
        (Some(""), options(None, Some("r")), "agent:top"),
    ] {
        let found = tree(manifest).discover_with(options.clone());
        assert!(!found.value.ignores_roots);
        let found = show(found);
        assert!(
            found.starts_with(expected) && found.lines().count() == 1,
            "{manifest:?} {options:?}: {found}"
        );
    }
    let listing = Some(
        "[source]\nroots = [\"nope\"]\n[[items]]\nkind = \"agent\"\nname = \"x\"\npath = \"agents/top.md\"\n",
    );
    let found = tree(listing).discover_with(options(Some("q"), None)).value;
    assert!(found.ignores_roots && found.is_valid && found.catalog.is_authoritative);
    assert_eq!(found.catalog.items.len(), 1);
}
