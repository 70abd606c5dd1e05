use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span, rule};

use crate::family::TeamFamily;

rule! {
    pub(crate) static RULE {
        code: "minds/misnamed-file",
        summary: "a file is probably intended as a minds file but has a different name",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "misnamed_minds_file.md",
    }
}

pub(super) fn check(family: &TeamFamily, problems: &mut Problems) {
    if family.minds.misnamed.is_empty() {
        return;
    }
    let ids = family.member_ids();
    for file in &family.minds.misnamed {
        // Directories that belong to no member may contain any files, and names that begin with `x-` are reserved for the user.
        let is_member = ids.as_ref().is_some_and(|ids| ids.contains(&file.member.as_str()));
        if !is_member && (file.member.starts_with("x-") || !family.minds.members.contains_key(&file.member)) {
            continue;
        }
        let name = file.location.path.file_name().unwrap_or_default();
        let place = SourceFile::new(file.location.to_string(), "").label(Span::at(0));
        let message =
            format!("`{name}` is not a minds file, so member `{}` does not receive it", file.member);
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(place)
                .help(format!("rename the file to `{}` if the member needs it", file.expected_name)),
        );
    }
}
