//! `minds access`

use minds_diagnostics::JsonDocument;
use minds_workspace::access::{
    Access, AccessDecision, Cell, EntryView, Explanation, Matrix, MemberAccess, Obstacle, Reason, Step,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// Whether a member may read or write paths.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccessCheckDocument<'a> {
    /// The id of the member.
    pub member: &'a str,
    /// The operation.
    pub op: Access,
    /// The decisions in the order of the paths.
    pub paths: Vec<PathDecision<'a>>,
    /// The number of paths with each decision.
    pub summary: AccessSummary,
}

/// A decision about a path.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PathDecision<'a> {
    /// The path as given.
    path: &'a str,
    /// The normalized path; `null` if it is not a valid path in the workspace.
    judged: Option<&'a str>,
    /// Whether access is allowed.
    allowed: bool,
    /// The reason.
    reason: Reason,
    /// The entry that decided, if one did.
    entry: Option<&'a EntryView>,
    /// Whether the entry matches only because deny lists ignore letter case and Unicode normalization.
    by_folding: bool,
}

/// The number of allowed and denied paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AccessSummary {
    /// The number of allowed paths.
    pub allowed: usize,
    /// The number of denied paths.
    pub denied: usize,
}

impl<'a> PathDecision<'a> {
    /// Returns the decision about a path.
    pub fn new(path: &'a str, decision: &'a AccessDecision) -> Self {
        Self {
            path,
            judged: decision.path_text(),
            allowed: decision.reason.is_allowed(),
            reason: decision.reason,
            entry: decision.entry.as_deref(),
            by_folding: decision.is_by_folding,
        }
    }
}

impl JsonDocument for AccessCheckDocument<'_> {
    const NAME: &'static str = "access-check";
}

/// A decision, and what would change it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccessExplanationDocument<'a> {
    /// The id of the member.
    member: &'a str,
    /// The operation.
    op: Access,
    #[serde(flatten)]
    decision: PathDecision<'a>,
    /// The reasons that were considered; the last one decided.
    considered: Vec<Reason>,
    /// The changes that would reverse the decision, in order.
    change: &'a [Step],
    /// Why no change of the lists can reverse the decision, if this is the case.
    obstacle: Option<Obstacle>,
    /// The MCP servers whose tools the member has. Access lists do not apply to them.
    mcp_servers: &'a [String],
}

impl<'a> AccessExplanationDocument<'a> {
    /// Returns the document of an explanation.
    pub fn new(
        member: &'a MemberAccess<'_>,
        op: Access,
        path: &'a str,
        explanation: &'a Explanation,
    ) -> Self {
        let decision = &explanation.decision;
        Self {
            member: &member.id,
            op,
            decision: PathDecision::new(path, decision),
            considered: Reason::ALL.into_iter().filter(|other| *other <= decision.reason).collect(),
            change: &explanation.steps,
            obstacle: explanation.obstacle,
            mcp_servers: &member.servers,
        }
    }
}

impl JsonDocument for AccessExplanationDocument<'_> {
    const NAME: &'static str = "access-explain";
}

/// The access rights of members to directories.
#[derive(Serialize, JsonSchema)]
pub struct AccessMatrixDocument<'a> {
    /// The ids of the members.
    members: &'a [String],
    /// The directories.
    #[schemars(with = "Vec<DirectoryRights<'a>>")]
    directories: MatrixRows<'a>,
}

/// The rights to a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DirectoryRights<'a> {
    /// The directory, or a pattern, in its canonical form.
    directory: &'a str,
    /// The rights of each member.
    members: Vec<MemberRights<'a>>,
}

/// The rights of a member.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberRights<'a> {
    /// The id of the member.
    member: &'a str,
    /// The rights.
    #[serde(flatten)]
    cell: Cell,
}

/// The rows of a matrix, each computed when it is written.
struct MatrixRows<'a> {
    matrix: Option<&'a Matrix>,
    on_row: &'a dyn Fn(),
}

impl Serialize for MatrixRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.matrix.into_iter().flat_map(|matrix| {
            matrix.rows().map(|row| {
                (self.on_row)();
                let members = matrix.members().iter().zip(row.cells);
                let members = members.map(|(member, cell)| MemberRights { member, cell });
                DirectoryRights { directory: row.directory, members: members.collect() }
            })
        }))
    }
}

impl<'a> AccessMatrixDocument<'a> {
    /// Returns the document of a matrix; without one it is empty. `on_row` is called for each row when it is computed.
    pub fn new(matrix: Option<&'a Matrix>, on_row: &'a dyn Fn()) -> Self {
        let members = matrix.map(Matrix::members).unwrap_or_default();
        Self { members, directories: MatrixRows { matrix, on_row } }
    }
}

impl JsonDocument for AccessMatrixDocument<'_> {
    const NAME: &'static str = "access-matrix";
}
