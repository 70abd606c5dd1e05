//! Finding the change that wrote each line of a section.

use minds_text::unchanged_lines;

/// A change in the history of a section, followed backwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<T> {
    /// The change.
    pub change: T,
    /// The content of the section before it; none if it is no longer known.
    pub before: Option<String>,
}

/// The origin of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The index of the step that wrote it.
    pub step: usize,
    /// Whether the step is certain; if not, an earlier change may have written the line.
    pub is_certain: bool,
}

/// Returns the origin of each line. The steps lead back in time from the text, the newest first; if
/// there are none, all origins are unknown.
///
/// Lines are compared without their line breaks, so a missing line break at the end does not matter.
pub fn blame<T>(text: &str, steps: &[Step<T>]) -> Vec<Option<Origin>> {
    let mut origins: Vec<Option<Origin>> = vec![None; lines(text).len()];
    // The lines whose origin is still unknown, by their position in the current version.
    let mut open: Vec<Option<usize>> = (0..origins.len()).map(Some).collect();
    let mut current = lines(text);
    for (step, Step { before, .. }) in steps.iter().enumerate() {
        let is_last = step + 1 == steps.len();
        let set_origin = |origins: &mut Vec<Option<Origin>>, line: Option<usize>, is_certain| {
            if let Some(origin) = line.and_then(|line| origins.get_mut(line)) {
                *origin = Some(Origin { step, is_certain });
            }
        };
        let Some(before) = before else {
            for line in &open {
                set_origin(&mut origins, *line, false);
            }
            break;
        };
        let older = lines(before);
        let mut remaining: Vec<Option<usize>> = vec![None; older.len()];
        for (line, place) in open.iter().zip(unchanged_lines(&older, &current)) {
            match place {
                None => set_origin(&mut origins, *line, true),
                Some(place) => {
                    if let Some(place) = remaining.get_mut(place) {
                        *place = *line;
                    }
                }
            }
        }
        if is_last {
            for line in &remaining {
                set_origin(&mut origins, *line, false);
            }
        }
        (open, current) = (remaining, older);
    }
    origins
}

/// Returns the lines without their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn describe_origins(versions: &[Option<&str>]) -> String {
        let (text, older) = versions.split_last().unwrap();
        let steps: Vec<Step<()>> = older
            .iter()
            .rev()
            .map(|before| Step { change: (), before: before.map(ToOwned::to_owned) })
            .collect();
        let origins = blame(text.unwrap(), &steps);
        let descriptions = origins.iter().map(|origin| match origin {
            Some(Origin { step, is_certain: true }) => format!("{step}"),
            Some(Origin { step, .. }) => format!("{step}?"),
            None => "-".to_owned(),
        });
        descriptions.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_belongs_to_the_change_that_wrote_it() {
        assert_eq!(describe_origins(&[Some(""), Some("a\nb\n")]), "0 0");
        assert_eq!(describe_origins(&[Some(""), Some("a\nb\n"), Some("a\nx\nb\n")]), "1 0 1");
        assert_eq!(describe_origins(&[Some(""), Some("a"), Some("a\nb"), Some("a\nb\nc")]), "2 1 0");
        assert_eq!(describe_origins(&[Some("old\n"), Some("old\na\n")]), "0? 0");
        assert_eq!(describe_origins(&[None, Some("a\nb\n"), Some("b\nc\n")]), "1? 0");
        assert_eq!(describe_origins(&[Some("a\n")]), "-");
        assert_eq!(describe_origins(&[Some(""), Some("")]), "");
    }

    proptest! {
        /// If all lines differ, each line belongs to the first version since which it has always been
        /// present.
        #[test]
        fn distinct_lines_are_attributed(history in prop::collection::vec(prop::collection::btree_set(0_u8..12, 0..8), 1..6)) {
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
            prop_assert_eq!(describe_origins(&versions), expected.join(" "));
        }
    }
}
