//! What agents are told about one task: who changes it, which sections it has, and what to do about what is missing.

use crate::section::BEAR_IN_MIND;
use crate::tools::{CHANGE_MIND, RECALL_TASKDOC};
use crate::{Extras, Language, Maintainers, Section};

/// What lies in the category of what is to be borne in mind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BearInMindState {
    /// There is no such category.
    Absent,
    /// These sections, in the order in which they are shown.
    Present(Vec<Section>),
    /// Something that does not belong there.
    Invalid,
}

/// What is in the place of a section that every task has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionState {
    /// A file.
    Present,
    /// Nothing.
    Missing,
    /// Something that cannot be read as a section.
    Unusable,
}

/// What is known of a task without reading its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The name of the package.
    pub name: String,
    /// Where it lies in the workspace.
    pub path: String,
    /// Who may change it.
    pub maintainers: Maintainers,
    /// The sections that every task has.
    pub sections: Vec<(Section, SectionState)>,
    /// What is to be borne in mind.
    pub bear_in_mind: BearInMindState,
    /// The further sections; none if the package could not be looked through.
    pub extras: Option<Extras>,
}

impl Status {
    /// Returns it as a part of a system prompt, in Markdown.
    pub fn text(&self, language: Language) -> String {
        let (name, path) = (self.name.escape_debug(), self.path.escape_debug());
        let head = match language {
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
        format!("{head}\n\n- {}\n", lines.join("\n- "))
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
            (Language::English, Maintainers::Everybody) => "Maintainers: everybody.".to_owned(),
            (Language::Chinese, Maintainers::Everybody) => "维护者：所有人。".to_owned(),
            (Language::English, Maintainers::Members(list)) if !list.is_empty() => {
                format!(
                    "Maintainers: {}. Others read the task and tell a maintainer what should change.",
                    members(", ")
                )
            }
            (Language::Chinese, Maintainers::Members(list)) if !list.is_empty() => {
                format!("维护者：{}。其他成员只读取，需要修改时告诉维护者。", members("、"))
            }
            (Language::English, _) => "Maintainers: no member; the task can be read only.".to_owned(),
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
                    None => "Further sections: not known.".to_owned(),
                    Some("") => "Further sections: none.".to_owned(),
                    Some(index) => {
                        format!(
                            "Further sections (`category/selector`), for `{RECALL_TASKDOC}`: {index}{more}."
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
                format!("What is missing is written with `{CHANGE_MIND}`, before the work goes on.")
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
                "The package contains something that does not belong there; `minds check` reports what, and a person \
                 has to repair it."
                    .to_owned()
            }
            Language::Chinese => "任务包里有不该有的内容；`minds check` 会指出是什么，要由人来修正。".to_owned(),
        }
    }
}

/// Returns what holds for every task.
fn shared_line(language: Language) -> String {
    match language {
        Language::English => {
            "All who work on the task share it: keep it true and short, say whose an entry is, and \
             leave what others wrote unless it is settled."
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
        let section = |text: &str| Section::parse_whole(text).unwrap();
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
    fn a_status_reads_as_recorded() {
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
    fn both_languages_name_the_same() {
        let names = |language| {
            let text = status().text(language);
            text.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(Language::English), names(Language::Chinese));
    }
}
