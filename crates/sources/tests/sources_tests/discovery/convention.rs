//! Discovery by convention, without `mind.toml`.

use minds_sources::discovery::Options;

use crate::discovery::tree::{Tree, show};

#[track_caller]
fn check(lines: &str, expected: &str) {
    let found = show(Tree::of(lines).discover());
    let expected: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, expected.trim_start(), "{lines}");
}

#[test]
fn items_are_found_in_four_folders() {
    check(
        "tools/x/x
        tools/t/TOOL.md
        skills/b/SKILL.md
        skills/b/more/SKILL.md
        skills/a/SKILL.md
        rules/x.md
        agents/x.md
        agents/README.md
        docs/y.md",
        "skill:a skills/a \"skills/a/SKILL.md\"
        skill:b skills/b \"skills/b/SKILL.md\"
        agent:README agents/README.md
        agent:x agents/x.md
        rule:x rules/x.md
        tool:t tools/t \"tools/t/TOOL.md\"
        tool:x tools/x",
    );
    check("README.md", "");
}

#[test]
fn entries_that_almost_are_items_are_reported() {
    check(
        "skills/ok/SKILL.md
        skills/nofile/readme.md
        skills/lower/skill.md
        skills/loose.md
        skills/nest/inner/SKILL.md
        skills/folder/SKILL.md/
        agents/a.md
        agents/sub/b.md
        agents/c.txt
        agents/d.MD
        agents/.md
        agents/e.md/
        rules/.gitkeep
        tools/loose",
        "skill:ok skills/ok \"skills/ok/SKILL.md\"
        agent:a agents/a.md
        no-item `agents` has entries that are not agents: `c.txt`, `d.MD`, `e.md` and 1 more
        no-item `skills` has entries that are not skills: `folder`, `loose.md`, `lower` and 2 more
        no-item `tools` has entries that are not tools: `loose`",
    );
}

#[test]
fn hidden_and_vendored_entries_are_skipped_and_reported() {
    let because = "is not offered: its name is hidden, or the name of a vendored folder";
    check(
        "skills/.hid/SKILL.md
        skills/.git/config
        skills/.gitkeep
        agents/.hid.md
        rules/x.md
        tools/.hid/t
        tools/__pycache__/z.pyc",
        &format!(
            "rule:x rules/x.md
            passed-over the agent `agents/.hid.md` {because}
            passed-over the skill `skills/.hid` {because}
            passed-over the tool `tools/.hid` {because}
            passed-over the tool `tools/__pycache__` {because}"
        ),
    );
}

#[test]
fn links_inside_the_source_are_followed() {
    check(
        "real/sk/SKILL.md
        real/ag.md
        skills/ln -> ../real/sk
        skills/chain -> ln
        skills/back -> ../link/../real/sk
        link -> real/deep
        real/deep/x
        real/real/sk/SKILL.md
        skills/dang -> nowhere
        skills/loop -> loop
        skills/out -> ../../elsewhere
        skills/abs -> /etc
        skills/git -> ../.git/skill
        .git/skill/SKILL.md
        agents/ln.md -> ../real/ag.md
        agents/dang.md -> nowhere.md
        agents/out.md -> ../../id_rsa
        agents/other -> ../../id_rsa
        agents/in.md -> ../skills/ln/SKILL.md
        rules -> real/rules
        real/rules/r.md
        tools/t/TOOL.md -> ../../real/ag.md",
        "skill:back real/real/sk by skills/back \"real/real/sk/SKILL.md\"
        skill:chain real/sk by skills/chain \"real/sk/SKILL.md\"
        skill:ln real/sk by skills/ln \"real/sk/SKILL.md\"
        agent:in real/sk/SKILL.md by agents/in.md
        agent:ln real/ag.md by agents/ln.md
        rule:r real/rules/r.md by rules/r.md
        tool:t tools/t \"real/ag.md\"
        no-item `agents` has entries that are not agents: `other`
        dangling-link `agents/dang.md` is a dangling symbolic link
        link-outside `agents/out.md` is a symbolic link to `../../id_rsa`, outside of the source
        link-outside `skills/abs` is a symbolic link to `/etc`, outside of the source
        dangling-link `skills/dang` is a dangling symbolic link
        unreadable-item `skills/git` cannot be read: it belongs to git
        dangling-link `skills/loop` is a dangling symbolic link
        link-outside `skills/out` is a symbolic link to `../../elsewhere`, outside of the source",
    );
}

#[test]
fn an_item_whose_file_is_outside_or_not_regular_is_not_offered() {
    check(
        "skills/out/SKILL.md -> /etc/passwd
        skills/pipe/SKILL.md !
        agents/pipe.md !
        tools/out/TOOL.md -> ../../../x
        skills/ok/SKILL.md",
        "skill:ok skills/ok \"skills/ok/SKILL.md\"
        unreadable-item `agents/pipe.md` cannot be read: it is not a regular file
        link-outside `skills/out/SKILL.md` is a symbolic link to `/etc/passwd`, outside of the source
        unreadable-item `skills/pipe/SKILL.md` cannot be read: it is not a regular file
        link-outside `tools/out/TOOL.md` is a symbolic link to `../../../x`, outside of the source",
    );
}

#[test]
fn an_invalid_folder_of_items_affects_only_its_kind() {
    check(
        "skills
        agents -> /home
        rules -> nowhere
        tools/t/x",
        "tool:t tools/t
        link-outside `agents` is a symbolic link to `/home`, outside of the source
        dangling-link `rules` is a dangling symbolic link
        no-folder `skills` cannot be searched for items: it is a file",
    );
}

#[test]
fn entries_with_invalid_names_are_not_offered() {
    let mut tree =
        Tree::of("agents/ok.md\nagents/a:b.md\nskills/con/SKILL.md").with_unnamed("agents", "x\u{1b}[2J.md");
    assert_eq!(
        show(tree.discover()),
        "agent:ok agents/ok.md\n\
         unsafe-name `x\\u{1b}[2J.md` in `agents` cannot be the name of an item\n\
         unsafe-name `a:b` cannot be the name of an agent: `:` is forbidden in file names on Windows\n\
         unsafe-name `con` cannot be the name of a skill: it names a device on Windows\n"
    );
}

#[test]
fn a_description_is_only_read_from_front_matter() {
    let mut tree = Tree::of("agents/none.md = Only text.\nagents/empty.md = ---|description:|---|")
        .with_file("agents/long.md", &format!("---\ndescription: here\n---\n{}é", "x".repeat(64 << 10)));
    let found = tree.discover().value;
    let descriptions: Vec<Option<&str>> =
        found.catalog.items.iter().map(|item| item.description.as_deref()).collect();
    assert_eq!(descriptions, [Some(""), Some("here"), None]);
}

#[test]
fn a_tool_has_keys_of_its_own_and_a_default_program() {
    let tool = "tools/a/TOOL.md = ---|bin: run|build: make|install: ./i|uninstall: ./u|description: A|---|
        tools/a/a
        tools/b/b
        tools/c/other
        agents/a.md = ---|bin: run|install: ./i|---|";
    let found = Tree::of(tool).discover().value;
    let [agent, a, b, c] = found.catalog.items.as_slice() else { panic!("four items") };
    assert_eq!((agent.bin.as_deref(), agent.hooks.len()), (None, 0));
    assert_eq!((a.bin.as_deref(), a.build.as_deref()), (Some("run"), Some("make")));
    let hooks: Vec<_> = a.hooks.iter().map(|hook| (hook.event.name(), hook.run.as_str())).collect();
    assert_eq!(hooks, [("install", "./i"), ("uninstall", "./u")]);
    assert_eq!((b.bin.as_deref(), c.bin.as_deref()), (Some("b"), None));
}

#[test]
fn a_user_can_set_the_roots() {
    let tree = "skills/top/SKILL.md\np1/skills/a/SKILL.md\np2/agents/b.md\nln -> ../outside\nin -> p1";
    let with = |roots: &[&str]| {
        let roots = Some(roots.iter().map(|root| (*root).to_owned()).collect());
        show(Tree::of(tree).discover_with(Options { roots, curator_roots: None }))
    };
    assert_eq!(with(&[]), "");
    assert!(with(&["."]).starts_with("skill:top "));
    assert_eq!(with(&["p1", "p2"]).lines().count(), 2);
    assert!(with(&["in"]).starts_with("skill:a p1/skills/a by in/skills/a"));
    for (root, why) in [
        ("nope", "it does not exist"),
        ("/p1", "it must be relative"),
        ("../repo", "it escapes the workspace"),
        ("ln", "it is a symbolic link to `../outside`, outside of the source"),
        ("p2/agents/b.md", "it is a file"),
    ] {
        let expected = format!("invalid-root invalid root `{root}`: {why}\ncannot be used\n");
        assert_eq!(with(&[root]), expected);
    }
    let twice = with(&["p1", "in"]);
    assert!(
        twice.contains("duplicate-item skill `a` is defined twice: in `in/skills/a` and `p1/skills/a`"),
        "{twice}"
    );
    assert!(twice.ends_with("cannot be used\n"));
}

#[test]
fn discovery_takes_few_steps_for_any_size() {
    let mut tree = Tree::default();
    for number in 0..2_000 {
        tree.file(&format!("skills/s{number}/SKILL.md"), "---\ndescription: x\n---\n");
    }
    assert_eq!(tree.discover().value.catalog.items.len(), 2_000);
    assert!(tree.steps <= 5, "{}", tree.steps);
}

#[test]
fn the_number_of_items_is_limited() {
    let mut tree = Tree::default();
    for number in 0..50_000 {
        tree.file(&format!("rules/r{number}.md"), "");
    }
    let found = tree.discover().value;
    assert_eq!((found.catalog.items.len(), found.is_valid), (50_000, true));
    tree.file("rules/more.md", "");
    let found = show(tree.discover());
    assert!(found.contains("it offers more than 50,000 items"), "{found}");
    assert!(found.ends_with("cannot be used\n"));
}
