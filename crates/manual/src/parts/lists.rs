//! Lists of topics, rules, codes and shadow members.

use minds_core::SHADOW_MEMBERS;

use super::Context;
use crate::table::{Table, codes as names};
use crate::topics::{INDEX, Topic};

pub(super) fn top_topics(context: &Context<'_>) -> String {
    let shown = context.pages.topics().into_iter().filter(|topic| topic.is_top() && topic.name() != INDEX);
    topic_table(context, shown)
}

pub(super) fn all_topics(context: &Context<'_>) -> String {
    topic_table(context, context.pages.topics().into_iter())
}

fn topic_table(context: &Context<'_>, topics: impl Iterator<Item = Topic>) -> String {
    let mut table = Table::new(&["`topics`", context.pick("about", "内容")]);
    for topic in topics {
        table.row([format!("`{}`", topic.call()).as_str(), &topic.summary(context.language)]);
    }
    table.finish().0
}

pub(super) fn rules(context: &Context<'_>) -> String {
    let heads = context.pick(["code", "severity", "finds"], ["代码", "级别", "发现"]);
    let mut table = Table::new(&heads);
    // No tool imports files of clients.
    for rule in minds_workspace::rules().into_iter().filter(|rule| rule.area() != "import") {
        let severity = rule.default_severity.to_string();
        table.row([format!("`{}`", rule.code).as_str(), &severity, &rule.full_summary()]);
    }
    table.finish().0
}

pub(super) fn codes(context: &Context<'_>) -> String {
    let mut table = Table::new(&context.pick(["code", "meaning"], ["代码", "含义"]));
    for code in &context.pages.codes {
        table.row([format!("`{}`", code.name).as_str(), code.description]);
    }
    table.finish().0
}

pub(super) fn shadow_members(context: &Context<'_>) -> String {
    let heads = context.pick(
        ["id", "name", "toolsets", "no access with general tools"],
        ["id", "名字", "工具集", "一般工具从不读写"],
    );
    let mut table = Table::new(&heads);
    for member in &SHADOW_MEMBERS {
        let denied = member.denied.map_or_else(|| "–".to_owned(), |denied| format!("`{denied}`"));
        let toolsets = names(member.toolsets.iter().copied(), usize::MAX);
        table.row([format!("`{}`", member.id).as_str(), member.name, &toolsets, &denied]);
    }
    table.finish().0
}
