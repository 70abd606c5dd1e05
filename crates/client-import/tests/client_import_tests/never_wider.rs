//! No member may read or write what its client denies. The rules of each client are written down again here, as slowly and
//! plainly as possible, and compared with the access lists of the member for many paths.

use minds_access_control::{Access, Policy};
use minds_client_import::ImportedMember;
use minds_core::catalog::Ability;
use minds_vfs::WorkspacePath;
use proptest::prelude::*;

use crate::support::{WORKSPACE, import_files, policy};

/// Paths with names that the patterns below use.
fn paths() -> Vec<String> {
    let names = ["a", "b", "ab", "A", "x.md", "gen"];
    let mut paths: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    for first in names {
        for second in names {
            paths.push(format!("{first}/{second}"));
            for third in ["a", "b", "x.md"] {
                paths.push(format!("{first}/{second}/{third}"));
            }
        }
    }
    paths
}

fn member(files: &[(&str, &str)]) -> Option<ImportedMember> {
    import_files(files).team?.members.into_iter().next()
}

/// Returns whether a member may do something with a path: it has a tool for it, and its lists allow it.
fn may(member: &ImportedMember, policy: &Policy, access: Access, path: &str) -> bool {
    let has = |abilities: &[Ability]| abilities.iter().any(|ability| member.abilities.contains(ability));
    let has_tool = match access {
        Access::Read => has(&[Ability::Read, Ability::Search, Ability::List]),
        Access::Write => has(&[Ability::Edit, Ability::Create]),
    };
    has_tool && policy.check(access, &WorkspacePath::parse(path).unwrap()).is_allowed()
}

/// What a client says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Allow,
    /// It asks because a file says so.
    Ask,
    Deny,
    /// No rule matches.
    Unmatched,
}

fn check(files: &[(&str, &str)], answer: impl Fn(Access, &str) -> Answer) {
    let Some(member) = member(files) else { return };
    let policy = policy(&member);
    for path in paths() {
        for access in [Access::Read, Access::Write] {
            let answered = answer(access, &path);
            let is_limited = matches!(answered, Answer::Deny | Answer::Ask);
            let is_allowed = may(&member, &policy, access, &path);
            assert!(
                !(is_allowed && is_limited),
                "{access:?} `{path}`: {answered:?} in {files:#?}\n{member:#?}"
            );
        }
    }
}

/// Matches as git does: `*` in one name, `**` over several, `?` and `[…]` one character; compared without letter case. A
/// pattern covers what is below.
mod git {
    pub(super) fn covers(pattern: &str, path: &str, workspace: &str, at_any_depth: bool) -> bool {
        let pattern = pattern.to_lowercase();
        let (pattern, path) = match pattern.strip_prefix("//") {
            Some(absolute) => (absolute.to_owned(), format!("{workspace}/{path}")),
            None => (pattern, path.to_owned()),
        };
        let path = path.to_lowercase();
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let anchored = pattern.starts_with('/');
        let stem = pattern.trim_start_matches("./").trim_matches('/');
        // `src/*` and `src/**` match what is below, so some parent of the path.
        let mut segments: Vec<&str> = stem.split('/').collect();
        if !anchored && at_any_depth {
            segments.insert(0, "**");
        }
        (1..=names.len()).any(|length| matches(&segments, &names[..length]))
    }

    fn matches(pattern: &[&str], names: &[&str]) -> bool {
        match (pattern, names) {
            ([], rest) => rest.is_empty(),
            (["**", rest @ ..], _) => (0..=names.len()).any(|skip| matches(rest, &names[skip..])),
            ([first, rest @ ..], [name, below @ ..]) => {
                let (first, name): (Vec<char>, Vec<char>) = (first.chars().collect(), name.chars().collect());
                segment(&first, &name) && matches(rest, below)
            }
            _ => false,
        }
    }

    fn segment(pattern: &[char], name: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['*', rest @ ..] => (0..=name.len()).any(|skip| segment(rest, &name[skip..])),
            ['?', rest @ ..] => !name.is_empty() && segment(rest, &name[1..]),
            ['[', c, d, ']', rest @ ..] => {
                name.first().is_some_and(|n| n == c || n == d) && segment(rest, &name[1..])
            }
            [c, rest @ ..] => name.first() == Some(c) && segment(rest, &name[1..]),
        }
    }
}

/// Matches as opencode does: `*` is any characters, `?` one.
fn crossing(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|skip| crossing(rest, &text[skip..])),
        ['?', rest @ ..] => !text.is_empty() && crossing(rest, &text[1..]),
        [c, rest @ ..] => text.first() == Some(c) && crossing(rest, &text[1..]),
    }
}

fn crosses(pattern: &str, path: &str) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    // A pattern that ends in ` *` also matches without it.
    let without = pattern.strip_suffix(" *").is_some_and(|short| crossing(&chars(short), &chars(path)));
    without || crossing(&chars(pattern), &chars(path))
}

fn git_pattern() -> impl Strategy<Value = String> {
    let segment = prop::sample::select(vec![
        "a", "b", "A", "*", "**", "a*", "*b", "?", "[ab]", "x.md", "*.md", "gen", "a?",
    ]);
    let prefix = prop::sample::select(vec!["", "/", "./", "**/", "//home/me/project/", "//home/**/"]);
    (prefix, prop::collection::vec(segment, 1..4), prop::sample::select(vec!["", "/", "/**", "/*"]))
        .prop_map(|(prefix, segments, end)| format!("{prefix}{}{end}", segments.join("/")))
}

fn crossing_pattern() -> impl Strategy<Value = String> {
    let segment = prop::sample::select(vec![
        "a", "b", "A", "*", "**", "a*", "*b", "?", "a*b", "x.md", "*.md", "*d*", "gen", "a *",
    ]);
    prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("/"))
}

#[derive(Clone, Debug)]
struct ClaudeRule {
    list: &'static str,
    tool: &'static str,
    path: String,
}

fn claude_rules() -> impl Strategy<Value = Vec<ClaudeRule>> {
    let list = prop::sample::select(vec!["allow", "ask", "deny"]);
    let tool = prop::sample::select(vec!["Read", "Edit"]);
    let rule = (list, tool, git_pattern()).prop_map(|(list, tool, path)| ClaudeRule { list, tool, path });
    prop::collection::vec(rule, 0..5)
}

/// Deny, then ask, then allow; the first that matches. What may not be read is not written.
fn claude_answer(rules: &[ClaudeRule], mode: &str, access: Access, path: &str) -> Answer {
    let matches = |rule: &&ClaudeRule| {
        let governs = rule.tool == "Read" && (access == Access::Read || rule.list == "deny")
            || rule.tool == "Edit" && access == Access::Write;
        governs && git::covers(&rule.path, path, WORKSPACE, rule.list != "allow")
    };
    let has = |list: &str| rules.iter().filter(|rule| rule.list == list).any(|rule| matches(&rule));
    if has("deny") {
        Answer::Deny
    } else if has("ask") {
        Answer::Ask
    } else if has("allow") {
        Answer::Allow
    } else if mode == "dontAsk" && access == Access::Write {
        Answer::Deny
    } else {
        Answer::Unmatched
    }
}

/// The last rule that matches wins; if none matches, the built-in rule allows.
fn opencode_answer(rules: &[(String, &'static str)], path: &str) -> Answer {
    match rules.iter().rev().find(|(pattern, _)| crosses(pattern, path)) {
        Some((_, "allow")) => Answer::Allow,
        Some((_, "ask")) => Answer::Ask,
        Some(_) => Answer::Deny,
        None => Answer::Unmatched,
    }
}

fn opencode_rules() -> impl Strategy<Value = Vec<(String, &'static str)>> {
    let action = prop::sample::select(vec!["allow", "ask", "deny"]);
    let pattern = prop_oneof![1 => Just("*".to_owned()), 4 => crossing_pattern()];
    let rules = prop::collection::vec((pattern, action), 0..5);
    // A key exists once in a mapping.
    rules.prop_map(|mut rules| {
        let mut seen = std::collections::BTreeSet::new();
        rules.retain(|(pattern, _): &(String, &str)| seen.insert(pattern.clone()));
        rules
    })
}

#[derive(Clone, Debug)]
struct GeminiRule {
    tools: &'static [&'static str],
    pattern: Option<String>,
    decision: &'static str,
    priority: u16,
}

fn gemini_rules() -> impl Strategy<Value = Vec<GeminiRule>> {
    let head = prop::sample::select(vec![
        "_path\":\"",
        "\"file_path\":\"",
        "\"dir_path\":\"",
        "\"(file_path|dir_path)\":\"",
        "file_path\":\"",
        "x",
    ]);
    let name = prop::sample::select(vec![
        "a",
        "b",
        "A",
        "[aA]",
        "[^\"]*",
        "[^\"/]*",
        "a[^\"/]*",
        "x\\.md",
        "[^\"]*\\.md",
        "gen",
        "(a|b)",
        "a+",
        "\\.\\.?",
    ]);
    let end = prop::sample::select(vec!["", "/", "\"", "[/\"]", "$"]);
    let pattern = (head, prop::collection::vec(name, 0..3), end)
        .prop_map(|(head, names, end)| format!("{head}{}{end}", names.join("/")));
    let tools: Vec<&'static [&'static str]> = vec![
        &["*"],
        &["read_file", "list_directory"],
        &["write_file", "replace"],
        &["read_file"],
        &["replace"],
    ];
    let decision = prop::sample::select(vec!["allow", "deny", "ask_user"]);
    let priority = prop::sample::select(vec![100_u16, 200, 300, 900]);
    let rule = (prop::sample::select(tools), prop::option::weighted(0.8, pattern), decision, priority);
    let rule = rule.prop_map(|(tools, pattern, decision, priority)| GeminiRule {
        tools,
        pattern,
        decision,
        priority,
    });
    prop::collection::vec(rule, 0..6)
}

/// The rule with the highest priority decides about each tool; the strictest answer counts, since a list is about all of them.
fn gemini_answer(rules: &[(&GeminiRule, Option<regex::Regex>)], access: Access, path: &str) -> Answer {
    let calls = match access {
        Access::Read => [("read_file", "{\"file_path\":\"@\"}"), ("list_directory", "{\"dir_path\":\"@\"}")],
        Access::Write => [
            ("write_file", "{\"content\":\"\",\"file_path\":\"@\"}"),
            ("replace", "{\"file_path\":\"@\",\"new_string\":\"\",\"old_string\":\"\"}"),
        ],
    };
    let answers = calls.map(|(tool, form)| {
        let arguments = form.replace('@', path);
        let applies = |(rule, pattern): &&(&GeminiRule, Option<regex::Regex>)| {
            (rule.tools == ["*"] || rule.tools.contains(&tool))
                && pattern.as_ref().is_none_or(|pattern| pattern.is_match(&arguments))
        };
        let found = rules.iter().rev().filter(applies).max_by_key(|(rule, _)| rule.priority);
        match found.map(|(rule, _)| rule.decision) {
            Some("allow") => Answer::Allow,
            Some("ask_user") => Answer::Ask,
            Some(_) => Answer::Deny,
            None => Answer::Unmatched,
        }
    });
    let stricter = |answer: &&Answer| matches!(answer, Answer::Deny | Answer::Ask);
    *answers.iter().find(stricter).unwrap_or(&answers[0])
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn members_of_claude_code_may_not_do_what_it_denies(
        rules in claude_rules(),
        mode in prop::sample::select(vec!["default", "dontAsk", "acceptEdits"]),
    ) {
        let list = |list: &str| {
            let rules = rules.iter().filter(|rule| rule.list == list);
            rules.map(|rule| quoted(&format!("{}({})", rule.tool, rule.path))).collect::<Vec<_>>().join(", ")
        };
        let settings = format!(
            "{{\"model\": \"sonnet\", \"permissions\": {{\"defaultMode\": \"{mode}\", \"deny\": [{}], \"ask\": [{}], \"allow\": [{}]}}}}",
            list("deny"), list("ask"), list("allow")
        );
        let agent = "---\nname: a\ndescription: b\n---\n";
        check(&[(".claude/agents/a.md", agent), (".claude/settings.json", &settings)], |access, path| {
            claude_answer(&rules, mode, access, path)
        });
    }

    #[test]
    fn members_of_opencode_may_not_do_what_it_denies(read in opencode_rules(), edit in opencode_rules()) {
        let map = |rules: &[(String, &str)]| {
            let entries = rules.iter().map(|(pattern, action)| format!("{}: {action}", quoted(pattern)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        };
        let agent = format!("---\ndescription: b\npermission:\n  read: {}\n  edit: {}\n---\n", map(&read), map(&edit));
        check(&[(".opencode/agents/a.md", &agent), ("opencode.json", "{\"model\": \"anthropic/claude-sonnet-4-5\"}")], |access, path| {
            opencode_answer(if access == Access::Read { &read } else { &edit }, path)
        });
    }

    /// Cursor denies what the documentation or the program denies: with `*` in one name, or with `*` over several.
    #[test]
    fn members_of_cursor_may_not_do_what_it_denies(
        read in prop::collection::vec(crossing_pattern(), 0..3),
        write in prop::collection::vec(crossing_pattern(), 0..3),
    ) {
        let rules = |tool: &str, patterns: &[String]| -> Vec<String> {
            patterns.iter().map(|pattern| quoted(&format!("{tool}({pattern})"))).collect()
        };
        let deny = [rules("Read", &read), rules("Write", &write)].concat().join(", ");
        let settings = format!("{{\"permissions\": {{\"allow\": [], \"deny\": [{deny}]}}}}");
        check(&[(".cursor/agents/a.md", "---\nname: a\n---\nText.\n"), (".cursor/cli.json", &settings)], |access, path| {
            let patterns = if access == Access::Read { &read } else { &write };
            let denies = |pattern: &String| {
                git::covers(pattern, path, WORKSPACE, false) || crosses(pattern, path) || crosses(pattern, &format!("{WORKSPACE}/{path}"))
            };
            if patterns.iter().any(denies) { Answer::Deny } else { Answer::Unmatched }
        });
    }

    /// In a profile of Codex the most specific path wins.
    #[test]
    fn members_of_codex_may_not_do_what_it_denies(
        base in prop::sample::select(vec!["", ":read-only", ":workspace"]),
        rules in prop::collection::btree_map(
            prop::collection::vec(prop::sample::select(vec!["a", "b", "gen"]), 1..4).prop_map(|names| names.join("/")),
            prop::sample::select(vec!["read", "write", "deny"]),
            0..5,
        ),
    ) {
        let extends = if base.is_empty() { String::new() } else { format!("extends = \"{base}\"\n") };
        let entries: String = rules.iter().map(|(path, level)| format!("{} = \"{level}\"\n", quoted(path))).collect();
        let config = format!(
            "default_permissions = \"p\"\n[permissions.p]\n{extends}[permissions.p.filesystem.\":workspace_roots\"]\n{entries}"
        );
        let role = "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = \"c\"\n";
        check(&[(".codex/agents/a.toml", role), (".codex/config.toml", &config)], |access, path| {
            let covering = rules.iter().filter(|(rule, _)| path == rule.as_str() || path.starts_with(&format!("{rule}/")));
            let level = covering.max_by_key(|(rule, _)| rule.len()).map_or(
                match base { ":read-only" => "read", ":workspace" => "write", _ => "deny" },
                |(_, level)| *level,
            );
            match (access, level) {
                (Access::Read, "read" | "write") | (Access::Write, "write") => Answer::Allow,
                _ => Answer::Deny,
            }
        });
    }

    #[test]
    fn members_of_gemini_may_not_read_what_it_ignores(patterns in prop::collection::vec(git_pattern(), 0..4)) {
        let ignored: String = patterns.iter().map(|pattern| format!("{pattern}\n")).collect();
        let agent = "---\nname: a\ndescription: b\n---\nText.\n";
        check(&[(".gemini/agents/a.md", agent), (".geminiignore", &ignored)], |access, path| {
            let is_ignored = |pattern: &String| {
                let stem = pattern.trim_start_matches('/').trim_end_matches('/');
                !pattern.starts_with("//") && git::covers(pattern, path, WORKSPACE, !stem.contains('/'))
            };
            let denies = access == Access::Read && patterns.iter().any(is_ignored);
            if denies { Answer::Deny } else { Answer::Unmatched }
        });
    }

    #[test]
    fn members_of_gemini_may_not_do_what_its_policies_deny(rules in gemini_rules()) {
        let policy: String = rules.iter().map(|rule| {
            let pattern = rule.pattern.as_ref().map_or_else(String::new, |pattern| format!("argsPattern = '{pattern}'\n"));
            format!("[[rule]]\ntoolName = {:?}\n{pattern}decision = \"{}\"\npriority = {}\n", rule.tools, rule.decision, rule.priority)
        }).collect();
        let agent = "---\nname: a\ndescription: b\ntools: [read_file, list_directory, write_file, replace]\n---\nText.\n";
        let settings = "{\"policyPaths\": [\"~/.gemini/policies\", \".gemini/p.toml\"]}";
        let files = [(".gemini/agents/a.md", agent), (".gemini/settings.json", settings), (".gemini/p.toml", &policy)];
        let compiled: Vec<_> = rules.iter().map(|rule: &GeminiRule| {
            (rule, rule.pattern.as_deref().map(|pattern| regex::Regex::new(pattern).unwrap()))
        }).collect();
        check(&files, |access, path| gemini_answer(&compiled, access, path));
    }
}
