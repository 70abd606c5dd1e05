//! The image in which the agents run.

use std::fmt::Write as _;

use crate::services::{Notes, Reason, Value, path};

/// The maximum length of a line of a Dockerfile, in bytes.
const MAX_LINE_BYTES: usize = 65_535;

/// Returns the Dockerfile, or `None` and a finding if a value cannot be written. Without `program` the image
/// has no entry point.
pub(super) fn render(program: Option<&Value>, home: &str, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::from(
        "# Written by `minds render`.\n\
         # Add what agents need besides their command to the base image.\n\
         ARG BASE_IMAGE=debian:bookworm-slim\n\
         FROM ${BASE_IMAGE}\n\
         ARG AGENT_UID=1000\n\
         ARG AGENT_GID=1000\n",
    );
    // Writing to a string cannot fail. The user of the base image may not have the permission for `chown`.
    let _ = write!(
        text,
        "USER 0:0\n\
         RUN mkdir -p {home} && chown ${{AGENT_UID}}:${{AGENT_GID}} {home}\n\
         ENV HOME={home}\n\
         USER ${{AGENT_UID}}:${{AGENT_GID}}\n"
    );
    if let Some(program) = program {
        let line = path::program(&program.text).and_then(|program| instruction("ENTRYPOINT", [program]));
        text.push_str(&notes.require(program, line)?);
    }
    Some(text)
}

/// Returns an instruction in JSON form, in which no variables are expanded and words are not split.
fn instruction<'w>(instruction: &str, words: impl IntoIterator<Item = &'w str>) -> Result<String, Reason> {
    let words: Vec<String> =
        words.into_iter().map(|word| serde_json::Value::from(word).to_string()).collect();
    let line = format!("{instruction} [{}]\n", words.join(","));
    if line.len() > MAX_LINE_BYTES {
        Err("it is longer than a line of a Dockerfile may be")
    } else {
        Ok(line)
    }
}
