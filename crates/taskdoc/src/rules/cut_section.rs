use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::Layout;
use crate::{DEFAULT_BUDGET, InjectedBodies, Language, Section, effective_text};

/// An upper bound of the headings of the text in any language.
const HEADINGS_BYTES: usize = 4 * 1024;

rule! {
    pub(super) static RULE {
        code: "task/cut-section",
        summary: "a section is shortened in the text for agents",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "cut_section.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let texts: Vec<(Section, &str)> = Section::injected_sections()
        .filter_map(|section| layout.text(&section).map(|text| (section, text)))
        .collect();
    let total: usize = texts.iter().map(|(_, text)| text.len()).sum();
    if total + HEADINGS_BYTES <= DEFAULT_BUDGET {
        return;
    }
    let mut bodies = InjectedBodies::new();
    for (section, text) in texts {
        bodies.set(section, text.to_owned());
    }
    for cut in effective_text(&bodies, Language::English, DEFAULT_BUDGET).cut {
        let Some(entry) = layout.find(&cut.section.path()) else { continue };
        let size = bodies.get(&cut.section).map_or(0, str::len);
        let message = format!(
            "{} of the {size} bytes of the section `{}` are omitted in the text for agents",
            cut.omitted_bytes, cut.section
        );
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note(format!("the text for agents has at most {DEFAULT_BUDGET} bytes; the middle of the section is omitted"))
                .help("shorten it, and move text that is only needed occasionally to a category, from which agents can recall it"),
        );
    }
}
