//! Servers, whoever declares them.

use std::error::Error;
use std::fmt;

use minds_core::EnvVar;
use minds_core::mcp::{self, Mcp, ServerFields, ToolFilter, Transport};
use minds_diagnostics::Label;
use minds_document::{Document, Field as Decoded, List, NodeId, Spanned};

use super::Field;

/// A server that clients are to call.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    /// Its name, by which clients list it.
    pub name: Placed<String>,
    /// How it is reached.
    pub connection: Connection,
    /// Whether it is used at all.
    pub is_enabled: bool,
    /// The tools that are offered whatever else is said; `*` stands for any run of characters.
    pub whitelist: Vec<Placed<String>>,
    /// The tools that are not offered, in the same way. Without any, only those of the other list are offered.
    pub blacklist: Vec<Placed<String>>,
    /// What else is said of it, for which no client has a place.
    pub others: Vec<Placed<Field>>,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Connection {
    /// A program that is started.
    Program {
        /// The program.
        command: Placed<String>,
        /// Its arguments.
        args: Vec<Placed<String>>,
        /// Its environment, beside that of the client.
        env: Vec<Setting>,
        /// The directory in which it runs; relative to the workspace.
        cwd: Option<Placed<String>>,
    },
    /// An address that takes the streamable HTTP transport.
    Address {
        /// The URL.
        url: Placed<String>,
        /// Headers of each request.
        headers: Vec<Setting>,
    },
}

/// A variable of a program, or a header of a request.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Placed<SettingValue>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// This text.
    Literal(String),
    /// An environment variable of the client.
    Variable {
        /// Its name.
        name: EnvVar,
        /// What is put before its value; may be empty.
        prefix: String,
    },
}

/// A value, and where it stands if it stands in a file.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Option<Place>,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The part of the text.
    pub label: Label,
    /// The JSON pointer.
    pub pointer: String,
}

/// A server whose file does not say what is needed to render it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The name of the server; none if it is not known which servers there are.
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

impl<T> Placed<T> {
    /// Returns a value that stands in no file.
    pub fn nowhere(value: T) -> Self {
        Self { value, place: None }
    }
}

impl From<&str> for Placed<String> {
    fn from(value: &str) -> Self {
        Self::nowhere(value.to_owned())
    }
}

impl ServerEntry {
    /// Returns a server that is a program, with nothing else said of it and no place in a file.
    pub fn program(name: &str, command: &str, args: &[&str], env: Vec<Setting>) -> Self {
        let args = args.iter().map(|arg| Placed::from(*arg)).collect();
        let connection = Connection::Program { command: command.into(), args, env, cwd: None };
        Self {
            name: name.into(),
            connection,
            is_enabled: true,
            whitelist: Vec::new(),
            blacklist: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Returns all servers of `mcp.yaml`, in its order.
    ///
    /// # Errors
    ///
    /// Fails if anything of what a server says could not be read, or if there may be more servers than could be: checking
    /// the file reported why. What is not known must not be rendered, and a server that is not rendered is removed.
    pub fn all(mcp: &Mcp, document: &Document) -> Result<Vec<Self>, Unreadable> {
        // Of a key that is there twice it is not known which one counts.
        let is_whole = mcp.is_complete && !document.is_partial() && !document.has_repeated_keys();
        if !is_whole || mcp.servers_field.is_unreadable() {
            return Err(Unreadable { server: None, key: "servers" });
        }
        mcp.servers.iter().map(|server| Self::of(server, document)).collect()
    }

    fn of(server: &mcp::Server, document: &Document) -> Result<Self, Unreadable> {
        let reader = Reader { document, server: &server.id.value };
        let fields = reader.required("servers", &server.fields)?;
        let transport = reader.required("transport", &fields.value.transport)?;
        let connection = match transport.value {
            Transport::Stdio => reader.program(&fields.value)?,
            Transport::StreamableHttp => reader.address(&fields.value)?,
            _ => return Err(reader.unreadable("transport")),
        };
        let fields = &fields.value;
        let tools = reader.given("tools", &fields.tools)?.map(|tools| &tools.value);
        let none = ToolFilter::default();
        let tools = tools.unwrap_or(&none);
        Ok(Self {
            name: reader.placed(&server.id, Clone::clone),
            connection,
            is_enabled: reader.given("enabled", &fields.enabled)?.is_none_or(|enabled| enabled.value),
            whitelist: reader.texts("whitelist", &tools.whitelist)?,
            blacklist: reader.texts("blacklist", &tools.blacklist)?,
            others: reader.others(fields, tools)?,
        })
    }
}

/// Reads what a server says.
struct Reader<'s> {
    document: &'s Document,
    server: &'s str,
}

impl Reader<'_> {
    fn unreadable(&self, key: &'static str) -> Unreadable {
        Unreadable { server: Some(self.server.to_owned()), key }
    }

    fn given<'f, T>(
        &self,
        key: &'static str,
        field: &'f Decoded<T>,
    ) -> Result<Option<&'f Spanned<T>>, Unreadable> {
        if field.is_unreadable() { Err(self.unreadable(key)) } else { Ok(field.as_given()) }
    }

    fn required<'f, T>(
        &self,
        key: &'static str,
        field: &'f Decoded<T>,
    ) -> Result<&'f Spanned<T>, Unreadable> {
        self.given(key, field)?.ok_or_else(|| self.unreadable(key))
    }

    fn place(&self, node: NodeId) -> Place {
        let node = self.document.node(node);
        Place { label: node.label(), pointer: node.pointer() }
    }

    fn placed<T, U>(&self, spanned: &Spanned<T>, value: impl FnOnce(&T) -> U) -> Placed<U> {
        Placed { value: value(&spanned.value), place: Some(self.place(spanned.node)) }
    }

    fn texts(
        &self,
        key: &'static str,
        field: &Decoded<List<String>>,
    ) -> Result<Vec<Placed<String>>, Unreadable> {
        let Some(list) = self.given(key, field)? else { return Ok(Vec::new()) };
        if !list.value.is_complete {
            return Err(self.unreadable(key));
        }
        Ok(list.value.items.iter().map(|item| self.placed(item, Clone::clone)).collect())
    }

    fn settings(
        &self,
        key: &'static str,
        field: &Decoded<Vec<mcp::Setting>>,
    ) -> Result<Vec<Setting>, Unreadable> {
        let Some(settings) = self.given(key, field)? else { return Ok(Vec::new()) };
        let setting = |setting: &mcp::Setting| {
            let value = self.required(key, &setting.value)?;
            let value = self.placed(value, |value| match value {
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
            command: self.placed(self.required("command", &fields.command)?, Clone::clone),
            args: self.texts("args", &fields.args)?,
            env: self.settings("env", &fields.env)?,
            cwd: self.given("cwd", &fields.cwd)?.map(|cwd| self.placed(cwd, Clone::clone)),
        })
    }

    fn address(&self, fields: &ServerFields) -> Result<Connection, Unreadable> {
        Ok(Connection::Address {
            url: self.placed(self.required("url", &fields.url)?, |url| url.as_str().to_owned()),
            headers: self.settings("headers", &fields.headers)?,
        })
    }

    /// Returns what no client has a place for, as far as it says anything.
    fn others(&self, fields: &ServerFields, tools: &ToolFilter) -> Result<Vec<Placed<Field>>, Unreadable> {
        let stateless = self.given("truely-stateless", &fields.truely_stateless)?;
        let session = self.given("sessionId", &fields.session_id)?;
        let steps = self.given("transform", &fields.transform)?;
        let tool_steps = self.given("transform", &tools.transform)?;
        let manual = self.given("manual", &fields.manual)?;
        let prompts = self.given("prompts", &fields.prompts)?;
        let resources = self.given("resources", &fields.resources)?;
        let said = [
            (Field::TruelyStateless, stateless.filter(|stateless| stateless.value).map(|found| found.node)),
            (Field::SessionId, session.filter(|id| !id.value.trim().is_empty()).map(|found| found.node)),
            (Field::ToolsTransform, tool_steps.filter(|steps| says(&steps.value)).map(|found| found.node)),
            (Field::Transform, steps.filter(|steps| says(&steps.value)).map(|found| found.node)),
            (Field::Manual, manual.map(|found| found.node)),
            (Field::Prompts, prompts.map(|found| found.node)),
            (Field::Resources, resources.map(|found| found.node)),
        ];
        let placed = |(field, node): (Field, Option<NodeId>)| {
            Some(Placed { value: field, place: Some(self.place(node?)) })
        };
        Ok(said.into_iter().filter_map(placed).collect())
    }
}

/// Returns whether a list says anything, or may.
fn says<T>(list: &List<T>) -> bool {
    !list.items.is_empty() || !list.is_complete
}
