//! Names of tools.

use std::fmt;

/// The maximum length of the name of a tool including its version, in bytes.
pub const MAX_NAME_BYTES: usize = 133;

/// The first part of the names of tools of MCP servers.
const FOREIGN: &str = "mcp.";
/// The maximum length of the name of a server, and of a tool of a server, in bytes.
const MAX_FOREIGN_PART: usize = 64;

/// The prefix of a version number.
const VERSION: &str = "@v";

/// The name of a tool and its version: `fs.read`, `fs.read@v2`.
///
/// A name has two or more parts with dots between them, each a lower-case letter followed by lower-case letters, digits and
/// `_`. Without a version it is equal to the name with `@v1`.
///
/// Tools of MCP servers have the names `mcp.SERVER.TOOL`, and `mcp.SERVER` stands for all tools of a server; these parts
/// have 1 to 64 ASCII letters, digits, `_` and `-`, and there is no version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName {
    name: String,
    version: u32,
}

/// Why the name of a tool is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolNameError {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is too long.
    #[error("it is longer than {MAX_NAME_BYTES} bytes")]
    TooLong,
    /// It has only one part.
    #[error("it has no dot")]
    OnePart,
    /// A part is empty, or contains an invalid character.
    #[error("its parts are lower-case letters, digits and `_`, and begin with a letter")]
    Part,
    /// It contains `*`, which is not supported.
    #[error("`*` is not supported; list each tool")]
    Wildcard,
    /// It begins with `mcp.`, and is not the name of a server or of one of its tools.
    #[error(
        "it must be `mcp.SERVER` or `mcp.SERVER.TOOL`, each with 1 to {MAX_FOREIGN_PART} letters, digits, `_` and `-`"
    )]
    Foreign,
    /// The part after `@` is not a version.
    #[error("a version is `@v` and a number from 1 without leading zeros")]
    Version,
}

impl ToolName {
    /// Parses a name.
    ///
    /// # Errors
    ///
    /// Returns why `text` is not valid.
    pub fn parse(text: &str) -> Result<Self, ToolNameError> {
        if text.is_empty() {
            return Err(ToolNameError::Empty);
        }
        if text.len() > MAX_NAME_BYTES {
            return Err(ToolNameError::TooLong);
        }
        if text.contains('*') {
            return Err(ToolNameError::Wildcard);
        }
        if let Some(rest) = text.strip_prefix(FOREIGN) {
            let parts = rest.split('.').filter(|part| is_foreign_part(part)).count();
            let is_name = parts == rest.split('.').count() && parts <= 2;
            return is_name.then(|| Self { name: text.to_owned(), version: 1 }).ok_or(ToolNameError::Foreign);
        }
        let (name, version) = match text.split_once('@') {
            None => (text, 1),
            Some((name, _)) => {
                let digits = text.get(name.len()..).and_then(|rest| rest.strip_prefix(VERSION));
                (name, digits.and_then(version).ok_or(ToolNameError::Version)?)
            }
        };
        if !name.split('.').all(is_part) {
            return Err(ToolNameError::Part);
        }
        if !name.contains('.') {
            return Err(ToolNameError::OnePart);
        }
        Ok(Self { name: name.to_owned(), version })
    }

    /// Returns whether the tools are those of an MCP server: `mcp.SERVER`, or one of them, `mcp.SERVER.TOOL`.
    pub fn is_foreign(&self) -> bool {
        self.name.starts_with(FOREIGN)
    }

    /// Returns the entry for all tools of the server, if this is one of them.
    pub fn server_entry(&self) -> Option<Self> {
        let (server, _) = self.name.strip_prefix(FOREIGN)?.split_once('.')?;
        Some(Self { name: format!("{FOREIGN}{server}"), version: 1 })
    }

    /// Returns the name without the version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version, from 1.
    pub fn version(&self) -> u32 {
        self.version
    }
}

/// Writes the name, and the version unless it is 1.
impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.version == 1 { Ok(()) } else { write!(f, "{VERSION}{}", self.version) }
    }
}

fn is_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_lowercase())
        && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_foreign_part(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !part.is_empty() && part.len() <= MAX_FOREIGN_PART && part.bytes().all(is_allowed)
}

fn version(digits: &str) -> Option<u32> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, u32), ToolNameError>) {
        let parsed = ToolName::parse(text);
        let parsed = parsed.as_ref().map(|name| (name.name(), name.version())).map_err(|error| *error);
        assert_eq!(parsed, expected, "{text:?}");
    }

    #[test]
    fn names_have_parts_and_a_version() {
        check("fs.read", Ok(("fs.read", 1)));
        check("fs.read@v1", Ok(("fs.read", 1)));
        check("kb.copy_from@v12", Ok(("kb.copy_from", 12)));
        check("a.b.c2", Ok(("a.b.c2", 1)));
        check("", Err(ToolNameError::Empty));
        check("read", Err(ToolNameError::OnePart));
        for text in
            ["FS.Read", "fs.Read", "fs..read", ".read", "fs.", "fs.2x", "fs.re-ad", " fs.read", "fs.réad"]
        {
            check(text, Err(ToolNameError::Part));
        }
        for text in ["fs.*", "*"] {
            check(text, Err(ToolNameError::Wildcard));
        }
        for text in [
            "fs.read@",
            "fs.read@v",
            "fs.read@v0",
            "fs.read@v01",
            "fs.read@2",
            "fs.read@v1@v2",
            "fs.read@v+1",
        ] {
            check(text, Err(ToolNameError::Version));
        }
        check("fs.read@v4294967296", Err(ToolNameError::Version));
        check(&format!("fs.{}", "a".repeat(131)), Err(ToolNameError::TooLong));
    }

    #[test]
    fn tools_of_servers_keep_their_names() {
        for name in ["mcp.browser", "mcp.My-Server_2", "mcp.browser.Open-Page", "mcp.a._x"] {
            check(name, Ok((name, 1)));
        }
        let longest = format!("mcp.{0}.{0}", "a".repeat(64));
        check(&longest, Ok((&longest, 1)));
        for name in ["mcp.", "mcp..a", "mcp.a.", "mcp.a.b.c", "mcp.a b", "mcp.a@v2", "mcp.a.é"] {
            check(name, Err(ToolNameError::Foreign));
        }
        check(&format!("mcp.{}", "a".repeat(65)), Err(ToolNameError::Foreign));
        let server = |name: &str| ToolName::parse(name).unwrap().server_entry().map(|name| name.to_string());
        assert_eq!(server("mcp.browser.open"), Some("mcp.browser".to_owned()));
        assert_eq!((server("mcp.browser"), server("fs.read")), (None, None));
    }

    #[test]
    fn the_first_version_is_omitted() {
        let shown = |text| ToolName::parse(text).unwrap().to_string();
        assert_eq!(shown("fs.read@v1"), "fs.read");
        assert_eq!(shown("fs.read@v2"), "fs.read@v2");
        assert_eq!(ToolName::parse("fs.read"), ToolName::parse("fs.read@v1"));
        assert_ne!(ToolName::parse("fs.read"), ToolName::parse("fs.read@v2"));
    }

    proptest! {
        #[test]
        fn names_are_parsed_after_formatting(name in "[a-z][a-z0-9_]{0,6}(\\.[a-z][a-z0-9_]{0,6}){1,3}", version in 1_u32..) {
            let parsed = ToolName::parse(&format!("{name}@v{version}")).unwrap();
            prop_assert_eq!(ToolName::parse(&parsed.to_string()), Ok(parsed));
        }

        #[test]
        fn any_string_is_handled(text in any::<String>()) {
            if let Ok(name) = ToolName::parse(&text) {
                prop_assert_eq!(ToolName::parse(&name.to_string()), Ok(name));
            }
        }
    }
}
