//! The JSON documents that the commands print, with their schemas.

use minds_diagnostics::emit::ReportDocument;
use minds_diagnostics::{JsonDocument, json_document_schema};
use minds_installer::{
    AgentHomeChangeDocument, AgentHomesDocument, ConfigDocument, DependenciesDocument, ExportDocument,
    InitSourceDocument, IssuesDocument, OfferedItemsDocument, OutcomeDocument, SourceItemsDocument,
};
use minds_inventory::{InstalledItemDocument, RegistryDocument};
use minds_mcp_gateway::documents::{
    GatewayCallDocument, GatewayRestartDocument, GatewayStatusDocument, GatewayToolsDocument,
};
use minds_operations::documents::{
    AccessCheckDocument, AccessExplanationDocument, AccessMatrixDocument, CleanDocument, ComposeDocument,
    ContextDocument, ErrorDocument, FixDocument, FleetDocument, FmtDocument, InitDocument, InitFromDocument,
    InitRefusedDocument, PromptDocument, PromptFileDocument, RefusalDocument, RenderDocument, RulesDocument,
    SchemaDocument, SchemaFilesDocument, SchemaKindsDocument, TeamDocument, ToolboxDocument,
};
use minds_server::view::TaskViewDocument;
use minds_task_store::documents::{
    TaskBlameDocument, TaskDiffDocument, TaskListDocument, TaskLogDocument, TaskMigrateDocument,
    TaskNewDocument, TaskPromptDocument, TaskSectionDocument, TaskShowDocument, TaskUnchangedDocument,
    TaskUndoDocument,
};
use minds_toolset::{AnswerDocument, Code, ProblemsDocument, ToolsDocument};
use serde_json::Value;

use minds_output::{FailureCode, FailureKind};

/// A document of the command, with its JSON Schema.
#[derive(Clone, Debug)]
pub struct DocumentKind {
    /// The name of the schema.
    pub name: &'static str,
    /// The commands that print the document, without the top-level names of the verbs of sources; empty for errors, which
    /// every command can print.
    pub commands: &'static [&'static str],
    /// The schema in draft 2020-12.
    pub schema: Value,
}

/// The commands that change sources or installed items.
const SOURCE_VERBS: &[&str] = &[
    "source add",
    "source doctor",
    "source install",
    "source remove",
    "source sync",
    "source uninstall",
    "source upgrade",
];

/// The commands that print the answer of a tool.
const TOOL_CALLS: &[&str] = &[
    "files apply",
    "files create",
    "files ls",
    "files mkdir",
    "files mv",
    "files preview after",
    "files preview append",
    "files preview before",
    "files preview block",
    "files preview range",
    "files read",
    "files rm",
    "files search",
    "files write",
    "manual",
    "task append",
    "task edit",
    "task recall",
    "task rm",
    "task set",
    "tool call",
];

/// Returns all documents by name.
pub fn documents() -> Vec<DocumentKind> {
    let mut documents = vec![
        document::<ErrorDocument<'_, FailureKind, FailureCode>>(&[]),
        document::<RefusalDocument<'_, Code>>(&[]),
        document::<ReportDocument<'_>>(&["access lint", "check", "source review", "task verify"]),
        document::<FixDocument<'_>>(&["check"]),
        document::<RulesDocument>(&["explain"]),
        document::<SchemaDocument<'_>>(&["schema"]),
        document::<SchemaFilesDocument<'_>>(&["schema"]),
        document::<SchemaKindsDocument>(&["schema"]),
        document::<TeamDocument<'_>>(&["team show"]),
        document::<ComposeDocument<'_>>(&["compose show"]),
        document::<FleetDocument<'_>>(&["fleet show"]),
        document::<AccessCheckDocument<'_>>(&["access check"]),
        document::<AccessExplanationDocument<'_>>(&["access explain"]),
        document::<AccessMatrixDocument<'_>>(&["access matrix"]),
        document::<ContextDocument<'_>>(&["context"]),
        document::<FmtDocument<'_>>(&["fmt"]),
        document::<InitDocument<'_>>(&["init"]),
        document::<InitFromDocument<'_>>(&["init"]),
        document::<InitRefusedDocument<'_>>(&["init"]),
        document::<RenderDocument<'_>>(&["render"]),
        document::<CleanDocument<'_>>(&["clean"]),
        document::<PromptDocument<'_>>(&["prompt show"]),
        document::<PromptFileDocument<'_>>(&["prompt append", "prompt edit", "prompt toolbox"]),
        document::<ToolboxDocument<'_>>(&["prompt toolbox"]),
        document::<OutcomeDocument<'_>>(SOURCE_VERBS),
        document::<OfferedItemsDocument<'_>>(&["source search"]),
        document::<SourceItemsDocument<'_>>(&["source list"]),
        document::<DependenciesDocument<'_>>(&["source list"]),
        document::<InstalledItemDocument>(&["source list"]),
        document::<RegistryDocument>(&["source list"]),
        document::<ExportDocument<'_>>(&["source export"]),
        document::<InitSourceDocument<'_>>(&["source init"]),
        document::<IssuesDocument<'_>>(&["source doctor", "source verify"]),
        document::<ConfigDocument<'_>>(&["source config show"]),
        document::<AgentHomesDocument<'_>>(&["source config homes list"]),
        document::<AgentHomeChangeDocument<'_>>(&["source config homes add", "source config homes remove"]),
        document::<AnswerDocument<'_>>(TOOL_CALLS),
        document::<ToolsDocument<'_>>(&["tool list"]),
        document::<ProblemsDocument<'_>>(&["problems"]),
        document::<GatewayCallDocument>(&["gateway call"]),
        document::<GatewayRestartDocument>(&["gateway restart"]),
        document::<GatewayStatusDocument>(&["gateway status"]),
        document::<GatewayToolsDocument>(&["gateway tools"]),
        document::<TaskNewDocument>(&["task new"]),
        document::<TaskListDocument>(&["task ls"]),
        document::<TaskShowDocument>(&["task show"]),
        document::<TaskSectionDocument>(&["task show"]),
        document::<TaskUnchangedDocument>(&["task edit"]),
        document::<TaskPromptDocument>(&["task prompt"]),
        document::<TaskLogDocument>(&["task log"]),
        document::<TaskBlameDocument>(&["task blame"]),
        document::<TaskDiffDocument>(&["task diff"]),
        document::<TaskUndoDocument>(&["task undo"]),
        document::<TaskMigrateDocument>(&["task migrate"]),
        document::<TaskViewDocument<'_>>(&["task view"]),
    ];
    documents.sort_by_key(|document| document.name);
    documents
}

fn document<D: JsonDocument>(commands: &'static [&'static str]) -> DocumentKind {
    DocumentKind { name: D::NAME, commands, schema: json_document_schema::<D>() }
}
