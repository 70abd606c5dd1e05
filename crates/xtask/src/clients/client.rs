//! How each client is started so that it talks to the scripted model and to nothing else.

use std::process::Command;

use minds_clients::ClientId;
use serde_json::json;

use super::model::{Model, Script, Transcript};
use super::place::Place;
use crate::mcp::node::Node;

/// A client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// opencode.
    Opencode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// GitHub Copilot CLI.
    Copilot,
}

impl Client {
    pub(crate) const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Opencode, Self::Codex, Self::Gemini, Self::Copilot];

    fn id(self) -> ClientId {
        match self {
            Self::ClaudeCode => ClientId::ClaudeCode,
            Self::Opencode => ClientId::Opencode,
            Self::Codex => ClientId::Codex,
            Self::Gemini => ClientId::Gemini,
            Self::Copilot => ClientId::Copilot,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.id().as_str()
    }

    pub(crate) fn package(self) -> &'static str {
        match self {
            Self::ClaudeCode => "@anthropic-ai/claude-code",
            Self::Opencode => "opencode-ai",
            Self::Codex => "@openai/codex",
            Self::Gemini => "@google/gemini-cli",
            Self::Copilot => "@github/copilot",
        }
    }

    /// The version that is tested: that to which the data of the client belongs. The models of permissions answer as it does.
    pub(crate) fn version(self) -> &'static str {
        &minds_clients::Client::find(self.name()).expect("the client has data").version
    }

    fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Opencode => "opencode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
        }
    }

    /// Returns the arguments that let it work without a user.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["-p", "go", "--output-format", "json"],
            Self::Opencode => &["run", "go"],
            Self::Codex => &["exec", "--skip-git-repo-check", "go"],
            Self::Gemini | Self::Copilot => &["-p", "go"],
        }
    }

    /// Writes what the client expects in its home after its first start.
    fn prepare_home(self, place: &Place, url: &str) {
        let workspace = place.workspace();
        let workspace = workspace.to_str().expect("the path is text");
        match self {
            Self::ClaudeCode => {
                let projects = json!({ workspace: { "hasTrustDialogAccepted": true } });
                let state = json!({ "hasCompletedOnboarding": true, "projects": projects });
                place.write_home(".claude.json", &state.to_string());
            }
            Self::Opencode => {
                // A large context, since the client would summarize long conversations.
                let model =
                    json!({ "name": "scripted", "limit": { "context": 100_000_000, "output": 1_000 } });
                let provider = json!({
                    "options": { "baseURL": format!("{url}/v1"), "apiKey": "none" },
                    "models": { "scripted": model },
                });
                let settings = json!({
                    "provider": { "anthropic": provider },
                    "model": "anthropic/scripted",
                    "small_model": "anthropic/scripted",
                    "share": "disabled",
                    "autoupdate": false,
                    "snapshot": false,
                    "lsp": false,
                    "formatter": false,
                    // A refused call must not end the session.
                    "experimental": { "continue_loop_on_deny": true },
                });
                place.write_home(".config/opencode/opencode.json", &settings.to_string());
            }
            Self::Codex => {
                let settings = format!(
                    "model = \"gpt-5.2\"\nmodel_provider = \"scripted\"\n\
                     [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
                     wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
                     [projects.\"{workspace}\"]\ntrust_level = \"trusted\"\n"
                );
                place.write_home(".codex/config.toml", &settings);
            }
            Self::Gemini => {
                let settings = json!({
                    "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": true } },
                    "general": { "enableAutoUpdate": false },
                    "privacy": { "usageStatisticsEnabled": false },
                });
                place.write_home(".gemini/settings.json", &settings.to_string());
                let trusted = json!({ workspace: "TRUST_FOLDER" });
                place.write_home(".gemini/trustedFolders.json", &trusted.to_string());
            }
            Self::Copilot => {
                let trusted = [workspace];
                let settings = json!({ "trustedFolders": trusted, "trusted_folders": trusted });
                place.write_home(".copilot/config.json", &settings.to_string());
            }
        }
    }

    fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        let own: &[(&str, &str)] = match self {
            Self::ClaudeCode => &[
                ("ANTHROPIC_API_KEY", "none"),
                ("DISABLE_AUTOUPDATER", "1"),
                ("DISABLE_ERROR_REPORTING", "1"),
                ("DISABLE_TELEMETRY", "1"),
                ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ],
            Self::Opencode => &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ],
            Self::Codex => &[("RUST_LOG", "warn")],
            Self::Gemini => &[("GEMINI_API_KEY", "none"), ("GEMINI_CLI_NO_RELAUNCH", "true")],
            Self::Copilot => &[
                ("COPILOT_AUTO_UPDATE", "false"),
                ("COPILOT_MODEL", "claude-sonnet-4.5"),
                ("COPILOT_OFFLINE", "true"),
                ("COPILOT_PROVIDER_API_KEY", "none"),
                ("COPILOT_PROVIDER_TYPE", "anthropic"),
            ],
        };
        let base = match self {
            Self::ClaudeCode => Some("ANTHROPIC_BASE_URL"),
            Self::Gemini => Some("GOOGLE_GEMINI_BASE_URL"),
            Self::Copilot => Some("COPILOT_PROVIDER_BASE_URL"),
            Self::Opencode | Self::Codex => None,
        };
        let mut variables: Vec<_> = own.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        variables.extend(base.map(|name| (name, url.to_owned())));
        // Every other address is asked through a proxy that refuses, and packages are not found.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "npm_config_registry"] {
            variables.push((name, url.to_owned()));
        }
        for name in ["NO_PROXY", "no_proxy"] {
            variables.push((name, "127.0.0.1,localhost".to_owned()));
        }
        variables.push(("CI", "1".to_owned()));
        variables
    }

    /// Runs a session in which the model makes the calls of a script.
    ///
    /// # Errors
    ///
    /// Fails if the client does not answer all of them.
    pub(crate) fn run(
        self,
        node: &Node,
        place: &Place,
        arguments: &[&str],
        script: Script,
    ) -> Result<Transcript, String> {
        let model = Model::start(script);
        let url = format!("http://{}", model.address());
        self.prepare_home(place, &url);
        let mut command: Command = node.command(self.program());
        command.args(self.arguments()).args(arguments);
        let ended = place.run(command, &self.variables(&url))?;
        let (transcript, is_complete) = model.end();
        if is_complete {
            return Ok(transcript);
        }
        let (count, output) = (transcript.answers.len(), ended.output);
        Err(format!("{} ended after {count} answers:\n{output}", self.name()))
    }
}
