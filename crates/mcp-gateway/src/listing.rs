//! The tools of all servers as members see them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use minds_core::catalog;
use minds_core::mcp::exposure::{ExposureRules, FilterList, SkipReason, find_schema_defect};
use minds_text::hidden_text;
use minds_toolset::ForeignTool;
use serde_json::{Map, Value};

use crate::Server;
use crate::client::ListedTool;

/// The most bytes of a description; longer ones are cut.
const MAX_DESCRIPTION_BYTES: usize = 16 << 10;
/// The most bytes of a title.
const MAX_TITLE_BYTES: usize = 256;

/// A server whose tools are known.
#[derive(Clone, Copy, Debug)]
pub struct ListedServer<'s> {
    /// The id.
    pub id: &'s str,
    /// Its entry.
    pub server: &'s Server,
    /// Its tools.
    pub tools: &'s [ListedTool],
    /// Whether calls are expected to work.
    pub is_available: bool,
    /// Whether it provides a built-in toolset, with the tools of that only.
    pub is_built_in: bool,
}

/// The tools of all servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The tools that members can have, in the order of the file.
    pub tools: Vec<ForeignTool>,
    /// The tools that are left out.
    pub skipped: Vec<SkippedTool>,
    /// The entries of filters that match no tool.
    pub unmatched: Vec<UnmatchedEntry>,
}

/// A tool that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedTool {
    /// The id of the server.
    pub server: String,
    /// The name at the server.
    pub original: String,
    /// Why.
    pub reason: SkipReason,
}

/// An entry of a filter that matches no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedEntry {
    /// The id of the server.
    pub server: String,
    /// The list.
    pub list: FilterList,
    /// The entry.
    pub entry: String,
}

/// Returns the tools of servers in the order of the file. The names of a server that precedes another one are taken for that.
pub fn expose<'s>(servers: impl IntoIterator<Item = ListedServer<'s>>) -> Listing {
    let mut listing = Listing::default();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for ListedServer { id, server, tools, is_available, is_built_in } in servers {
        if is_built_in {
            let known = tools.iter().filter(|tool| catalog::toolsets_with(&tool.name).any(|name| name == id));
            let known = known.filter(|tool| find_schema_defect(&tool.input_schema).is_none());
            listing.tools.extend(known.map(|tool| foreign(id, tool.name.clone(), tool, is_available)));
            continue;
        }
        let rules = ExposureRules::new(&server.whitelist, &server.blacklist, &server.transforms);
        let listed = tools.iter().map(|tool| (tool.name.as_str(), &tool.input_schema));
        let exposed = rules.expose(listed, &|name| owners.get(name).cloned());
        for (tool, exposed) in tools.iter().zip(exposed) {
            match exposed {
                Ok(name) => {
                    owners.insert(name.clone(), id.to_owned());
                    listing.tools.push(foreign(id, name, tool, is_available));
                }
                Err(reason) => {
                    let (server, original) = (id.to_owned(), tool.name.clone());
                    listing.skipped.push(SkippedTool { server, original, reason });
                }
            }
        }
        let unmatched = rules.find_unmatched(tools.iter().map(|tool| tool.name.as_str()));
        listing.unmatched.extend(unmatched.into_iter().map(|unmatched| {
            let (list, entry) = (unmatched.list, unmatched.entry.to_owned());
            UnmatchedEntry { server: id.to_owned(), list, entry }
        }));
    }
    listing
}

fn foreign(server: &str, name: String, tool: &ListedTool, is_available: bool) -> ForeignTool {
    let output = tool.output_schema.as_ref().filter(|schema| find_schema_defect(schema).is_none());
    let annotations = Value::Object(tool.annotations.clone());
    let annotations =
        if find_schema_defect(&annotations).is_none() { tool.annotations.clone() } else { Map::new() };
    ForeignTool {
        name,
        server: server.to_owned(),
        original: tool.name.clone(),
        title: tool.title.as_deref().map(|title| neutralize(title, MAX_TITLE_BYTES)),
        description: neutralize(&tool.description, MAX_DESCRIPTION_BYTES),
        input_schema: tool.input_schema.as_object().cloned().unwrap_or_default(),
        output_schema: output.and_then(Value::as_object).cloned(),
        annotations,
        is_available,
    }
}

/// Shortens text of a server, and removes what a reader would not see but a model would read.
fn neutralize(text: &str, limit: usize) -> String {
    let visible = remove_hidden(text);
    if visible.len() <= limit {
        return visible.into_owned();
    }
    let end = visible.floor_char_boundary(limit);
    format!("{} […]", visible.get(..end).unwrap_or_default())
}

fn remove_hidden(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| !minds_text::is_control(c) || matches!(c, '\n' | '\t');
    let hidden: Vec<_> = hidden_text(text).map(|found| found.start..found.end).collect();
    if hidden.is_empty() && text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut hidden = hidden.into_iter().peekable();
    let kept = text.char_indices().filter(|(at, c)| {
        while hidden.next_if(|range| range.end <= *at).is_some() {}
        is_kept(*c) && !hidden.peek().is_some_and(|range| range.contains(at))
    });
    kept.map(|(_, c)| c).collect::<String>().into()
}
