//! Which change wrote each line.

use similar::DiffTag;

use crate::difference::operations;

/// One change on the way back from what a section holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<T> {
    /// The change.
    pub change: T,
    /// What the section held before it; none if that is not known any more.
    pub before: Option<String>,
}

/// Where a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The number of the step that wrote it.
    pub step: usize,
    /// Whether it is known that it was this one; else it was this one or an older one.
    pub is_certain: bool,
}

/// Returns for each line of a text which step wrote it. The steps lead back from the text, the newest first; there is one at
/// least, or nothing is known of any line.
///
/// A line is the same as before if its text is; whether a line break follows it says nothing about who wrote it.
pub fn blame<T>(text: &str, steps: &[Step<T>]) -> Vec<Option<Origin>> {
    let mut origins: Vec<Option<Origin>> = vec![None; lines(text).len()];
    // The lines of the text that are still looked for, by their place in the version that was reached.
    let mut open: Vec<Option<usize>> = (0..origins.len()).map(Some).collect();
    let mut current = lines(text);
    for (step, Step { before, .. }) in steps.iter().enumerate() {
        let is_last = step + 1 == steps.len();
        let found = |origins: &mut Vec<Option<Origin>>, line: Option<usize>, is_certain| {
            if let Some(origin) = line.and_then(|line| origins.get_mut(line)) {
                *origin = Some(Origin { step, is_certain });
            }
        };
        let Some(before) = before else {
            for line in &open {
                found(&mut origins, *line, false);
            }
            break;
        };
        let older = lines(before);
        let mut left: Vec<Option<usize>> = vec![None; older.len()];
        for operation in operations(&older, &current) {
            let lines = open.get(operation.new_range()).unwrap_or_default();
            if operation.tag() == DiffTag::Equal {
                for (place, line) in operation.old_range().zip(lines) {
                    if let Some(place) = left.get_mut(place) {
                        *place = *line;
                    }
                }
            } else {
                for line in lines {
                    found(&mut origins, *line, true);
                }
            }
        }
        if is_last {
            for line in &left {
                found(&mut origins, *line, false);
            }
        }
        (open, current) = (left, older);
    }
    origins
}

/// Returns the lines of a text without their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(versions: &[Option<&str>]) -> String {
        let (text, older) = versions.split_last().unwrap();
        let steps: Vec<Step<()>> = older
            .iter()
            .rev()
            .map(|before| Step { change: (), before: before.map(ToOwned::to_owned) })
            .collect();
        let origins = blame(text.unwrap(), &steps);
        let told = origins.iter().map(|origin| match origin {
            Some(Origin { step, is_certain: true }) => format!("{step}"),
            Some(Origin { step, .. }) => format!("{step}?"),
            None => "-".to_owned(),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_belongs_to_the_change_that_wrote_it() {
        assert_eq!(told(&[Some(""), Some("a\nb\n")]), "0 0");
        assert_eq!(told(&[Some(""), Some("a\nb\n"), Some("a\nx\nb\n")]), "1 0 1");
        assert_eq!(told(&[Some(""), Some("a"), Some("a\nb"), Some("a\nb\nc")]), "2 1 0");
        assert_eq!(told(&[Some("old\n"), Some("old\na\n")]), "0? 0");
        assert_eq!(told(&[None, Some("a\nb\n"), Some("b\nc\n")]), "1? 0");
        assert_eq!(told(&[Some("a\n")]), "-");
        assert_eq!(told(&[Some(""), Some("")]), "");
    }

    proptest! {
        /// Of lines that are all different, each belongs to the first version that has it ever since.
        #[test]
        fn lines_that_are_all_different_are_found(history in prop::collection::vec(prop::collection::btree_set(0_u8..12, 0..8), 1..6)) {
            let texts: Vec<String> = history
                .iter()
                .map(|lines| lines.iter().map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat())
                .collect();
            let versions: Vec<Option<&str>> = [Some("")].into_iter().chain(texts.iter().map(|text| Some(text.as_str()))).collect();
            let newest = history.last().unwrap();
            let expected: Vec<String> = newest
                .iter()
                .map(|line| history.iter().rev().take_while(|lines| lines.contains(line)).count() - 1)
                .map(|step| step.to_string())
                .collect();
            prop_assert_eq!(told(&versions), expected.join(" "));
        }
    }
}
