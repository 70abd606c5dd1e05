use minds_diagnostics::rule;

rule! {
    pub(crate) static RULE {
        code: "llm/models-list",
        summary: "a provider's models are a list of names",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "models_list.md",
    }
}
