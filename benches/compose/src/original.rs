//! What the library does that first had the format, in the order in which its program calls it.

use std::fs;
use std::path::Path;

use team_core::compose::{AgentHandle, Compose, RolePrompt};
use team_core::render::{env_path, mcp_path, render_agent, write_role_prompt_concat};
use team_core::validate::validate;

use crate::Files;

const MCP: &str = "team-mcp";
/// What stands between two role prompts. The library has no function that puts them together in memory.
const SEPARATOR: &str = "\n\n\u{2014}\n\n";

fn loaded(root: &Path) -> Compose {
    let compose = Compose::load(root).expect("the root can be loaded");
    let errors = validate(&compose);
    assert!(errors.is_empty(), "{errors:?}");
    compose
}

/// Loads, validates and renders in memory.
pub(crate) fn render(root: &Path) -> Files {
    let compose = loaded(root);
    let mut files = Files::new();
    for agent in compose.agents() {
        let (env, mcp) = render_agent(&compose, agent, MCP);
        let (project, id) = (agent.project, agent.agent);
        files.insert(format!("state/envs/{project}-{id}.env"), env.into_bytes());
        files.insert(format!("state/mcp/{project}-{id}.json"), mcp.into_bytes());
        if let Some(prompt) = role_prompt(root, agent) {
            files.insert(format!("state/role_prompts/{project}-{id}.md"), prompt.into_bytes());
        }
    }
    files
}

fn role_prompt(root: &Path, agent: AgentHandle<'_>) -> Option<String> {
    let Some(RolePrompt::Multiple(paths)) = agent.spec.role_prompt.as_ref() else { return None };
    let mut text = String::new();
    for (at, path) in paths.iter().enumerate() {
        if at > 0 {
            text.push_str(SEPARATOR);
        }
        let bytes = fs::read(root.join(path)).expect("the role prompt can be read");
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    Some(text)
}

/// Loads, validates, renders and writes unconditionally.
pub(crate) fn write(root: &Path) {
    let compose = loaded(root);
    for agent in compose.agents() {
        let (env, mcp) = render_agent(&compose, agent, MCP);
        let (project, id) = (agent.project, agent.agent);
        put(&env_path(root, project, id), &env);
        put(&mcp_path(root, project, id), &mcp);
        write_role_prompt_concat(&compose, agent).expect("the role prompt can be written");
    }
}

fn put(path: &Path, text: &str) {
    let parent = path.parent().expect("it has a directory");
    fs::create_dir_all(parent).expect("the folder can be made");
    fs::write(path, text).expect("the file can be written");
}
