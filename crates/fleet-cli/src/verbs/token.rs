//! `token`

use std::process::ExitCode;

use minds_fleet_protocol::Timestamp;
use minds_operations::FleetTransport;
use minds_output::Output;
use serde::Serialize;

use crate::args::TokenArgs;
use crate::clock::now;
use crate::command_error::CommandError;
use crate::document;
use crate::session::Session;

/// The life of a token, in seconds.
const LIFETIME: u64 = 300;

/// A token, which is printed once.
#[derive(Serialize)]
struct IssuedToken<'a> {
    id: &'a str,
    token: &'a str,
    expires_at: Option<Timestamp>,
    command: &'a str,
}

pub(super) fn run(
    session: &Session<'_>,
    args: &TokenArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let FleetTransport::Redis(server) = &session.place.transport else {
        let message = "the agents of one user on one machine need no token";
        return Err(CommandError::Refused(message.to_owned()));
    };
    if args.revoke || args.ttl != LIFETIME {
        let message = "tokens are valid for 300 seconds and cannot be revoked";
        return Err(CommandError::Refused(message.to_owned()));
    }
    let time = now();
    let Some(token) = session.bus.issue(&agent, time)? else {
        return Err(CommandError::Refused("the transport needs no token".to_owned()));
    };
    let cwd = session.place.agent(agent.name()).map_or(&session.place.workspace, |agent| &agent.cwd);
    let url = server.url.expose();
    let url = if url.contains('@') || url.contains("password") {
        "ATEAM_REDIS_URL=\"$ATEAM_REDIS_URL\"".to_owned()
    } else {
        format!("ATEAM_REDIS_URL={}", quote(url))
    };
    let command = format!(
        "{url} ATEAM_BOOTSTRAP_TOKEN={} minds-fleet agent --project {} --name {} --cwd {}",
        token.as_str(),
        agent.project(),
        agent.name(),
        quote(&cwd.to_string_lossy())
    );
    #[expect(clippy::cast_precision_loss, reason = "a few minutes")]
    let expires_at = Timestamp::from_seconds(time.time.as_seconds() + LIFETIME as f64);
    if out.is_json() {
        let id = agent.as_str();
        document::write(out, &IssuedToken { id, token: token.as_str(), expires_at, command: &command });
    } else {
        out.data(&format!("{command}\n"));
        out.trailing_remark(
            "the token is valid once, for 5 minutes; set `ATEAM_REDIS_URL` where the command runs",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Quotes a word for `sh`.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (word, expected) in
            [("/srv/a-b", "/srv/a-b"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''"), ("$x", "'$x'")]
        {
            assert_eq!(quote(word), expected);
        }
    }
}
