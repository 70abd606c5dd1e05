//! The index of sections that are not injected.

use crate::section::Section;

/// The maximum number of sections in the index.
pub const MAX_EXTRAS: usize = 64;

/// The sections that are read only on request, sorted by category and selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// At most [`MAX_EXTRAS`] sections.
    pub sections: Vec<Section>,
    /// Whether there are more sections.
    pub truncated: bool,
}

impl Extras {
    /// Selects the sections from the paths of all regular files of a package, in any order; other files are
    /// ignored.
    pub fn of<'p>(files: impl IntoIterator<Item = &'p str>) -> Self {
        let mut sections: Vec<Section> = files.into_iter().filter_map(extra).collect();
        sections.sort();
        let truncated = sections.len() > MAX_EXTRAS;
        sections.truncate(MAX_EXTRAS);
        Self { sections, truncated }
    }
}

fn extra(path: &str) -> Option<Section> {
    Section::of_path(path).filter(|section| !section.is_injected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sections_of_categories_are_listed_in_a_fixed_order() {
        let files = [
            "ux/check.list.md",
            "ux/a.md",
            "api/z.md",
            "Zoo/a.md",
            "goals.md",
            "bearinmind/risks.md",
            "ux/goals.md",
            "ux/risks.md",
            "ux/.hidden.md",
            ".history/x.md",
            "ux/a.txt",
            "ux/deep/a.md",
            "ux/ b.md",
            "ux/!b.md",
            "ux/.md",
            "snapshots/1.md",
        ];
        let names =
            |extras: &Extras| -> Vec<String> { extras.sections.iter().map(ToString::to_string).collect() };
        let extras = Extras::of(files);
        assert_eq!(names(&extras), ["Zoo/a", "api/z", "ux/a", "ux/check.list"]);
        assert!(!extras.truncated);
        assert_eq!(Extras::of(files.into_iter().rev()), extras);
        let many: Vec<String> = (0..100).map(|number| format!("c/s{number:03}.md")).collect();
        let extras = Extras::of(many.iter().rev().map(String::as_str));
        assert!(extras.truncated && extras.sections.len() == MAX_EXTRAS);
        assert_eq!(extras.sections.last().unwrap().to_string(), "c/s063");
        let just = Extras::of(many.iter().take(MAX_EXTRAS).map(String::as_str));
        assert!(!just.truncated);
    }
}
