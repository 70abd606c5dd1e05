use minds_diagnostics::{Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    code: "llm/models-list",
    summary: "a provider's models are a list of names",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("models_list.md"),
};
