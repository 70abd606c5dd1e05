//! The names of sections in headings.

use crate::Section;
use crate::section::{BearInMind, TopLevel};

const GOALS: Section = Section::Top(TopLevel::Goals);
const CONSTRAINTS: Section = Section::Top(TopLevel::Constraints);
const PROGRESS: Section = Section::Top(TopLevel::Progress);

/// The names of each section, in lowercase.
static NAMES: &[(Section, &[&str])] = &[
    (
        GOALS,
        &[
            "goals",
            "goal",
            "objective",
            "objectives",
            "aim",
            "aims",
            "purpose",
            "what we want",
            "success criteria",
            "mission",
            "目标",
            "目的",
            "任务目标",
            "总体目标",
            "目标与成功标准",
            "成功标准",
            "目標",
            "任務目標",
        ],
    ),
    (
        CONSTRAINTS,
        &[
            "constraints",
            "constraint",
            "requirements",
            "requirement",
            "hard requirements",
            "rules",
            "restrictions",
            "limitations",
            "non-negotiables",
            "must",
            "musts",
            "must not",
            "guardrails",
            "invariants",
            "约束",
            "约束条件",
            "限制",
            "限制条件",
            "要求",
            "硬性要求",
            "规则",
            "禁止事项",
            "約束",
            "約束條件",
            "規則",
        ],
    ),
    (
        PROGRESS,
        &[
            "progress",
            "status",
            "current status",
            "state",
            "current state",
            "todo",
            "todos",
            "to do",
            "to-do",
            "next steps",
            "where we are",
            "log",
            "done",
            "remaining",
            "what remains",
            "进展",
            "进度",
            "当前进展",
            "当前进度",
            "当前状态",
            "状态",
            "现状",
            "待办",
            "待办事项",
            "下一步",
            "已完成",
            "剩余工作",
            "進展",
            "進度",
            "狀態",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Contracts),
        &[
            "contracts",
            "contract",
            "interfaces",
            "agreements",
            "契约",
            "合约",
            "约定",
            "接口约定",
            "契約",
            "合約",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Acceptance),
        &[
            "acceptance",
            "acceptance criteria",
            "definition of done",
            "done when",
            "验收",
            "验收标准",
            "验收条件",
            "完成定义",
            "驗收",
            "驗收標準",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Grants),
        &[
            "grants",
            "grant",
            "permissions",
            "permission",
            "authorizations",
            "allowed",
            "授权",
            "权限",
            "许可",
            "授權",
            "權限",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Runbook),
        &[
            "runbook",
            "run book",
            "playbook",
            "how to run",
            "operations",
            "commands",
            "运行手册",
            "操作手册",
            "操作步骤",
            "运维手册",
            "操作手冊",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Decisions),
        &[
            "decisions",
            "decision",
            "decision log",
            "decisions made",
            "key decisions",
            "决策",
            "决定",
            "决策记录",
            "关键决策",
            "決策",
            "決定",
        ],
    ),
    (
        Section::BearInMind(BearInMind::Risks),
        &["risks", "risk", "risks and mitigations", "known risks", "风险", "风险与对策", "已知风险", "風險"],
    ),
];

/// Alternative names of a section, by its selector.
static ALTERNATIVE_NAMES: &[(&str, &str)] = &[
    ("goals", "goal"),
    ("goals", "目标"),
    ("goals", "目標"),
    ("constraints", "constraint"),
    ("constraints", "约束"),
    ("constraints", "約束"),
    ("progress", "进展"),
    ("progress", "进度"),
    ("progress", "進展"),
    ("progress", "進度"),
    ("contracts", "contract"),
    ("contracts", "契约"),
    ("contracts", "契約"),
    ("acceptance", "验收"),
    ("acceptance", "驗收"),
    ("grants", "grant"),
    ("grants", "授权"),
    ("grants", "授權"),
    ("runbook", "运行手册"),
    ("decisions", "decision"),
    ("decisions", "决策"),
    ("decisions", "決策"),
    ("risks", "risk"),
    ("risks", "风险"),
    ("risks", "風險"),
];

/// Characters between two names of one section, as in `Goals / 目标`.
const SEPARATORS: &[char] = &['/', '|', '(', ')', '（', '）', '·', '—', '–', '／', '｜'];

/// Returns the section named by a heading; none if the heading names no section or several.
pub(super) fn section(heading: &str) -> Option<Section> {
    let heading = normalize(heading);
    let section = find_by_name(&heading);
    if section.is_some() {
        return section;
    }
    let mut sections = heading
        .split(SEPARATORS)
        .map(normalize)
        .filter(|part| !part.is_empty())
        .map(|part| find_by_name(&part));
    let first = sections.next()??;
    sections.all(|section| section.as_ref() == Some(&first)).then_some(first)
}

/// Returns whether a heading consists only of names of the section, so that the heading in the effective text
/// replaces it.
pub(super) fn is_bare_name(heading: &str, section: &Section) -> bool {
    let heading = normalize(heading);
    let is_name =
        |name: &str| name == section.selector() || ALTERNATIVE_NAMES.contains(&(section.selector(), name));
    let mut parts = heading.split(SEPARATORS).map(normalize).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| is_name(&part))
}

fn find_by_name(name: &str) -> Option<Section> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(section, _)| section.clone())
}

/// Returns a heading in lowercase, without numbering, emphasis, and surrounding punctuation and whitespace.
fn normalize(text: &str) -> String {
    let is_punctuation = |c: char| !c.is_alphanumeric();
    let text = text.trim_matches(is_punctuation);
    let text = strip_number(text).trim_matches(is_punctuation);
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns a heading without its number: `1. Goals`, `2.3 Goals`, `一、目标`.
fn strip_number(text: &str) -> &str {
    let chinese = text.trim_start_matches(['一', '二', '三', '四', '五', '六', '七', '八', '九', '十']);
    if chinese.len() < text.len() && chinese.starts_with(['、', '.', '．', '）', ')', '，']) {
        return chinese;
    }
    let arabic = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = arabic.len() < text.len() && arabic.starts_with([' ', '、', ')', '）', '\t', '．']);
    if is_number { arabic } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_distinct_names() {
        let mut all: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for name in &all {
            assert_eq!(normalize(name), *name, "{name} would not be found");
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for known in Section::injected_sections() {
            assert_eq!(section(known.selector()), Some(known.clone()), "{known}");
        }
    }

    #[test]
    fn alternative_names_are_names_of_the_section() {
        for (selector, name) in ALTERNATIVE_NAMES {
            assert_eq!(section(name).unwrap().selector(), *selector);
        }
        for (heading, expected) in [
            ("Goals", true),
            ("**1. GOALS:**", true),
            ("目标（Goals）", true),
            ("Goals / 目标", true),
            ("Success criteria", false),
            ("Goals / Objectives", false),
            ("", false),
        ] {
            assert_eq!(is_bare_name(heading, &Section::GOALS), expected, "{heading}");
        }
    }

    #[test]
    fn common_forms_of_headings_are_recognized() {
        for (heading, named) in [
            ("Goals", "goals"),
            ("**Goals:**", "goals"),
            ("1. GOALS", "goals"),
            ("2.1 Acceptance   Criteria", "bearinmind/acceptance"),
            ("一、目标", "goals"),
            ("目标（Goals）", "goals"),
            ("Goals / 目标", "goals"),
            ("🎯 Goals", "goals"),
            ("约束：", "constraints"),
            ("`risks`", "bearinmind/risks"),
            ("To-Do", "progress"),
            ("Goals / Risks", ""),
            ("Goals of the project", ""),
            ("1. ", ""),
            ("", ""),
            ("10 goals", "goals"),
            ("一目标", ""),
        ] {
            let found = section(heading).map(|section| section.to_string()).unwrap_or_default();
            assert_eq!(found, named, "{heading}");
        }
    }
}
