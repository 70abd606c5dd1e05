//! The requests for a member, from the description of an agent.

/// The words with which a sentence about requests for other members begins.
const NEGATIONS: [&str; 7] = [
    "not for ",
    "do not use ",
    "don't use ",
    "never use ",
    "not suitable for ",
    "not intended for ",
    "avoid using ",
];

/// What a member is for, and what it is not for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The requests for the member; empty if there is nothing about them.
    pub gofor: String,
    /// The sentences about requests that are not for it.
    pub nogo: Vec<String>,
}

/// Splits a description. Only whole sentences at the start of a line or after another sentence are moved; everything else
/// stays as it is.
pub(crate) fn split(text: &str) -> Description {
    let mut description = Description::default();
    let mut lines = Vec::new();
    for line in text.trim().lines() {
        let mut kept = String::new();
        for sentence in sentences(line) {
            let start = sentence.trim_start().to_ascii_lowercase();
            if NEGATIONS.iter().any(|words| start.starts_with(words)) {
                description.nogo.push(sentence.trim().to_owned());
            } else {
                kept.push_str(sentence);
            }
        }
        let kept = kept.trim_end();
        // A line that was a sentence for `nogo` leaves nothing.
        if !kept.is_empty() || line.trim().is_empty() {
            lines.push(kept.to_owned());
        }
    }
    lines.join("\n").trim().clone_into(&mut description.gofor);
    description
}

/// Returns the sentences of a line, each with what separates it from the next.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices(". ") {
        let end = at + 2;
        found.push(line.get(start..end).unwrap_or_default());
        start = end;
    }
    found.push(line.get(start..).unwrap_or_default());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, gofor: &str, nogo: &[&str]) {
        let found = split(text);
        assert_eq!(found.gofor, gofor);
        assert_eq!(found.nogo, nogo);
    }

    #[test]
    fn sentences_about_other_requests_are_separate() {
        check("Reviews changes.", "Reviews changes.", &[]);
        check("Reviews changes. Not for writing code.", "Reviews changes.", &["Not for writing code."]);
        check("Reviews.\nDo not use for docs.\n\nMore.", "Reviews.\n\nMore.", &["Do not use for docs."]);
        check("Use it, do not use grep.", "Use it, do not use grep.", &[]);
        check("Not for you", "", &["Not for you"]);
        check("", "", &[]);
    }
}
