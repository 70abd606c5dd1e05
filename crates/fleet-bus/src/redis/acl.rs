//! The rules of the access control list of the server.

use std::fmt::Write as _;

/// Who uses the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedisRole {
    /// Runs agents.
    Agent,
    /// Sends requests to agents.
    Console,
    /// Lists agents and follows their frames. It can change nothing.
    Observer,
}

/// What every role may call.
const CONNECT: &str = "+ping +hello +client";
const READ: &str = "+get +mget +scan +xread +xrange +xrevrange +subscribe +unsubscribe";
const CHANGE: &str = "+set +getdel +del +expire +eval +evalsha +script +publish";
const RUN: &str = "+incr +xadd";

impl RedisRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Console, Self::Observer];

    /// Returns the name of its user in [`acl_rules`].
    pub fn user(self) -> &'static str {
        match self {
            Self::Agent => "minds-agent",
            Self::Console => "minds-console",
            Self::Observer => "minds-observer",
        }
    }

    /// Returns the rules of the role, without its name and its password.
    pub fn rules(self, prefix: &str) -> String {
        let start = "resetkeys resetchannels -@all";
        match self {
            Self::Agent => {
                format!("{start} ~{prefix}* &{prefix}* {CONNECT} {READ} {CHANGE} {RUN}")
            }
            Self::Console => format!("{start} ~{prefix}* &{prefix}* {CONNECT} {READ} {CHANGE}"),
            Self::Observer => format!("{start} %R~{prefix}* &{prefix}* {CONNECT} {READ}"),
        }
    }
}

/// Returns the commands that make a user for each role, with `PASSWORD` in place of its password.
///
/// The rules of observers need Redis 7.
pub fn acl_rules(prefix: &str) -> String {
    let mut text = String::new();
    for role in RedisRole::ALL {
        // Writing to a string does not fail.
        let _ = writeln!(text, "ACL SETUSER {} on >PASSWORD {}", role.user(), role.rules(prefix));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_the_documented_form() {
        let expected = "\
ACL SETUSER minds-agent on >PASSWORD resetkeys resetchannels -@all ~mcp:* &mcp:* +ping +hello +client +get +mget +scan \
+xread +xrange +xrevrange +subscribe +unsubscribe +set +getdel +del +expire +eval +evalsha +script +publish +incr +xadd
ACL SETUSER minds-console on >PASSWORD resetkeys resetchannels -@all ~mcp:* &mcp:* +ping +hello +client +get +mget +scan \
+xread +xrange +xrevrange +subscribe +unsubscribe +set +getdel +del +expire +eval +evalsha +script +publish
ACL SETUSER minds-observer on >PASSWORD resetkeys resetchannels -@all %R~mcp:* &mcp:* +ping +hello +client +get +mget \
+scan +xread +xrange +xrevrange +subscribe +unsubscribe
";
        assert_eq!(acl_rules("mcp:"), expected);
    }
}
