//! The image in which agents run.

use std::fmt::Write as _;

use crate::services::{Notes, Reason, Value, path};

/// How long a line of a Dockerfile is at most, in bytes.
const MAX_LINE_BYTES: usize = 65_535;

/// Returns a Dockerfile; none, and a finding, if something cannot be written. Without a program the image starts none.
pub(super) fn render(program: Option<&Value>, home: &str, notes: &mut Notes<'_>) -> Option<String> {
    let mut text = String::from(
        "# Written by `minds render`.\n\
         # What agents need beside their command is in the image that this one is made of.\n\
         ARG BASE_IMAGE=debian:bookworm-slim\n\
         FROM ${BASE_IMAGE}\n\
         ARG AGENT_UID=1000\n\
         ARG AGENT_GID=1000\n",
    );
    // Writing to a string cannot fail. The user of the base image need not be one who may do that.
    let _ = write!(
        text,
        "USER 0:0\n\
         RUN mkdir -p {home} && chown ${{AGENT_UID}}:${{AGENT_GID}} {home}\n\
         ENV HOME={home}\n\
         USER ${{AGENT_UID}}:${{AGENT_GID}}\n"
    );
    if let Some(program) = program {
        let line = path::program(&program.text).and_then(|program| words("ENTRYPOINT", [program]));
        text.push_str(&notes.take(program, line)?);
    }
    Some(text)
}

/// Returns an instruction with words in its JSON form, in which nothing is replaced or taken apart.
fn words<'w>(instruction: &str, words: impl IntoIterator<Item = &'w str>) -> Result<String, Reason> {
    let words: Vec<String> =
        words.into_iter().map(|word| serde_json::Value::from(word).to_string()).collect();
    let line = format!("{instruction} [{}]\n", words.join(","));
    if line.len() > MAX_LINE_BYTES { Err("it is longer than lines of a Dockerfile are") } else { Ok(line) }
}
