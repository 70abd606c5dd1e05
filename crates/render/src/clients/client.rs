//! The supported clients and their files.

use std::fmt;

use crate::jsonc::Dialect;

/// The format of a client's file, and where it contains the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON with the servers in the object at this key.
    Json(Dialect, &'static str),
    /// TOML with a table `mcp_servers.NAME` for each server.
    Toml,
}

/// A client: an entry of the [table](clients!).
struct Spec {
    /// The name of the target on the command line: `mcp:` and the name of the client.
    target: &'static str,
    title: &'static str,
    /// The path of its file, relative to the workspace.
    file: &'static str,
    form: Form,
    /// The values of `type` in JSON, for a server that is a program and one that has an address.
    types: Option<(&'static str, &'static str)>,
    /// The key of an address in JSON.
    url_key: &'static str,
    /// The key and the value that disable a server; none if its file does not support that.
    switch: Option<(&'static str, bool)>,
    /// How JSON selects tools.
    tools: ToolKeys,
}

/// The keys of a server in JSON that select its tools. A client without a key cannot express that selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolKeys {
    /// The key of the tools that are enabled.
    pub(super) enabled: Option<&'static str>,
    /// The key of the tools that are disabled.
    pub(super) disabled: Option<&'static str>,
    /// What enables all tools, if the client enables only those that are listed.
    pub(super) all: Option<&'static str>,
}

impl ToolKeys {
    const NONE: Self = Self { enabled: None, disabled: None, all: None };
}

/// Declares the clients, one entry each.
macro_rules! clients {
    ($($(#[$doc:meta])* $client:ident = $spec:expr;)+) => {
        /// An MCP client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Client {
            $($(#[$doc])* $client,)+
        }

        impl Client {
            /// Every client.
            pub const ALL: [Self; [$(stringify!($client)),+].len()] = [$(Self::$client),+];

            fn spec(self) -> &'static Spec {
                match self {
                    $(Self::$client => const { &$spec },)+
                }
            }
        }
    };
}

clients! {
    /// Claude Code, which reads plain JSON and ignores a byte order mark.
    ClaudeCode = Spec {
        target: "mcp:claude-code",
        title: "Claude Code",
        file: ".mcp.json",
        form: Form::Json(Dialect::Json, "mcpServers"),
        types: Some(("stdio", "http")),
        url_key: "url",
        switch: None,
        tools: ToolKeys::NONE,
    };
    /// Codex, which reads its file only in directories that the user trusts.
    Codex = Spec {
        target: "mcp:codex",
        title: "Codex",
        file: ".codex/config.toml",
        form: Form::Toml,
        types: None,
        url_key: "url",
        switch: Some(("enabled", false)),
        tools: ToolKeys::NONE,
    };
    /// Gemini CLI, which supports comments, but neither trailing commas nor a byte order mark.
    Gemini = Spec {
        target: "mcp:gemini",
        title: "Gemini CLI",
        file: ".gemini/settings.json",
        form: Form::Json(Dialect::Comments, "mcpServers"),
        types: None,
        url_key: "httpUrl",
        switch: None,
        tools: ToolKeys { enabled: Some("includeTools"), disabled: Some("excludeTools"), all: None },
    };
    /// Visual Studio Code, which supports comments, trailing commas, a byte order mark and more white space
    /// characters than JSON.
    VsCode = Spec {
        target: "mcp:vscode",
        title: "VS Code",
        file: ".vscode/mcp.json",
        form: Form::Json(Dialect::CommentsAndCommas, "servers"),
        types: Some(("stdio", "http")),
        url_key: "url",
        switch: None,
        tools: ToolKeys::NONE,
    };
    /// Cursor, which is based on Visual Studio Code and supports the same.
    Cursor = Spec {
        target: "mcp:cursor",
        title: "Cursor",
        file: ".cursor/mcp.json",
        form: Form::Json(Dialect::CommentsAndCommas, "mcpServers"),
        types: None,
        url_key: "url",
        switch: None,
        tools: ToolKeys::NONE,
    };
    /// opencode, which supports comments and trailing commas.
    OpenCode = Spec {
        target: "mcp:opencode",
        title: "opencode",
        file: "opencode.json",
        form: Form::Json(Dialect::StrictCommentsAndCommas, "mcp"),
        types: Some(("local", "remote")),
        url_key: "url",
        switch: Some(("enabled", false)),
        tools: ToolKeys::NONE,
    };
    /// GitHub Copilot CLI, which reads its own file in directories that the user trusts. It reads the file of
    /// Claude Code too, whose servers have no lists of tools.
    Copilot = Spec {
        target: "mcp:copilot",
        title: "Copilot CLI",
        file: ".github/mcp.json",
        form: Form::Json(Dialect::StrictJson, "mcpServers"),
        types: Some(("local", "http")),
        url_key: "url",
        switch: None,
        tools: ToolKeys { enabled: Some("tools"), disabled: None, all: Some("*") },
    };
    /// Antigravity, which does not start if its file is not plain JSON.
    Antigravity = Spec {
        target: "mcp:antigravity",
        title: "Antigravity",
        file: ".agents/mcp_config.json",
        form: Form::Json(Dialect::StrictJson, "mcpServers"),
        types: None,
        url_key: "serverUrl",
        switch: Some(("disabled", true)),
        tools: ToolKeys { enabled: None, disabled: Some("disabledTools"), all: None },
    };
}

/// Writes the display name.
impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl Client {
    /// Returns the client with the given [name](Self::name).
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the name in manifests.
    pub fn name(self) -> &'static str {
        let name = self.target_name();
        name.strip_prefix("mcp:").unwrap_or(name)
    }

    /// Returns the name of the target on the command line.
    pub(crate) fn target_name(self) -> &'static str {
        self.spec().target
    }

    /// Returns the display name.
    pub fn title(self) -> &'static str {
        self.spec().title
    }

    /// Returns the path of its file, relative to the workspace.
    pub fn file(self) -> &'static str {
        self.spec().file
    }

    /// Returns the format of its file.
    pub(super) fn form(self) -> Form {
        self.spec().form
    }

    /// Returns the values of `type` in JSON, for a server that is a program and one that has an address; `None`
    /// if the client recognizes them by other keys.
    pub(super) fn types(self) -> Option<(&'static str, &'static str)> {
        self.spec().types
    }

    /// Returns the key of an address in JSON.
    pub(super) fn url_key(self) -> &'static str {
        self.spec().url_key
    }

    /// Returns the key and the value that disable a server; none if its file does not support that.
    pub(super) fn switch(self) -> Option<(&'static str, bool)> {
        self.spec().switch
    }

    /// Returns how JSON selects tools.
    pub(super) fn tool_keys(self) -> ToolKeys {
        self.spec().tools
    }
}

#[cfg(test)]
mod tests {
    use super::super::Field;
    use super::*;

    /// A selection that is not refused is written.
    #[test]
    fn every_selection_that_is_not_refused_has_a_key() {
        for client in Client::ALL.into_iter().filter(|client| client.form() != Form::Toml) {
            let keys = client.tool_keys();
            for (field, key) in [(Field::Whitelist, keys.enabled), (Field::Blacklist, keys.disabled)] {
                assert_eq!(field.obstacle(client).is_none(), key.is_some(), "{client}: {}", field.key());
            }
        }
    }
}
