//! `token`

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_protocol::{AgentId, Timestamp};
use minds_operations::{FleetTransport, RedisPlace};
use minds_output::{Output, count};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::TokenArgs;
use crate::clock::now;
use crate::command_error::CommandError;
use crate::document;
use crate::session::Session;

/// A token, which is printed once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IssuedToken<'a> {
    id: &'a str,
    token: &'a str,
    expires_at: Option<Timestamp>,
    command: &'a str,
}

impl JsonDocument for IssuedToken<'_> {
    const NAME: &'static str = "fleet-token";
}

/// How many tokens were revoked.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RevokedTokens<'a> {
    id: &'a str,
    revoked: usize,
}

impl JsonDocument for RevokedTokens<'_> {
    const NAME: &'static str = "fleet-token-revoke";
}

pub(super) fn run(
    session: &Session<'_>,
    args: &TokenArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let FleetTransport::Redis(server) = &session.place.transport else { return Err(not_needed()) };
    if args.revoke { revoke(session, &agent, out) } else { issue(session, &agent, args, server, out) }
}

fn not_needed() -> CommandError {
    CommandError::Refused("the agents of one user on one machine need no token".to_owned())
}

fn revoke(session: &Session<'_>, agent: &AgentId, out: &mut Output) -> Result<ExitCode, CommandError> {
    let revoked = session.bus.revoke(agent, now())?.ok_or_else(not_needed)?;
    if out.is_json() {
        document::write(out, &RevokedTokens { id: agent.as_str(), revoked });
    } else {
        out.data(&format!("{agent}: revoked {}\n", count(revoked, "token")));
    }
    Ok(ExitCode::SUCCESS)
}

fn issue(
    session: &Session<'_>,
    agent: &AgentId,
    args: &TokenArgs,
    server: &RedisPlace,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (time, lifetime) = (now(), args.ttl.unwrap_or_default());
    let token = session.bus.issue(agent, lifetime, time)?.ok_or_else(not_needed)?;
    let cwd = session.place.find(agent.as_str()).map_or(&session.place.workspace, |agent| &agent.cwd);
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
    let seconds = lifetime.duration().as_secs();
    let expires_at = Timestamp::from_seconds(time.time.as_seconds() + lifetime.duration().as_secs_f64());
    if out.is_json() {
        let id = agent.as_str();
        document::write(out, &IssuedToken { id, token: token.as_str(), expires_at, command: &command });
    } else {
        out.data(&format!("{command}\n"));
        out.trailing_remark(&format!(
            "the token is valid once, for {}; set `ATEAM_REDIS_URL` where the command runs",
            count(usize::try_from(seconds).unwrap_or(usize::MAX), "second")
        ));
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
