//! The members of the team after inheritance, each value with its origin.

use std::collections::BTreeMap;
use std::fmt;

use minds_core::{TEAM_FILE, Team, TeamFamily};
use minds_diagnostics::{Parsed, PositionRange, Problems};
use minds_document::{Document, NodeId};
use minds_vfs::Snapshot;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::redact::{redact_value, without_secrets};

/// The effective configuration of a member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemberView {
    /// The id.
    pub id: String,
    /// The effective fields by key.
    pub fields: BTreeMap<&'static str, ShownField>,
}

/// A value and its origin.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownField {
    /// The value; `null` if it could not be read.
    pub value: Value,
    /// The place that defines it; `null` if it is built in.
    pub from: Option<Place>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The file, relative to the workspace.
    pub file: String,
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The range of the value in lines and columns.
    pub range: PositionRange,
}

/// Writes where the value starts, as `file:line:column`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.range.start;
        write!(f, "{}:{}:{}", self.file, start.line, start.column)
    }
}

/// Returns the members of the team: those of the file in file order, then the shadow members that it does not define.
///
/// Secrets are redacted with `*`. The problems are only those of loading; if one of them is an error, the view may be
/// incomplete.
pub fn show_team(snapshot: &Snapshot) -> Parsed<Vec<MemberView>> {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    let bootstrap = Team::default();
    let empty = minds_document::yaml::parse(&minds_diagnostics::SourceFile::new(TEAM_FILE, "")).value;
    let (team, document) = match (family.readable_team(), &empty) {
        (Some(read), _) => read,
        (None, Some(empty)) => (&bootstrap, empty),
        (None, None) => return Parsed { value: Vec::new(), problems },
    };
    let members = team.effective().map(|member| MemberView {
        id: without_secrets(TEAM_FILE, member.id).into_owned(),
        fields: member
            .fields(document)
            .into_iter()
            .map(|field| {
                let from = field.from.map(|node| place(document, node));
                (field.name, ShownField { value: redact_value(&[field.name], field.value), from })
            })
            .collect(),
    });
    let members = members.collect();
    Parsed { value: members, problems }
}

/// Returns the place of a node, without secrets.
pub(crate) fn place(document: &Document, node: NodeId) -> Place {
    let node = document.node(node);
    Place {
        file: document.source().name().to_owned(),
        pointer: without_secrets(TEAM_FILE, &node.pointer()).into_owned(),
        range: document.source().range(node.span()),
    }
}
