//! The JSON documents that the verbs print, with their schemas.

use minds_diagnostics::{JsonDocument, json_document_schema, json_line_schema};
use minds_fleet_protocol::Frame;
use serde_json::Value;

use crate::command_error::ErrorDocument;
use crate::verbs::documents::{
    Acl, AgentItem, AgentTools, Agents, Checks, Cleared, IssuedToken, Listing, Models, Owners, Queue,
    RevokedTokens, SentInput,
};

/// A document of the program, with its JSON Schema.
#[derive(Clone, Debug)]
pub struct DocumentKind {
    /// The name of the schema.
    pub name: &'static str,
    /// The verbs that print the document; empty for errors, which every verb can print.
    pub verbs: &'static [&'static str],
    /// The schema in draft 2020-12.
    pub schema: Value,
}

/// The name of the schema of frames, which `tail` prints as lines without a version.
const FRAME: &str = "fleet-tail";

/// Returns all documents by name.
pub fn documents() -> Vec<DocumentKind> {
    let frame = DocumentKind { name: FRAME, verbs: &["tail"], schema: json_line_schema::<Frame>(FRAME) };
    let mut documents = vec![
        document::<ErrorDocument<'_>>(&[]),
        document::<Agents>(&["down", "stop", "up"]),
        document::<Listing>(&["ps"]),
        document::<Owners>(&["who"]),
        document::<SentInput<'_>>(&["send"]),
        frame,
        document::<AgentItem>(&["cancel", "drop", "interrupt", "retry"]),
        document::<Queue>(&["queue"]),
        document::<Cleared>(&["queue"]),
        document::<Models>(&["models"]),
        document::<AgentTools>(&["tools"]),
        document::<IssuedToken<'_>>(&["token"]),
        document::<RevokedTokens<'_>>(&["token"]),
        document::<Checks>(&["doctor"]),
        document::<Acl<'_>>(&["doctor"]),
    ];
    documents.sort_by_key(|document| document.name);
    documents
}

fn document<D: JsonDocument>(verbs: &'static [&'static str]) -> DocumentKind {
    DocumentKind { name: D::NAME, verbs, schema: json_document_schema::<D>() }
}
