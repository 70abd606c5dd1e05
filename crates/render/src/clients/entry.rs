//! Servers, independent of where they are declared.

use std::error::Error;
use std::fmt;

use minds_core::EnvVar;
use minds_core::mcp::{self, Mcp, ServerFields, ToolFilter, Transport};
use minds_diagnostics::Label;
use minds_document::{Document, Field as Decoded, List, NodeId, Spanned};

use super::Field;

/// A server to register in clients.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    /// The name of the server.
    pub name: WithPlace<String>,
    /// How clients connect to the server.
    pub connection: Connection,
    /// Whether the server is enabled.
    pub is_enabled: bool,
    /// The tools that are always enabled; `*` matches any characters.
    pub whitelist: Vec<WithPlace<String>>,
    /// The tools that are disabled, in the same syntax. If it is empty, only tools in the whitelist are
    /// enabled.
    pub blacklist: Vec<WithPlace<String>>,
    /// Further settings, which no client supports.
    pub unsupported: Vec<WithPlace<Field>>,
}

/// How clients connect to a server.
#[derive(Clone, Debug)]
pub enum Connection {
    /// A program that the client starts.
    Program {
        /// The program.
        command: WithPlace<String>,
        /// The arguments.
        args: Vec<WithPlace<String>>,
        /// Environment variables in addition to those of the client.
        env: Vec<Setting>,
        /// The working directory, relative to the workspace.
        cwd: Option<WithPlace<String>>,
    },
    /// A URL with the streamable HTTP transport.
    Address {
        /// The URL.
        url: WithPlace<String>,
        /// Headers of each request.
        headers: Vec<Setting>,
    },
}

/// An environment variable of a program, or a header of a request.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name.
    pub name: String,
    /// The value.
    pub value: WithPlace<SettingValue>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A literal string.
    Literal(String),
    /// An environment variable of the client.
    Variable {
        /// The name.
        name: EnvVar,
        /// The prefix of the value; may be empty.
        prefix: String,
    },
}

/// A value with its source position, if it has one.
#[derive(Clone, Debug)]
pub struct WithPlace<T> {
    /// The value.
    pub value: T,
    /// The source position.
    pub place: Option<Place>,
}

/// A source position.
#[derive(Clone, Debug)]
pub struct Place {
    /// The source and span.
    pub label: Label,
    /// The JSON pointer.
    pub pointer: String,
}

/// A setting of a server that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The name of the server, or `None` if the list of servers could not be read.
    pub server: Option<String>,
    /// The key.
    pub key: &'static str,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.key)?;
        if let Some(server) = &self.server {
            write!(f, " of the server `{server}`")?;
        }
        f.write_str(" cannot be read")
    }
}

impl Error for Unreadable {}

impl<T> WithPlace<T> {
    /// Returns a value without a source position.
    pub fn without_place(value: T) -> Self {
        Self { value, place: None }
    }
}

impl From<&str> for WithPlace<String> {
    fn from(value: &str) -> Self {
        Self::without_place(value.to_owned())
    }
}

impl ServerEntry {
    /// Returns a server that is a program, without further settings or source positions.
    pub fn program(name: &str, command: &str, args: &[&str], env: Vec<Setting>) -> Self {
        let args = args.iter().map(|arg| WithPlace::from(*arg)).collect();
        let connection = Connection::Program { command: command.into(), args, env, cwd: None };
        Self {
            name: name.into(),
            connection,
            is_enabled: true,
            whitelist: Vec::new(),
            blacklist: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    /// Returns all servers of `mcp.yaml`, in the order of the file.
    ///
    /// # Errors
    ///
    /// Fails if a setting or the list of servers could not be read completely; a check of the file reports
    /// why. Servers that are not rendered are removed from client files, so an incomplete list must not be
    /// rendered.
    pub fn all(mcp: &Mcp, document: &Document) -> Result<Vec<Self>, Unreadable> {
        // With duplicate keys it is not known which value applies.
        let is_complete = mcp.is_complete && !document.is_partial() && !document.has_repeated_keys();
        if !is_complete || mcp.servers_field.is_unreadable() {
            return Err(Unreadable { server: None, key: "servers" });
        }
        mcp.servers.iter().map(|server| Self::of(server, document)).collect()
    }

    fn of(server: &mcp::Server, document: &Document) -> Result<Self, Unreadable> {
        let reader = Reader { document, server: &server.id.value };
        let fields = reader.required_field("servers", &server.fields)?;
        let transport = reader.required_field("transport", &fields.value.transport)?;
        let connection = match transport.value {
            Transport::Stdio => reader.program(&fields.value)?,
            Transport::StreamableHttp => reader.address(&fields.value)?,
            _ => return Err(reader.unreadable("transport")),
        };
        let fields = &fields.value;
        let tools = reader.optional_field("tools", &fields.tools)?.map(|tools| &tools.value);
        let none = ToolFilter::default();
        let tools = tools.unwrap_or(&none);
        Ok(Self {
            name: reader.with_place(&server.id, Clone::clone),
            connection,
            is_enabled: reader
                .optional_field("enabled", &fields.enabled)?
                .is_none_or(|enabled| enabled.value),
            whitelist: reader.strings("whitelist", &tools.whitelist)?,
            blacklist: reader.strings("blacklist", &tools.blacklist)?,
            unsupported: reader.unsupported_settings(fields, tools)?,
        })
    }
}

/// Reads the settings of a server.
struct Reader<'s> {
    document: &'s Document,
    server: &'s str,
}

impl Reader<'_> {
    fn unreadable(&self, key: &'static str) -> Unreadable {
        Unreadable { server: Some(self.server.to_owned()), key }
    }

    fn optional_field<'f, T>(
        &self,
        key: &'static str,
        field: &'f Decoded<T>,
    ) -> Result<Option<&'f Spanned<T>>, Unreadable> {
        if field.is_unreadable() { Err(self.unreadable(key)) } else { Ok(field.as_given()) }
    }

    fn required_field<'f, T>(
        &self,
        key: &'static str,
        field: &'f Decoded<T>,
    ) -> Result<&'f Spanned<T>, Unreadable> {
        self.optional_field(key, field)?.ok_or_else(|| self.unreadable(key))
    }

    fn place(&self, node: NodeId) -> Place {
        let node = self.document.node(node);
        Place { label: node.label(), pointer: node.pointer() }
    }

    fn with_place<T, U>(&self, spanned: &Spanned<T>, value: impl FnOnce(&T) -> U) -> WithPlace<U> {
        WithPlace { value: value(&spanned.value), place: Some(self.place(spanned.node)) }
    }

    fn strings(
        &self,
        key: &'static str,
        field: &Decoded<List<String>>,
    ) -> Result<Vec<WithPlace<String>>, Unreadable> {
        let Some(list) = self.optional_field(key, field)? else { return Ok(Vec::new()) };
        if !list.value.is_complete {
            return Err(self.unreadable(key));
        }
        Ok(list.value.items.iter().map(|item| self.with_place(item, Clone::clone)).collect())
    }

    fn settings(
        &self,
        key: &'static str,
        field: &Decoded<Vec<mcp::Setting>>,
    ) -> Result<Vec<Setting>, Unreadable> {
        let Some(settings) = self.optional_field(key, field)? else { return Ok(Vec::new()) };
        let setting = |setting: &mcp::Setting| {
            let value = self.required_field(key, &setting.value)?;
            let value = self.with_place(value, |value| match value {
                mcp::SettingValue::Literal(text) => SettingValue::Literal(text.clone()),
                mcp::SettingValue::Variable { name, prefix } => {
                    SettingValue::Variable { name: name.clone(), prefix: prefix.clone().unwrap_or_default() }
                }
            });
            Ok(Setting { name: setting.name.value.clone(), value })
        };
        settings.value.iter().map(setting).collect()
    }

    fn program(&self, fields: &ServerFields) -> Result<Connection, Unreadable> {
        Ok(Connection::Program {
            command: self.with_place(self.required_field("command", &fields.command)?, Clone::clone),
            args: self.strings("args", &fields.args)?,
            env: self.settings("env", &fields.env)?,
            cwd: self.optional_field("cwd", &fields.cwd)?.map(|cwd| self.with_place(cwd, Clone::clone)),
        })
    }

    fn address(&self, fields: &ServerFields) -> Result<Connection, Unreadable> {
        Ok(Connection::Address {
            url: self.with_place(self.required_field("url", &fields.url)?, |url| url.as_str().to_owned()),
            headers: self.settings("headers", &fields.headers)?,
        })
    }

    /// Returns the given settings that no client supports.
    fn unsupported_settings(
        &self,
        fields: &ServerFields,
        tools: &ToolFilter,
    ) -> Result<Vec<WithPlace<Field>>, Unreadable> {
        let stateless = self.optional_field("truely-stateless", &fields.truely_stateless)?;
        let session = self.optional_field("sessionId", &fields.session_id)?;
        let steps = self.optional_field("transform", &fields.transform)?;
        let tool_steps = self.optional_field("transform", &tools.transform)?;
        let manual = self.optional_field("manual", &fields.manual)?;
        let prompts = self.optional_field("prompts", &fields.prompts)?;
        let resources = self.optional_field("resources", &fields.resources)?;
        let fields = [
            (Field::TruelyStateless, stateless.filter(|stateless| stateless.value).map(|found| found.node)),
            (Field::SessionId, session.filter(|id| !id.value.trim().is_empty()).map(|found| found.node)),
            (
                Field::ToolsTransform,
                tool_steps.filter(|steps| is_given(&steps.value)).map(|found| found.node),
            ),
            (Field::Transform, steps.filter(|steps| is_given(&steps.value)).map(|found| found.node)),
            (Field::Manual, manual.map(|found| found.node)),
            (Field::Prompts, prompts.map(|found| found.node)),
            (Field::Resources, resources.map(|found| found.node)),
        ];
        let placed = |(field, node): (Field, Option<NodeId>)| {
            Some(WithPlace { value: field, place: Some(self.place(node?)) })
        };
        Ok(fields.into_iter().filter_map(placed).collect())
    }
}

/// Returns whether a list has entries, or may have.
fn is_given<T>(list: &List<T>) -> bool {
    !list.items.is_empty() || !list.is_complete
}
