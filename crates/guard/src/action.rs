//! What a tool call does, as far as the access lists are concerned.

/// What a tool call does. Paths are as the client passes them: absolute, or relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads a file, or lists a directory.
    Read {
        /// The file or directory.
        path: String,
    },
    /// Reads or lists everything below a directory.
    Search {
        /// The directory or file.
        path: String,
    },
    /// Creates or changes a file, or creates a directory.
    Write {
        /// The file or directory.
        path: String,
    },
    /// Creates a file or directory with this name, or everything below it.
    WriteTree {
        /// The directory.
        path: String,
    },
    /// Removes a file, or a directory with everything below it.
    Delete {
        /// The file or directory.
        path: String,
    },
    /// Moves a file, or a directory with everything below it.
    Move {
        /// The present path.
        from: String,
        /// The new path.
        to: String,
    },
    /// Reads the files that match a pattern.
    Glob {
        /// The directory from which the pattern is applied; the working directory if `None`.
        base: Option<String>,
        /// The pattern.
        pattern: String,
    },
    /// Runs a command line of a POSIX shell.
    Shell {
        /// The command line.
        command: String,
        /// The directory in which it runs; the working directory if `None`.
        directory: Option<String>,
    },
    /// Calls a tool of an MCP server.
    Foreign {
        /// The name of the tool as the client passes it, without the prefix that marks such tools.
        name: String,
        /// How the name of the server and that of the tool are joined; `None` if the name is that of the server.
        separator: Option<&'static str>,
        /// Whether the client marks tools of servers, so that the name cannot be that of another tool.
        is_marked: bool,
    },
    /// Does something that cannot be judged; the reason.
    Unknown {
        /// Why, as a clause.
        reason: String,
    },
}
