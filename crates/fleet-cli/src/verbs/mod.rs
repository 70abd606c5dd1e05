//! One module for each verb, or a few that are alike.

mod acp;
pub(crate) mod agent;
mod confine;
mod doctor;
pub(crate) mod gateway;
mod items;
mod lifecycle;
mod mcp;
mod models;
mod ps;
mod send;
mod tail;
mod token;
mod tools;
mod who;

use std::process::ExitCode;

use minds_output::Output;

use crate::args::{Args, Verb};
use crate::command_error::CommandError;
use crate::session::Session;

pub(crate) use self::confine::own_programs;
pub(crate) use self::gateway::launch as launch_gateway;

/// The types of the documents that the verbs print.
pub(crate) mod documents {
    pub(crate) use super::doctor::{Acl, Checks};
    pub(crate) use super::items::{AgentItem, Cleared, Queue};
    pub(crate) use super::lifecycle::Agents;
    pub(crate) use super::models::Models;
    pub(crate) use super::ps::Listing;
    pub(crate) use super::send::SentInput;
    pub(crate) use super::token::{IssuedToken, RevokedTokens};
    pub(crate) use super::tools::AgentTools;
    pub(crate) use super::who::Owners;
}

/// The exit code of commands that worked, and found or did something that did not succeed.
const FAILED: u8 = 1;

/// Runs a verb.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<ExitCode, CommandError> {
    if let Verb::Confine = &args.verb {
        return confine::run();
    }
    if let Verb::Relay(relay) = &args.verb {
        return confine::relay(&relay.folder);
    }
    if let Verb::Gateway(gateway) = &args.verb {
        return gateway::run(gateway);
    }
    if let Verb::Agent(agent) = &args.verb {
        return agent::run(&args.options, agent);
    }
    if let Verb::Doctor(doctor) = &args.verb {
        return doctor::run(&args.options, doctor, out);
    }
    if let Verb::Mcp(server) = &args.verb {
        return mcp::run(&args.options, server);
    }
    if let Verb::Acp(acp) = &args.verb {
        return acp::run(&args.options, acp);
    }
    let session = Session::open(&args.options)?;
    match &args.verb {
        Verb::Up(up) => lifecycle::up(&session, up, out),
        Verb::Down(down) => lifecycle::down(&session, down, out),
        Verb::Stop(stop) => lifecycle::stop(&session, stop, out),
        Verb::Ps(ps) => ps::run(&session, ps, out),
        Verb::Who(who) => who::run(&session, who, out),
        Verb::Send(send) => send::run(&session, send, out),
        Verb::Tail(tail) => tail::run(&session, tail, out),
        Verb::Interrupt(interrupt) => items::interrupt(&session, interrupt, out),
        Verb::Cancel(cancel) => items::cancel(&session, cancel, out),
        Verb::Queue(queue) => items::queue(&session, queue, out),
        Verb::Retry(item) => items::retry(&session, item, out),
        Verb::Drop(item) => items::drop_item(&session, item, out),
        Verb::Token(token) => token::run(&session, token, out),
        Verb::Models(_) => Ok(models::run(&session, out)),
        Verb::Tools(tools) => tools::run(&session, tools, out),
        Verb::Agent(_)
        | Verb::Acp(_)
        | Verb::Doctor(_)
        | Verb::Confine
        | Verb::Relay(_)
        | Verb::Gateway(_)
        | Verb::Mcp(_) => Ok(ExitCode::SUCCESS),
    }
}
