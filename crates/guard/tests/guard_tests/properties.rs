//! The guard never allows what a policy denies.

use minds_access_control::{Access, Policy};
use minds_guard::{ClientId, Event, Outcome};
use minds_vfs::WorkspacePath;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Memory, ROOT, TestMember, judge, request};

const NAMES: [&str; 12] =
    ["a", "b", "A", "src", "x.tsk", ".minds", ".git", "caf\u{e9}", "cafe\u{301}", "s.rs", "link", "deep"];

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let segment = prop::sample::select(vec!["a", "b", "src", "caf\u{e9}", "*", "**", "s*", "deep"]);
    let pattern = prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("/"));
    prop::collection::vec(pattern, 0..3)
}

fn policies() -> impl Strategy<Value = Policy> {
    [patterns(), patterns(), patterns(), patterns()].prop_map(|[read, no_read, write, no_write]| {
        let mut policy = Policy::builder();
        for (access, allowed, denied) in [(Access::Read, read, no_read), (Access::Write, write, no_write)] {
            for pattern in &allowed {
                policy = policy.allow(access, pattern).expect("the pattern is valid");
            }
            for pattern in &denied {
                policy = policy.deny(access, pattern).expect("the pattern is valid");
            }
        }
        policy.build()
    })
}

fn segments() -> impl Strategy<Value = Vec<&'static str>> {
    let mut names = NAMES.to_vec();
    names.extend(["..", ".", ""]);
    prop::collection::vec(prop::sample::select(names), 1..6)
}

/// Resolves a path as the system does: link by link, and `..` after the link.
fn real(links: &[(&str, &str)], path: &str) -> String {
    let mut real: Vec<&str> = Vec::new();
    let mut ahead: Vec<&str> = path.split('/').rev().collect();
    while let Some(name) = ahead.pop() {
        match name {
            "" | "." => continue,
            ".." => {
                real.pop();
                continue;
            }
            name => real.push(name),
        }
        let at = format!("/{}", real.join("/"));
        if let Some((_, target)) = links.iter().find(|(link, _)| format!("{ROOT}/{link}") == at) {
            real.pop();
            ahead.extend(target.split('/').rev());
        }
    }
    format!("/{}", real.join("/"))
}

/// Returns whether a policy allows an access to an absolute path.
fn allows(policy: &Policy, access: Access, absolute: &str) -> bool {
    let inside =
        absolute.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/').or(rest.is_empty().then_some("")));
    inside.is_some_and(|inside| {
        WorkspacePath::normalize(inside).is_ok_and(|path| policy.check(access, &path).is_allowed())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]

    /// For any lists, links and spellings: if a call is allowed, the policy allows the path that the system opens, and the path
    /// that a program opens which resolves `..` first.
    #[test]
    fn a_call_that_is_allowed_is_allowed_by_the_policy(
        policy in policies(),
        path in segments(),
        target in prop::sample::select(vec!["a", "../b", "src/deep", "..", "../outside", "b/../a"]),
        is_absolute in any::<bool>(),
        way in 0_usize..6,
    ) {
        let path = path.join("/");
        let path = if is_absolute { format!("{ROOT}/{path}") } else { path };
        let links = [("link", target), ("a/link", target)];
        let memory = Memory::new(&links, &["a", "b", "src"]);
        let (tool, access, arguments) = match way {
            0 => ("Read", Access::Read, json!({ "file_path": path })),
            1 => ("Write", Access::Write, json!({ "file_path": path })),
            2 => ("Bash", Access::Read, json!({ "command": format!("cat '{path}'") })),
            3 => ("Bash", Access::Write, json!({ "command": format!("true; echo x >'{path}'") })),
            4 => ("Bash", Access::Write, json!({ "command": format!("rm -rf \"{path}\" | cat") })),
            _ => ("Grep", Access::Read, json!({ "path": path })),
        };
        let member = TestMember { id: "m", policy: policy.clone(), servers: &[], lacks: &[] };
        if judge(&memory, member, tool, &arguments) == Outcome::Allow {
            let joined = format!("{ROOT}/{path}");
            let joined = if is_absolute { path.clone() } else { joined };
            let lexical = real(&[], &joined);
            for opened in [real(&links, &joined), real(&links, &lexical), lexical] {
                prop_assert!(allows(&policy, access, &opened), "{} {}: {}", tool, arguments, opened);
                // A search and a removal reach what is below a directory.
                if way >= 4 && memory.directories.contains(&opened) {
                    for name in NAMES.iter().filter(|name| !["x.tsk", ".git"].contains(name)) {
                        for below in [format!("{opened}/{name}"), format!("{opened}/{name}/deep")] {
                            prop_assert!(allows(&policy, access, &below), "{} {}: {}", tool, arguments, below);
                        }
                    }
                }
            }
        }
    }
}

proptest! {
    /// Any bytes are answered, and what is not an event is denied by every client.
    #[test]
    fn invalid_events_are_denied(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for client in ClientId::ALL {
            prop_assert!(Event::parse(client, &bytes).is_err());
            let answer = minds_guard::refuse(client, "x");
            prop_assert!(answer.exit_code == 2 || answer.stdout.contains("deny"));
        }
    }

    /// Any command line is answered.
    #[test]
    fn any_command_is_judged(command in "[a-c /|&;<>'\"\\\\$`(){}*?~#!=\n0-9-]{0,60}") {
        let member = TestMember { id: "m", policy: Policy::builder().build(), servers: &[], lacks: &[] };
        judge(&Memory::new(&[], &[]), member, "Bash", &json!({ "command": command }));
    }
}

#[test]
fn a_call_must_be_allowed_for_all_members() {
    let memory = Memory::new(&[], &[]);
    let event = json!({
        "hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": "Write", "tool_input": { "file_path": "docs/a" },
    });
    let event = Event::parse(ClientId::ClaudeCode, event.to_string().as_bytes()).unwrap();
    let judge = |members: &[&str]| {
        let mut members: Vec<Box<dyn minds_guard::Member>> = members
            .iter()
            .map(|directory| {
                let policy = Policy::builder().allow(Access::Write, directory).unwrap().build();
                Box::new(TestMember { id: "m", policy, servers: &[], lacks: &[] })
                    as Box<dyn minds_guard::Member>
            })
            .collect();
        minds_guard::judge(&request(ClientId::ClaudeCode, &memory), &event, &mut members).outcome()
    };
    assert_eq!(judge(&["docs"]), Outcome::Allow);
    assert_eq!(judge(&["docs", "src"]), Outcome::Deny);
    assert_eq!(judge(&[]), Outcome::Deny);
}
