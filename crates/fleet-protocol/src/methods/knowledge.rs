//! Methods about knowledge bases.

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_INGEST_SOURCES, MAX_SEARCH_RESULTS};
use crate::{AgentId, DocumentId, Json};

/// The knowledge base that a method uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Of the agent.
    Agent,
    /// Of the project.
    Project,
    /// Of the user.
    User,
}

/// The parameters of `kb.ingest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbIngest {
    /// The knowledge base.
    pub scope: Scope,
    /// Files and folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// URLs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<String>,
    /// Documents with their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<KbDocument>,
}

/// A document with its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbDocument {
    /// The name.
    pub name: String,
    /// The text.
    pub content: String,
}

impl KbIngest {
    pub(super) fn check_sources(&self) -> Result<(), String> {
        let number = self.paths.len() + self.urls.len() + self.docs.len();
        if !(1..=MAX_INGEST_SOURCES).contains(&number) {
            return Err(format!(
                "expected 1 to {MAX_INGEST_SOURCES} `paths`, `urls` and `docs`, not {number}"
            ));
        }
        Ok(())
    }
}

/// The value of `kb.ingest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbIngestValue {
    /// The added documents.
    pub ids: Vec<DocumentId>,
    /// What was not added.
    pub skipped: Vec<SkippedSource>,
}

/// A source that was not added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedSource {
    /// The path, URL or name.
    pub path: String,
    /// Why, for example `duplicate`.
    pub reason: String,
    /// The document that has the same content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<DocumentId>,
}

/// The parameters of `kb.search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbSearch {
    /// The words to search for.
    pub query: String,
    /// The knowledge base.
    pub scope: Scope,
    /// The maximum number of results, 8 by default and at most 100.
    #[serde(default = "default_results")]
    pub k: u32,
}

impl KbSearch {
    pub(super) fn check_number(&self) -> Result<(), String> {
        if !(1..=MAX_SEARCH_RESULTS).contains(&self.k) {
            return Err(format!("invalid `k`: expected 1 to {MAX_SEARCH_RESULTS}"));
        }
        Ok(())
    }
}

fn default_results() -> u32 {
    8
}

/// The value of `kb.search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KbSearchValue {
    /// The results, the best first.
    pub hits: Vec<SearchHit>,
}

/// A result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The document.
    pub id: DocumentId,
    /// The score relative to the best result, which has 1.
    pub score: f64,
    /// What is known about the document.
    pub metadata: Json,
}

/// The parameters of `kb.get_items`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbGetItems {
    /// The documents, at least one.
    pub ids: Vec<DocumentId>,
    /// The `next` of the preceding answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl KbGetItems {
    pub(super) fn check_ids(&self) -> Result<(), String> {
        check_ids(&self.ids)
    }
}

/// The value of `kb.get_items`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbGetItemsValue {
    /// The parts of documents.
    pub items: Vec<KbPart>,
    /// The argument `after` of the next request; `None` at the end.
    pub next: Option<String>,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbPart {
    /// The document.
    pub id: DocumentId,
    /// The number of the part, from 1.
    pub part: u32,
    /// The number of parts.
    pub parts: u32,
    /// The text.
    pub content: String,
    /// What is known about the document.
    pub metadata: Json,
}

/// The parameters of `kb.list_recent`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbListRecent {
    /// The knowledge base. Without it, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The maximum number of documents, 20 by default.
    #[serde(default = "default_documents")]
    pub n: u32,
    /// A pattern for paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

fn default_documents() -> u32 {
    20
}

/// The value of `kb.list_recent`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbListRecentValue {
    /// What is known about each document.
    pub docs: Vec<Json>,
}

/// The parameters of `kb.copy_from`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbCopyFrom {
    /// The agent that has the documents.
    pub source_agent_id: AgentId,
    /// The documents, at least one.
    pub ids: Vec<DocumentId>,
}

impl KbCopyFrom {
    pub(super) fn check_ids(&self) -> Result<(), String> {
        check_ids(&self.ids)
    }
}

/// The value of `kb.copy_from`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbCopyFromValue {
    /// The copied documents.
    pub copied: Vec<DocumentId>,
    /// The unknown ones.
    pub skipped: Vec<DocumentId>,
}

fn check_ids(ids: &[DocumentId]) -> Result<(), String> {
    if ids.is_empty() { Err("invalid `ids`: expected at least one id".to_owned()) } else { Ok(()) }
}
