use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use crate::manifest::PinFields;

rule! {
    pub(crate) static RULE {
        code: "source/conflicting-pins",
        summary: "a source has more than one pin",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "conflicting_pins.md",
    }
}

/// Reports if the table `node` has more than one of the three keys of a pin, whatever their values.
pub(crate) fn check(node: Node<'_>, pin: &PinFields, cx: &mut Context) {
    let keys = [
        ("follow-branch", pin.follow_branch.place()),
        ("pin-tag", pin.pin_tag.place()),
        ("pin-ref", pin.pin_ref.place()),
    ];
    let given: Vec<(&str, Node<'_>)> = keys
        .into_iter()
        .filter_map(|(key, place)| place.map(|place| (key, node.document().node(place.node))))
        .collect();
    let [(first, place), others @ ..] = given.as_slice() else { return };
    for (key, other) in others {
        cx.report(*other, &RULE, || {
            Diagnostic::new(&RULE, format!("the source has two pins, `{first}` and `{key}`"))
                .primary(other.label().message("second pin"))
                .secondary(place.label().message("first pin"))
                .help("keep one of `follow-branch`, `pin-tag` and `pin-ref`")
        });
    }
}
