//! A role prompt that is concatenated from several files.

use std::collections::BTreeSet;

use minds_compose::{ComposeFamily, Prompt};
use minds_document::{List, limits};

use crate::artifact::RenderError;

/// The separator between two files: an em dash (U+2014) between blank lines.
const SEPARATOR: &str = "\n\n\u{2014}\n\n";

/// Returns the text and the names of its files. Invalid UTF-8 becomes replacement characters. The size is
/// limited to that of readable files, so that the text can be compared with the file on disk.
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
            Ok(text_of_file) => text.push_str(text_of_file),
            Err(_) => text.push_str(&String::from_utf8_lossy(source.bytes())),
        }
        if text.len() > limits::MAX_BYTES {
            return Err(RenderError::TooLarge);
        }
        inputs.insert(source.name().to_owned());
    }
    Ok((text, inputs))
}
