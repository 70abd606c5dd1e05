//! A role prompt that is put together from several files.

use std::collections::BTreeSet;

use minds_compose::{ComposeFamily, Prompt};
use minds_document::{List, limits};

use crate::artifact::RenderError;

/// What stands between two files: a dash (U+2014) between blank lines.
const SEPARATOR: &str = "\n\n\u{2014}\n\n";

/// Returns the text, and the names of the files. Bytes that are no character become replacement characters.
/// It is no larger than what is read of a file, so that it can be compared with what is there.
pub(super) fn render(
    family: &ComposeFamily,
    paths: &List<String>,
) -> Result<(String, BTreeSet<String>), RenderError> {
    let (mut text, mut inputs) = (String::new(), BTreeSet::new());
    for (at, path) in paths.items.iter().enumerate() {
        let Some(Prompt::Text(source)) = family.prompts.get(&path.value) else {
            return Err(RenderError::Unreadable { what: path.value.clone() });
        };
        if at > 0 {
            text.push_str(SEPARATOR);
        }
        match source.text() {
            Ok(whole) => text.push_str(whole),
            Err(_) => text.push_str(&String::from_utf8_lossy(source.bytes())),
        }
        if text.len() > limits::MAX_BYTES {
            return Err(RenderError::TooLarge);
        }
        inputs.insert(source.name().to_owned());
    }
    Ok((text, inputs))
}
