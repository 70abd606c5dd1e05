use minds_diagnostics::Diagnostic;

use super::{Check, rule};

rule!(
    "fleet/inherited-environment",
    Warning,
    true,
    "commands of an agent see its whole environment",
    "inherited_environment.md"
);

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
                .help("remove `inherit_env`; commands still see `PATH`, `HOME` and the like")
        });
    }
}
