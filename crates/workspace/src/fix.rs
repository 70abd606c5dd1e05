//! Applies the fixes that findings offer.

use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::{Diagnostic, Edit, SourceFile, Span};
use minds_document::{Document, Format, Node};
use minds_vfs::{ChangeSet, Location, MountId, Snapshot, WorkspacePath};
use serde_json::Value;

use crate::check::check_unredacted;
use crate::rewrite;

/// The maximum number of fixes that are applied in one round, and of attempts to isolate the harmful ones.
const FIXES_AT_ONCE: usize = 1_000;
const MAX_TRIES: usize = 100;

/// The result of applying fixes.
#[derive(Clone, Debug, Default)]
pub struct FixResult {
    /// The changed files by location, with the text before and after.
    pub files: BTreeMap<Location, (String, String)>,
    /// The number of fixed findings.
    pub count: usize,
    /// The workspace after the fixes.
    pub snapshot: Snapshot,
}

/// A fix can make another one possible, and a round only handles a limited number of findings. If more rounds than this are
/// needed, two fixes undo each other.
const MAX_ROUNDS: usize = 100;

/// Applies all fixes that findings offer, repeatedly until nothing changes.
///
/// Nothing else changes: style and comments are kept, except unused suppressions. Suppressed findings are not fixed. Each
/// edited text is parsed again: a fix is not applied if the text would be invalid afterwards, or if a value outside of the
/// edited place would change. If two fixes overlap, only the first one is applied.
pub fn fix(snapshot: &Snapshot) -> FixResult {
    fix_only(snapshot, |_| true)
}

/// Like [`fix`], for the findings for which `wanted` returns `true`.
pub fn fix_only(snapshot: &Snapshot, wanted: impl Fn(&Diagnostic) -> bool) -> FixResult {
    let mut fixed = FixResult { snapshot: snapshot.clone(), ..FixResult::default() };
    for _ in 0..MAX_ROUNDS {
        let mut progress = false;
        for (file, edits) in edits(&check_unredacted(None, &fixed.snapshot).diagnostics, &wanted) {
            progress |= fixed.apply(file, &edits);
        }
        if !progress {
            break;
        }
    }
    fixed.files.retain(|_, (before, after)| before != after);
    fixed
}

impl FixResult {
    /// Returns the change set: each changed file is written only if it has not been modified since it was read.
    pub fn plan(&self, before: &Snapshot) -> ChangeSet {
        rewrite::plan(&self.files, before)
    }

    /// Applies the fixes of one file, each a list of edits; returns whether any of them was applied.
    fn apply(&mut self, file: &str, fixes: &[Vec<Edit>]) -> bool {
        let Ok(path) = WorkspacePath::parse(file) else { return false };
        let location = Location::new(MountId::WORKSPACE, path.clone());
        // Files in other mounts are not written here.
        if self.snapshot.get(&location).is_none() {
            return false;
        }
        let Some(Ok(before)) = fixes.iter().flatten().next().map(|edit| edit.source.text()) else {
            return false;
        };
        let (chosen, count) = choose(file, before, fixes);
        if count == 0 {
            return false;
        }
        let after = apply_edits(before, &chosen);
        self.files.entry(location).or_insert_with(|| (before.to_owned(), String::new())).1.clone_from(&after);
        self.snapshot = std::mem::take(&mut self.snapshot).with_text(path, &after);
        self.count += count;
        true
    }
}

/// Returns the fixes by file, in the order of the findings. Fixes of several files are skipped: no rule has one.
fn edits<'d>(
    found: &'d [Diagnostic],
    wanted: &impl Fn(&Diagnostic) -> bool,
) -> BTreeMap<&'d str, Vec<Vec<Edit>>> {
    let mut fixes: BTreeMap<&str, Vec<Vec<Edit>>> = BTreeMap::new();
    for fix in found.iter().filter(|found| wanted(found)).filter_map(|found| found.fix.as_ref()) {
        let Some(first) = fix.edits.first() else { continue };
        if fix.edits.iter().all(|edit| edit.source.name() == first.source.name()) {
            fixes.entry(first.source.name()).or_default().push(fix.edits.clone());
        }
    }
    fixes
}

/// Returns the edits that can be applied together, and the number of fixes that they belong to.
fn choose<'e>(file: &str, before: &str, fixes: &'e [Vec<Edit>]) -> (Vec<&'e Edit>, usize) {
    let mut apart: Vec<&Vec<Edit>> = Vec::new();
    let mut ends = 0;
    let mut sorted: Vec<&Vec<Edit>> = fixes.iter().collect();
    sorted.sort_by_key(|fix| fix.iter().map(|edit| edit.span).min());
    for fix in sorted.into_iter().take(FIXES_AT_ONCE) {
        let edits: Vec<&Edit> = fix.iter().collect();
        let start = fix.iter().map(|edit| edit.span.start()).min().unwrap_or_default();
        if !overlap(&edits) && (apart.is_empty() || start > ends) {
            ends = fix.iter().map(|edit| edit.span.end()).max().unwrap_or_default();
            apart.push(fix);
        }
    }
    let mut tries = MAX_TRIES;
    let chosen = harmless_fixes(file, before, &apart, &mut tries);
    let edits: Vec<&Edit> = chosen.iter().flat_map(|fix| fix.iter()).collect();
    // Each half was verified on its own; the combination must be valid as well.
    if changes_only_edits(file, before, &edits) { (edits, chosen.len()) } else { (Vec::new(), 0) }
}

/// Returns the harmless fixes, by bisecting sets that contain a harmful one.
fn harmless_fixes<'e>(
    file: &str,
    before: &str,
    fixes: &[&'e Vec<Edit>],
    tries: &mut usize,
) -> Vec<&'e Vec<Edit>> {
    if fixes.is_empty() || *tries == 0 {
        return Vec::new();
    }
    *tries -= 1;
    let edits: Vec<&Edit> = fixes.iter().flat_map(|fix| fix.iter()).collect();
    if changes_only_edits(file, before, &edits) {
        return fixes.to_vec();
    }
    if fixes.len() == 1 {
        return Vec::new();
    }
    let (first, second) = fixes.split_at(fixes.len() / 2);
    [harmless_fixes(file, before, first, tries), harmless_fixes(file, before, second, tries)].concat()
}

fn overlap(edits: &[&Edit]) -> bool {
    let mut spans: Vec<Span> = edits.iter().map(|edit| edit.span).collect();
    spans.sort_unstable();
    spans.windows(2).any(|pair| matches!(pair, [a, b] if a.end() > b.start() || a == b))
}

fn apply_edits(text: &str, edits: &[&Edit]) -> String {
    let mut sorted: Vec<&&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span);
    let mut after = String::with_capacity(text.len() + 64);
    let mut end = 0;
    for edit in sorted {
        let range = edit.span.range();
        after.push_str(text.get(end..range.start).unwrap_or_default());
        after.push_str(&edit.new_text);
        end = range.end;
    }
    after.push_str(text.get(end..).unwrap_or_default());
    after
}

/// Returns whether the edited text has no syntax error, and no value outside of the edited places changes.
fn changes_only_edits(file: &str, before: &str, edits: &[&Edit]) -> bool {
    // A file that cannot be parsed again cannot be verified.
    let Some(format) = Format::of(file) else { return false };
    let parse = |text: &str| format.parse(&SourceFile::new(file, text));
    let (old, new) = (parse(before), parse(&apply_edits(before, edits)));
    let (Some(old_tree), Some(new_tree)) = (old.value, new.value) else { return false };
    // Existing syntax errors do not make a fix invalid.
    if new.problems.into_sorted().len() > old.problems.into_sorted().len() {
        return false;
    }
    let touched = edited_pointers(&old_tree, edits);
    let mut pointer = String::new();
    is_equal_except(&old_tree.root().to_json(), &new_tree.root().to_json(), &mut pointer, &touched)
}

/// Returns the pointers of the edited values and keys.
fn edited_pointers(document: &Document, edits: &[&Edit]) -> BTreeSet<String> {
    let is_touched = |node: &Node<'_>| {
        let leaf = node.entries().next().is_none() && node.items().next().is_none();
        let span = node.span();
        leaf && edits.iter().any(|edit| edit.span.start() <= span.end() && span.start() <= edit.span.end())
    };
    document.iter().filter(is_touched).map(Node::pointer).collect()
}

/// Compares two values, except at the pointers in `touched`.
fn is_equal_except(old: &Value, new: &Value, pointer: &mut String, touched: &BTreeSet<String>) -> bool {
    if touched.contains(pointer.as_str()) {
        return true;
    }
    let length = pointer.len();
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len()
                && old.iter().zip(new).enumerate().all(|(index, (old, new))| {
                    pointer.push('/');
                    pointer.push_str(&index.to_string());
                    let same = is_equal_except(old, new, pointer, touched);
                    pointer.truncate(length);
                    same
                })
        }
        (Value::Object(old), Value::Object(new)) => {
            old.len() == new.len()
                && old.iter().all(|(key, old)| {
                    let Some(new) = new.get(key) else { return false };
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    let same = is_equal_except(old, new, pointer, touched);
                    pointer.truncate(length);
                    same
                })
        }
        (old, new) => old == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(text: &str) -> Snapshot {
        Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").expect("the path is valid"), text)
    }

    #[track_caller]
    fn check_fix(before: &str, after: &str, count: usize) {
        let head = "# The team.\nmember_defaults: {provider: codex, model: gpt-5.2}\n";
        let before = team(&format!("{head}{before}"));
        let fixed = fix(&before);
        let text = fixed.files.values().next().map_or("", |(_, after)| after);
        assert_eq!(text.strip_prefix(head).unwrap_or(text), after);
        assert_eq!(fixed.count, count);
        // A second run changes nothing.
        assert_eq!(fix(&fixed.snapshot).count, 0);
        assert_eq!(fixed.plan(&before).len(), usize::from(count > 0));
    }

    #[test]
    fn fixable_findings_are_fixed_and_nothing_else_changes() {
        check_fix(
            "members:\n  a:\n    name: 007   # a number\n    hidden: yes\n    toolsets: ws_read # one\n  b:\n  # end\n",
            "members:\n  a:\n    name: \"007\"   # a number\n    hidden: true\n    toolsets: [ws_read] # one\n  b: {}\n  # end\n",
            4,
        );
        check_fix(
            "members: {7: {read_dirs: ['a\\b', c\\d]}}\n",
            "members: {\"7\": {read_dirs: ['a/b', 'c/d']}}\n",
            3,
        );
        check_fix(
            "members: {a: {toolsets: [ws_read, !os]}}\n",
            "members: {a: {toolsets: [ws_read, \"!os\"]}}\n",
            1,
        );
        check_fix("members: {a: {}}\n", "", 0);
        check_fix("members: {a: {toolset: [os]}}\n", "", 0);
        check_fix(
            "members: {a: {toolsets: ws_read, tools: 'read_file'}}\n",
            "members: {a: {toolsets: [ws_read], tools: ['read_file']}}\n",
            2,
        );
        check_fix("members: {a: }\n", "members: {a: {} }\n", 1);
    }

    #[test]
    fn each_file_is_parsed_again_in_its_own_format() {
        let path = WorkspacePath::parse(".minds/minds.toml").expect("the path is valid");
        let before = Snapshot::new().with_file(
            path,
            "task_home = 7 # a number\n\n[check]\nstrict = \"yes\"\n\n[x-own]\n# no YAML: [\na.b = '{'\n",
        );
        let fixed = fix(&before);
        let text = fixed.files.values().next().map(|(_, after)| after.as_str());
        let after =
            "task_home = \"7\" # a number\n\n[check]\nstrict = true\n\n[x-own]\n# no YAML: [\na.b = '{'\n";
        assert_eq!((text, fixed.count), (Some(after), 2));
        assert_eq!(fix(&fixed.snapshot).count, 0);
    }

    #[test]
    fn ambiguous_findings_are_not_fixed() {
        for text in [
            "members: {a: {no_read_dirs: 'secrets, keys'}}\n",
            "members: {a: {no_read_dirs: secrets keys}}\n",
            "members:\n  a:\n    toolsets: ws_read; ws_mod\n",
            "members: {a: {toolsets: ''}}\n",
            "members:\n  a:\n    hidden: |- # keep\n      yes\n",
            "members: {a: {hidden: !!str yes}}\n",
            "members: {a: {name: &n 5, diligence-push-max: *n}}\n",
            "members:\n  a: &x\n  b: *x\n",
            "members:\n  ? a\n  ? b\n",
            "members: {a, b}\n",
            "members:\n  !!int 5: {}\n",
            "members:\n  a:\n    read_dirs: a,, b\n",
        ] {
            check_fix(text, "", 0);
        }
        // Commas between names are unambiguous: a list is intended.
        check_fix(
            "members:\n  a:\n    read_dirs: docs, src\n",
            "members:\n  a:\n    read_dirs: [docs, src]\n",
            1,
        );
    }

    #[test]
    fn files_with_syntax_errors_are_not_changed() {
        check_fix("members: [\n", "", 0);
    }

    #[test]
    fn overlapping_edits_are_not_applied_together() {
        let source = SourceFile::new("x.yaml", "a: bcd\n");
        let edit =
            |start, end| Edit { source: source.clone(), span: Span::new(start, end), new_text: "x".into() };
        let (first, second, third) = (edit(3, 5), edit(4, 6), edit(5, 6));
        assert!(overlap(&[&first, &second]));
        assert!(!overlap(&[&third, &first]));
        assert_eq!(apply_edits("a: bcd\n", &[&third, &first]), "a: xx\n");
    }

    #[test]
    fn edits_that_change_other_values_are_rejected() {
        let source = SourceFile::new("x.yaml", "a: 1\nb: 2\n");
        let edit = |new_text: &str| Edit {
            source: source.clone(),
            span: Span::new(3, 4),
            new_text: new_text.into(),
        };
        let intended = |new_text: &str| changes_only_edits("x.yaml", "a: 1\nb: 2\n", &[&edit(new_text)]);
        assert!(intended("\"1\""));
        assert!(intended("[1]"));
        assert!(!intended("1\nc: 3"));
        assert!(!intended("["));
        assert!(!intended("1\nb: 3"));
    }
}
