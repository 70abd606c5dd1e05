//! Translating a server into the settings that a client supports.

use minds_diagnostics::Problems;

use super::entry::{Connection, ServerEntry};
use super::filter::{Exposure, Filter};
use super::notes::Notes;
use super::{Client, Field};

/// A server with the settings that a client supports.
pub(super) struct TranslatedServer<'s> {
    pub(super) server: &'s ServerEntry,
    /// The working directory, if the client supports it.
    pub(super) cwd: Option<&'s str>,
    /// The enabled tools, as far as the client supports filters.
    pub(super) exposure: Exposure<'s>,
}

/// Returns the settings of a server that a client supports and reports the remaining settings; `None` if the
/// server is left out.
pub(super) fn translate<'s>(
    client: Client,
    server: &'s ServerEntry,
    problems: &mut Problems,
) -> Option<TranslatedServer<'s>> {
    if !server.is_enabled && client.switch().is_none() {
        return None;
    }
    let name = &server.name;
    let mut notes = Notes::new(client, name, problems);
    notes.check_name(name);
    let cwd = connection(client, server, &mut notes);
    for field in &server.unsupported {
        if let Some(why) = field.value.obstacle(client) {
            notes.leave_out_field(field.value, field.place.as_ref(), why);
        }
    }
    let exposure = tools(client, server, &mut notes);
    (!notes.is_left_out).then_some(TranslatedServer { server, cwd, exposure })
}

/// Checks the connection of a server; returns its working directory, if the client supports it.
fn connection<'s>(client: Client, server: &'s ServerEntry, notes: &mut Notes<'_>) -> Option<&'s str> {
    match &server.connection {
        Connection::Address { url, headers } => {
            notes.check_literal(Field::Url, url);
            notes.check_settings(Field::Headers, headers);
            None
        }
        Connection::Program { command, args, env, cwd } => {
            notes.check_literal(Field::Command, command);
            for arg in args {
                notes.check_literal(Field::Args, arg);
            }
            notes.check_settings(Field::Env, env);
            let cwd = cwd.as_ref()?;
            if let Some(why) = Field::Cwd.obstacle(client) {
                notes.leave_out_field(Field::Cwd, cwd.place.as_ref(), why);
                return None;
            }
            notes.check_literal(Field::Cwd, cwd);
            Some(&cwd.value)
        }
    }
}

fn tools<'s>(client: Client, server: &'s ServerEntry, notes: &mut Notes<'_>) -> Exposure<'s> {
    let (white, black) = (&server.whitelist, &server.blacklist);
    let relevant = Filter::are_relevant(white, black);
    let filter = Filter::of(white, black);
    let obstacle = filter_obstacle(client, &filter);
    for (field, list, are_relevant) in
        [(Field::Whitelist, white, relevant.0), (Field::Blacklist, black, relevant.1)]
    {
        if !are_relevant {
            continue;
        }
        match obstacle {
            Some(why) => {
                notes.leave_out_field(field, list.first().and_then(|entry| entry.place.as_ref()), why);
            }
            None => list.iter().for_each(|entry| notes.check_literal(field, entry)),
        }
    }
    if obstacle.is_some() {
        return Exposure::All;
    }
    let lists = [(Field::Whitelist, filter.white_patterns), (Field::Blacklist, filter.black_patterns)];
    for (field, patterns) in lists {
        for pattern in patterns {
            notes.leave_out_field(
                field,
                pattern.place.as_ref(),
                "the client's tool lists do not support `*`",
            );
        }
    }
    filter.exposure
}

/// Returns why a client cannot express which tools are enabled; `None` if it can.
fn filter_obstacle(client: Client, filter: &Filter<'_>) -> Option<&'static str> {
    match filter.exposure {
        Exposure::Only(_) => Field::Whitelist.obstacle(client),
        Exposure::All if filter.black_patterns.is_empty() => None,
        // Without names, the lists have only patterns.
        Exposure::AllBut(_) | Exposure::All => Field::Blacklist.obstacle(client),
    }
}
