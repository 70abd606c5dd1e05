//! Toolsets and their tools.

use std::fmt::Write as _;

use minds_core::catalog::{BuiltinToolset, FLEET_TOOLSET, SHELL_TOOLS, WRITING_TOOLS, find_toolset};
use minds_workspace::without_secrets;

use super::Context;
use crate::table::{Table, codes};

/// The maximum number of servers that are listed.
const MAX_SERVERS: usize = 50;

pub(super) fn all(context: &Context<'_>) -> String {
    let heads =
        context.pick(["toolset", "granted", "in `*`", "tools"], ["工具集", "授予", "在 `*` 中", "工具"]);
    let mut table = Table::new(&heads);
    for name in context.pages.toolsets() {
        let builtin = find_toolset(name);
        let aliases = builtin.map(|builtin| builtin.aliases).unwrap_or_default();
        let granted = match builtin {
            Some(builtin) if !builtin.is_assignable => context.pick("by the runtime only", "只由运行时给予"),
            _ => context.pick("by name", "按名字"),
        };
        let in_wildcard = builtin.is_some_and(|builtin| builtin.in_wildcard && builtin.is_assignable);
        let tools = names_of_tools(context, name);
        let names = codes(std::iter::once(name).chain(aliases.iter().copied()), usize::MAX);
        let in_wildcard = if in_wildcard { context.pick("yes", "是") } else { context.pick("no", "否") };
        table.row([names.as_str(), granted, in_wildcard, &codes(tools, usize::MAX)]);
    }
    table.finish().0 + "\n" + &servers(context)
}

fn servers(context: &Context<'_>) -> String {
    let servers = &context.family.servers;
    if servers.is_empty() {
        return context
            .pick("`.minds/mcp.yaml` declares no server.", "`.minds/mcp.yaml` 没有声明服务器。")
            .to_owned();
    }
    let ids = codes(servers.ids(), MAX_SERVERS);
    let ids =
        if ids.is_empty() { context.pick("none is readable", "没有能读懂的").to_owned() } else { ids };
    let text = context.pick(
        format!("Servers of `.minds/mcp.yaml`, each a toolset: {ids}."),
        format!("`.minds/mcp.yaml` 里的服务器，每个都是工具集：{ids}。"),
    );
    without_secrets(minds_core::MCP_FILE, &text).into_owned()
}

/// Returns the names of the tools of each toolset.
pub(super) fn short(context: &Context<'_>) -> String {
    let mut text = String::new();
    for name in context.pages.toolsets() {
        let tools = names_of_tools(context, name);
        let _ = writeln!(text, "- {}: {}.", codes([name], 1), codes(tools, usize::MAX));
    }
    text + &servers(context)
}

/// Returns the names of the toolsets in one line, those with tools here first, and the servers.
pub(super) fn names(context: &Context<'_>) -> String {
    let is_here = |name: &&str| *name == FLEET_TOOLSET || context.pages.tools_of(name).next().is_some();
    let (here, elsewhere): (Vec<&str>, Vec<&str>) = context.pages.toolsets().into_iter().partition(is_here);
    let purposes: Vec<String> = here
        .iter()
        .map(|name| {
            let builtin = find_toolset(name);
            let by_runtime = builtin.is_some_and(|builtin| !builtin.is_assignable);
            let note = context.pick(" (assigned by the runtime)", "（由运行时给予）");
            let fleet = context.pick(" (with `.ateam`; not in `*`)", "（需要 `.ateam`；不在 `*` 中）");
            format!(
                "`{name}`{}",
                if by_runtime {
                    note
                } else if *name == FLEET_TOOLSET {
                    fleet
                } else {
                    ""
                }
            )
        })
        .collect();
    let (here, elsewhere) = (purposes.join(", "), codes(elsewhere, usize::MAX));
    let text = context.pick(
        format!(
            "- Toolsets: {here}; `ws_read` reads the workspace, `ws_mod` reads and changes it. With tools only in some \
             runtimes: {elsewhere}.\n"
        ),
        format!("- 工具集：{here}；`ws_read` 读工作区，`ws_mod` 读并修改它。只在某些运行时有工具：{elsewhere}。\n"),
    );
    format!("{text}- {}\n", servers(context))
}

/// Returns the names of all tools of a toolset, those of the program first.
fn names_of_tools<'c>(context: &Context<'c>, toolset: &'c str) -> Vec<&'c str> {
    let own = context.pages.tools_of(toolset).map(|tool| tool.name);
    own.chain(tools_of_runtime(context, toolset)).collect()
}

/// Returns the tools of a toolset that only a runtime implements.
fn tools_of_runtime<'c>(
    context: &Context<'c>,
    toolset: &str,
) -> impl Iterator<Item = &'static str> + use<'c> {
    let tools = find_toolset(toolset).map(|builtin| builtin.tools).unwrap_or_default();
    let pages = context.pages;
    tools.iter().copied().filter(|name| !pages.tools.iter().any(|tool| tool.name == *name))
}

pub(super) fn tools(context: &Context<'_>) -> String {
    let Some(toolset) = context.topic.toolset() else { return String::new() };
    let mut text = String::new();
    let mut table = Table::new(&context.pick(["tool", "purpose"], ["工具", "用途"]));
    for tool in context.pages.tools_of(toolset) {
        table.row([format!("`{}`", tool.name).as_str(), tool.purpose()]);
    }
    if context.pages.tools_of(toolset).next().is_some() {
        text += &table.finish().0;
    }
    let runtime_tools: Vec<&str> = tools_of_runtime(context, toolset).collect();
    if !runtime_tools.is_empty() {
        let runtime_tools = codes(runtime_tools, usize::MAX);
        if toolset == FLEET_TOOLSET {
            return context.pick(
                format!(
                    "{runtime_tools}: they list the agents of a fleet, give them work, read what they report, and \
                     cancel their work. They exist in a workspace with an `.ateam` directory, if the program \
                     `minds-fleet` is installed."
                ),
                format!(
                    "{runtime_tools}：列出舰队的代理，给它们工作，读它们的报告，取消它们的工作。工作区有 `.ateam` 目录\
                     并且装了程序 `minds-fleet` 时才有。"
                ),
            );
        }
        text += &context.pick(
            format!("\nOnly if the runtime of the team has them: {runtime_tools}.\n"),
            format!("\n只有团队的运行时提供时才有：{runtime_tools}。\n"),
        );
    }
    text.trim().to_owned()
}

pub(super) fn grant(context: &Context<'_>) -> String {
    let Some(name) = context.topic.toolset() else { return String::new() };
    let builtin = find_toolset(name);
    if builtin.is_some_and(|builtin| !builtin.is_assignable) {
        return context
            .pick(
                "The runtime assigns it; granting it is an error.",
                "由运行时给需要它的成员；授予它是错误。",
            )
            .to_owned();
    }
    let mut text = format!("```yaml fragment\nmembers:\n  coder:\n    toolsets:\n      - {name}\n```\n");
    let has = |tools: &[&str]| {
        builtin.is_some_and(|builtin: &BuiltinToolset| builtin.tools.iter().any(|tool| tools.contains(tool)))
    };
    if has(SHELL_TOOLS) {
        text += context.pick(
            "\nIt has shell tools, so the member must be in `shell_specialists`.\n",
            "\n它有命令行工具，所以成员必须在 `shell_specialists` 里。\n",
        );
    }
    if has(WRITING_TOOLS) {
        text += context.pick(
            "\nIt writes files, so set `write_dirs` and `no_write_dirs`: see `[\"permissions\"]`.\n",
            "\n它会写文件，所以要用 `write_dirs` 和 `no_write_dirs` 写明在哪里：见 `[\"permissions\"]`。\n",
        );
    }
    if name == FLEET_TOOLSET {
        text += context.pick(
            "\n`*` does not include it. Agents of a fleet have the rights of their own files, not those of the member.\n",
            "\n`*` 不包括它。舰队的代理有它们自己文件里的权限，不是成员的权限。\n",
        );
    }
    if name == "team-mgmt" {
        text += context.pick(
            "\nIt controls the permissions of every member: leave it to `fuxi`.\n",
            "\n谁有它，谁就决定所有人能做什么：只留给 `fuxi`。\n",
        );
    }
    text
}
