//! What a model should know before its first call.
//!
//! The beginning is short and says where everything else can be read, because a client may cut the rest or not show it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use minds_diagnostics::emit::visible;
use minds_toolset::Caller;
use minds_toolset::tasks::{CHANGE_MIND, Context, InContext, RECALL_TASKDOC, TASK_NEW, load_context};
use minds_toolset::tasks::{GENERAL_TOOLS, REFUSED};
use minds_workspace::MemberTexts;

use crate::server::Server;
use crate::{members, tasks};

/// The last line, by which a model sees that it was given everything.
const END: &str = "(end of the instructions)";
/// The most tasks that are named.
const MAX_NAMED: usize = 20;

/// Returns the instructions of a server: who the client acts as, the minds files of the member, the rules of task packages
/// and the effective text of the task, as they are at this moment.
pub(crate) fn instructions(server: &Server) -> String {
    let name = server.name();
    let mut lead =
        vec![format!("Workspace `{name}`, a team of AI agents that is configured by files in `.minds/`.")];
    match (&server.caller, server.admit()) {
        (_, Err(refusal)) => {
            lead.push(format!("There are no tools for you: {}.", refusal.message));
            return lead.join(" ");
        }
        (Caller::Operator { .. }, Ok(())) => lead.push(
            "You act for the operator: every tool, no access lists; reserved areas stay closed.".to_owned(),
        ),
        (Caller::Member { id }, Ok(())) => lead
            .push(format!("You act as the member `{id}` of the team, with its tools and its access lists.")),
    }
    if !server.toolsets().is_empty() {
        lead.push(format!("Only the toolsets {} are served.", server.toolsets().join(", ")));
    }
    if let Some(names) = server.toolsets_without_tools() {
        lead.push(format!("No tools here for your toolsets {names}."));
    }
    let tools: BTreeSet<&str> = server.tools().iter().map(|tool| tool.name).collect();
    let mut blocks = Vec::new();
    tell_task(server, &tools, &mut lead, &mut blocks);
    lead.push("Paths are relative to the workspace.".to_owned());
    lead.push("A refused call changes nothing: its code says why, and `next` what to do.".to_owned());
    if server.manages_team() {
        lead.push(
            "`team_mgmt_manual` says how to manage the team, `team_mgmt_validate` what is wrong with it."
                .to_owned(),
        );
    }
    // Who the model is comes before what it works on.
    if let Some(block) = tell_member(server, &mut lead) {
        blocks.insert(0, block);
    }
    if blocks.is_empty() {
        return lead.join(" ");
    }
    lead.push(format!(
        "All this is as it was when the session began, and ends with the line `{END}`: without that line your client has cut \
         it off."
    ));
    blocks.insert(0, lead.join(" "));
    blocks.push(END.to_owned());
    // A model is told what a reviewer of the files sees.
    visible(&blocks.join("\n\n")).into_owned()
}

/// Adds what the member is told about itself.
fn tell_member(server: &Server, lead: &mut Vec<String>) -> Option<String> {
    let Caller::Member { id } = &server.caller else { return None };
    let snapshot = server.snapshot();
    let texts = MemberTexts::of(&snapshot).of_member(id);
    if texts.is_empty() {
        return None;
    }
    let address = members::address(id);
    let told = members::text(&texts, members::INSTRUCTIONS_BUDGET, &address);
    let mut line = format!("Who you are follows below; the resource `{address}` has it whole and current.");
    if !told.cut.is_empty() {
        let cut: Vec<String> =
            told.cut.iter().map(|(file, left_out)| format!("{left_out} bytes of `{file}`")).collect();
        // Writing to a string cannot fail.
        let _ = write!(line, " Left out below: {}.", cut.join(", "));
    }
    lead.push(line);
    Some(format!("# You are `{id}`\n\n{}", told.text.trim_end()))
}

/// Adds what is to be known about tasks.
fn tell_task(server: &Server, tools: &BTreeSet<&str>, lead: &mut Vec<String>, blocks: &mut Vec<String>) {
    let is_fixed = server.context.task().is_some();
    if !is_fixed && !tools.contains(RECALL_TASKDOC) {
        // Who was left no tool for tasks works on something else.
        return;
    }
    let context = load_context(&server.context, &server.caller);
    let has_general = GENERAL_TOOLS.iter().any(|name| tools.contains(name));
    let refused = (has_general && context != Context::Nothing).then(|| REFUSED.to_owned());
    match context {
        Context::Nothing => {}
        Context::Missing { name, reason: Some(reason) } => {
            lead.push(format!("Your task is `{name}`, which cannot be opened: {reason}."));
        }
        Context::Missing { name, reason: None } if tools.contains(TASK_NEW) => lead.push(format!(
            "Your task is `{name}`: there is no such package yet; `{TASK_NEW}` with `name: \"{name}\"` makes it."
        )),
        Context::Missing { name, reason: None } => lead.push(format!(
            "Your task is `{name}`: that package does not exist yet; a member who may change tasks has to make it."
        )),
        Context::Several { tasks, guide } => {
            let addresses = tasks::list(server);
            let names = addresses.iter().take(MAX_NAMED).filter_map(|(uri, _)| tasks::name(uri));
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let more = tasks.len().saturating_sub(names.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lead.push(format!(
                "There are several tasks: {}{more}. Name one with the argument `task`; `{RECALL_TASKDOC}` reads its \
                 `goals`, `constraints` and `progress`.",
                names.join(", ")
            ));
            blocks.push(guide.trim_end().to_owned());
        }
        Context::One(task) => tell_one(server, tools, is_fixed, &task, lead, blocks),
    }
    lead.extend(refused);
}

fn tell_one(
    server: &Server,
    tools: &BTreeSet<&str>,
    is_fixed: bool,
    task: &InContext,
    lead: &mut Vec<String>,
    blocks: &mut Vec<String>,
) {
    let name = &task.task.name;
    let whose = if is_fixed { "Your task is" } else { "The only task here is" };
    let mut line = format!("{whose} `{name}`: its text is below");
    if let Some((uri, _)) = tasks::list(server).into_iter().next() {
        let _ = write!(line, "; the resource `{uri}` is that text at any later time");
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
            "{left_out} bytes of `{selector}` are left out below: `{RECALL_TASKDOC}` with `selector: \"{selector}\"`{} reads \
             all of it.",
            place.unwrap_or_default()
        ));
    }
    if !task.unread.is_empty() {
        let unread: Vec<String> = task.unread.iter().map(|path| format!("`{path}`")).collect();
        lead.push(format!("Of the task {} could not be read.", unread.join(", ")));
    }
    // The beginning says the most important rule as well, so these are the first that a client may cut.
    for block in [&task.status, &task.text, &task.guide] {
        blocks.push(block.trim_end().to_owned());
    }
}
