use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::Layout;
use crate::{Bodies, DEFAULT_BUDGET, Language, Section, effective};

/// More than the frame of the text has in any language.
const FRAME: usize = 4 * 1024;

pub(super) static RULE: Rule = Rule {
    code: "task/cut-section",
    summary: "agents are not given all of a section",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("cut_section.md"),
};

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let texts: Vec<(Section, &str)> =
        Section::injected().filter_map(|section| layout.text(&section).map(|text| (section, text))).collect();
    let total: usize = texts.iter().map(|(_, text)| text.len()).sum();
    if total + FRAME <= DEFAULT_BUDGET {
        return;
    }
    let mut bodies = Bodies::new();
    for (section, text) in texts {
        bodies.set(section, text.to_owned());
    }
    for cut in effective(&bodies, Language::English, DEFAULT_BUDGET).cut {
        let Some(entry) = layout.find(&cut.section.path()) else { continue };
        let size = bodies.get(&cut.section).map_or(0, str::len);
        let message = format!(
            "agents are not given {} of the {size} bytes of the section `{}`",
            cut.left_out, cut.section
        );
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note(format!("the text for agents has at most {DEFAULT_BUDGET} bytes; what is left out is in the middle"))
                .help("shorten it, and put what is needed at times into a category, from where agents recall it"),
        );
    }
}
