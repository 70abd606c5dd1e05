//! The models of a fleet.

use std::path::PathBuf;

use minds_core::llm::{ApiType, ProviderFields};
use minds_core::{LLM_FILE, TeamFamily};
use minds_document::Node;
use minds_fleet::merge::{MergedValue, merge, merge_settings};
use minds_fleet::{FleetFamily, Layer};
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use serde_json::{Map, Value};

use super::path_of;
use super::secret::Secret;
use super::values::{number, text};
use crate::OperationError;
use crate::fleet::Stack;

/// The provider that answers from a file.
const SCRIPTED: &str = "scripted";

/// A model, as all layers define it together.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetModel {
    /// The id in `models.yaml`.
    pub id: String,
    /// The provider; `None` if no file defines the model.
    pub provider: Option<String>,
    /// The protocol of the provider, as `apiType` of `llm.yaml` has it, or `scripted`; `None` for an unknown provider.
    pub api_type: Option<String>,
    /// The URL of requests: that of the settings, else that of the provider.
    pub base_url: Option<String>,
    /// The variable with the key: that of the settings, else that of the provider.
    pub key_variable: Option<String>,
    /// The total length of input and output, in tokens.
    pub context_window_size: Option<u64>,
    /// The inference parameters.
    pub default_inference: Map<String, Value>,
    /// The settings for the provider, as they are in the files.
    pub settings: Secret<Map<String, Value>>,
    /// The file of `model_settings.script`, an absolute path.
    pub script: Option<PathBuf>,
}

impl FleetModel {
    /// Returns a model that no file defines.
    pub(super) fn without_provider(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            provider: None,
            api_type: None,
            base_url: None,
            key_variable: None,
            context_window_size: None,
            default_inference: Map::new(),
            settings: Secret::new(Map::new()),
            script: None,
        }
    }
}

/// Reads the models of all layers.
pub(super) fn read_all(stack: &Stack, family: &FleetFamily) -> Result<Vec<FleetModel>, OperationError> {
    let team = read_providers(stack);
    let ids = family.models().by_id;
    ids.into_keys().map(|id| read(stack, family, &team, id)).collect()
}

/// Reads the providers that the workspace defines.
fn read_providers(stack: &Stack) -> TeamFamily {
    let path = WorkspacePath::parse(LLM_FILE).ok();
    let location = path.map(|path| Location::new(MountId::WORKSPACE, path));
    let workspace = stack.roots.iter().find(|(mount, _)| *mount == MountId::WORKSPACE);
    let snapshot = workspace.map(|(_, root)| root.snapshot(&Scope::of_files(location)));
    snapshot.map(|snapshot| TeamFamily::load(&snapshot).value).unwrap_or_default()
}

fn read(
    stack: &Stack,
    family: &FleetFamily,
    team: &TeamFamily,
    id: &str,
) -> Result<FleetModel, OperationError> {
    let definitions: Vec<(&Layer, Node<'_>)> = family
        .layers
        .iter()
        .filter_map(|layer| {
            let root = family.document(layer.models.as_ref()?)?.root();
            Some((layer, root.get("models")?.get(id)?))
        })
        .collect();
    let merged = merge(definitions.iter().map(|(_, model)| *model));
    let value = |key: &str| merged.as_ref().and_then(|model| model.get(key));
    let object = |value: Option<MergedValue<'_>>| match value.map(|value| value.to_json()) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let settings: Vec<(&Layer, Node<'_>)> = definitions
        .iter()
        .filter_map(|(layer, model)| Some((*layer, model.get("model_settings")?)))
        .collect();
    let script = settings.iter().find_map(|(layer, settings)| {
        Some((&layer.mount, settings.get("script").and_then(Node::scalar_text)?))
    });
    let script = script
        .map(|(mount, script)| Ok::<_, OperationError>(path_of(stack, mount)?.join(script)))
        .transpose()?;
    let provider = value("provider").and_then(text);
    let found = Provider::find(team, provider.unwrap_or_default());
    let settings = object(merge_settings(settings.iter().map(|(_, settings)| *settings)));
    let setting = |key: &str| settings.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(FleetModel {
        provider: provider.map(str::to_owned),
        api_type: found.api_type,
        base_url: setting("base_url").or(found.base_url),
        key_variable: setting("api_key_env").or(found.key_variable),
        context_window_size: value("context_window_size").and_then(number),
        default_inference: object(value("default_inference").cloned()),
        settings: Secret::new(settings),
        script,
        ..FleetModel::without_provider(id)
    })
}

/// Returns whether providers of a protocol need a key.
fn needs_key(api_type: &str) -> bool {
    ApiType::ALL.into_iter().any(|known| known.as_str() == api_type && known.needs_key())
}

/// What a provider defines for its models.
#[derive(Default)]
struct Provider {
    api_type: Option<String>,
    base_url: Option<String>,
    key_variable: Option<String>,
}

impl Provider {
    /// Finds a provider in `llm.yaml`, or a built-in one.
    fn find(team: &TeamFamily, key: &str) -> Self {
        if key == SCRIPTED {
            return Self { api_type: Some(SCRIPTED.to_owned()), ..Self::default() };
        }
        let own = team.llm.as_ref().and_then(|file| file.llm.as_ref());
        let own = own.and_then(|llm| llm.providers.iter().find(|provider| provider.key.value == key));
        if let Some(own) = own {
            return own.fields.as_given().map(|fields| Self::from(&fields.value)).unwrap_or_default();
        }
        let Some(found) = minds_core::catalog::find_provider(key) else { return Self::default() };
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            api_type: given(found.api_type),
            base_url: given(found.base_url),
            // The variable of `codex` names a directory.
            key_variable: given(found.api_key_env_var).filter(|_| needs_key(found.api_type)),
        }
    }
}

impl From<&ProviderFields> for Provider {
    fn from(fields: &ProviderFields) -> Self {
        Self {
            api_type: fields.api_type.as_given().map(|api_type| api_type.value.as_str().to_owned()),
            base_url: fields.base_url.as_given().map(|url| url.value.clone()),
            key_variable: fields.api_key_env_var.as_given().map(|name| name.value.as_str().to_owned()),
        }
    }
}
