use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};
use minds_vfs::WorkspacePath;

use super::escape;
use crate::ItemKind;

rule! {
    pub(crate) static RULE {
        code: "source/invalid-link",
        summary: "an item has a link outside of the folder for its kind",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_link.md",
    }
}

/// The second folder in which tools may be linked.
const PROGRAMS: &str = "bin";

/// Returns whether an item of `kind` may be linked at `link` in an agent home; reports it otherwise.
pub(crate) fn check(node: Node<'_>, kind: ItemKind, link: &WorkspacePath, cx: &mut Context) -> bool {
    let problem = problem(kind, link);
    if let Some(why) = &problem {
        cx.report(node, &RULE, || {
            let folder = kind.folder();
            let ending = if kind.is_folder() { "" } else { ".md" };
            Diagnostic::new(&RULE, format!("invalid link `{}` of {}: {why}", escape(link.as_str()), kind.with_article()))
                .primary(node.label())
                .note("in another folder of an agent home, or with another extension, the file would have another meaning")
                .help(format!("write `{folder}/NAME{ending}`"))
        });
    }
    problem.is_none()
}

fn problem(kind: ItemKind, link: &WorkspacePath) -> Option<String> {
    let mut names = link.segments();
    let folder = names.next().unwrap_or_default();
    let is_place = folder == kind.folder() || (kind == ItemKind::Tool && folder == PROGRAMS);
    if !is_place || names.next().is_none() {
        return Some(format!("it must be in `{}/`", kind.folder()));
    }
    if let Err(error) = link.check_portable() {
        return Some(error.to_string());
    }
    if let Some(name) = link.segments().find(|name| name.starts_with(['.', '-'])) {
        return Some(format!("`{}` is hidden or looks like an option", escape(name)));
    }
    let stem = link.as_str().strip_suffix(".md");
    if !kind.is_folder() && stem.is_none_or(|stem| stem.ends_with('/')) {
        return Some("it must end with `.md`".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_in_the_folder_of_their_kind() {
        for (kind, link, expected) in [
            (ItemKind::Rule, "rules/code-style.md", true),
            (ItemKind::Rule, "rules/a/b.md", true),
            (ItemKind::Agent, "agents/x.md", true),
            (ItemKind::Skill, "skills/x", true),
            (ItemKind::Tool, "tools/x", true),
            (ItemKind::Tool, "bin/t", true),
            (ItemKind::Skill, "bin/t", false),
            (ItemKind::Skill, "skills", false),
            (ItemKind::Skill, "agents/x.md", false),
            (ItemKind::Skill, "Skills/x", false),
            (ItemKind::Rule, "rules/x", false),
            (ItemKind::Rule, "rules/.md", false),
            (ItemKind::Rule, "rules/x.sh", false),
            (ItemKind::Rule, "settings.json", false),
            (ItemKind::Tool, "hooks/x", false),
            (ItemKind::Tool, "bin/-rf", false),
            (ItemKind::Tool, "bin/.x", false),
            (ItemKind::Skill, "skills/a:b", false),
            (ItemKind::Skill, "skills/con", false),
        ] {
            let path = WorkspacePath::parse(link).unwrap();
            assert_eq!(problem(kind, &path).is_none(), expected, "{kind} {link}");
        }
    }
}
