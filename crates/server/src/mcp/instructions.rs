//! The instructions of a session: what a model needs before its first call.
//!
//! The introduction is short and refers to the complete content, because a client may truncate or hide the rest.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use minds_diagnostics::emit::visible;
use minds_toolset::manual::Language;
use minds_toolset::tasks::{ACCESS_NOTE, GENERAL_TOOLS};
use minds_toolset::tasks::{CHANGE_MIND, Context, ContextTask, RECALL_TASKDOC, TASK_NEW, load_context};
use minds_toolset::{Caller, OfferedTool, team_overview};
use minds_workspace::MemberFiles;
use minds_workspace::context::ContextSource;

use crate::mcp::server::Server;
use crate::mcp::{members, tasks};

/// The last line, which shows a model that the instructions are complete.
const END: &str = "(end of the instructions)";
/// What the text about all task packages is.
const RULES: &str = "the rules of task packages";
/// The maximum number of tasks that are listed.
const MAX_NAMED: usize = 20;

/// A block of the instructions.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) source: ContextSource,
    /// The file or task package of the text; `None` for text that the server writes.
    pub(crate) place: Option<String>,
    /// What the text is, if the place does not say it.
    pub(crate) note: Option<&'static str>,
    /// What precedes the text.
    separator: &'static str,
    text: String,
}

/// What separates blocks.
const EMPTY_LINE: &str = "\n\n";

impl Block {
    fn new(source: ContextSource, place: Option<&str>, text: impl Into<String>) -> Self {
        let place = place.map(str::to_owned);
        Self { source, place, note: None, separator: EMPTY_LINE, text: text.into() }
    }

    fn with_note(self, note: &'static str) -> Self {
        Self { note: Some(note), ..self }
    }

    /// Returns the text with what precedes it. Invisible characters are shown as a reviewer of the files would see them.
    pub(crate) fn visible_text(&self) -> String {
        format!("{}{}", self.separator, visible(&self.text))
    }
}

/// Returns the current instructions of a server: the caller, the minds files of the member, the rules of task packages and
/// the effective text of the task.
pub(crate) fn instructions(server: &Server) -> String {
    blocks(server).iter().map(Block::visible_text).collect()
}

/// Returns the blocks of the instructions, each with what it is.
pub(crate) fn blocks(server: &Server) -> Vec<Block> {
    let name = server.name();
    let mut lead = vec![format!("Workspace `{name}`, a team of AI agents configured by files in `.minds/`.")];
    let begin = |lead: &[String]| Block {
        separator: "",
        ..Block::new(ContextSource::Instructions, None, lead.join(" ")).with_note("introduction")
    };
    match (&server.caller, server.admit()) {
        (_, Err(refusal)) => {
            lead.push(format!("You have no tools here: {}.", refusal.message));
            return vec![begin(&lead)];
        }
        (Caller::Operator { .. }, Ok(())) => lead.push(
            "You act for the operator: all tools, no access lists; reserved areas are refused.".to_owned(),
        ),
        (Caller::Member { id }, Ok(())) => {
            lead.push(format!("You act as member `{id}` of the team, with its tools and access lists."));
        }
    }
    if !server.toolsets().is_empty() {
        lead.push(format!("Only the toolsets {} are served.", server.toolsets().join(", ")));
    }
    if let Some(names) = server.toolsets_without_tools() {
        lead.push(format!("Your toolsets {names} have no tools here."));
    }
    let offered = server.tools();
    let tools: BTreeSet<&str> = offered.iter().map(OfferedTool::name).collect();
    let mut further = Vec::new();
    add_tasks(server, &tools, &mut lead, &mut further);
    lead.push("Paths are relative to the workspace.".to_owned());
    lead.push("A refused call changes nothing: see its code and `next`.".to_owned());
    if server.manages_team() {
        lead.push(
            "The files of the team, their findings and a short reference are below; `team_mgmt_manual` explains more."
                .to_owned(),
        );
        let overview = team_overview(&server.context, Language::English);
        let overview = Block::new(ContextSource::Team, Some(".minds"), overview.trim_end());
        further.insert(0, overview.with_note("the files of the team, for a member that manages it"));
    }
    // The identity of the model comes before its task.
    let mut blocks = add_member(server, &mut lead);
    blocks.append(&mut further);
    if blocks.is_empty() {
        return vec![begin(&lead)];
    }
    lead.push(format!(
        "This text is from the start of the session and ends with the line `{END}`; without that line your client has \
         truncated it."
    ));
    blocks.insert(0, begin(&lead));
    blocks.push(Block::new(ContextSource::Instructions, None, END).with_note("last line"));
    blocks
}

/// Returns the minds files of the member, after a heading.
fn add_member(server: &Server, lead: &mut Vec<String>) -> Vec<Block> {
    let Caller::Member { id } = &server.caller else { return Vec::new() };
    let snapshot = server.snapshot();
    let texts = MemberFiles::of(&snapshot).of_member(id);
    if texts.is_empty() {
        return Vec::new();
    }
    let address = members::address(id);
    let files = members::compose(&texts, members::INSTRUCTIONS_BUDGET, &address);
    let mut line =
        format!("Your minds files are below; the resource `{address}` has them complete and current.");
    if !files.cut.is_empty() {
        let cut: Vec<String> =
            files.cut.iter().map(|(file, left_out)| format!("{left_out} bytes of `{file}`")).collect();
        // Writing to a string cannot fail.
        let _ = write!(line, " Omitted below: {}.", cut.join(", "));
    }
    lead.push(line);
    let heading = Block::new(ContextSource::Instructions, None, format!("# You are `{id}`\n\n"));
    let mut blocks = vec![heading.with_note("heading")];
    let mut rest = files.text.trim_end();
    for (file, length) in texts.iter().zip(files.lengths) {
        let (text, following) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = following;
        let source = ContextSource::of_minds_file(&file.kind);
        blocks.push(Block { separator: "", ..Block::new(source, Some(&file.file), text) });
    }
    blocks
}

fn add_tasks(server: &Server, tools: &BTreeSet<&str>, lead: &mut Vec<String>, blocks: &mut Vec<Block>) {
    let is_fixed = server.context.task().is_some();
    if !is_fixed && !tools.contains(RECALL_TASKDOC) {
        // A caller without task tools does not work on a task.
        return;
    }
    let context = load_context(&server.context, &server.caller);
    let has_general = GENERAL_TOOLS.iter().any(|name| tools.contains(name));
    let refused = (has_general && context != Context::Nothing).then(|| ACCESS_NOTE.to_owned());
    match context {
        Context::Nothing => {}
        Context::Missing { name, reason: Some(reason) } => {
            lead.push(format!("Your task is `{name}`, which cannot be opened: {reason}."));
        }
        Context::Missing { name, reason: None } if tools.contains(TASK_NEW) => lead.push(format!(
            "Your task is `{name}`: the package does not exist yet; `{TASK_NEW}` with `name: \"{name}\"` creates it."
        )),
        Context::Missing { name, reason: None } => lead.push(format!(
            "Your task is `{name}`: the package does not exist yet; a member who may change tasks has to create it."
        )),
        Context::Several { tasks, guide } => {
            let addresses = tasks::list(server);
            let names = addresses.iter().take(MAX_NAMED).filter_map(|(uri, _)| tasks::name(uri));
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let more = tasks.len().saturating_sub(names.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lead.push(format!(
                "There are several tasks: {}{more}. Pass one as `task`; `{RECALL_TASKDOC}` reads its `goals`, `constraints` \
                 and `progress`.",
                names.join(", ")
            ));
            let guide = Block::new(ContextSource::Task, None, guide.trim_end());
            blocks.push(guide.with_note(RULES));
        }
        Context::One(task) => add_task(server, tools, is_fixed, &task, lead, blocks),
    }
    lead.extend(refused);
}

fn add_task(
    server: &Server,
    tools: &BTreeSet<&str>,
    is_fixed: bool,
    task: &ContextTask,
    lead: &mut Vec<String>,
    blocks: &mut Vec<Block>,
) {
    let name = &task.task.name;
    let whose = if is_fixed { "Your task is" } else { "The only task here is" };
    let mut line = format!("{whose} `{name}`: its text is below");
    if let Some((uri, _)) = tasks::list(server).into_iter().next() {
        let _ = write!(line, "; the resource `{uri}` always has the current text");
    }
    if tools.contains(RECALL_TASKDOC) {
        let _ = write!(
            line,
            "; `{RECALL_TASKDOC}` reads any section, also `goals`, `constraints` and `progress`"
        );
    }
    if tools.contains(CHANGE_MIND) {
        let _ = write!(line, "; `{CHANGE_MIND}` changes one");
    }
    lead.push(line + ".");
    for (selector, category, left_out) in &task.cut {
        let place = category.as_ref().map(|category| format!(" and `category: \"{category}\"`"));
        lead.push(format!(
            "{left_out} bytes of `{selector}` are omitted below: `{RECALL_TASKDOC}` with `selector: \"{selector}\"`{} reads \
             all of it.",
            place.unwrap_or_default()
        ));
    }
    if !task.unread.is_empty() {
        let unread: Vec<String> = task.unread.iter().map(|path| format!("`{path}`")).collect();
        lead.push(format!("{} of the task could not be read.", unread.join(", ")));
    }
    // The introduction repeats the most important rule, so the rules come last, where a client truncates first.
    let path = Some(task.task.path.as_str());
    blocks.push(Block::new(ContextSource::Task, path, task.status.trim_end()).with_note("status"));
    blocks.push(Block::new(ContextSource::Task, path, task.text.trim_end()));
    blocks.push(Block::new(ContextSource::Task, None, task.guide.trim_end()).with_note(RULES));
}
