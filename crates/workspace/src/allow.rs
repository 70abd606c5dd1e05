//! Findings that the author of a file has seen and wants to keep: `# minds: allow(CODE) reason`.
//!
//! Such a comment stands behind the line that it is about, or alone above it. It needs a reason, and it must have an
//! effect: a comment that allows nothing hides what somebody will do there later. What is wrong with a file as such (the
//! areas `file` and `yaml`) cannot be allowed.

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Problems, Rule, Severity, SourceFile, Span};
use minds_document::{Document, Snapshot, yaml};

use crate::find_rule;

static WITHOUT_REASON: Rule = Rule {
    code: "file/allow-without-reason",
    summary: "a comment allows a finding and does not say why",
    default_severity: Severity::Warning,
    since: "0.1.0",
    page: include_str!("allow_without_reason.md"),
};

static UNUSED: Rule = Rule {
    code: "file/unused-allow",
    summary: "a comment allows a finding that is not there",
    default_severity: Severity::Warning,
    since: "0.1.0",
    page: include_str!("unused_allow.md"),
};

/// The rules of this module.
pub(crate) static RULES: &[&Rule] = &[&WITHOUT_REASON, &UNUSED];

/// What such a comment begins with, behind the `#` and white space.
const MARK: &str = "minds: allow";

/// One code that a comment allows.
#[derive(Debug)]
struct Allowed {
    code: String,
    span: Span,
    /// The line whose findings are allowed.
    line: u32,
    used: bool,
}

/// Takes away what comments allow, and adds what is wrong with the comments.
pub(crate) fn apply(snapshot: &Snapshot, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut problems = Problems::new();
    for (location, _) in snapshot.iter() {
        let Some(source) = snapshot.source(location, &mut Problems::new()) else { continue };
        if !source.text().is_ok_and(|text| text.contains(MARK)) {
            continue;
        }
        let Some(document) = yaml::parse(&source).value else { continue };
        let mut allowed = comments(&document, &mut problems);
        found.retain(|finding| !is_allowed(finding, &source, &mut allowed));
        for unused in allowed.iter().filter(|allowed| !allowed.used) {
            problems.push(report_unused(&source, unused));
        }
    }
    if !problems.is_empty() {
        let mut by_place: BTreeMap<(String, u32, &str, usize), Diagnostic> = BTreeMap::new();
        for (at, finding) in found.into_iter().chain(problems.into_sorted()).enumerate() {
            let place = finding.primary.as_ref();
            let file = place.map_or_else(String::new, |label| label.source.name().to_owned());
            let start = place.map_or(0, |label| label.span.start());
            by_place.insert((file, start, finding.rule.code, at), finding);
        }
        found = by_place.into_values().collect();
    }
    found
}

fn is_allowed(finding: &Diagnostic, source: &SourceFile, allowed: &mut [Allowed]) -> bool {
    let Some(label) = finding.primary.as_ref().filter(|label| label.source.name() == source.name()) else {
        return false;
    };
    if label.span.end() == 0 || !can_be_allowed(finding.rule) {
        return false;
    }
    let line = source.lines().line_of(label.span.start());
    let mut matching = allowed.iter_mut().filter(|one| one.line == line && one.code == finding.rule.code);
    matching.next().is_some_and(|one| {
        one.used = true;
        true
    })
}

fn can_be_allowed(rule: &Rule) -> bool {
    !matches!(rule.area(), "file" | "yaml")
}

/// Returns what the comments of a document allow, and reports those that cannot be read.
fn comments(document: &Document, problems: &mut Problems) -> Vec<Allowed> {
    let source = document.source();
    let text = source.text().unwrap_or_default();
    let scalars = document.iter().filter(|node| node.scalar_text().is_some());
    let texts: Vec<Span> = scalars.map(minds_document::Node::span).filter(|span| !span.is_empty()).collect();
    let mut allowed: Vec<Allowed> = Vec::new();
    // Comments below each other are about the same line, which is looked for once.
    let mut meant = 0;
    for (at, _) in text.match_indices(MARK) {
        let Some(hash) = text.get(..at).map(|before| before.trim_end_matches([' ', '\t']).len()) else {
            continue;
        };
        let is_comment = hash > 0 && text.as_bytes().get(hash - 1) == Some(&b'#');
        if !is_comment || is_in_text(&texts, offset(hash - 1)) {
            continue;
        }
        let rest = text.get(at + MARK.len()..).unwrap_or_default();
        let rest = rest.split(['\n', '\r']).next().unwrap_or_default();
        let whole = Span::new(offset(at), offset(at + MARK.len() + rest.trim_end().len()));
        let Some((codes, reason)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            problems.push(
                Diagnostic::new(&UNUSED, "this comment allows nothing")
                    .primary(source.label(whole).message("no code in parentheses"))
                    .help("write `# minds: allow(CODE) reason`"),
            );
            continue;
        };
        if reason.trim().is_empty() {
            problems.push(
                Diagnostic::new(&WITHOUT_REASON, "this comment does not say why the finding is allowed")
                    .primary(source.label(whole).message("no reason"))
                    .note("until there is one, nothing is allowed")
                    .help("write the reason behind the parentheses"),
            );
            continue;
        }
        let own = source.lines().line_of(offset(hash - 1));
        if own >= meant {
            meant = line_meant(source, text, offset(hash - 1));
        }
        let line = meant;
        let mut start = at + MARK.len() + 1;
        for code in codes.split(',') {
            let indent = code.len() - code.trim_start().len();
            let span = Span::new(offset(start + indent), offset(start + indent + code.trim().len()));
            allowed.push(Allowed { code: code.trim().to_owned(), span, line, used: false });
            start += code.len() + 1;
        }
    }
    allowed
}

/// Returns whether what stands at `at` belongs to one of the texts, which are in order.
fn is_in_text(texts: &[Span], at: u32) -> bool {
    let next = texts.partition_point(|text| text.start() <= at);
    next.checked_sub(1).and_then(|before| texts.get(before)).is_some_and(|text| at < text.end())
}

/// Returns the line that a comment at `hash` is about: its own, or, if it stands alone, the next one that holds more than a
/// comment.
fn line_meant(source: &SourceFile, text: &str, hash: u32) -> u32 {
    let lines = source.lines();
    let own = lines.line_of(hash);
    let before = text.get(lines.start_of(own) as usize..hash as usize).unwrap_or_default();
    if !before.trim_matches(['\u{feff}', ' ', '\t']).is_empty() {
        return own;
    }
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    (own + 1..=count)
        .find(|line| {
            let rest = text.get(lines.start_of(*line) as usize..).unwrap_or_default();
            let content = rest.split(['\n', '\r']).next().unwrap_or_default().trim();
            !content.is_empty() && !content.starts_with('#')
        })
        .unwrap_or(own)
}

fn report_unused(source: &SourceFile, allowed: &Allowed) -> Diagnostic {
    let label = source.label(allowed.span);
    match find_rule(&allowed.code) {
        None => {
            let rules = crate::rules();
            let codes = rules.iter().map(|rule| rule.code);
            Diagnostic::new(&UNUSED, format!("there is no rule `{}`", allowed.code))
                .primary(label.message("allows nothing"))
                .maybe_help(minds_diagnostics::did_you_mean(&allowed.code, codes))
        }
        Some(rule) if !can_be_allowed(rule) => {
            Diagnostic::new(&UNUSED, format!("`{}` cannot be allowed", allowed.code))
                .primary(label.message("allows nothing"))
                .note("what is wrong with a file as such keeps it from being read")
                .help("remove the comment, and mend the file")
        }
        Some(_) => {
            Diagnostic::new(&UNUSED, format!("`{}` is not found at line {}", allowed.code, allowed.line))
                .primary(label.message("allows nothing"))
                .help("remove the comment")
        }
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use minds_paths::WorkspacePath;

    use super::*;

    const HEAD: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers:\n  a:\n";

    /// Checks the findings of a team: `line:column code`.
    #[track_caller]
    fn check(fields: &str, expected: &[&str]) {
        let path = WorkspacePath::parse(".minds/team.yaml").expect("the path is valid");
        let snapshot = Snapshot::new().with_file(path, format!("{HEAD}{fields}"));
        let found: Vec<String> = crate::check(&snapshot)
            .diagnostics
            .iter()
            .map(|found| {
                let label = found.primary.as_ref().expect("it has a place");
                let start = label.source.range(label.span).start;
                format!("{}:{} {}", start.line - 3, start.column, found.rule.code)
            })
            .collect();
        assert_eq!(found, expected, "{fields}");
    }

    #[test]
    fn behind_the_line_and_above_it() {
        check("    toolsets: [nope]\n", &["1:16 team/unknown-toolset"]);
        check("    toolsets: [nope] # minds: allow(team/unknown-toolset) comes with the app\n", &[]);
        check("    # minds: allow(team/unknown-toolset) comes with the app\n    toolsets: [nope]\n", &[]);
        check("    # minds: allow(team/unknown-toolset) app\n    # why\n\n    toolsets: [nope]\n", &[]);
        check("    #minds: allow(team/unknown-toolset) app\r\n    toolsets: [nope, nada]\r\n", &[]);
    }

    #[test]
    fn several_codes_and_only_what_is_meant() {
        let both =
            "    read_dirs: [., 'a?'] # minds: allow(access/whole-workspace, access/literal-character) yes\n";
        check(both, &[]);
        check(
            "    toolsets: [nope] # minds: allow(team/unknown-tool) wrong code\n",
            &["1:16 team/unknown-toolset", "1:37 file/unused-allow"],
        );
        check(
            "    # minds: allow(team/unknown-toolset) too far away\n    name: x\n    toolsets: [nope]\n",
            &["1:20 file/unused-allow", "3:16 team/unknown-toolset"],
        );
    }

    #[test]
    fn a_reason_is_needed_and_a_code() {
        check(
            "    toolsets: [nope] # minds: allow(team/unknown-toolset)  \n",
            &["1:16 team/unknown-toolset", "1:24 file/allow-without-reason"],
        );
        check("    name: x # minds: allow everything\n", &["1:15 file/unused-allow"]);
        check("    name: x # minds: allow(team/nonsense) why\n", &["1:28 file/unused-allow"]);
    }

    #[test]
    fn what_is_wrong_with_the_file_cannot_be_allowed() {
        check(
            "    name: x\n    name: y # minds: allow(yaml/duplicate-key) on purpose\n",
            &["2:5 yaml/duplicate-key", "2:28 file/unused-allow"],
        );
    }

    #[test]
    fn text_that_looks_like_a_comment_is_none() {
        check(
            "    name: 'x # minds: allow(team/unknown-toolset) y'\n    toolsets: [nope]\n",
            &["2:16 team/unknown-toolset"],
        );
        check(
            "    gofor: |\n      # minds: allow(team/unknown-toolset) y\n    toolsets: [nope]\n",
            &["3:16 team/unknown-toolset"],
        );
    }
}
