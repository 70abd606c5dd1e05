//! The text of tasks.

use minds_taskdoc::{EffectiveText, InjectedBodies, Language, Section, TaskError, effective_text};

/// Assembles the text that agents receive about a task from the bodies of its sections.
///
/// A section is named as in its package, without `.md`: `goals`, `constraints`, `progress` or `bearinmind/contracts`. The
/// order does not matter; if a section is contained twice, the last body is used. Further sections such as `ux/checklist` are
/// accepted but are not part of the text. A section that is not given is empty.
///
/// The text has at most `budget` bytes, unless the goals and constraints alone are larger; a good value is
/// [`DEFAULT_BUDGET`](minds_taskdoc::DEFAULT_BUDGET). [`EffectiveText::cut`] lists what was shortened. `language` is that
/// of the headings and notes.
///
/// # Errors
///
/// Fails if a name is not the name of a section; the error has a stable code.
pub fn task_text<'s>(
    sections: impl IntoIterator<Item = (&'s str, &'s str)>,
    language: Language,
    budget: usize,
) -> Result<EffectiveText, TaskError> {
    let mut bodies = InjectedBodies::new();
    for (name, body) in sections {
        bodies.set(Section::parse_qualified(name)?, body.to_owned());
    }
    Ok(effective_text(&bodies, language, budget))
}
