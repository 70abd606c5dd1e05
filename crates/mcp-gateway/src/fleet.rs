//! The server of the toolset `fleet`, which no file declares: the program `minds-fleet` for the fleet of the workspace.

use minds_core::catalog::FLEET_TOOLSET;
use minds_process::find_program;
use minds_taskdoc::OPERATOR;
use minds_toolset::{Clock, ToolContext, has_fleet, may_use_fleet};

use crate::{Config, InvalidServer, Options, Server, ServerEntry, StdioServer, Transport};

/// The program.
const PROGRAM: &str = "minds-fleet";
/// The longest name of a user of the program.
const MAX_NAME_BYTES: usize = 64;

impl Config {
    /// Returns the configuration with the server of the toolset `fleet` in front, as built-in toolsets precede servers: if the
    /// workspace has a fleet, and the user of the gateway has a tool of the toolset. A server of the file with its id is
    /// moved to those that collide.
    pub(crate) fn with_fleet(mut self, options: &Options) -> Self {
        let Some(entry) = find_entry(options) else { return self };
        let (colliding, others): (Vec<ServerEntry>, Vec<ServerEntry>) =
            self.servers.into_iter().partition(|other| other.id == entry.id);
        self.colliding = colliding.into_iter().map(|entry| entry.id).collect();
        self.servers = std::iter::once(entry).chain(others).collect();
        self
    }
}

fn find_entry(options: &Options) -> Option<ServerEntry> {
    let caller = options.fleet.as_ref()?;
    // A workspace that cannot be opened has no fleet for a member.
    let context = ToolContext::open(&options.workspace, &options.state, Clock::System).ok()?;
    if !has_fleet(context.root()) || !may_use_fleet(&context, caller) {
        return None;
    }
    let program = find_program(PROGRAM).and_then(|program| program.into_os_string().into_string().ok());
    let server = program.ok_or(InvalidServer::NotInstalled { program: PROGRAM });
    let server = server.map(|command| Server {
        transport: Transport::Stdio(StdioServer {
            command,
            args: arguments(&caller.label()),
            env: Vec::new(),
            directory: options.workspace.clone(),
        }),
        is_stateless: false,
        is_enabled: true,
        whitelist: Vec::new(),
        blacklist: Vec::new(),
        transforms: Vec::new(),
    });
    Some(ServerEntry { id: FLEET_TOOLSET.to_owned(), server, is_built_in: true })
}

/// Returns the arguments of the program for a caller, whose name marks its inputs.
fn arguments(label: &str) -> Vec<String> {
    let name = label.strip_prefix(OPERATOR).unwrap_or(label);
    // The program accepts only these characters.
    let accepted = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name: String = name.chars().map(accepted).take(MAX_NAME_BYTES).collect();
    let mut arguments = vec!["mcp".to_owned()];
    if !name.is_empty() {
        // In one argument, because a name may begin with a hyphen.
        arguments.push(format!("--as={name}"));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_marked_with_the_name_of_the_caller() {
        assert_eq!(arguments("coder"), ["mcp", "--as=coder"]);
        assert_eq!(arguments("user:alice smith"), ["mcp", "--as=alice_smith"]);
        assert_eq!(arguments("-é.x"), ["mcp", "--as=-__x"]);
        assert_eq!(arguments(&"x".repeat(65)), ["mcp", &format!("--as={}", "x".repeat(64))]);
        assert_eq!(arguments("user:"), ["mcp"]);
    }
}
