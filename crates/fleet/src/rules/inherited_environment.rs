use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/inherited-environment",
        summary: "commands of an agent see its whole environment",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "inherited_environment.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let Some(exec) = readable.agent.exec.as_given() else { continue };
        let Some(inherit) = exec.value.inherit_env.as_given().filter(|inherit| inherit.value) else {
            continue;
        };
        check.report(&RULE, readable.document, inherit, |label| {
            Diagnostic::new(&RULE, format!("commands of agent `{}` inherit its environment", readable.name))
                .primary(label.message("passes every variable on"))
                .note("the environment often contains keys and tokens, which a command can print or send")
                .help("remove `inherit_env`; commands still see `PATH`, `HOME` and similar variables")
        });
    }
}
