use minds_diagnostics::{Diagnostic, Span, rule};

use super::Check;
use crate::family::Prompt;

rule! {
    pub(super) static RULE {
        code: "compose/role-prompt-not-utf8",
        summary: "a role prompt is not valid UTF-8",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "role_prompt_not_utf8.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for prompt in check.family.prompts.values() {
        let Prompt::Text(source) = prompt else { continue };
        let Err(error) = source.text() else { continue };
        let start = error.valid_up_to();
        let byte = source.bytes().get(start).copied().unwrap_or_default();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(offset(start), offset(start + error.error_len().unwrap_or(1)));
        check.problems.report(source, span, &RULE, || {
            Diagnostic::new(&RULE, format!("role prompt `{}` is not valid UTF-8", source.name()))
                .primary(source.label(span).message(format!("byte 0x{byte:02x} does not start a character")))
                .note("when the file is concatenated with other files, the byte becomes a replacement character")
                .help("save the file as UTF-8")
        });
    }
}
