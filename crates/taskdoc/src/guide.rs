//! What agents must know about task packages in advance: what is not accessible to them, and what they
//! receive automatically.
//!
//! Both languages make the same statements in the same order, with the same names.

use crate::package::ENCAPSULATED;
use crate::section::{BEAR_IN_MIND, BEAR_IN_MIND_BLOCK, CONSTRAINTS, PROGRESS};
use crate::tools::{CHANGE_MIND, DO_MIND, GENERAL_TOOLS, MIND_MORE, NEVER_MIND, RECALL_TASKDOC, TASK_UNDO};
use crate::{BearInMind, Language, TopLevel};

/// A fact that agents must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    /// General tools must not be used.
    Encapsulated,
    /// How to change a section.
    Change,
    /// Other operations on sections.
    Further,
    /// How to read a section that is not injected.
    Recall,
    /// The task is injected.
    Injected,
    /// The sections that are always injected.
    Always,
    /// The sections that are injected if they exist.
    Sometimes,
    /// The position of those sections.
    Block,
    /// Nothing else is injected.
    NothingElse,
}

/// The statements about access.
const ACCESS: &[Statement] =
    &[Statement::Encapsulated, Statement::Change, Statement::Further, Statement::Recall];
/// The statements about the context.
const INJECTION: &[Statement] =
    &[Statement::Injected, Statement::Always, Statement::Sometimes, Statement::Block, Statement::NothingElse];

/// Returns the text about task packages for the system prompt of an agent, in Markdown.
pub fn guide(language: Language) -> String {
    let title = match language {
        Language::English => "Task packages: what is in your context",
        Language::Chinese => "任务包：自动注入的内容",
    };
    format!("{}\n{}", access_guide(language), part(title, INJECTION, language))
}

/// Returns the part about access, for agents that have no task in their context.
pub fn access_guide(language: Language) -> String {
    let title = match language {
        Language::English => "Task packages: restricted access",
        Language::Chinese => "任务包：封装与访问限制",
    };
    part(title, ACCESS, language)
}

fn part(title: &str, statements: &[Statement], language: Language) -> String {
    let lines: Vec<String> = statements.iter().map(|statement| statement.text(language)).collect();
    format!("**{title}**\n\n- {}\n", lines.join("\n- "))
}

impl Statement {
    fn text(self, language: Language) -> String {
        match language {
            Language::English => self.english(),
            Language::Chinese => self.chinese(),
        }
    }

    fn english(self) -> String {
        match self {
            Self::Encapsulated => format!(
                "Every directory whose name ends with `.tsk`, with all of its contents (`{ENCAPSULATED}`), is \
                 encapsulated state. Never read, write, list, search, move or remove it with a general file tool (such \
                 as {}); all of them refuse.",
                general_tools(", ")
            ),
            Self::Change => format!(
                "Change a task through the function tool `{CHANGE_MIND}`: it replaces exactly one section completely and \
                 does not start a new conversation. `selector` names a section of the task itself, `category` and `selector` \
                 together name any other."
            ),
            Self::Further => format!(
                "`{DO_MIND}` creates a section that does not exist yet, `{MIND_MORE}` appends to an existing section, \
                 `{NEVER_MIND}` removes a section of a category, `{TASK_UNDO}` undoes a change. Nothing else changes a task."
            ),
            Self::Recall => format!(
                "Read a section that is not injected through the function tool \
                 `{RECALL_TASKDOC}({{ category, selector }})` and in no other way. It also reads injected sections, with their \
                 `content_hash`, if a section is missing, shortened or outdated in your context."
            ),
            Self::Injected => {
                "The system prompt puts the effective text of the task into your context; you do not need to request it."
                    .to_owned()
            }
            Self::Always => format!("Always, in this order: {}.", TopLevel::FILES),
            Self::Sometimes => format!(
                "From `{BEAR_IN_MIND}/`, if it exists, at most {} files, and only these: {}.",
                BearInMind::ALL.len(),
                BearInMind::FILES
            ),
            Self::Block => format!(
                "These follow each other, in the order of that list, as `{BEAR_IN_MIND_BLOCK}` between \
                 `{CONSTRAINTS}` and `{PROGRESS}`."
            ),
            Self::NothingElse => format!(
                "No other file or directory of a package is injected. There may be an index of the further \
                 sections; read one that you need with `{RECALL_TASKDOC}`."
            ),
        }
    }

    fn chinese(self) -> String {
        match self {
            Self::Encapsulated => format!(
                "名字以 `.tsk` 结尾的目录以及其中的一切（`{ENCAPSULATED}`）都是封装的状态：不得用任何通用文件工具（例如 {}）\
                 去读取、写入、列出、搜索、移动或删除；这些工具一律拒绝。",
                general_tools("、")
            ),
            Self::Change => format!(
                "修改任务要用函数工具 `{CHANGE_MIND}`：每次整段替换恰好一个章节，不会开启新的一程对话。任务本身的章节只用 \
                 `selector` 指明，其他章节用 `category` 加 `selector` 指明。"
            ),
            Self::Further => format!(
                "`{DO_MIND}` 新建还不存在的章节，`{MIND_MORE}` 在已有内容之后追加，`{NEVER_MIND}` 删除某个类别下的章节，`{TASK_UNDO}` 撤销一次修改。\
                 除此之外没有办法修改任务。"
            ),
            Self::Recall => format!(
                "不会自动注入的章节，只能用函数工具 `{RECALL_TASKDOC}({{ category, selector }})` 读取。自动注入的章节如果在上下文里\
                 缺失、被截断或已过时，也用它读取，并得到 `content_hash`。"
            ),
            Self::Injected => "系统提示会把任务的有效文本放进你的上下文，不必另行索取。".to_owned(),
            Self::Always => format!("一定注入，按此顺序：{}。", TopLevel::FILES.replace(", ", "、")),
            Self::Sometimes => format!(
                "`{BEAR_IN_MIND}/` 存在时，只从固定清单中注入，最多 {} 个文件：{}。",
                BearInMind::ALL.len(),
                BearInMind::FILES.replace(", ", "、")
            ),
            Self::Block => format!(
                "它们按清单的顺序前后相接，作为 `{BEAR_IN_MIND_BLOCK}` 出现在 `{CONSTRAINTS}` 与 `{PROGRESS}` 之间。"
            ),
            Self::NothingElse => format!(
                "任务包里其他文件和目录的正文都不会注入。可能会有一份其余章节的索引；需要其中某一章节时，用 \
                 `{RECALL_TASKDOC}` 读取。"
            ),
        }
    }
}

fn general_tools(separator: &str) -> String {
    let names: Vec<String> = GENERAL_TOOLS.iter().map(|name| format!("`{name}`")).collect();
    names.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::SUFFIX;

    const LANGUAGES: [Language; 2] = [Language::English, Language::Chinese];

    /// Returns the strings between backticks, in order.
    fn backtick_strings(text: &str) -> Vec<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn both_languages_make_the_same_statements_in_the_same_order() {
        let statements = || ACCESS.iter().chain(INJECTION);
        for statement in statements() {
            let [english, chinese] = LANGUAGES.map(|language| statement.text(language));
            assert_eq!(backtick_strings(&english), backtick_strings(&chinese), "{statement:?}");
            assert!(english.is_ascii() && !chinese.is_ascii(), "{statement:?}");
        }
        for language in LANGUAGES {
            let guide = guide(language);
            let lines: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("- ")).collect();
            let expected: Vec<String> = statements().map(|statement| statement.text(language)).collect();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn every_relevant_name_is_mentioned() {
        let tops = TopLevel::ALL.iter().map(|top| format!("`{}.md`", top.name()));
        let bears = BearInMind::ALL.iter().map(|bear| format!("`{}.md`", bear.name()));
        let tools = [CHANGE_MIND, DO_MIND, MIND_MORE, NEVER_MIND, TASK_UNDO].map(|tool| format!("`{tool}`"));
        let others = [
            format!("`{SUFFIX}`"),
            "`**/*.tsk/**`".to_owned(),
            "`recall_taskdoc({ category, selector })`".to_owned(),
            "`bearinmind/`".to_owned(),
            "`## Bear In Mind`".to_owned(),
            "`## Constraints`".to_owned(),
            "`## Progress`".to_owned(),
            " 6 ".to_owned(),
        ];
        for language in LANGUAGES {
            let guide = guide(language);
            for word in tops.clone().chain(bears.clone()).chain(tools.clone()).chain(others.clone()) {
                assert!(guide.contains(&word), "{language:?} lacks {word}");
            }
            let order: Vec<usize> = tops.clone().map(|top| guide.find(&top).unwrap()).collect();
            assert!(order.is_sorted());
            let order: Vec<usize> = bears.clone().map(|bear| guide.find(&bear).unwrap()).collect();
            assert!(order.is_sorted());
        }
    }

    #[test]
    fn the_guide_matches_its_snapshot() {
        insta::assert_snapshot!("guide-en", guide(Language::English));
        insta::assert_snapshot!("guide-zh", guide(Language::Chinese));
    }
}
