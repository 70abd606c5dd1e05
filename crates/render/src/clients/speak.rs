//! Whether, and how far, a client can be told of a server.

use minds_diagnostics::Problems;

use super::entry::{Connection, ServerEntry};
use super::filter::{Exposure, Filter};
use super::notes::Notes;
use super::{Client, Field};

/// A server of which a client can be told all that is left.
pub(super) struct Spoken<'s> {
    pub(super) server: &'s ServerEntry,
    /// The directory, if the client can be told.
    pub(super) cwd: Option<&'s str>,
    /// The tools, as far as the client can be told.
    pub(super) exposure: Exposure<'s>,
}

/// Returns what a client can be told of a server, and reports the rest; nothing if it is not to be told at all.
pub(super) fn speak<'s>(
    client: Client,
    server: &'s ServerEntry,
    problems: &mut Problems,
) -> Option<Spoken<'s>> {
    if !server.is_enabled && !client.has_switch() {
        return None;
    }
    let name = &server.name;
    let mut notes = Notes::new(client, name, problems);
    notes.name(name);
    let cwd = connection(client, server, &mut notes);
    for field in &server.others {
        if let Some(why) = field.value.obstacle(client) {
            notes.without(field.value, field.place.as_ref(), why);
        }
    }
    let exposure = tools(client, server, &mut notes);
    (!notes.is_left_out).then_some(Spoken { server, cwd, exposure })
}

/// Looks at how a server is reached; returns its directory, if the client can be told.
fn connection<'s>(client: Client, server: &'s ServerEntry, notes: &mut Notes<'_>) -> Option<&'s str> {
    match &server.connection {
        Connection::Address { url, headers } => {
            notes.literal(Field::Url, url);
            notes.settings(Field::Headers, headers);
            None
        }
        Connection::Program { command, args, env, cwd } => {
            notes.literal(Field::Command, command);
            for arg in args {
                notes.literal(Field::Args, arg);
            }
            notes.settings(Field::Env, env);
            let cwd = cwd.as_ref()?;
            if let Some(why) = Field::Cwd.obstacle(client) {
                notes.without(Field::Cwd, cwd.place.as_ref(), why);
                return None;
            }
            notes.literal(Field::Cwd, cwd);
            Some(&cwd.value)
        }
    }
}

fn tools<'s>(client: Client, server: &'s ServerEntry, notes: &mut Notes<'_>) -> Exposure<'s> {
    let (white, black) = (&server.whitelist, &server.blacklist);
    let said = Filter::has_say(white, black);
    for (field, list, has_say) in [(Field::Whitelist, white, said.0), (Field::Blacklist, black, said.1)] {
        let obstacle = field.obstacle(client);
        if let (Some(why), true) = (obstacle, has_say) {
            notes.without(field, list.first().and_then(|entry| entry.place.as_ref()), why);
        }
        if obstacle.is_none() && has_say {
            for entry in list {
                notes.literal(field, entry);
            }
        }
    }
    if Field::Whitelist.obstacle(client).is_some() {
        return Exposure::All;
    }
    let filter = Filter::of(white, black);
    let lists = [(Field::Whitelist, filter.white_patterns), (Field::Blacklist, filter.black_patterns)];
    for (field, patterns) in lists {
        for pattern in patterns {
            notes.without(field, pattern.place.as_ref(), "a client lists tools by their names, without `*`");
        }
    }
    filter.exposure
}
