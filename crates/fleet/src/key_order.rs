//! In which order the keys of the files are written: that in which the models present them.

use minds_document::yaml::KeyOrder::{self, Fields, Free, Named};
use minds_paths::WorkspacePath;

use crate::stack::{AGENT_FILE, MODELS_FILE, PROJECT_FILE, TOOLS_FILE, in_agent};

/// Returns the order of the keys of a file of the family, by its path in the workspace.
pub fn key_order(path: &str) -> Option<&'static KeyOrder> {
    match path {
        PROJECT_FILE => Some(&PROJECT),
        MODELS_FILE => Some(&MODELS),
        TOOLS_FILE => Some(&TOOLS),
        _ => {
            let path = WorkspacePath::parse(path).ok()?;
            let (_, file) = in_agent(&path)?;
            (file == AGENT_FILE).then_some(&AGENT)
        }
    }
}

static PROJECT: KeyOrder = Fields(&[("name", Free), ("description", Free), ("retention_days", Free)]);

static MODELS: KeyOrder = Fields(&[("models", Named(&MODEL))]);

static MODEL: KeyOrder = Fields(&[
    ("name", Free),
    ("description", Free),
    ("provider", Free),
    ("context_window_size", Free),
    ("default_inference", Free),
    // Settings belong to providers.
    ("model_settings", Free),
]);

const LISTS: KeyOrder = Fields(&[("allow", Free), ("deny", Free), ("unsafe", Free)]);

static TOOLS: KeyOrder = Fields(&[
    (
        "mcp",
        Fields(&[(
            "transport",
            Fields(&[
                ("kind", Free),
                ("url", Free),
                ("username", Free),
                ("password", Free),
                ("tls", Free),
                ("ca_file", Free),
            ]),
        )]),
    ),
    ("tools", LISTS),
    ("redact", Free),
    ("security", Free),
]);

static AGENT: KeyOrder = Fields(&[
    ("name", Free),
    ("model", Free),
    ("prompt", Fields(&[("base", Free), ("overlay", Free)])),
    ("scratchpad", Fields(&[("max_iterations", Free), ("score_lower_bound", Free)])),
    ("tools", LISTS),
    ("fs", Free),
    ("telemetry", Free),
    ("exec", Free),
]);
