//! Changes in `.minds` whose answers include what validation newly finds.

use std::marker::PhantomData;

use minds_diagnostics::Report;
use schemars::JsonSchema;
use serde::Serialize;

use super::validate::MAX_PROBLEMS;
use crate::answer::Refusal;
use crate::call::Call;
use crate::problems::{self, Problem, plural};
use crate::tool::{Function, Outcome};

/// A function, followed by a validation.
pub(super) struct ThenValidate<F>(PhantomData<F>);

#[derive(Serialize, JsonSchema)]
pub(super) struct WithValidation<T> {
    #[serde(flatten)]
    output: T,
    /// What validation finds now and did not find before.
    new_problems: Vec<Problem>,
    older_problems: usize,
}

impl<F: Function> Function for ThenValidate<F> {
    type Arguments = F::Arguments;
    type Output = WithValidation<F::Output>;

    fn run(call: &Call<'_>, arguments: F::Arguments) -> Result<Outcome<Self::Output>, Refusal> {
        let check = || minds_workspace::check(&call.context.root().snapshot(&minds_workspace::team_scope()));
        let before = check();
        let Outcome { summary, output } = F::run(call, arguments)?;
        let after = check();
        let report = Report { diagnostics: after.diagnostics, ..Report::default() };
        let new = problems::find_new(&before.diagnostics, &report.diagnostics);
        let older_problems = report.diagnostics.len() - new.len();
        let is = if report.summary().is_clean(after.strict) { "valid" } else { "not valid" };
        let found = match new.len() {
            0 => "no new findings".to_owned(),
            count => plural(count, "new finding"),
        };
        let older = match older_problems {
            0 => String::new(),
            count => format!("; {}", plural(count, "older finding")),
        };
        let summary = format!("{summary}; the team is {is}: {found}{older}");
        let new_problems = new.iter().take(MAX_PROBLEMS).map(|found| Problem::of(found)).collect();
        Ok(Outcome::new(summary, WithValidation { output, new_problems, older_problems }))
    }
}
