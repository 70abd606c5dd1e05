use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ProjectCheck};
use crate::agents::Rank;

rule! {
    pub(super) static RULE {
        code: "compose/telegram-on-worker",
        summary: "a worker has a Telegram bot",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "telegram_on_worker.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in project.agents.iter().filter(|agent| agent.rank == Rank::Worker) {
        let interfaces = agent.fields().and_then(|fields| fields.interfaces.as_given());
        let Some(place) = interfaces.and_then(|interfaces| interfaces.value.telegram.place()) else {
            continue;
        };
        check.report(project.document, &RULE, &place, |label| {
            let id = &agent.agent.id.value;
            Diagnostic::new(&RULE, format!("worker `{id}` has a Telegram bot"))
                .primary(label.message("only managers can have a bot"))
                .help(format!("move `telegram` to a manager, or move `{id}` to `managers`"))
        });
    }
}
