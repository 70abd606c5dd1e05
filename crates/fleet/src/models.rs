//! The models and tools of all layers.

use std::collections::BTreeMap;

use minds_document::{Document, Field};

use crate::family::{FleetFamily, Layer};
use crate::model::Model;
use crate::tools::{MergedToolLists, ToolLists};

/// The models of all layers.
#[derive(Clone, Debug, Default)]
pub struct KnownModels<'f> {
    /// The definitions of each model by id, highest layer first.
    pub by_id: BTreeMap<&'f str, Vec<ModelPlace<'f>>>,
    /// Whether all models are known.
    pub is_complete: bool,
}

/// The definition of a model in one layer.
#[derive(Clone, Copy, Debug)]
pub struct ModelPlace<'f> {
    /// The layer.
    pub layer: &'f Layer,
    /// The entry.
    pub model: &'f Model,
    /// The tree of its file.
    pub document: &'f Document,
}

impl FleetFamily {
    /// Returns the models of all layers.
    pub fn models(&self) -> KnownModels<'_> {
        let mut known = KnownModels { is_complete: true, ..KnownModels::default() };
        for layer in &self.layers {
            known.is_complete &= !layer.is_closed;
            let Some(file) = &layer.models else { continue };
            let (Some(models), Some(document)) = (&file.content, self.document(file)) else {
                known.is_complete = false;
                continue;
            };
            let is_read_completely =
                models.is_complete && !models.models_field.is_unreadable() && !document.is_partial();
            known.is_complete &= is_read_completely;
            for model in &models.models {
                known.by_id.entry(&model.id.value).or_default().push(ModelPlace { layer, model, document });
            }
        }
        known
    }

    /// Merges the lists of tools of the project from all layers.
    pub fn project_tools(&self) -> MergedToolLists<'_> {
        let fields: Vec<&Field<ToolLists>> = self
            .layers
            .iter()
            .filter_map(|layer| Some(&layer.tools.as_ref()?.content.as_ref()?.tools))
            .collect();
        // An unreadable list may deny tools.
        let is_known = self.layers.iter().all(|layer| {
            let is_read = layer.tools.as_ref().is_none_or(|file| {
                file.content.is_some() && self.document(file).is_some_and(|document| !document.is_partial())
            });
            !layer.is_closed && is_read
        });
        MergedToolLists::of(fields, is_known)
    }
}
