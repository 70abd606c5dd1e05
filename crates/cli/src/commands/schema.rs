//! `minds schema`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use minds_operations::documents::{SchemaDocument, SchemaFilesDocument, SchemaKindsDocument};
use minds_workspace::{FileKind, schemas};
use serde_json::Value;

use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Print the JSON Schema of a kind of file
///
/// Without KIND, lists the kinds. The schemas describe the structure of a file; `minds check` also checks rules that
/// involve several files.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds schema                           List the kinds
  minds schema team                      Print the schema of `.minds/team.yaml`
  minds schema --write .minds/.schema    Write all schemas to a directory
  minds schema team --draft 2020-12 > team.schema.json
                                         Print the schema in the newer draft")]
pub(crate) struct SchemaArgs {
    /// The kind of file
    #[arg(value_name = "KIND", value_parser = PossibleValuesParser::new(schemas().iter().map(|kind| kind.name)))]
    kind: Option<String>,
    /// The version of JSON Schema: `07` with keywords for editors, `2020-12` with standard keywords only
    #[arg(long, value_enum, default_value_t = Draft::Draft7)]
    draft: Draft,
    /// Write the schema, or without KIND all schemas, to `DIR/<kind>.schema.json`
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Draft {
    #[value(name = "07")]
    Draft7,
    #[value(name = "2020-12")]
    Draft202012,
}

impl From<Draft> for minds_workspace::Draft {
    fn from(draft: Draft) -> Self {
        match draft {
            Draft::Draft7 => Self::Draft7,
            Draft::Draft202012 => Self::Draft202012,
        }
    }
}

pub(crate) fn run(directory: &Path, args: &SchemaArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let wanted = |kind: &&FileKind| args.kind.as_deref().is_none_or(|name| name == kind.name);
    let kinds: Vec<&FileKind> = schemas().iter().filter(wanted).collect();
    let is_json = args.format.chosen(out) == Format::Json;
    if let Some(folder) = &args.write {
        let written = minds_operations::write_schemas(directory, folder, &kinds, args.draft.into())?;
        if is_json {
            out.document(&SchemaFilesDocument::new(&written));
            return Ok(ExitCode::SUCCESS);
        }
        for schema in written {
            let done = if schema.is_new { "wrote" } else { "unchanged" };
            out.data(&format!("{done} {}\n", schema.path));
        }
    } else if let Some(kind) = &args.kind {
        let schema = minds_workspace::schema(kind, args.draft.into()).unwrap_or_default();
        if is_json {
            let schema: Value = serde_json::from_str(&schema).unwrap_or_default();
            out.document(&SchemaDocument { kind, schema });
        } else {
            out.data(&schema);
        }
    } else if is_json {
        out.document(&SchemaKindsDocument::new(&kinds));
    } else {
        let width = kinds.iter().map(|kind| kind.name.len()).max().unwrap_or_default();
        let file_width = kinds.iter().map(|kind| kind.file.len()).max().unwrap_or_default();
        for kind in kinds {
            out.data(&format!("{:width$}  {:file_width$}  {}\n", kind.name, kind.file, kind.summary));
        }
    }
    Ok(ExitCode::SUCCESS)
}
