//! Built-in providers, models and toolsets.
//!
//! The tables are generated from the recorded catalogs in `data/` by `cargo xtask generate`. They are the union of all
//! recorded versions; for each provider and model the latest version takes precedence. Models that vendors published
//! afterwards are added.

mod ability;
mod model_names;
mod providers;
mod toolsets;

pub use ability::{Abilities, Ability};
pub use model_names::is_other_version;
pub use providers::{PROVIDERS, PUBLISHED_ON};
use toolsets::TOOLSET_NAMES;
pub use toolsets::{SHELL_TOOLS, TOOLSETS};

/// A built-in model provider.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinProvider {
    /// The key that members refer to.
    pub key: &'static str,
    /// The display name.
    pub name: &'static str,
    /// The protocol, such as `codex`, `anthropic` or `openai`.
    pub api_type: &'static str,
    /// The base URL of requests.
    pub base_url: &'static str,
    /// The environment variable with the API key.
    pub api_key_env_var: &'static str,
    /// Whether the provider itself writes `-` where the keys of models have a dot.
    pub is_dashed: bool,
    /// Names that clients accept in the place of a model, such as `sonnet`.
    pub aliases: &'static [&'static str],
    /// The models.
    pub models: &'static [BuiltinModel],
}

/// A built-in model. Lengths are in tokens.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinModel {
    /// The key that members refer to.
    pub key: &'static str,
    /// The display name.
    pub name: &'static str,
    /// The total length of input and output.
    pub context_length: Option<u32>,
    /// The maximum length of the input.
    pub input_length: Option<u32>,
    /// The maximum length of the output.
    pub output_length: Option<u32>,
}

impl BuiltinModel {
    /// Creates a model from its key, display name and lengths (context, input, output).
    const fn new(key: &'static str, name: &'static str, lengths: [Option<u32>; 3]) -> Self {
        let [context_length, input_length, output_length] = lengths;
        Self { key, name, context_length, input_length, output_length }
    }
}

/// A built-in group of tools.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinToolset {
    /// The name.
    pub name: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// Whether it can be granted to members; other toolsets are provided by the runtime.
    pub is_assignable: bool,
    /// Whether `*` includes it.
    pub in_wildcard: bool,
    /// Whether `minds` serves its tools; otherwise only a runtime can provide them.
    pub has_tools: bool,
    /// The tools of all recorded versions, and those that only `minds` provides.
    pub tools: &'static [&'static str],
}

/// The general tools that write, create, move or remove files of the workspace.
pub static WRITING_TOOLS: &[&str] = &[
    "create_new_file",
    "overwrite_entire_file",
    "apply_file_modification",
    "apply_patch",
    "mk_dir",
    "move_file",
    "move_dir",
    "rm_file",
    "rm_dir",
];

/// The built-in toolset whose tools the program `minds-fleet` has.
pub static FLEET_TOOLSET: &str = "fleet";

/// Returns the built-in provider with a key.
pub fn find_provider(key: &str) -> Option<&'static BuiltinProvider> {
    let at = PROVIDERS.binary_search_by(|provider| provider.key.cmp(key)).ok()?;
    PROVIDERS.get(at)
}

/// Returns the built-in toolset with a name or alias.
pub fn find_toolset(name: &str) -> Option<&'static BuiltinToolset> {
    // For so few toolsets a linear search is faster than a binary search.
    let (_, toolset) = TOOLSET_NAMES.iter().find(|(known, _)| *known == name)?;
    TOOLSETS.get(*toolset)
}

/// Returns whether a name belongs to a built-in toolset, or is an alias of one. No server can have it as its id.
pub fn is_toolset_name(name: &str) -> bool {
    find_toolset(name).is_some()
}

/// Returns whether a tool is in the toolset whose tools the program `minds-fleet` has.
pub fn is_fleet_tool(name: &str) -> bool {
    toolsets_with(name).any(|toolset| toolset == FLEET_TOOLSET)
}

/// Returns all names and aliases of built-in toolsets.
pub fn toolset_names<'a>() -> impl Iterator<Item = &'a str> {
    TOOLSET_NAMES.iter().map(|(name, _)| *name)
}

/// Returns the names of the built-in toolsets that contain a tool.
pub fn toolsets_with(tool: &str) -> impl Iterator<Item = &'static str> {
    TOOLSETS.iter().filter(move |toolset| toolset.tools.contains(&tool)).map(|toolset| toolset.name)
}

/// Returns whether a built-in tool has this name.
pub fn is_builtin_tool(name: &str) -> bool {
    toolsets_with(name).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_take_precedence_and_earlier_ones_are_kept() {
        let codex = find_provider("codex").unwrap();
        let models: Vec<&str> = codex.models.iter().map(|model| model.key).collect();
        assert!(models.contains(&"gpt-5.2") && models.contains(&"gpt-5.6-sol"));
        // The plan was renamed in a later version; both names are known.
        assert!(find_provider("minimaxi.com-coding-plan").is_some());
        assert!(find_provider("minimaxi.com-token-plan").is_some());
        assert_eq!(find_provider("bigmodel").unwrap().api_type, "anthropic-compatible");
    }

    #[test]
    fn toolsets_are_found_by_alias() {
        assert_eq!(find_toolset("team_mgmt").map(|toolset| toolset.name), Some("team-mgmt"));
        assert!(!find_toolset("control").unwrap().is_assignable);
        assert!(!find_toolset("fs_read").unwrap().in_wildcard);
        assert!(!find_toolset(FLEET_TOOLSET).unwrap().in_wildcard && is_fleet_tool("fleet_send"));
        assert!(WRITING_TOOLS.iter().all(|tool| is_builtin_tool(tool)));
        assert!(SHELL_TOOLS.iter().all(|tool| find_toolset("os").unwrap().tools.contains(tool)));
    }

    #[test]
    fn keys_are_unique_and_providers_are_sorted() {
        assert!(PROVIDERS.is_sorted_by(|a, b| a.key < b.key));
        for toolset in TOOLSETS {
            for name in std::iter::once(&toolset.name).chain(toolset.aliases) {
                assert_eq!(find_toolset(name), Some(toolset));
                assert!(is_toolset_name(name), "{name}");
            }
        }
    }
}
