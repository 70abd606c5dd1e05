//! The members of the team whose access lists apply to an agent as well.

use std::collections::BTreeSet;
use std::fmt;

use crate::outcome::{Refusal, quote};

/// Why a file is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// To read it, or to list a directory.
    Read,
    /// To create or change it.
    Write,
}

/// What a member of the team may do, by the files of the team as they were when it was read.
pub trait MemberRights {
    /// Decides about an absolute path without symbolic links.
    ///
    /// # Errors
    ///
    /// Returns why the member may not access it.
    fn check(&self, access: FileAccess, path: &str) -> Result<(), String>;

    /// Returns whether the member has a tool of an MCP server.
    fn has_server_tool(&self, server: &str, tool: &str) -> bool;
}

/// Reads what a member may do, from the files of the team as they are now; or returns why that is not known.
pub type MemberReader<'a> = Box<dyn Fn(&str) -> Result<Box<dyn MemberRights>, String> + Send + 'a>;

/// Some members, all of which must permit what is accessed.
#[derive(Default)]
pub(crate) struct Members(Vec<(String, Box<dyn MemberRights>)>);

impl Members {
    /// Reads what the members may do. A member that cannot be read denies everything.
    pub(crate) fn read(names: &BTreeSet<String>, reader: Option<&MemberReader<'_>>) -> Result<Self, Refusal> {
        let read = |name: &String| {
            let rights = match reader {
                Some(reader) => reader(name),
                None => Err("its team is not known".to_owned()),
            };
            let denied = |reason| {
                Refusal::deny(format!("the rights of the member {} are not known: {reason}", quote(name)))
            };
            Ok((name.clone(), rights.map_err(denied)?))
        };
        names.iter().map(read).collect::<Result<_, Refusal>>().map(Self)
    }

    /// Checks that all members may access an absolute path without symbolic links; `given` is how the caller wrote it.
    pub(crate) fn expect_access(&self, access: FileAccess, path: &str, given: &str) -> Result<(), Refusal> {
        for (name, rights) in &self.0 {
            rights.check(access, path).map_err(|reason| {
                let verb = if access == FileAccess::Read { "read" } else { "change" };
                let (given, name) = (quote(given), quote(name));
                Refusal::deny(format!("the member {name} of the team may not {verb} {given}: {reason}"))
            })?;
        }
        Ok(())
    }

    /// Returns whether all members may access an absolute path.
    pub(crate) fn permit(&self, access: FileAccess, path: &str) -> bool {
        self.0.iter().all(|(_, rights)| rights.check(access, path).is_ok())
    }

    /// Returns the first member that does not have a tool of a server.
    pub(crate) fn find_without(&self, server: &str, tool: &str) -> Option<&str> {
        let lacking = self.0.iter().find(|(_, rights)| !rights.has_server_tool(server, tool));
        lacking.map(|(name, _)| name.as_str())
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
