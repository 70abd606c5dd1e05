//! The tools of an agent, from its files and its accepted policy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_acp::{Permission, Permissions, ToolKind};
use minds_agent_tools::policy::{EnginePolicy, ExecPolicy, Folders, Policy, PolicyChange, ServerPolicy};
use minds_agent_tools::{
    PolicyFile, ProtectedFolder, ToolSettings, available_level, check_protected, server_entry, server_of,
};
use minds_fleet::model::EnginePermission;
use minds_fleet_protocol::{AgentId, ErrorCode, Failure};
use minds_fs::{real_path, session_folder};
use minds_operations::{
    FleetAgent, FleetEngine, FleetEnvValue, FleetMember, FleetPlace, FleetProgram, FleetTransport,
};
use minds_vfs::ContentHash;

use crate::config::DEFAULT_TOOL_OUTPUT_BYTES;
use crate::server_definitions::ServerDefinitions;

/// The tools for files, about which members of the team decide as well.
const FILE_TOOLS: [&str; 4] = ["fs.list", "fs.read", "fs.stat", "fs.write"];

/// The policy of the files of an agent, and the one that a person accepted.
#[derive(Debug)]
pub struct PolicyReview {
    file: PolicyFile,
    files: Policy,
    accepted: Result<Option<Policy>, Failure>,
    /// The secrets of MCP servers.
    pub(crate) secrets: Vec<String>,
}

impl PolicyReview {
    /// Compares the files of an agent with what was accepted.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if a path of the files cannot be used, or if the agent could change its own policy.
    pub fn open(
        agent: &FleetAgent,
        fleet: &FleetPlace,
        id: &AgentId,
        cwd: Option<&Path>,
    ) -> Result<Self, Failure> {
        let file = PolicyFile::new(&fleet.workspace, id)?;
        let mut files = policy(agent, cwd.unwrap_or(&agent.cwd))?;
        let definitions = definitions(agent, fleet);
        files.servers = listed_servers(&files, &definitions);
        check_protected(&files, &protected_folders(&file)?)?;
        let accepted = file.read();
        Ok(Self { file, files, accepted, secrets: definitions.secrets })
    }

    /// Returns what the files give beyond what was accepted; nothing if nothing was accepted yet, because the first start
    /// accepts the files.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the accepted policy cannot be read.
    pub fn find_widenings(&self) -> Result<Vec<PolicyChange>, Failure> {
        let accepted = self.accepted.as_ref().map_err(Clone::clone)?;
        Ok(accepted.as_ref().map(|accepted| self.files.find_widenings(accepted)).unwrap_or_default())
    }

    /// Accepts the policy of the files. Only a person may decide this.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if it cannot be written.
    pub fn accept(&self) -> Result<(), Failure> {
        self.file.accept(&self.files)
    }

    /// Accepts the policy of the files of a new agent, if it gives no more than another one.
    ///
    /// # Errors
    ///
    /// Returns `tool.denied` if it gives more, and `config.invalid` if it cannot be written.
    pub fn accept_within(&self, bound: &Policy) -> Result<(), Failure> {
        if let Some(wider) = self.files.find_widenings(bound).first() {
            let message =
                format!("the new agent would have more rights than the one that starts it: {wider}");
            return Err(Failure::new(ErrorCode::ToolDenied, message));
        }
        self.accept()
    }

    /// Removes what was accepted for an agent that was not started.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if it cannot be removed.
    pub fn forget(&self) -> Result<(), Failure> {
        self.file.remove()
    }

    /// Accepts the policy of the files if nothing was accepted yet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the accepted policy cannot be read or written.
    pub fn accept_first(&self) -> Result<(), Failure> {
        match &self.accepted {
            Ok(None) => self.accept(),
            Ok(Some(_)) => Ok(()),
            Err(failure) => Err(failure.clone()),
        }
    }

    /// Returns the settings of the tools. For the first start, which accepts the files, nothing need be accepted yet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if nothing was accepted, or the accepted policy cannot be read.
    pub(crate) fn settings(
        self,
        agent: &FleetAgent,
        fleet: &FleetPlace,
        is_start: bool,
    ) -> Result<ToolSettings, Failure> {
        let first = is_start.then(|| self.files.clone());
        let accepted = self.accepted?.or(first).ok_or_else(|| {
            invalid("the policy of the agent was not accepted: start the agent to accept it".to_owned())
        })?;
        let denied = agent.tools.iter().filter(|tool| !tool.is_given);
        let denied = denied.map(|tool| (tool.name.clone(), tool.reason.unwrap_or("denied").to_owned()));
        let mut reasons: BTreeMap<String, String> = member_reasons(&accepted, &self.files, fleet).collect();
        reasons.extend(denied);
        let output_bytes = agent.rights.tool_output_bytes.unwrap_or(DEFAULT_TOOL_OUTPUT_BYTES);
        let settings = ToolSettings {
            reasons,
            output_bytes: usize::try_from(output_bytes).unwrap_or(usize::MAX),
            partial_flush: Duration::from_millis(fleet.settings.tuning.os_exec_partial_flush_ms),
            protected: protected_folders(&self.file)?,
            temporary: temporary_folder(&agent.id, fleet)?,
            secret_variables: secret_variables(fleet),
            sandbox: available_level(),
            files: self.files,
            accepted,
        };
        settings.check()?;
        Ok(settings)
    }
}

/// Returns why the agent does not have the tools for files: a member of the team whose rights are not known permits nothing.
fn member_reasons(
    accepted: &Policy,
    files: &Policy,
    fleet: &FleetPlace,
) -> impl Iterator<Item = (String, String)> {
    let members: BTreeSet<&String> = accepted.members.union(&files.members).collect();
    let unknown = members.into_iter().find_map(|member| {
        let error = FleetMember::read(&fleet.workspace, member).err()?;
        Some(format!("the rights of the member `{}` are not known: {error}", member.escape_debug()))
    });
    unknown.into_iter().flat_map(|reason| FILE_TOOLS.map(|tool| (tool.to_owned(), reason.clone())))
}

/// Reads the MCP servers, if the agent uses any itself. A file that cannot be used gives none.
fn definitions(agent: &FleetAgent, fleet: &FleetPlace) -> ServerDefinitions {
    let lists_servers = agent.tools.iter().any(|tool| tool.is_given && server_of(&tool.name).is_some());
    if agent.program.is_some() || !lists_servers {
        return ServerDefinitions::default();
    }
    ServerDefinitions::read(&fleet.workspace).unwrap_or_default()
}

/// Returns the servers that the tools of a policy name.
fn listed_servers(policy: &Policy, definitions: &ServerDefinitions) -> BTreeMap<String, ServerPolicy> {
    let is_listed = |id: &String| policy.tools.iter().any(|tool| server_of(tool) == Some(id));
    let listed = definitions.servers.iter().filter(|(id, _)| is_listed(id));
    listed.map(|(id, server)| (id.clone(), server.clone())).collect()
}

/// Returns what the files of an agent permit.
fn policy(agent: &FleetAgent, cwd: &Path) -> Result<Policy, Failure> {
    let rights = &agent.rights;
    let cwd = real(cwd)?;
    let mut folders = real_folders(&rights.whitelist)?;
    folders.insert(cwd.clone());
    let names = |is_listed: fn(&minds_operations::FleetTool) -> bool| -> BTreeSet<String> {
        agent.tools.iter().filter(|tool| is_listed(tool)).map(|tool| tool.name.clone()).collect()
    };
    let tools = names(|tool| tool.is_given);
    // The entry of their server would give them.
    let is_of_given_server = |name: &String| {
        let server = server_of(name).map(server_entry);
        server.is_some_and(|server| *name != server && tools.contains(&server))
    };
    let denied = names(|tool| !tool.is_given).into_iter().filter(is_of_given_server).collect();
    let confirm = names(|tool| tool.needs_confirmation);
    Ok(Policy {
        engine: Some(engine(agent, &tools, &confirm)),
        tools,
        confirm,
        denied,
        servers: BTreeMap::new(),
        members: rights.member.iter().cloned().collect(),
        cwd,
        folders,
        exec: ExecPolicy {
            inherit_env: rights.inherit_env,
            env: rights.env.iter().cloned().collect(),
            read: real_folders(&rights.read)?,
            write: real_folders(&rights.write)?,
            require_sandbox: rights.require_sandbox,
        },
        r#unsafe: rights.is_unsafe,
    })
}

/// Returns the program of the turns and what it may do. Values of its variables may be secrets, so only their hashes are kept.
fn engine(agent: &FleetAgent, tools: &BTreeSet<String>, confirm: &BTreeSet<String>) -> EnginePolicy {
    let program = agent.program.as_ref();
    let command = match program.map(|program| &program.program) {
        Some(FleetProgram::Command { command, args }) => {
            std::iter::once(command).chain(args).cloned().collect()
        }
        Some(FleetProgram::Short(_)) | None => Vec::new(),
    };
    let hash = |value: &FleetEnvValue| {
        let text = match value {
            FleetEnvValue::Literal(text) | FleetEnvValue::SecretLiteral(text) => text.expose().clone(),
            // No literal value is equal, because none has this byte.
            FleetEnvValue::Variable(name) => format!("env\0{name}"),
        };
        ContentHash::of(text.as_bytes()).to_string()
    };
    let variables = program.into_iter().flat_map(|program| &program.env);
    let permissions = permissions(program, tools, confirm);
    let by_kind =
        ToolKind::ALL.map(|kind| (kind.as_str().to_owned(), permissions.get(kind).as_str().to_owned()));
    EnginePolicy {
        kind: agent.engine.clone(),
        command,
        env: variables.map(|(name, value)| (name.clone(), hash(value))).collect(),
        permissions: BTreeMap::from(by_kind),
    }
}

/// Returns what a program may do: by the tools of the agent, and what the file sets in place of that.
fn permissions(
    program: Option<&FleetEngine>,
    tools: &BTreeSet<String>,
    confirm: &BTreeSet<String>,
) -> Permissions {
    let mut permissions = Permissions::of_tools(|name| match tools.contains(name) {
        false => Permission::Deny,
        true if confirm.contains(name) => Permission::Ask,
        true => Permission::Allow,
    });
    let given = program.map(|program| &program.permissions);
    for kind in ToolKind::ALL {
        if let Some(permission) = given.and_then(|given| given.get(kind.as_str())) {
            permissions.set(
                kind,
                match permission {
                    EnginePermission::Allow => Permission::Allow,
                    EnginePermission::Ask => Permission::Ask,
                    EnginePermission::Deny => Permission::Deny,
                },
            );
        }
    }
    permissions
}

/// Returns the folders that the agent must not reach: that of its policy, and that of the keys of agents.
fn protected_folders(file: &PolicyFile) -> Result<Vec<ProtectedFolder>, Failure> {
    let session = session_folder().map_err(|error| invalid(error.to_string()))?;
    Ok(vec![
        ProtectedFolder {
            path: utf8(file.folder().to_owned())?,
            content: "the accepted policies",
            is_secret: false,
        },
        ProtectedFolder { path: real(&session)?, content: "the keys of agents", is_secret: true },
    ])
}

/// Returns the folder for temporary files of the commands of an agent.
fn temporary_folder(id: &str, fleet: &FleetPlace) -> Result<PathBuf, Failure> {
    let session = session_folder().map_err(|error| invalid(error.to_string()))?;
    Ok(session.join("fleet").join(&fleet.fleet_id).join(id).join("tmp"))
}

/// Returns the variables with keys of models and with the password of the transport.
fn secret_variables(fleet: &FleetPlace) -> Vec<String> {
    let mut names: BTreeSet<String> =
        fleet.models.iter().filter_map(|model| model.key_variable.clone()).collect();
    if let FleetTransport::Redis(server) = &fleet.transport {
        let password = server.password.as_ref().map(|password| password.expose().as_str());
        for (name, _) in minds_process::variables() {
            // A value that is not valid UTF-8 is never passed on.
            let value = minds_process::variable(&name).ok().flatten();
            if value.is_some_and(|value| !value.is_empty() && Some(value.as_str()) == password) {
                names.insert(name);
            }
        }
    }
    names.into_iter().collect()
}

fn real_folders(paths: &[PathBuf]) -> Result<Folders, Failure> {
    paths.iter().map(|path| real(path)).collect()
}

/// Returns a path without symbolic links, so that a link that is changed later is a change of the policy.
fn real(path: &Path) -> Result<String, Failure> {
    let real = real_path(path)
        .map_err(|reason| invalid(format!("the path `{}` cannot be used: {reason}", path.display())))?;
    utf8(real)
}

fn utf8(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string()
        .into_string()
        .map_err(|path| invalid(format!("the path `{}` is not valid UTF-8", path.display())))
}

fn invalid(message: String) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, message)
}
