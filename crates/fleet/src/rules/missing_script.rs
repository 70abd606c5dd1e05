use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Field, Spanned};

use super::Check;
use crate::model::{ModelFields, ModelSettings, SCRIPTED};
use crate::models::ModelPlace;

rule! {
    pub(crate) static RULE {
        code: "fleet/missing-script",
        summary: "a scripted model has no script",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "missing_script.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let models = check.family.models();
    for places in models.by_id.values() {
        // A part that could not be read may define the provider or the script.
        let is_read = |place: &ModelPlace<'_>| {
            let settings = place.model.fields.as_given().map(|fields| &fields.value.model_settings);
            settings.is_some_and(|settings| !settings.is_unreadable()) && !place.document.is_partial()
        };
        if !models.is_complete || !places.iter().all(is_read) {
            continue;
        }
        let Some((provider, place)) = find_nearest(places, |fields| Some(&fields.provider)) else { continue };
        if provider.value != SCRIPTED {
            continue;
        }
        let is_unreadable = |place: &ModelPlace<'_>| {
            settings_of(place).is_some_and(|settings| settings.script.is_unreadable())
        };
        let script = find_nearest(places, |fields| Some(&fields.model_settings.as_given()?.value.script));
        let Some((script, script_place)) = script else {
            if places.iter().any(is_unreadable) {
                continue;
            }
            check.report(&RULE, place.document, provider, |label| {
                Diagnostic::new(&RULE, "the provider `scripted` needs a script")
                    .primary(label.message("no layer has `model_settings.script`"))
                    .help("write `model_settings: {script: PATH}` with a file of answers")
            });
            continue;
        };
        let location = script_place.layer.script_location(&script.value);
        if script_place.layer.scripts.contains(&location) {
            continue;
        }
        check.report(&RULE, script_place.document, script, |label| {
            Diagnostic::new(&RULE, format!("the script does not exist: `{location}`"))
                .primary(label.message("not a file below the directory that contains `.ateam`"))
                .help("create the file, or write the path of an existing one")
        });
    }
}

fn settings_of<'f>(place: &ModelPlace<'f>) -> Option<&'f ModelSettings> {
    Some(&place.model.fields.as_given()?.value.model_settings.as_given()?.value)
}

/// Returns the value of the nearest layer that has one, with its place.
fn find_nearest<'p, 'f, T: 'f>(
    places: &'p [ModelPlace<'f>],
    get: impl Fn(&'f ModelFields) -> Option<&'f Field<T>>,
) -> Option<(&'f Spanned<T>, &'p ModelPlace<'f>)> {
    places.iter().find_map(|place| {
        let field = get(&place.model.fields.as_given()?.value)?;
        Some((field.as_given()?, place))
    })
}
