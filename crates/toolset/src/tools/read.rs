//! Reading a file.

use minds_document::ContentHash;

use super::{READS, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::fault::shown;
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

pub(super) static TEAM_MGMT_READ_FILE: Tool = Tool {
    name: "team_mgmt_read_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Read a text file below `.minds/`.",
    arguments: ARGUMENTS,
    output: OUTPUT,
    annotations: Annotations::READS,
    run,
};

pub(super) static READ_FILE: Tool = Tool {
    name: "read_file",
    toolsets: READS,
    area: Area::Workspace,
    description: "Read a text file of the workspace. `**/*.tsk/**` is refused.",
    ..TEAM_MGMT_READ_FILE
};

const ARGUMENTS: &[Argument] = &[Argument::required("path", Kind::Text, "")];

const OUTPUT: &[OutputField] =
    &[OutputField { name: "content", kind: "string" }, OutputField { name: "sha256", kind: "string" }];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path("path")?;
    let read = call.read(&path, MAX_BYTES)?;
    let sha256 = ContentHash::of(&read.bytes).to_string();
    let size = read.bytes.len();
    let content = String::from_utf8(read.bytes).map_err(|_| {
        Refusal::new(Code::InvalidUtf8, format!("{} is no text in UTF-8", shown(path.as_str())))
    })?;
    let fields = Fields::new()
        .with("path", path.as_str())
        .with("content", content)
        .with("sha256", sha256)
        .with("size_bytes", size);
    Ok(Tool::done(format!("read {size} bytes of {path}"), fields))
}
