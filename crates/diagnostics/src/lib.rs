//! Messages about texts: what is wrong, where, why, and what to do.
//!
//! A [`SourceFile`] is a text with a name, a [`Span`] is a part of it in bytes, a [`Rule`] is a check that the
//! project knows, and a [`Diagnostic`] is one finding of a rule at a place. A [`Report`] of findings is printed by
//! one of the emitters in [`emit`].
//!
//! ```
//! use minds_diagnostics::{Diagnostic, Report, Rule, Severity, SourceFile, Span, emit};
//!
//! static UNKNOWN_MEMBER: Rule = Rule {
//!     code: "team/unknown-member",
//!     summary: "a reference names a member that the team does not define",
//!     default_severity: Severity::Error,
//!     is_allowable: true,
//!     since: "0.1.0",
//!     page: "# Unknown member",
//! };
//!
//! let file = SourceFile::new(".minds/team.yaml", "default_responder: codr\n");
//! let finding = Diagnostic::new(&UNKNOWN_MEMBER, "unknown member `codr`")
//!     .primary(file.label(Span::new(19, 23)).message("not defined in `members`"))
//!     .help("did you mean `coder`?");
//! let report = Report { root: ".".into(), files: vec![file.name().into()], diagnostics: vec![finding], ..Report::default() };
//! assert_eq!(
//!     emit::concise(&report),
//!     ".minds/team.yaml:1:20: error[team/unknown-member]: unknown member `codr` (did you mean `coder`?)\n"
//! );
//! ```

mod allowances;
mod contents;
mod diagnostic;
pub mod emit;
mod line_index;
mod parsed;
mod problems;
mod report;
mod rule;
mod source;
mod span;
mod suggest;

pub use allowances::{AllowComment, AllowFlaw, Allowances, AllowedCode};
pub use contents::Contents;
pub use diagnostic::{Diagnostic, Edit, Fix, Label};
pub use line_index::{LineIndex, Position, PositionRange};
pub use parsed::Parsed;
pub use problems::{AllowingFile, MAX_PROBLEMS_PER_FILE, Problems};
pub use report::{Report, Summary};
pub use rule::{REPOSITORY, Rule, Severity, rule_page};
pub use source::SourceFile;
pub use span::Span;
pub use suggest::{closest, did_you_mean, misspelling, nearest};
