use minds_diagnostics::{Diagnostic, rule};

use super::{Check, non_empty};

rule! {
    pub(crate) static RULE {
        code: "team/streaming-required",
        summary: "streaming is turned off for a provider that always streams",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "streaming_required.md",
    }
}

/// The protocol that can only stream answers.
const ALWAYS_STREAMS: &str = "codex";

pub(super) fn check(check: &mut Check<'_>) {
    let defaults = check.team.defaults();
    for fields in check.team.field_groups() {
        let provider = if fields.provider.is_absent() {
            defaults.and_then(|defaults| non_empty(&defaults.provider))
        } else {
            non_empty(&fields.provider)
        };
        let streaming = match defaults {
            Some(defaults) => fields.streaming.or(&defaults.streaming).as_given(),
            None => fields.streaming.as_given(),
        };
        let (Some(provider), Some(streaming)) = (provider, streaming.filter(|streaming| !streaming.value))
        else {
            continue;
        };
        let known = check.family.providers.find(&provider.value);
        if known.and_then(crate::Provider::api_type) != Some(ALWAYS_STREAMS) {
            continue;
        }
        check.report(&RULE, streaming, |document, label| {
            Diagnostic::new(&RULE, format!("provider `{}` cannot answer without streaming", provider.value))
                .primary(label.message("streaming is turned off"))
                .secondary(document.source().label(provider.span).message("this provider always streams"))
                .help("remove the line, or name another provider")
        });
    }
}
