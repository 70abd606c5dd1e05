//! Accepting what the files of an agent permit.

use std::fmt::Write as _;

use minds_fleet_agent::{ConfiguredAgent, PolicyReview};
use minds_fleet_protocol::AgentId;
use minds_output::Output;

use crate::command_error::CommandError;
use crate::questions::{is_confirmed, show};
use crate::session::Session;
use crate::verbs::own_programs;

/// Compares the files of a configured agent with what was accepted.
pub(crate) fn review(session: &Session<'_>, agent: &AgentId) -> Result<PolicyReview, CommandError> {
    let is_of_compose_root = session.is_of_compose_root(agent);
    let configured = ConfiguredAgent {
        base: session.place.workspace.clone(),
        name: agent.name().to_owned(),
        project: is_of_compose_root.then(|| agent.project().to_owned()),
        is_of_compose_root,
        cwd: None,
        model: None,
        programs: own_programs()?,
    };
    Ok(configured.review(&session.place)?)
}

/// Accepts wider rights of the files: with the option, or if the person at the terminal confirms them. Otherwise those that were
/// accepted count.
pub(crate) fn settle(agent: &AgentId, review: &PolicyReview, is_accepted: bool) -> Result<(), CommandError> {
    if is_accepted {
        return Ok(review.accept()?);
    }
    if !show_widenings(agent, review)? {
        return Ok(());
    }
    if is_confirmed("accept them?") {
        return Ok(review.accept()?);
    }
    Output::remark("the rights that were accepted count; `--accept` accepts those of the files");
    Ok(())
}

/// Prints what the files give beyond what was accepted, and returns whether they do.
pub(crate) fn show_widenings(agent: &AgentId, review: &PolicyReview) -> Result<bool, CommandError> {
    let widenings = review.find_widenings()?;
    if widenings.is_empty() {
        return Ok(false);
    }
    let mut text = format!("the files give `{agent}` more rights than were accepted:\n");
    for change in &widenings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {change}");
    }
    show(&text);
    Ok(true)
}
