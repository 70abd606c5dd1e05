//! A workspace in memory, and members with policies.

use std::collections::BTreeMap;

use minds_access_control::{Access, Policy};
use minds_guard::{Answer, ClientId, Event, Kind, Member, Outcome, Request, ShellPolicy, Surroundings};
use minds_vfs::WorkspacePath;

pub(crate) const ROOT: &str = "/ws";

/// A workspace in memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The links, by their absolute paths.
    pub(crate) links: BTreeMap<String, String>,
    pub(crate) directories: Vec<String>,
    pub(crate) packages: Vec<WorkspacePath>,
    pub(crate) servers: Vec<String>,
}

impl Memory {
    /// Returns a workspace with links and directories below the root.
    pub(crate) fn new(links: &[(&str, &str)], directories: &[&str]) -> Self {
        let absolute = |path: &str| format!("{ROOT}/{path}").trim_end_matches('/').to_owned();
        Self {
            links: links.iter().map(|(link, target)| (absolute(link), (*target).to_owned())).collect(),
            directories: directories.iter().map(|path| absolute(path)).collect(),
            packages: Vec::new(),
            servers: vec!["stocks".to_owned(), "my.srv".to_owned()],
        }
    }
}

impl Surroundings for Memory {
    fn roots(&self) -> Vec<String> {
        vec![ROOT.to_owned()]
    }

    fn real_path(&self, path: &str) -> Result<String, String> {
        let mut real: Vec<String> = Vec::new();
        let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    real.pop();
                    continue;
                }
                _ => real.push(name),
            }
            if let Some(target) = self.links.get(&format!("/{}", real.join("/"))) {
                links += 1;
                if links > 40 {
                    return Err("too many links".to_owned());
                }
                real.pop();
                if target.starts_with('/') {
                    real.clear();
                }
                ahead.extend(target.split('/').rev().map(str::to_owned));
            }
        }
        Ok(format!("/{}", real.join("/")))
    }

    fn kind(&self, path: &str) -> Kind {
        let real = self.real_path(path).unwrap_or_default();
        if self.directories.contains(&real) || real == ROOT { Kind::Directory } else { Kind::Missing }
    }

    fn packages(&self) -> Vec<WorkspacePath> {
        self.packages.clone()
    }

    fn servers(&self) -> Vec<String> {
        self.servers.clone()
    }
}

/// A member with a policy.
pub(crate) struct TestMember {
    pub(crate) id: &'static str,
    pub(crate) policy: Policy,
    pub(crate) servers: &'static [&'static str],
    /// `read`, `write` and `shell`, as far as it has no tools for them.
    pub(crate) lacks: &'static [&'static str],
}

impl Member for TestMember {
    fn id(&self) -> &str {
        self.id
    }

    fn decide(&mut self, access: Access, path: &WorkspacePath) -> Result<(), String> {
        let decision = self.policy.check(access, path);
        if decision.is_allowed() { Ok(()) } else { Err(decision.to_string()) }
    }

    fn denial_below(&mut self, access: Access, directory: &WorkspacePath) -> Option<String> {
        let entry = self.policy.find_denial_below(access, directory)?;
        Some(entry.text.unwrap_or("a list").to_owned())
    }

    fn lacks_tools(&self, access: Access) -> bool {
        self.lacks.contains(&access.as_str())
    }

    fn lacks_shell(&self) -> bool {
        self.lacks.contains(&"shell")
    }

    fn has_lists(&self) -> bool {
        Access::ALL.into_iter().any(|access| {
            let lists = self.policy.lists(access);
            !(lists.deny.entries().is_empty() && lists.allow.entries().is_empty())
        })
    }

    fn has_server_tool(&self, server: &str, _: &str) -> bool {
        self.servers.contains(&server)
    }
}

/// Returns a member that reads everything but `secret`, and writes `src` except `src/gen`, and `docs`.
pub(crate) fn coder() -> TestMember {
    let policy = Policy::builder().deny(Access::Read, "secret");
    let policy = policy.and_then(|policy| policy.deny(Access::Write, "src/gen"));
    let policy = policy.and_then(|policy| policy.allow(Access::Write, "src"));
    let policy = policy.and_then(|policy| policy.allow(Access::Write, "docs"));
    TestMember {
        id: "coder",
        policy: policy.expect("the patterns are valid").build(),
        servers: &["stocks"],
        lacks: &[],
    }
}

/// Answers an event as [`coder`].
pub(crate) fn answer(client: ClientId, memory: &Memory, input: &str) -> Answer {
    match Event::parse(client, input.as_bytes()) {
        Ok(event) => minds_guard::answer(&request(client, memory), &event, &mut [Box::new(coder())]),
        Err(reason) => minds_guard::refuse(client, &reason),
    }
}

pub(crate) fn request(client: ClientId, memory: &Memory) -> Request<'_> {
    Request { client, shell: ShellPolicy::Ask, auto_allow: false, surroundings: memory }
}

/// Returns the verdict about a call in Claude Code.
pub(crate) fn judge(
    memory: &Memory,
    member: TestMember,
    tool: &str,
    arguments: &serde_json::Value,
) -> Outcome {
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": tool, "tool_input": arguments,
    });
    let event = Event::parse(ClientId::ClaudeCode, event.to_string().as_bytes()).expect("the event is valid");
    minds_guard::judge(&request(ClientId::ClaudeCode, memory), &event, &mut [Box::new(member)]).outcome()
}
