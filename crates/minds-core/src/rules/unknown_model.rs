use std::collections::BTreeMap;

use minds_diagnostics::{Candidates, Diagnostic, find_closest, rule};
use minds_document::Spanned;

use super::{Check, non_empty};
use crate::catalog::{self, BuiltinProvider};
use crate::model::MemberFields;

rule! {
    pub(crate) static RULE {
        code: "team/unknown-model",
        summary: "a member names a model that its provider is not known to have",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_model.md",
    }
}

/// The models of providers, by key, as far as they were needed.
type Models<'c> = BTreeMap<&'c str, Candidates<'c>>;

pub(super) fn check(check: &mut Check<'_>) {
    let defaults = check.team.defaults();
    let mut candidates = Models::new();
    for fields in check.team.field_groups() {
        let own = (non_empty(&fields.provider), non_empty(&fields.model));
        let inherit = |own, get: fn(&MemberFields) -> Option<&Spanned<String>>, is_absent: bool| {
            if is_absent { defaults.and_then(get) } else { own }
        };
        let provider = inherit(own.0, |fields| non_empty(&fields.provider), fields.provider.is_absent());
        let model = inherit(own.1, |fields| non_empty(&fields.model), fields.model.is_absent());
        // A pair that is inherited completely is checked in the defaults.
        let (Some(provider), Some(model), Some(place)) = (provider, model, own.1.or(own.0)) else { continue };
        check_pair(check, &mut candidates, provider, model, place);
    }
}

fn check_pair<'c>(
    check: &mut Check<'c>,
    candidates: &mut Models<'c>,
    provider: &'c Spanned<String>,
    model: &Spanned<String>,
    place: &Spanned<String>,
) {
    let Some(known) = check.family.providers.find(&provider.value) else { return };
    if known.may_have(&model.value) {
        return;
    }
    check.report(&RULE, place, |document, label| {
        let message = format!("provider `{}` is not known to have a model `{}`", provider.value, model.value);
        let mut found = Diagnostic::new(&RULE, message);
        if place.node == model.node {
            found = found.primary(label.message(format!("no known model of `{}`", provider.value)));
        } else {
            found = found
                .primary(label.message("this provider"))
                .secondary(document.source().label(model.span).message("the model is inherited from here"));
        }
        let has_model = |owner: &&BuiltinProvider| owner.models.iter().any(|own| own.key == model.value);
        let owners = catalog::PROVIDERS.iter().filter(|owner| owner.key != provider.value).filter(has_model);
        // The provider with the most similar name is probably the intended one.
        if let Some(owner) = find_closest(&provider.value, owners.map(|owner| owner.key), 1).first() {
            return found.help(format!("`{}` is a model of provider `{owner}`", model.value));
        }
        let models = known.models().unwrap_or_default();
        let quoted = |models: &[&str]| models.iter().map(|model| format!("`{model}`")).collect::<Vec<_>>();
        let candidates =
            candidates.entry(&provider.value).or_insert_with(|| Candidates::new(models.iter().copied()));
        // A name with another number may be a later version, which a similar name would replace by an earlier one.
        let nearest = candidates.find_nearest(&model.value, 3);
        if nearest.iter().any(|known| catalog::is_other_version(&model.value, known)) {
            return found.help(
                "if the provider has it, add the model in `llm.yaml`, or suppress this finding with a comment",
            );
        }
        let near = quoted(&nearest);
        let help = match near.as_slice() {
            [] if (1..=8).contains(&models.len()) => {
                format!("known models are {}", quoted(&models).join(", "))
            }
            [] => "write a model of the provider, or add this one in `llm.yaml`".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        found.help(help)
    });
}
