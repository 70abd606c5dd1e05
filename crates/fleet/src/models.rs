//! The models and tools of all layers together.

use std::collections::BTreeMap;

use minds_document::{Document, Field};

use crate::family::FleetFamily;
use crate::model::Model;
use crate::tools::{Stand, ToolLists};

/// The models that some layer defines.
#[derive(Clone, Debug, Default)]
pub struct KnownModels<'f> {
    /// What the layers say of each model, by id, the one with the last word first.
    pub by_id: BTreeMap<&'f str, Vec<ModelPlace<'f>>>,
    /// Whether there is no other model.
    pub is_complete: bool,
}

/// What one layer says of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelPlace<'f> {
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
            let is_whole =
                models.is_complete && !models.models_field.is_unreadable() && !document.is_partial();
            known.is_complete &= is_whole;
            for model in &models.models {
                known.by_id.entry(&model.id.value).or_default().push(ModelPlace { model, document });
            }
        }
        known
    }

    /// Returns what the project says about tools in all layers.
    pub fn project_tools(&self) -> Stand<'_> {
        let fields: Vec<&Field<ToolLists>> = self
            .layers
            .iter()
            .filter_map(|layer| Some(&layer.tools.as_ref()?.content.as_ref()?.tools))
            .collect();
        // What cannot be read may deny.
        let is_known = self.layers.iter().all(|layer| {
            let is_read = layer.tools.as_ref().is_none_or(|file| {
                file.content.is_some() && self.document(file).is_some_and(|document| !document.is_partial())
            });
            !layer.is_closed && is_read
        });
        Stand::of(fields, is_known)
    }
}
