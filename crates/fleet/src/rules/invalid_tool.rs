use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::shorten;
use crate::tools::{BUILTIN, ToolName, ToolNameError};

rule! {
    pub(crate) static RULE {
        code: "fleet/invalid-tool",
        summary: "an entry of a list of tools cannot be the name of a tool",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_tool.md",
    }
}

pub(crate) fn report(node: Node<'_>, text: &str, error: ToolNameError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` is not a valid name of a tool: {error}", shorten(text)))
            .primary(node.label())
            .note("until this is fixed, a deny list denies every tool, and an allow list lacks this entry")
            .help(
                help(text, error).unwrap_or_else(|| "write the name of a tool, such as `fs.read`".to_owned()),
            )
    });
}

fn help(text: &str, error: ToolNameError) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    if lower != text && ToolName::parse(&lower).is_ok() {
        return Some(format!("write `{lower}`"));
    }
    match error {
        ToolNameError::Wildcard => {
            let area = text.split('*').next().unwrap_or_default();
            let tools = BUILTIN.iter().filter(|tool| !area.is_empty() && tool.name.starts_with(area));
            let names: Vec<String> = tools.map(|tool| format!("`{}`", tool.name)).collect();
            let names = if names.is_empty() { "the tools".to_owned() } else { names.join(", ") };
            Some(format!("list {names}"))
        }
        ToolNameError::OnePart => {
            let ends_with = |tool: &&str| tool.rsplit('.').next() == Some(text);
            let tool = BUILTIN.iter().map(|tool| tool.name).find(ends_with);
            tool.map(|tool| format!("did you mean `{tool}`?"))
        }
        ToolNameError::Version => {
            let name = text.split('@').next().unwrap_or_default();
            ToolName::parse(name).ok().map(|name| format!("write `{name}` for version 1, or `{name}@v2`"))
        }
        _ => None,
    }
}
