//! The tools that the file lists by name.

use std::collections::{BTreeMap, BTreeSet};

use minds_document::{Field, Spanned};
use serde_json::{Map, Value};

use super::exposure::{ExposureRules, SkipReason, invalid_name_reason};
use super::model::{Mcp, Server, ServerFields, Transform};
use crate::catalog;

/// A tool that a whitelist lists without `*`: it is offered if the server has it.
pub(crate) struct LiteralTool<'m> {
    pub(crate) server: &'m Server,
    /// The original name on the server.
    pub(crate) original: &'m Spanned<String>,
    /// The name that members see, or why the tool is not offered; `None` if that is not known.
    pub(crate) exposed: Option<Result<String, SkipReason>>,
    /// The original name of the earlier tool that has the same name, unless that is a built-in one.
    pub(crate) earlier: Option<&'m Spanned<String>>,
}

/// The servers and original names of tools, by the names that members see.
type Owners<'m> = BTreeMap<String, (&'m Server, &'m Spanned<String>)>;

impl Mcp {
    /// Returns the tools that whitelists list by name, each once for each server.
    pub(crate) fn literal_tools(&self) -> Vec<LiteralTool<'_>> {
        let mut tools = Vec::new();
        let mut owners = Owners::new();
        for server in &self.servers {
            let Some(fields) = server.fields.as_given() else { continue };
            tools.extend(judge(server, &fields.value, &mut owners));
        }
        tools
    }
}

/// Judges the tools of a server, and adds those that are offered to `owners`.
fn judge<'m>(server: &'m Server, fields: &'m ServerFields, owners: &mut Owners<'m>) -> Vec<LiteralTool<'m>> {
    let originals = literal_names(fields);
    let Some(steps) = fields.steps() else {
        let tool = |original: &'m Spanned<String>| {
            let reason = invalid_name_reason(&original.value);
            let exposed = reason.map(|detail| Err(SkipReason::InvalidName { detail }));
            LiteralTool { server, original, exposed, earlier: None }
        };
        return originals.into_iter().map(tool).collect();
    };
    let rules = ExposureRules::new(
        originals.iter().map(|original| &original.value),
        [],
        steps.iter().map(|step| &step.value),
    );
    // What a tool needs as arguments is only known when the server runs.
    let schema = Value::Object(Map::new());
    let listed = originals.iter().map(|original| (original.value.as_str(), &schema));
    // A server that is disabled, or whose id is taken, has no tools, so it neither takes names nor loses any.
    let is_enabled = fields.enabled.as_given().is_none_or(|enabled| enabled.value);
    let has_tools = is_enabled && !catalog::is_toolset_name(&server.id.value);
    let taken =
        |name: &str| owners.get(name).filter(|_| has_tools).map(|(server, _)| server.id.value.clone());
    let exposed = rules.expose(listed, &taken);

    let mut own = Owners::new();
    let mut tools = Vec::with_capacity(originals.len());
    for (original, exposed) in originals.into_iter().zip(exposed) {
        let earlier = match &exposed {
            Ok(name) => {
                own.insert(name.clone(), (server, original));
                None
            }
            Err(SkipReason::DuplicateInServer { name }) => own.get(name),
            Err(SkipReason::Collision { name, .. }) => owners.get(name),
            Err(_) => None,
        };
        let earlier = earlier.map(|(_, original)| *original);
        tools.push(LiteralTool { server, original, exposed: Some(exposed), earlier });
    }
    if has_tools {
        owners.append(&mut own);
    }
    tools
}

/// Returns the distinct entries of the whitelist that are not patterns.
fn literal_names(fields: &ServerFields) -> Vec<&Spanned<String>> {
    let list = fields.tools.as_given().and_then(|filter| filter.value.whitelist.as_given());
    let entries = list.into_iter().flat_map(|list| &list.value.items);
    let mut seen = BTreeSet::new();
    entries.filter(|entry| !entry.value.contains('*') && seen.insert(entry.value.as_str())).collect()
}

impl ServerFields {
    /// Returns the renaming steps with their places; `None` if not all of them are known.
    ///
    /// Runtimes differ in how they combine the steps of `tools` with those of the server, so the result is `None` if the
    /// former are given.
    pub(crate) fn steps(&self) -> Option<&[Spanned<Transform>]> {
        match &self.tools {
            Field::Given(filter) if filter.value.transform.is_absent() => {}
            Field::Absent => {}
            Field::Given(_) | Field::Unreadable(_) => return None,
        }
        match &self.transform {
            Field::Absent => Some(&[]),
            Field::Given(list) if list.value.is_complete => Some(&list.value.items),
            Field::Given(_) | Field::Unreadable(_) => None,
        }
    }
}
