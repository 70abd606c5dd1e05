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

use crate::mcp::server::Server;
use crate::mcp::{members, tasks};

/// The last line, which shows a model that the instructions are complete.
const END: &str = "(end of the instructions)";
/// The maximum number of tasks that are listed.
const MAX_NAMED: usize = 20;

/// Returns the current instructions of a server: the caller, the minds files of the member, the rules of task packages and
/// the effective text of the task.
pub(crate) fn instructions(server: &Server) -> String {
    let name = server.name();
    let mut lead = vec![format!("Workspace `{name}`, a team of AI agents configured by files in `.minds/`.")];
    match (&server.caller, server.admit()) {
        (_, Err(refusal)) => {
            lead.push(format!("You have no tools here: {}.", refusal.message));
            return lead.join(" ");
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
    let mut blocks = Vec::new();
    add_tasks(server, &tools, &mut lead, &mut blocks);
    lead.push("Paths are relative to the workspace.".to_owned());
    lead.push("A refused call changes nothing: see its code and `next`.".to_owned());
    if server.manages_team() {
        lead.push(
            "The files of the team, their findings and a short reference are below; `team_mgmt_manual` explains more."
                .to_owned(),
        );
        blocks.insert(0, team_overview(&server.context, Language::English).trim_end().to_owned());
    }
    // The identity of the model comes before its task.
    if let Some(block) = add_member(server, &mut lead) {
        blocks.insert(0, block);
    }
    if blocks.is_empty() {
        return lead.join(" ");
    }
    lead.push(format!(
        "This text is from the start of the session and ends with the line `{END}`; without that line your client has \
         truncated it."
    ));
    blocks.insert(0, lead.join(" "));
    blocks.push(END.to_owned());
    // Invisible characters are shown as a reviewer of the files would see them.
    visible(&blocks.join("\n\n")).into_owned()
}

/// Adds the minds files of the member.
fn add_member(server: &Server, lead: &mut Vec<String>) -> Option<String> {
    let Caller::Member { id } = &server.caller else { return None };
    let snapshot = server.snapshot();
    let texts = MemberFiles::of(&snapshot).of_member(id);
    if texts.is_empty() {
        return None;
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
    Some(format!("# You are `{id}`\n\n{}", files.text.trim_end()))
}

fn add_tasks(server: &Server, tools: &BTreeSet<&str>, lead: &mut Vec<String>, blocks: &mut Vec<String>) {
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
            blocks.push(guide.trim_end().to_owned());
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
    blocks: &mut Vec<String>,
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
    for block in [&task.status, &task.text, &task.guide] {
        blocks.push(block.trim_end().to_owned());
    }
}
