use minds_diagnostics::{Diagnostic, rule};

use super::Check;
use super::permissions::{List, Permission};

rule! {
    pub(crate) static RULE {
        code: "client/shell-bypass",
        summary: "an allowed shell command reads the files that a rule denies",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "shell_bypass.md",
    }
}

/// Programs that print files, or run code that can.
const READERS: [&str; 30] = [
    "awk", "base64", "bash", "bat", "cat", "cp", "curl", "dd", "docker", "find", "grep", "head", "jq",
    "less", "ln", "more", "node", "npx", "perl", "python", "python3", "rg", "ruby", "sed", "sh", "sort",
    "tail", "tar", "xargs", "xxd",
];
/// The number of commands that a message names.
const MAX_NAMED: usize = 4;

pub(super) fn check(check: &mut Check<'_>, rules: &[Permission<'_>]) {
    let reads_files =
        |rule: &&Permission<'_>| rule.list == List::Deny && rule.tool == "Read" && rule.specifier.is_some();
    let Some(deny) = rules.iter().find(reads_files) else { return };
    // A shell that is denied as a whole cannot read anything.
    if rules.iter().any(|rule| rule.list == List::Deny && rule.tool == "Bash" && rule.is_whole()) {
        return;
    }
    let denied: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.list == List::Deny && rule.tool == "Bash")
        .filter_map(program)
        .collect();
    let ways: Vec<&Permission<'_>> = rules
        .iter()
        .filter(|rule| rule.list == List::Allow && rule.tool == "Bash")
        .filter(|rule| {
            rule.is_whole() || is_open(rule) && program(rule).is_some_and(|name| !denied.contains(&name))
        })
        .collect();
    let Some(first) = ways.first() else { return };
    let mut names: Vec<String> = ways.iter().take(MAX_NAMED).map(|rule| format!("`{}`", rule.text)).collect();
    if ways.len() > MAX_NAMED {
        names.push(format!("{} more", ways.len() - MAX_NAMED));
    }
    check.report(&RULE, first.file, first.span, |label| {
        Diagnostic::new(&RULE, format!("the shell reads what `{}` denies: {} allowed", deny.text, describe_commands(&names)))
            .primary(label)
            .secondary(deny.file.source.label(deny.span).message("applies to the tools for files"))
            .note("Claude Code refuses commands in which it sees the path, but not patterns such as `cat sec*/key`")
            .help("set `sandbox.enabled`, which binds the shell too, or allow only commands that cannot read other files")
    });
}

fn describe_commands(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

/// Returns the program of a command that reads files.
fn program<'f>(rule: &Permission<'f>) -> Option<&'f str> {
    let name = rule.specifier?.split([' ', ':', '*']).next()?;
    READERS.binary_search(&name).is_ok().then_some(name)
}

/// Returns whether any arguments may follow.
fn is_open(rule: &Permission<'_>) -> bool {
    rule.specifier.is_some_and(|specifier| {
        let command = specifier.trim_end_matches([':', '*', ' ']);
        specifier.ends_with('*') && !command.contains(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::READERS;

    #[test]
    fn programs_are_sorted() {
        assert!(READERS.is_sorted());
    }
}
