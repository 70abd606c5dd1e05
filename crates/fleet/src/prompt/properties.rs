//! Properties of prompts for any text.

use proptest::prelude::*;

use super::{Blocks, TOOLBOX, append, effective, refresh, toolbox, validate_edit};
use crate::tools::{Argument, Descriptor};

/// Lines of prompts, including markers and similar lines.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z .\\-]{0,6}",
        2 => prop_oneof![Just("toolbox"), Just("rules"), Just("Toolbox"), Just("")]
            .prop_flat_map(|name| prop_oneof![
                Just(format!("<!-- ateam-protect:start:{name} -->")),
                Just(format!("<!-- ateam-protect:end:{name} -->")),
                Just(format!("  <!--ateam-protect:start:{name}-->\t")),
                Just(format!("x ateam-protect:end:{name}")),
                Just(format!("<!-- Ateam-Protect:start:{name} -->")),
            ]),
        // Randomly drawn markers rarely match.
        2 => ("(toolbox|rules)", "[a-z .\n]{0,8}").prop_map(|(name, body)| {
            format!("<!-- ateam-protect:start:{name} -->\n{body}\n<!-- ateam-protect:end:{name} -->")
        }),
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")];
    proptest::collection::vec((line(), end), 0..12)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

/// Counts the markers of generated blocks as a lenient reader would.
fn markers(text: &str) -> (usize, usize) {
    let text = text.to_ascii_lowercase();
    let count = |kind: &str| text.matches(&format!("ateam-protect:{kind}:{TOOLBOX}")).count();
    (count("start"), count("end"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_prompt_has_exactly_one_generated_block(
        base in text(),
        overlay in text(),
        name in any::<String>(),
        doc in line(),
        kind in line(),
    ) {
        let args = [Argument { name: &doc, kind: &kind, is_required: true }];
        let tool = Descriptor { name: &name, doc: &doc, args: &args };
        let prompt = effective(&base, &overlay, [&tool]);
        prop_assert_eq!(markers(&prompt), (1, 1));
        let found = Blocks::find(&prompt);
        prop_assert_eq!(&found.broken, &vec![]);
        let boxes: Vec<&str> = found.with_name(TOOLBOX).filter_map(|block| prompt.get(block.range.clone())).collect();
        prop_assert_eq!(boxes.len(), 1);
        prop_assert_eq!(boxes[0].trim_end_matches('\n'), toolbox([&tool]));
        // The second call finds the existing block.
        prop_assert_eq!(effective("", &prompt, [&tool]), prompt);
    }

    #[test]
    fn appending_touches_no_block(text in text(), line in line()) {
        let found = Blocks::find(&text);
        if let Ok(longer) = append(&text, &line) {
            prop_assert!(found.broken.is_empty());
            prop_assert!(longer.starts_with(&text));
            let after = Blocks::find(&longer);
            prop_assert!(after.broken.is_empty());
            prop_assert_eq!(bodies(&after, &longer), bodies(&found, &text));
            let without_break = longer.strip_suffix('\n').unwrap();
            let without_break = without_break.strip_suffix('\r').unwrap_or(without_break);
            let begin = without_break.len() - line.len();
            prop_assert!(after.blocks.iter().all(|block| block.range.end <= begin));
            prop_assert!(validate_edit(&text, &longer).is_ok());
        }
    }

    #[test]
    fn an_edit_that_is_accepted_keeps_the_blocks(old in text(), new in text()) {
        if let Ok(edited) = validate_edit(&old, &new) {
            let (before, after) = (Blocks::find(&old), Blocks::find(&edited.text));
            prop_assert!(after.broken.is_empty());
            prop_assert!(after.with_name(TOOLBOX).count() <= 1);
            let plain = |body: &str| body.replace("\r\n", "\n");
            for block in before.blocks.iter().filter(|block| block.name != TOOLBOX) {
                let mut kept = after.with_name(&block.name);
                prop_assert!(kept.any(|now| plain(now.body(&edited.text)) == plain(block.body(&old))));
            }
            if let Some(first) = before.with_name(TOOLBOX).next() {
                let kept = after.with_name(TOOLBOX).next().map(|now| plain(now.body(&edited.text)));
                prop_assert_eq!(kept, Some(plain(first.body(&old))));
            }
        }
    }

    #[test]
    fn a_text_without_broken_marks_may_stay_as_it_is(text in text()) {
        let found = Blocks::find(&text);
        let kept = validate_edit(&text, &text);
        prop_assert_eq!(kept.is_ok(), found.broken.is_empty());
    }

    #[test]
    fn refreshing_twice_is_refreshing_once(text in text(), doc in line()) {
        let tool = Descriptor { name: "a.b", doc: &doc, args: &[] };
        if let Ok(once) = refresh(&text, [&tool]) {
            prop_assert!(!refresh(&once.text, [&tool]).unwrap().is_changed);
            prop_assert_eq!(markers(&once.text), (1, 1));
            let others = |text: &str| {
                let found = Blocks::find(text);
                let others = found.blocks.iter().filter(|block| block.name != TOOLBOX);
                others.map(|block| block.body(text).to_owned()).collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&text), others(&once.text));
        }
    }
}

fn bodies(found: &Blocks, text: &str) -> Vec<(String, String)> {
    found.blocks.iter().map(|block| (block.name.clone(), block.body(text).to_owned())).collect()
}
