//! `interrupt`, `cancel`, `queue`, `retry` and `drop`.

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::methods::{
    Cancel, Interrupt, QueueClear, QueueDrop, QueueList, QueueRetry, QueuedItem, StopValue,
};
use minds_fleet_protocol::{AgentId, ErrorCode, ItemId};
use minds_output::Output;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{CancelArgs, InterruptArgs, ItemArgs, QueueAction, QueueArgs};
use crate::client::Client;
use crate::command_error::CommandError;
use crate::questions::confirm;
use crate::session::Session;
use crate::{document, table};

/// An agent and an item.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AgentItem {
    id: String,
    qid: Option<ItemId>,
}

impl JsonDocument for AgentItem {
    const NAME: &'static str = "fleet-item";
}

/// The queue of an agent.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Queue {
    id: String,
    items: Vec<QueuedItem>,
}

impl JsonDocument for Queue {
    const NAME: &'static str = "fleet-queue";
}

/// The number of removed items.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Cleared {
    id: String,
    removed: u64,
}

impl JsonDocument for Cleared {
    const NAME: &'static str = "fleet-queue-clear";
}

/// The longest text of an item in a list, in characters.
const MAX_TEXT: usize = 40;

/// Runs `interrupt`.
pub(super) fn interrupt(
    session: &Session<'_>,
    args: &InterruptArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let StopValue { qid, .. } =
        session.act(&agent, args.owner.takeover, |client| Ok(client.call(&Interrupt {})?))?;
    Ok(report(&agent, qid, "interrupted", out))
}

/// Runs `cancel`.
pub(super) fn cancel(
    session: &Session<'_>,
    args: &CancelArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    if args.hard {
        // Without an agent there is nothing to confirm.
        session.connect(&agent)?;
        confirm(&format!("kill the processes of the tools of `{agent}`?"))?;
    }
    let call = Cancel { hard: args.hard };
    let StopValue { qid, .. } = session.act(&agent, args.owner.takeover, |client| Ok(client.call(&call)?))?;
    Ok(report(&agent, qid, "cancelled", out))
}

/// Runs `queue`.
pub(super) fn queue(
    session: &Session<'_>,
    args: &QueueArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let id = agent.to_string();
    let list = |client: &mut Client| Ok::<_, CommandError>(client.call(&QueueList {})?.items);
    if args.action == Some(QueueAction::Clear) {
        session.connect(&agent)?;
        confirm(&format!("remove the pending items of `{agent}`?"))?;
        let clear = |client: &mut Client| Ok(client.call(&QueueClear {})?.removed);
        let removed = session.act(&agent, args.owner.takeover, clear)?;
        if out.is_json() {
            document::write(out, &Cleared { id, removed });
        } else {
            out.data(&format!("{id}: removed {}\n", minds_output::count(usize_of(removed), "item")));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let items = list(&mut session.connect(&agent)?)?;
    if items.is_empty() && !out.is_json() {
        Output::remark(&format!("the queue of `{agent}` is empty"));
    }
    if out.is_json() {
        document::write(out, &Queue { id, items });
    } else if !items.is_empty() {
        let rows: Vec<Vec<String>> = items.iter().map(row).collect();
        let text = table::render(&["ITEM", "STATE", "TRY", "SOURCE", "TEXT"], &rows, out.is_colored());
        out.push_styled(&text);
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `retry`.
pub(super) fn retry(
    session: &Session<'_>,
    args: &ItemArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (agent, qid) = find(session, args)?;
    let call = QueueRetry { qid: qid.clone() };
    session.act(&agent, args.owner.takeover, |client| Ok(client.call(&call)?))?;
    Ok(report(&agent, Some(qid), "pending again", out))
}

/// Runs `drop`.
pub(super) fn drop_item(
    session: &Session<'_>,
    args: &ItemArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (agent, qid) = find(session, args)?;
    let call = QueueDrop { qid: qid.clone() };
    session.act(&agent, args.owner.takeover, |client| Ok(client.call(&call)?))?;
    Ok(report(&agent, Some(qid), "dropped", out))
}

/// Finds the agent that has an item.
fn find(session: &Session<'_>, args: &ItemArgs) -> Result<(AgentId, ItemId), CommandError> {
    let invalid = |message: String| CommandError::fleet(ErrorCode::ArgsInvalid, message);
    let item = ItemId::parse(&args.item).map_err(|error| invalid(error.to_string()))?;
    if let Some(agent) = &args.agent {
        return Ok((session.id(agent)?, item));
    }
    let mut found = Vec::new();
    for listed in session.running()? {
        let items = session.connect(&listed.info.id).and_then(|mut client| Ok(client.call(&QueueList {})?));
        let has_item = |items: &[QueuedItem]| items.iter().any(|queued| queued.qid == item);
        match items {
            Ok(queue) if has_item(&queue.items) => found.push(listed.info.id),
            Ok(_) => {}
            // An agent that has ended since then has no item to decide about.
            Err(CommandError::Fleet(failure)) if failure.code() == Some(ErrorCode::AgentNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(agent), true) => Ok((agent, item)),
        (Some(_), false) => {
            Err(invalid(format!("several agents have the item `{item}`; name one with `--agent`")))
        }
        (None, _) => Err(invalid(format!("no running agent has the item `{item}`"))),
    }
}

/// Prints what happened to an item.
fn report(agent: &AgentId, qid: Option<ItemId>, what: &str, out: &mut Output) -> ExitCode {
    let id = agent.to_string();
    if out.is_json() {
        document::write(out, &AgentItem { id, qid });
    } else {
        match qid {
            Some(qid) => out.data(&format!("{id}: {what}: {qid}\n")),
            None => out.data(&format!("{id}: nothing to do, the agent is idle\n")),
        }
    }
    ExitCode::SUCCESS
}

fn row(item: &QueuedItem) -> Vec<String> {
    let state = serde_json::to_value(item.state).ok();
    let state = state.and_then(|state| state.as_str().map(str::to_owned)).unwrap_or_default();
    let line = item.text.lines().next().unwrap_or_default();
    let mut text: String = line.chars().take(MAX_TEXT).collect();
    if text.len() < item.text.len() {
        text.push('…');
    }
    vec![item.qid.to_string(), state, item.attempt.to_string(), item.source.clone(), text]
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
