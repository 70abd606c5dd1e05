//! The status of a task for agents: its maintainers, its sections, and how to add missing ones.

use crate::section::BEAR_IN_MIND;
use crate::tools::{CHANGE_MIND, RECALL_TASKDOC};
use crate::{Extras, Language, Maintainers, Section};

/// The state of the category `bearinmind`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BearInMindState {
    /// The category does not exist.
    Absent,
    /// These sections exist, in the order of the effective text.
    Present(Vec<Section>),
    /// It contains entries that are not allowed there.
    Invalid,
}

/// The state of a section that every task has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionState {
    /// It is a file.
    Present,
    /// It does not exist.
    Missing,
    /// It exists but cannot be read as a section.
    Unusable,
}

/// Information about a task that is available without reading its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The name of the package.
    pub name: String,
    /// Its path in the workspace.
    pub path: String,
    /// The maintainers.
    pub maintainers: Maintainers,
    /// The sections that every task has.
    pub sections: Vec<(Section, SectionState)>,
    /// The state of `bearinmind`.
    pub bear_in_mind: BearInMindState,
    /// The other sections; none if the package could not be listed.
    pub extras: Option<Extras>,
}

impl Status {
    /// Returns the status as part of a system prompt, in Markdown.
    pub fn text(&self, language: Language) -> String {
        let (name, path) = (self.name.escape_debug(), self.path.escape_debug());
        let title = match language {
            Language::English => format!("**Task `{name}`** (`{path}`)"),
            Language::Chinese => format!("**任务 `{name}`**（`{path}`）"),
        };
        let lines = [
            self.maintainers_line(language),
            self.sections_line(language),
            self.bear_in_mind_line(language),
            self.extras_line(language),
            shared_line(language),
            self.missing_line(language),
            self.layout_line(language),
        ];
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        format!("{title}\n\n- {}\n", lines.join("\n- "))
    }

    fn maintainers_line(&self, language: Language) -> String {
        let members = |separator: &str| match &self.maintainers {
            Maintainers::Members(members) => {
                let names: Vec<String> =
                    members.iter().map(|member| format!("`{}`", member.escape_debug())).collect();
                names.join(separator)
            }
            Maintainers::Everybody | Maintainers::Unreadable => String::new(),
        };
        match (language, &self.maintainers) {
            (Language::English, Maintainers::Everybody) => "Maintainers: everyone.".to_owned(),
            (Language::Chinese, Maintainers::Everybody) => "维护者：所有人。".to_owned(),
            (Language::English, Maintainers::Members(list)) if !list.is_empty() => {
                format!(
                    "Maintainers: {}. Other members can read the task, and report required changes to a maintainer.",
                    members(", ")
                )
            }
            (Language::Chinese, Maintainers::Members(list)) if !list.is_empty() => {
                format!("维护者：{}。其他成员只读取，需要修改时告诉维护者。", members("、"))
            }
            (Language::English, _) => "Maintainers: no member; the task is read-only.".to_owned(),
            (Language::Chinese, _) => "维护者：没有成员；任务只能读取。".to_owned(),
        }
    }

    fn sections_line(&self, language: Language) -> String {
        let describe = |(section, state): &(Section, SectionState)| {
            let file = section.path();
            match (language, state) {
                (Language::English, SectionState::Present) => format!("`{file}` present"),
                (Language::English, SectionState::Missing) => format!("`{file}` missing"),
                (Language::English, SectionState::Unusable) => format!("`{file}` cannot be read"),
                (Language::Chinese, SectionState::Present) => format!("`{file}` 存在"),
                (Language::Chinese, SectionState::Missing) => format!("`{file}` 缺失"),
                (Language::Chinese, SectionState::Unusable) => format!("`{file}` 无法读取"),
            }
        };
        let sections: Vec<String> = self.sections.iter().map(describe).collect();
        match language {
            Language::English => format!("Sections: {}.", sections.join(", ")),
            Language::Chinese => format!("章节：{}。", sections.join("、")),
        }
    }

    fn bear_in_mind_line(&self, language: Language) -> String {
        let state = match (&self.bear_in_mind, language) {
            (BearInMindState::Absent, Language::English) => "absent".to_owned(),
            (BearInMindState::Absent, Language::Chinese) => "无".to_owned(),
            (BearInMindState::Invalid, Language::English) => "invalid".to_owned(),
            (BearInMindState::Invalid, Language::Chinese) => "不合规定".to_owned(),
            (BearInMindState::Present(sections), _) => {
                let files: Vec<String> =
                    sections.iter().map(|section| format!("`{}.md`", section.selector())).collect();
                match (files.is_empty(), language) {
                    (true, Language::English) => "empty".to_owned(),
                    (true, Language::Chinese) => "空".to_owned(),
                    (false, Language::English) => files.join(", "),
                    (false, Language::Chinese) => files.join("、"),
                }
            }
        };
        match language {
            Language::English => format!("`{BEAR_IN_MIND}/`: {state}."),
            Language::Chinese => format!("`{BEAR_IN_MIND}/`：{state}。"),
        }
    }

    fn extras_line(&self, language: Language) -> String {
        let index = |separator: &str| -> Option<String> {
            let extras = self.extras.as_ref()?;
            let names: Vec<String> = extras.sections.iter().map(|section| format!("`{section}`")).collect();
            Some(names.join(separator))
        };
        let is_truncated = self.extras.as_ref().is_some_and(|extras| extras.truncated);
        match language {
            Language::English => {
                let more = if is_truncated { ", and more" } else { "" };
                match index(", ").as_deref() {
                    None => "Other sections: unknown.".to_owned(),
                    Some("") => "Other sections: none.".to_owned(),
                    Some(index) => {
                        format!(
                            "Other sections (`category/selector`), for `{RECALL_TASKDOC}`: {index}{more}."
                        )
                    }
                }
            }
            Language::Chinese => {
                let more = if is_truncated { "，等等" } else { "" };
                match index("、").as_deref() {
                    None => "其余章节：未知。".to_owned(),
                    Some("") => "其余章节：无。".to_owned(),
                    Some(index) => {
                        format!(
                            "其余章节（`category/selector`），用 `{RECALL_TASKDOC}` 读取：{index}{more}。"
                        )
                    }
                }
            }
        }
    }

    fn missing_line(&self, language: Language) -> String {
        if self.sections.iter().all(|(_, state)| *state != SectionState::Missing) {
            return String::new();
        }
        match language {
            Language::English => {
                format!("Write the missing sections with `{CHANGE_MIND}` before you continue.")
            }
            Language::Chinese => format!("缺失的章节先用 `{CHANGE_MIND}` 写好，再继续工作。"),
        }
    }

    fn layout_line(&self, language: Language) -> String {
        let is_unusable = self.sections.iter().any(|(_, state)| *state == SectionState::Unusable);
        if !is_unusable && self.bear_in_mind != BearInMindState::Invalid {
            return String::new();
        }
        match language {
            Language::English => {
                "The package contains invalid entries; `minds check` reports them, and a person \
                 has to fix them."
                    .to_owned()
            }
            Language::Chinese => {
                "任务包里有不该有的内容；`minds check` 会指出是什么，要由人来修正。".to_owned()
            }
        }
    }
}

/// Returns the statement that applies to every task.
fn shared_line(language: Language) -> String {
    match language {
        Language::English => {
            "All agents that work on the task share it: keep it accurate and short, note the author of each entry, and \
             keep entries of other authors until they are settled."
                .to_owned()
        }
        Language::Chinese => {
            "任务由参与的所有人共用：保持属实、简短，写明条目归谁；别人写的内容，在了结之前不要删。"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status {
        let section = |text: &str| Section::parse_qualified(text).unwrap();
        Status {
            name: "ship-it".to_owned(),
            path: "tasks/ship-it.tsk".to_owned(),
            maintainers: Maintainers::Members(vec!["lead".to_owned(), "ops".to_owned()]),
            sections: vec![
                (Section::GOALS, SectionState::Present),
                (Section::CONSTRAINTS, SectionState::Unusable),
                (Section::PROGRESS, SectionState::Missing),
            ],
            bear_in_mind: BearInMindState::Present(vec![section("bearinmind/grants")]),
            extras: Some(Extras { sections: vec![section("ux/checklist")], truncated: true }),
        }
    }

    #[test]
    fn the_status_matches_its_snapshot() {
        let other = Status {
            maintainers: Maintainers::Unreadable,
            sections: vec![(Section::GOALS, SectionState::Present)],
            bear_in_mind: BearInMindState::Invalid,
            extras: None,
            ..status()
        };
        let plain = Status {
            maintainers: Maintainers::Everybody,
            bear_in_mind: BearInMindState::Absent,
            extras: Some(Extras::default()),
            ..status()
        };
        for (name, language) in [("en", Language::English), ("zh", Language::Chinese)] {
            let texts = [status(), other.clone(), plain.clone()].map(|status| status.text(language));
            insta::assert_snapshot!(format!("status-{name}"), texts.join("\n"));
        }
    }

    #[test]
    fn both_languages_mention_the_same_names() {
        let names = |language| {
            let text = status().text(language);
            text.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(Language::English), names(Language::Chinese));
    }
}
