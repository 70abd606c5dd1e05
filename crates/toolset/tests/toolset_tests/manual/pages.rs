//! What holds for every page.

use minds_core::catalog::find_toolset;
use minds_toolset::manual::{Language, pages};
use minds_toolset::{Code, Toolbox};
use minds_workspace::find_rule;

use crate::manual::{LANGUAGES, all_pages, code_spans, page};

/// The number of bytes that no page passes.
const MAX_BYTES: usize = 24 * 1024;

#[test]
fn pages_are_whole_and_of_bounded_size() {
    for language in LANGUAGES {
        for (path, page) in all_pages(language) {
            assert!(page.starts_with("# ") && page.ends_with('\n') && !page.ends_with("\n\n"), "{path}");
            assert!(!page.contains("{{") && !page.contains("}}"), "{path} has an empty place");
            assert!(page.len() <= MAX_BYTES, "{path} has {} bytes", page.len());
            assert!(!page.contains("\n\n\n"), "{path} has a gap");
            assert_eq!(page.matches("\n```").count() % 2, 0, "{path}");
        }
    }
}

#[test]
fn pages_are_the_same_each_time() {
    for language in LANGUAGES {
        assert_eq!(all_pages(language), all_pages(language));
    }
}

/// What both languages have in common: headings, blocks of code, items of lists, rows of tables, names of places.
fn outline(page: &str) -> Vec<String> {
    let mut outline = Vec::new();
    for line in page.lines() {
        let (mark, _) = line.trim_start().split_once(' ').unwrap_or((line, ""));
        let is_mark = mark.starts_with('#') || mark == "-" || mark.ends_with('.') && mark.len() == 2;
        if line.starts_with("```") || line.starts_with("|---") {
            outline.push(line.to_owned());
        } else if is_mark || mark == "|" {
            outline.push(mark.to_owned());
        }
    }
    outline
}

#[test]
fn both_languages_have_the_same_pages() {
    let pages = all_pages(Language::English).into_iter().zip(all_pages(Language::Chinese));
    for ((path, english), (_, chinese)) in pages {
        assert_eq!(outline(&english), outline(&chinese), "{path}");
        let is_chinese = |page: &str| page.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign));
        assert!(is_chinese(&chinese), "{path}");
        let prose = english.lines().filter(|line| !line.starts_with('|'));
        assert!(!prose.into_iter().any(is_chinese), "{path}");
        // Code is the same in every language, but for what people write.
        let names = |page: &str| -> Vec<String> {
            let mut names = code_spans(page);
            names.retain(|name| {
                name.is_ascii() && !name.contains("lang") && !name.contains("team_mgmt_manual")
            });
            names.sort();
            names
        };
        assert_eq!(names(&english), names(&chinese), "{path}");
    }
}

/// Agents read the manual, and they have no command line.
#[test]
fn no_page_advises_a_command() {
    for (path, page) in LANGUAGES.into_iter().flat_map(all_pages) {
        // Tables are made of the schemas, which describe what a setting does to commands of people.
        let prose: Vec<&str> = page.lines().filter(|line| !line.starts_with('|')).collect();
        let advises = |line: &&&str| line.contains("`minds ") || line.contains(" --");
        assert_eq!(prose.iter().find(advises), None, "{path}");
    }
}

#[test]
fn titles_and_summaries_are_short_sentences() {
    for topic in pages().topics() {
        for language in LANGUAGES {
            let (title, summary) = (topic.title(language), topic.summary(language));
            assert!((3..=60).contains(&title.len()) && !title.contains('#'), "{title}");
            assert!((20..=220).contains(&summary.len()) && summary.ends_with(['.', '。']), "{summary}");
        }
    }
}

#[test]
fn every_topic_is_listed() {
    for language in LANGUAGES {
        let (index, all) = (page(&["index"], language), page(&["topics"], language));
        for topic in pages().topics() {
            let parts: Vec<String> = topic.path().iter().map(|part| format!("\"{part}\"")).collect();
            let row = format!("| `[{}]` | {} |\n", parts.join(", "), topic.summary(language));
            assert!(all.contains(&row), "{row}");
            let is_shown = topic.path().len() == 1 && topic.path() != ["index"];
            assert_eq!(index.contains(&row), is_shown, "{row}");
        }
    }
}

#[test]
fn everything_that_pages_mention_exists() {
    let tools = Toolbox::new();
    let mut counts = [0; 4];
    for (path, page) in LANGUAGES.into_iter().flat_map(all_pages) {
        for name in code_spans(&page) {
            if let Some(call) = name.strip_prefix("team_mgmt_").filter(|name| name.contains('(')) {
                let (tool, args) = call.trim_end_matches(')').split_once('(').unwrap();
                let tool = format!("team_mgmt_{tool}");
                let is_validation =
                    ["team_mgmt_validate_llm_cfg", "team_mgmt_validate_mcp_cfg"].contains(&tool.as_str());
                let builtin = find_toolset("team-mgmt").unwrap().tools.contains(&tool.as_str());
                assert!(tools.has(&tool) || builtin || is_validation, "{path}: there is no tool `{tool}`");
                let args: serde_json::Value =
                    serde_json::from_str(args).unwrap_or_else(|error| panic!("{path}: {args}: {error}"));
                if let Some(asked) = args.get("topics") {
                    exact(&path, asked);
                    counts[0] += 1;
                }
            } else if name.starts_with("[\"") {
                // A topic, or the toolsets of a member.
                let asked = serde_json::from_str(&name).unwrap();
                exact(&path, &asked);
                counts[1] += 1;
            } else if is_rule(&name) {
                assert!(find_rule(&name).is_some(), "{path}: there is no rule `{name}`");
                counts[2] += 1;
            } else if name.contains('_')
                && name.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_')
                && path == "files"
            {
                assert!(Code::all().any(|code| code.as_str() == name), "{path}: there is no code `{name}`");
                counts[3] += 1;
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

/// A list of topics names pages exactly, with nothing left over.
#[track_caller]
fn exact(path: &str, asked: &serde_json::Value) {
    let asked: Vec<&str> = asked.as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
    let found = pages().find(asked.iter().copied()).unwrap_or_else(|unknown| panic!("{path}: {unknown}"));
    let mut named: Vec<&str> = std::iter::once(&found.topic)
        .chain(&found.additional)
        .flat_map(|topic| topic.path().iter().copied())
        .collect();
    named.sort_unstable();
    let mut sorted = asked.clone();
    sorted.sort_unstable();
    let is_short = asked == ["member-properties"];
    assert!(
        found.unknown.is_empty() && (named == sorted || is_short),
        "{path}: {asked:?} is {:?}",
        found.topic.path()
    );
}

fn is_rule(name: &str) -> bool {
    let areas = [
        "access", "allow", "file", "llm", "mcp", "minds", "schema", "secret", "settings", "team", "toml",
        "yaml",
    ];
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-');
    name.split_once('/').is_some_and(|(area, rule)| areas.contains(&area) && plain(rule))
}
