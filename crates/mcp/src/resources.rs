//! What can be read without a tool: the effective team, its problems, tasks, the manual, schemas.
//!
//! Nothing is shown to a caller that its tools would not show it: the team and its problems to those who manage it, the
//! manual to those who have it, to a member its own place on the team, tasks to everybody whom the team knows. Schemas are
//! no secret.

use minds_diagnostics::Report;
use minds_diagnostics::emit::{self, JSON_VERSION};
use minds_document::Snapshot;
use minds_toolset::Caller;
use minds_toolset::tasks::Task;
use minds_workspace::{Draft, MemberText, MemberTexts, MemberView, schema, schemas};
use serde_json::json;

use crate::server::Server;
use crate::uri::{decode, encode};
use crate::{manual, members, tasks};

pub(crate) const JSON: &str = "application/json";
pub(crate) const MARKDOWN: &str = "text/markdown";
const SCHEMA: &str = "application/schema+json";

const TEAM: &str = "minds://team";
const PROBLEMS: &str = "minds://problems";
const MANUAL: &str = "minds://manual";
const SCHEMAS: &str = "minds://schema";

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) mime: &'static str,
}

/// What a resource says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) mime: &'static str,
    pub(crate) text: String,
}

/// Addresses with a part to fill in.
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
        description: "A member of the team after inheritance, each value with the place it comes from",
        mime: JSON,
    },
    Template {
        uri: members::TEMPLATE,
        name: "minds files",
        description: "What a member is told about itself: its persona, its knowledge and its lessons",
        mime: MARKDOWN,
    },
    Template {
        uri: tasks::TEMPLATE,
        name: "task",
        description: "What agents are given of a task; a package whose name another one has too is named by its path",
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

/// The resources of one moment.
#[derive(Debug)]
pub(crate) struct Shelf<'s> {
    server: &'s Server,
    snapshot: &'s Snapshot,
    members: Vec<MemberView>,
    minds: MemberTexts<'s>,
    manages: bool,
    has_manual: bool,
}

impl<'s> Shelf<'s> {
    /// Returns what `server` has while its files are `snapshot`.
    pub(crate) fn of(server: &'s Server, snapshot: &'s Snapshot) -> Self {
        let mut members = minds_workspace::show_team(snapshot).value;
        let manages = server.manages_team();
        if !manages {
            let is_known = server.admit().is_ok();
            members.retain(|member| is_known && is_caller(&server.caller, &member.id));
        }
        let minds = MemberTexts::of(snapshot);
        Self { server, snapshot, members, minds, manages, has_manual: manual::is_there(server) }
    }

    /// Returns all resources, in the order in which they are listed.
    pub(crate) fn list(&self) -> Vec<Resource> {
        let task = |(uri, task): (String, Task)| Resource {
            uri,
            description: format!("What agents are given of the task `{}`", task.name),
            name: task.name,
            mime: MARKDOWN,
        };
        tasks::list(self.server).into_iter().map(task).chain(self.list_without_tasks()).collect()
    }

    /// Returns those that are made of the files of the team, and of nothing else.
    pub(crate) fn list_without_tasks(&self) -> Vec<Resource> {
        let mut list = Vec::new();
        let mut add = |uri: String, name: &str, description: String, mime: &'static str| {
            list.push(Resource { uri, name: name.to_owned(), description, mime });
        };
        if self.manages {
            let all = "Every member after inheritance, each value with the place it comes from";
            add(TEAM.to_owned(), "team", all.to_owned(), JSON);
            add(PROBLEMS.to_owned(), "problems", "What a check of the workspace finds now".to_owned(), JSON);
        }
        for member in &self.members {
            let about = format!("The member `{}` after inheritance", member.id);
            add(format!("{TEAM}/{}", encode(&member.id)), &member.id, about, JSON);
        }
        for member in self.members.iter().filter(|member| self.minds.has(&member.id)) {
            let about = format!("What the member `{}` is told about itself", member.id);
            add(members::address(&member.id), &format!("minds files of {}", member.id), about, MARKDOWN);
        }
        if self.has_manual {
            add(MANUAL.to_owned(), "manual", "The index of the manual".to_owned(), MARKDOWN);
            for topic in manual::topics() {
                add(format!("{MANUAL}/{topic}"), &topic, format!("The manual about {topic}"), MARKDOWN);
            }
        }
        for kind in schemas() {
            let about = format!("The JSON Schema of `{}`: {}", kind.file, kind.summary);
            add(format!("{SCHEMAS}/{}", kind.name), &format!("schema of {}", kind.name), about, SCHEMA);
        }
        list
    }

    /// Returns what a resource says; nothing if there is none that the caller may read.
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
                    self.has_member(&id).then(|| self.texts(&id)).filter(|texts| !texts.is_empty())?;
                // Each file is limited where it is read, so this is all of them.
                Some(Content { mime: MARKDOWN, text: members::text(&texts, usize::MAX, uri).text })
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
    pub(crate) fn texts(&self, member: &str) -> Vec<MemberText> {
        self.minds.of_member(member)
    }

    fn page(&self, topics: &[String]) -> Option<Content> {
        let text = self.has_manual.then(|| manual::page(self.server, topics))??;
        Some(Content { mime: MARKDOWN, text })
    }

    fn problems(&self) -> String {
        let checked = minds_workspace::check(self.snapshot);
        emit::json(&Report {
            root: ".".to_owned(),
            files: checked.files,
            diagnostics: checked.diagnostics,
            allowed: checked.allowed.values().sum(),
        })
    }

    /// Returns what could stand in the place that a template or a prompt calls `argument`.
    pub(crate) fn suggest(&self, argument: &str, begun: &str) -> Vec<String> {
        let all: Vec<String> = match argument {
            "member" => self.members.iter().map(|member| member.id.clone()).collect(),
            "task" => tasks::list(self.server).into_iter().filter_map(|(uri, _)| tasks::name(&uri)).collect(),
            "topic" if self.has_manual => manual::topics(),
            "kind" => schemas().iter().map(|kind| kind.name.to_owned()).collect(),
            _ => Vec::new(),
        };
        all.into_iter().filter(|name| name.starts_with(begun)).collect()
    }
}

fn is_caller(caller: &Caller, id: &str) -> bool {
    matches!(caller, Caller::Member { id: own } if own == id)
}
