//! The examples on the pages of rules are true: the bad one gives the finding, the good one gives nothing.

use crate::support;
use crate::support::render;

use std::fs;
use std::path::Path;

use minds_diagnostics::{Origin, Rule};
use minds_operations::CheckRequest;
use minds_workspace::rules;

/// A file of an example: its path in the workspace and its bytes.
type File = (String, Vec<u8>);

/// Returns the files of the examples of one kind on a page.
fn files(rule: &Rule, kind: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut blocks = rule.page.split("\n```").skip(1);
    while let Some(block) = blocks.next() {
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        // The end of the block is the start of the next piece.
        let _ = blocks.next();
        let mut words = info.split_whitespace().skip(1);
        if words.next() != Some(kind) {
            continue;
        }
        let (mut path, mut bytes) = (".minds/team.yaml".to_owned(), body.as_bytes().to_vec());
        for word in words {
            if let Some(file) = word.strip_prefix("file=") {
                file.clone_into(&mut path);
            } else {
                assert_eq!(word, "escaped", "{}: {info}", rule.code);
                bytes = unescape(body);
            }
        }
        bytes.push(b'\n');
        files.push((path, bytes));
    }
    files
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, rest) {
            (b'\\', [b't', tail @ ..]) => {
                bytes.push(b'\t');
                rest = tail;
            }
            (b'\\', [b'x', high, low, tail @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("two digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
                rest = tail;
            }
            (b'\\', [b'\\', tail @ ..]) => {
                bytes.push(b'\\');
                rest = tail;
            }
            _ => bytes.push(*first),
        }
    }
    bytes
}

/// Returns what is found in an example; what depends on the machine is asked for where it is what the rule is about.
fn codes(rule: &Rule, files: &[File]) -> Vec<&'static str> {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    for (path, bytes) in files {
        let path = workspace.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
    if rule.area() == "service" {
        let request = files.iter().find(|(path, _)| path == "render.txt").expect("it says what is rendered");
        let request = String::from_utf8(request.1.clone()).expect("a page is valid UTF-8");
        let report = render::rendered(workspace.path(), &request);
        return report.diagnostics.iter().map(|found| found.rule.code).collect();
    }
    if rule.name().starts_with("journal-") {
        // No check of a workspace compares a package with its journal.
        let root =
            minds_fs::Root::open(workspace.path(), minds_vfs::MountId::WORKSPACE).expect("it can be opened");
        let tasks = minds_task_store::Tasks::open(&root).expect("it says where tasks lie");
        let report = tasks.find(None).and_then(|package| package.verify()).expect("the package can be read");
        return report.diagnostics.iter().map(|found| found.rule.code).collect();
    }
    if let Some((target, allow_wider)) = target_of(rule) {
        let codes = render::rendered_for_agents(workspace.path(), target, allow_wider);
        // What a client does not have is named in any case.
        let is_accompanying = |code: &str| {
            code != rule.code
                && ["render/narrower", "render/no-counterpart", "render/other-readers"].contains(&code)
        };
        return codes.into_iter().filter(|code| !is_accompanying(code)).collect();
    }
    if rule.area() == "render" {
        // Only rendering asks what can be put into the files of clients. Some client has no references to variables, and
        // some client is being retired.
        let is_accompanying = |code: &str| {
            code != rule.code && ["render/cannot-express", "render/retired-client"].contains(&code)
        };
        let report = render::rendered_for_clients(workspace.path());
        let codes = report.diagnostics.iter().map(|found| found.rule.code);
        return codes.filter(|code| !is_accompanying(code)).collect();
    }
    if rule.area() == "import" {
        // Only an import asks what a team has no place for.
        return support::import::import_codes(workspace.path());
    }
    if minds_sources::review::is_found_by_review(rule) {
        let reviewed = minds_installer::review(workspace.path(), Path::new("."), None);
        let report = reviewed.expect("the source can be read").report;
        return report.diagnostics.iter().map(|found| found.rule.code).collect();
    }
    let nothing_is_set = minds_workspace::Host::default();
    let host = (rule.name() == "unset-variable").then_some(&nothing_is_set);
    let request = CheckRequest { host, ..CheckRequest::new(workspace.path()) };
    let outcome = minds_operations::check(&request).expect("the workspace can be read");
    assert!(outcome.nothing.is_none(), "{:?}", outcome.nothing);
    let codes = outcome.report.diagnostics.iter().map(|found| found.rule.code);
    // Examples of other rules may grant toolsets that only another runtime provides.
    codes.filter(|code| *code == rule.code || *code != "team/toolset-without-tools").collect()
}

/// Returns the target for which the team of an example is rendered, as its page says, and who may be wider.
fn target_of(rule: &Rule) -> Option<(&'static str, &'static [&'static str])> {
    Some(match rule.code {
        "render/member-left-out" => ("agents:codex", &[]),
        "render/narrower" => ("permissions:claude-code", &[]),
        "render/no-counterpart" => ("agents:claude-code", &[]),
        "render/same-file" => ("agents:cursor", &[]),
        "render/wider" => ("agents:codex", &["coder"]),
        _ => return None,
    })
}

/// The rules whose examples would be too long, are not text, or depend on permissions; fixtures show them.
const LONG: &[&str] = &[
    "access/uncompared-lists",
    "client/long-context",
    "client/over-limit",
    "file/more-problems",
    "file/untrusted",
    // Its second example is for another target.
    "render/other-readers",
    "source/dangling-link",
    "source/duplicate-tooling",
    "source/executable",
    "source/link-outside",
    "source/too-large",
    "source/unreadable-item",
    "source/unusable-content",
    "task/cut-section",
    "task/over-budget",
    "task/too-large",
    "task/too-many-entries",
    "task/unindexed-sections",
];

#[test]
fn examples_are_true() {
    for rule in rules() {
        if LONG.contains(&rule.code) {
            continue;
        }
        let (bad, good) = (files(rule, "bad"), files(rule, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{} lacks an example", rule.code);
        let mut found = codes(rule, &bad);
        found.dedup();
        match rule.origin {
            Origin::Files => assert_eq!(found, [rule.code], "the bad example of {}", rule.code),
            // What is wrong appears when the servers run.
            Origin::RunTime => {
                assert!(!found.contains(&rule.code), "{} is found in files", rule.code);
                let explains = rule.code == "mcp/workspace-config-error";
                assert_eq!(found.is_empty(), !explains, "the bad example of {}: {found:?}", rule.code);
            }
        }
        assert_eq!(codes(rule, &good), Vec::<&str>::new(), "the good example of {}", rule.code);
    }
}
