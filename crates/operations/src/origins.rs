//! Rendered files that contain text from outside the workspace, and are not shown.

use std::collections::BTreeSet;

use minds_diagnostics::SourceFile;
use minds_render::{Artifact, Record};
use minds_vfs::WorkspacePath;

use crate::compose_root::CheckedRoot;

/// The names of the files of a compose root, by whether their contents may be shown.
pub(crate) struct Origins {
    withheld: BTreeSet<String>,
    visible: BTreeSet<String>,
}

impl Origins {
    pub(crate) fn of(compose: Option<&CheckedRoot>) -> Self {
        let texts = compose.into_iter().flat_map(|compose| &compose.family.sources);
        let (withheld, visible): (Vec<&SourceFile>, Vec<&SourceFile>) =
            texts.partition(|text| text.is_withheld());
        let names = |texts: Vec<&SourceFile>| texts.into_iter().map(|text| text.name().to_owned()).collect();
        Self { withheld: names(withheld), visible: names(visible) }
    }

    /// Returns the paths of artifacts whose sources must not be shown.
    pub(crate) fn withheld_paths<'a>(
        &self,
        artifacts: impl Iterator<Item = &'a Artifact>,
    ) -> BTreeSet<WorkspacePath> {
        let is_withheld =
            |artifact: &&Artifact| artifact.inputs.iter().any(|input| self.withheld.contains(input));
        artifacts.filter(is_withheld).map(|artifact| artifact.path.clone()).collect()
    }

    /// Returns the paths of previously rendered files whose sources must not be shown. Sources that are not
    /// longer referenced are known only by name.
    pub(crate) fn previously_withheld_paths(&self, record: &Record) -> BTreeSet<WorkspacePath> {
        let was_outside = |input: &String| {
            !self.visible.contains(input) && (input.starts_with('/') || input.starts_with("../"))
        };
        let before = record.manifest().into_iter().flat_map(|manifest| &manifest.artifacts);
        let before = before.filter(|rendered| rendered.inputs.iter().any(was_outside));
        before.map(|rendered| rendered.path.clone()).collect()
    }
}

/// Returns the text that replaces a diff which would quote a file outside the workspace.
pub(crate) fn withheld_diff(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nThe diff is not shown, because it may contain text from outside the workspace\n"
    )
}
