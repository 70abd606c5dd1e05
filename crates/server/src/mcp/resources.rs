//! Resources: the effective team, its problems, tasks, the manual, schemas.
//!
//! A caller only sees what its tools would show: the team and its problems for managers, the manual for callers that have
//! it, the own entry for a member, tasks for every known caller. Schemas are public.

use minds_diagnostics::emit::{ReportDocument, escaped_json};
use minds_diagnostics::{JSON_VERSION, Report};
use minds_toolset::tasks::Task;
use minds_toolset::{Caller, RememberedProblem};
use minds_vfs::Snapshot;
use minds_workspace::{Draft, MemberFile, MemberFiles, MemberView, schema, schemas};
use serde::Serialize;
use serde_json::json;

use crate::mcp::server::Server;
use crate::mcp::uri::{decode, encode};
use crate::mcp::{manual, members, tasks};

pub(crate) const JSON: &str = "application/json";
pub(crate) const MARKDOWN: &str = "text/markdown";
const SCHEMA: &str = "application/schema+json";

const TEAM: &str = "minds://team";
const PROBLEMS: &str = "minds://problems";
const MANUAL: &str = "minds://manual";
const SCHEMAS: &str = "minds://schema";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) mime: &'static str,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) mime: &'static str,
    pub(crate) text: String,
}

/// A URI template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    pub(crate) uri: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) mime: &'static str,
}

/// All templates.
pub(crate) const TEMPLATES: &[Template] = &[
    Template {
        uri: "minds://team/{member}",
        name: "member",
        description: "A member of the team after inheritance, each value with its place",
        mime: JSON,
    },
    Template {
        uri: members::TEMPLATE,
        name: "minds files",
        description: "The minds files of a member: persona, knowledge and lessons",
        mime: MARKDOWN,
    },
    Template {
        uri: tasks::TEMPLATE,
        name: "task",
        description: "The text of a task for agents; packages with the same name are addressed by path",
        mime: MARKDOWN,
    },
    Template {
        uri: "minds://manual/{+topic}",
        name: "manual",
        description: "A page of the manual; topics below a topic follow a slash, as in `llm/builtin-defaults`",
        mime: MARKDOWN,
    },
    Template {
        uri: "minds://schema/{kind}",
        name: "schema",
        description: "The JSON Schema of a kind of file",
        mime: SCHEMA,
    },
];

/// The findings of a check, and the open problems of running gateways.
#[derive(Serialize)]
struct ProblemsContent<'a> {
    version: u32,
    #[serde(flatten)]
    report: ReportDocument<'a>,
    /// None if the list of remembered problems cannot be read.
    gateway_problems: Option<&'a [RememberedProblem]>,
}

/// The current resources.
#[derive(Debug)]
pub(crate) struct ResourceView<'s> {
    server: &'s Server,
    snapshot: &'s Snapshot,
    members: Vec<MemberView>,
    minds: MemberFiles<'s>,
    manages: bool,
    has_manual: bool,
}

impl<'s> ResourceView<'s> {
    /// Returns the resources of `server` for a snapshot of its files.
    pub(crate) fn of(server: &'s Server, snapshot: &'s Snapshot) -> Self {
        let mut members = minds_workspace::show_team(snapshot).value;
        let manages = server.manages_team();
        if !manages {
            let is_known = server.admit().is_ok();
            members.retain(|member| is_known && is_caller(&server.caller, &member.id));
        }
        let minds = MemberFiles::of(snapshot);
        Self { server, snapshot, members, minds, manages, has_manual: manual::is_available(server) }
    }

    /// Returns all resources, in listing order.
    pub(crate) fn list(&self) -> Vec<Resource> {
        let task = |(uri, task): (String, Task)| Resource {
            uri,
            description: format!("The text of the task `{}` for agents", task.name),
            name: task.name,
            mime: MARKDOWN,
        };
        tasks::list(self.server).into_iter().map(task).chain(self.list_without_tasks()).collect()
    }

    /// Returns the resources that only depend on the files of the team.
    pub(crate) fn list_without_tasks(&self) -> Vec<Resource> {
        let mut list = Vec::new();
        let mut add = |uri: String, name: &str, description: String, mime: &'static str| {
            list.push(Resource { uri, name: name.to_owned(), description, mime });
        };
        if self.manages {
            let all = "Every member after inheritance, each value with its place";
            add(TEAM.to_owned(), "team", all.to_owned(), JSON);
            add(
                PROBLEMS.to_owned(),
                "problems",
                "The current findings in the workspace, and the open problems of MCP gateways".to_owned(),
                JSON,
            );
        }
        for member in &self.members {
            let about = format!("Member `{}` after inheritance", member.id);
            add(format!("{TEAM}/{}", encode(&member.id)), &member.id, about, JSON);
        }
        for member in self.members.iter().filter(|member| self.minds.has(&member.id)) {
            let about = format!("The minds files of member `{}`", member.id);
            add(members::address(&member.id), &format!("minds files of {}", member.id), about, MARKDOWN);
        }
        if self.has_manual {
            add(MANUAL.to_owned(), "manual", "The index of the manual".to_owned(), MARKDOWN);
            for topic in manual::topics() {
                add(format!("{MANUAL}/{topic}"), &topic, format!("The manual page {topic}"), MARKDOWN);
            }
        }
        for kind in schemas() {
            let about = format!("The JSON Schema of `{}`: {}", kind.file, kind.summary);
            add(format!("{SCHEMAS}/{}", kind.name), &format!("schema of {}", kind.name), about, SCHEMA);
        }
        list
    }

    /// Reads a resource; `None` if it does not exist or the caller may not read it.
    pub(crate) fn read(&self, uri: &str) -> Option<Content> {
        let json = |document: &serde_json::Value| Content { mime: JSON, text: document.to_string() };
        if uri == TEAM && self.manages {
            return Some(json(&json!({"version": JSON_VERSION, "members": self.members})));
        }
        if uri == PROBLEMS && self.manages {
            return Some(Content { mime: JSON, text: self.problems() });
        }
        if uri == MANUAL {
            return self.page(&[]);
        }
        let (family, rest) = uri.strip_prefix("minds://")?.split_once('/')?;
        match family {
            "team" => {
                let id = decode(rest)?;
                let member = self.members.iter().find(|member| member.id == id)?;
                Some(json(&json!({"version": JSON_VERSION, "member": member})))
            }
            "member" => {
                let id = decode(rest)?;
                let texts =
                    self.has_member(&id).then(|| self.member_files(&id)).filter(|texts| !texts.is_empty())?;
                // The size of each file is limited, so the complete files fit.
                Some(Content { mime: MARKDOWN, text: members::compose(&texts, usize::MAX, uri).text })
            }
            "task" => Some(Content { mime: MARKDOWN, text: tasks::read(self.server, uri)? }),
            "manual" => {
                let topics: Option<Vec<String>> = rest.split('/').map(decode).collect();
                self.page(&topics?)
            }
            "schema" => {
                let text = schema(&decode(rest)?, Draft::Draft202012)?;
                Some(Content { mime: SCHEMA, text })
            }
            _ => None,
        }
    }

    /// Returns whether the caller may see a member.
    pub(crate) fn has_member(&self, id: &str) -> bool {
        self.members.iter().any(|member| member.id == id)
    }

    /// Returns the minds files of a member.
    pub(crate) fn member_files(&self, member: &str) -> Vec<MemberFile> {
        self.minds.of_member(member)
    }

    fn page(&self, topics: &[String]) -> Option<Content> {
        let text = self.has_manual.then(|| manual::page(self.server, topics))??;
        Some(Content { mime: MARKDOWN, text })
    }

    fn problems(&self) -> String {
        let checked = minds_workspace::check(self.snapshot);
        let report = Report {
            root: ".".to_owned(),
            files: checked.files,
            diagnostics: checked.diagnostics,
            allowed: checked.allowed.values().sum(),
        };
        let gateways = self.server.gateway_problems(None);
        let content = ProblemsContent {
            version: JSON_VERSION,
            report: ReportDocument::new(&report),
            gateway_problems: gateways.list(),
        };
        // The document consists of strings, numbers and lists, so serialization cannot fail.
        escaped_json(serde_json::to_string(&content).unwrap_or_default()) + "\n"
    }

    /// Returns the possible values of a variable of a template or an argument of a prompt.
    pub(crate) fn suggest(&self, argument: &str, prefix: &str) -> Vec<String> {
        let all: Vec<String> = match argument {
            "member" => self.members.iter().map(|member| member.id.clone()).collect(),
            "task" => tasks::list(self.server).into_iter().filter_map(|(uri, _)| tasks::name(&uri)).collect(),
            "topic" if self.has_manual => manual::topics(),
            "kind" => schemas().iter().map(|kind| kind.name.to_owned()).collect(),
            _ => Vec::new(),
        };
        all.into_iter().filter(|name| name.starts_with(prefix)).collect()
    }
}

fn is_caller(caller: &Caller, id: &str) -> bool {
    matches!(caller, Caller::Member { id: own } if own == id)
}
