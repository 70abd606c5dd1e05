//! Discovery by the patterns of `[discover]`.

use minds_sources::discovery::Options;

use crate::discovery::tree::{Tree, show};

/// A repository with items at unusual paths.
const TREE: &str = "skills/conv/SKILL.md
    packages/a/skill/SKILL.md = ---|name: alpha|---|
    packages/b/skill/SKILL.md = ---|description: of b|---|
    packages/internal/skill/SKILL.md
    packages/a/tool/run
    packages/a/tool/TOOL.md
    agents/x.md
    agents/deep/er/y.md
    agents/notes.txt
    agents/.hid.md
    rules/r.md
    .git/agents/g.md
    node_modules/m/agents/n.md
    .claude/skills/s/SKILL.md";

#[track_caller]
fn check(discover: &str, expected: &str) {
    let manifest = format!("[discover]\n{discover}\n");
    let found = show(Tree::of(TREE).with_file("mind.toml", &manifest).discover());
    let expected: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, expected.trim_start(), "{discover}");
}

#[test]
fn the_example_in_the_format_documentation_is_correct() {
    check(
        "skills = { include = [\"packages/*/skill\"], exclude = [\"packages/internal/*\"] }
        agents = { include = [\"agents/**/*.md\"] }
        rules  = { include = [\"rules/*.md\"] }
        tools  = { include = [\"packages/*/tool\"] }",
        "skill:alpha packages/a/skill
        skill:skill packages/b/skill \"of b\"
        agent:y agents/deep/er/y.md
        agent:x agents/x.md
        rule:r rules/r.md
        tool:tool packages/a/tool \"packages/a/tool/TOOL.md\"
        passed-over the agent `agents/.hid.md` is not offered: its name is hidden, or the name of a vendored folder",
    );
}

#[test]
fn an_include_pattern_disables_the_convention() {
    check("rules = { include = [\"rules/*.md\"] }", "rule:r rules/r.md");
    check("agents = { include = [\"nope/*.md\"] }", "");
    let found =
        show(Tree::of(TREE).with_file("mind.toml", "[discover]\nagents = { include = [] }\n").discover());
    assert_eq!(found.lines().filter(|line| line.starts_with("skill:conv")).count(), 1, "{found}");
}

#[test]
fn wildcards_match_within_a_name_and_two_stars_match_folders() {
    check("agents = { include = [\"agents/?.md\"] }", "agent:x agents/x.md");
    check("agents = { include = [\"agents/[w-x].md\", \"agents/[!a].txt\"] }", "agent:x agents/x.md");
    check("agents = { include = [\"agents/{x,y}.md\"] }", "");
    check("agents = { include = [\"agents/X.md\"] }", "");
    check("agents = { include = [\"agents/*.txt\"] }", "agent:notes agents/notes.txt");
    check(
        "agents = { include = [\"agents/x.md\", \"agents/*.md\", \"**/x.md\"], exclude = [\"**/.*\"] }",
        "agent:x agents/x.md",
    );
    check(
        "tools = { include = [\"packages/*/tool/\"] }",
        "tool:tool packages/a/tool \"packages/a/tool/TOOL.md\"",
    );
    check("rules = { include = [\"**/**/r.md\"] }", "rule:r rules/r.md");
    // At the end they match the content of a folder, and not that folder.
    check("tools = { include = [\"agents/**\"] }", "tool:deep agents/deep\ntool:er agents/deep/er");
    check("tools = { include = [\"agents/deep/er/**\"] }", "");
    check("tools = { include = [\"rules/r.md/**\"] }", "");
    check("skills = { include = [\"skills/**\"] }", "skill:conv skills/conv \"skills/conv/SKILL.md\"");
}

#[test]
fn hidden_and_vendored_names_must_be_literal() {
    check("agents = { include = [\"**/g.md\", \".git/agents/*.md\", \"**/n.md\"] }", "");
    check("agents = { include = [\"node_modules/*/agents/*.md\"] }", "agent:n node_modules/m/agents/n.md");
    check(
        "skills = { include = [\".claude/skills/*\"] }",
        "skill:s .claude/skills/s \".claude/skills/s/SKILL.md\"",
    );
    check(
        "agents = { include = [\"agents/.*.md\"] }",
        "unsafe-name `.hid` cannot be the name of an agent: it begins with a dot",
    );
}

#[test]
fn an_excluded_folder_is_excluded_with_its_content() {
    for exclude in [
        "packages",
        "packages/*",
        "packages/*/*",
        "**/skill",
        "packages/**",
        "**/SKILL.md",
        "packages/*/skill/SKILL.md",
    ] {
        let lists = format!("skills = {{ include = [\"packages/*/skill\"], exclude = [\"{exclude}\"] }}");
        check(&lists, "");
    }
    check(
        "skills = { include = [\"packages/*/skill\"], exclude = [\"packages/[a-b]\"] }",
        "skill:skill packages/internal/skill \"packages/internal/skill/SKILL.md\"",
    );
    check(
        "agents = { include = [\"agents/**/*.md\"], exclude = [\"agents/deep\", \"agents/.*\"] }",
        "agent:x agents/x.md",
    );
}

#[test]
fn a_skill_is_found_by_its_folder_and_by_its_file() {
    for include in [
        "packages/a/skill",
        "packages/a/*/SKILL.md",
        "**/a/skill/SKILL.md",
        "packages/a/skill\", \"packages/*/skill/SKILL.md",
    ] {
        let lists = format!(
            "skills = {{ include = [\"{include}\"], exclude = [\"packages/b\", \"packages/internal\"] }}"
        );
        let name = if include == "packages/a/*/SKILL.md" { "skill" } else { "alpha" };
        check(&lists, &format!("skill:{name} packages/a/skill"));
    }
    check("skills = { include = [\"skills/*\"] }", "skill:conv skills/conv \"skills/conv/SKILL.md\"");
    check(
        "skills = { include = [\"packages/a/*\"] }",
        "skill:skill packages/a/skill
        unfit-match `packages/a/tool` matches a pattern for skills, but it does not contain a `SKILL.md`",
    );
}

#[test]
fn a_match_of_another_kind_is_not_offered() {
    check(
        "agents = { include = [\"packages/a\"] }",
        "unfit-match `packages/a` matches a pattern for agents, but an agent is a file",
    );
    check(
        "tools = { include = [\"packages/a/tool/run\"] }",
        "unfit-match `packages/a/tool/run` matches a pattern for tools, but a tool is a folder",
    );
}

#[test]
fn duplicate_names_are_an_error_with_both_paths() {
    let twice = "`packages/a/skill` and `packages/b/skill`";
    check(
        "tools = { include = [\"packages/[a-b]/skill\"] }",
        &format!(
            "tool:skill packages/a/skill
            tool:skill packages/b/skill
            duplicate-item tool `skill` is defined twice: in {twice}
            cannot be used"
        ),
    );
    // Without a name in the front matter, the skill has the name of its folder.
    check(
        "skills = { include = [\"packages/*/skill\"] }",
        "skill:alpha packages/a/skill
        skill:skill packages/b/skill \"of b\"
        skill:skill packages/internal/skill \"packages/internal/skill/SKILL.md\"
        duplicate-item skill `skill` is defined twice: in `packages/b/skill` and `packages/internal/skill`
        cannot be used",
    );
}

#[test]
fn links_are_followed_but_not_by_two_stars() {
    let tree = |include: &str| {
        let manifest = format!("[discover]\nagents = {{ include = [\"{include}\"] }}\n");
        let lines =
            "real/a.md\nloop -> .\nm -> .\nln -> real\nout -> /etc\nfile.md -> real/a.md\nescape.md -> ../x";
        show(Tree::of(lines).with_file("mind.toml", &manifest).discover())
    };
    assert_eq!(tree("ln/*.md"), "agent:a real/a.md by ln/a.md\n");
    assert_eq!(tree("loop/loop/real/*.md"), "agent:a real/a.md by loop/loop/real/a.md\n");
    let all = tree("**/*.md");
    assert!(
        all.starts_with("agent:file real/a.md by file.md\nagent:a real/a.md\nlink-outside `escape.md`"),
        "{all}"
    );
    assert_eq!(all.lines().count(), 3, "{all}");
    assert!(
        tree("*/passwd").contains("link-outside `out` is a symbolic link to `/etc`, outside of the source")
    );
}

#[test]
fn expensive_patterns_are_stopped_early() {
    let mut tree = Tree::default();
    for number in 0..1_500 {
        tree.file(&format!("{}{number}.md", "a".repeat(200)), "");
    }
    let pattern = format!("\"{}b\"", "*a".repeat(200));
    let manifest = format!("[discover]\nagents = {{ include = [{}] }}\n", [pattern.as_str(); 200].join(", "));
    let found = show(tree.with_file("mind.toml", &manifest).discover());
    assert!(found.contains("too-large the source is too large"), "{found}");

    for (count, is_too_large) in [(256, false), (257, true)] {
        for list in ["include", "exclude"] {
            let many = vec!["\"b/*.md\""; count].join(", ");
            let other = if list == "include" { "exclude = []" } else { "include = [\"*.md\"]" };
            let manifest = format!("[discover]\nagents = {{ {list} = [{many}], {other} }}\n");
            let found = show(Tree::of("a.md").with_file("mind.toml", &manifest).discover());
            assert_eq!(found.contains("a list has more than 256 patterns"), is_too_large, "{list}: {found}");
        }
    }

    let deep = format!("{}x.md", "d/".repeat(100));
    let manifest = "[discover]\nagents = { include = [\"**/*.md\"] }\n";
    let found = show(Tree::of(&deep).with_file("mind.toml", manifest).discover_with(Options::default()));
    assert!(found.contains("more than 64 levels deep"), "{found}");
}
