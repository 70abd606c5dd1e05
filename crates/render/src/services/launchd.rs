//! Property lists for launchd, as defined in `launchd.plist(5)`.

use super::service::{Notes, Reason, Service, Value};
use super::{path, xml};

/// Exports the variables of the environment file, which launchd does not support, and runs the command. Each
/// line is one variable; the shell does not interpret its value.
const WITH_ENVIRONMENT: &str =
    "while IFS= read -r line; do export \"$line\"; done <\"$1\" || exit; shift; exec \"$@\"";

pub(crate) fn file_name(service: &Service) -> String {
    format!("{}.plist", label(service))
}

fn label(service: &Service) -> String {
    format!("minds.{}", service.name)
}

/// Returns the property list, or `None` and findings if a value cannot be written.
pub(crate) fn render(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let words = program_arguments(service, notes);
    let directory =
        notes.require(&service.directory, path::absolute(&service.directory.text).and_then(string));
    let environment = environment(service, notes);
    let (words, directory, environment) = (words?, directory?, environment?);

    let mut list = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Written by `minds render`. -->\n\
         <plist version=\"1.0\">\n<dict>\n",
    );
    let mut entry = |key: &str, value: &str| list.extend(["\t<key>", key, "</key>\n\t", value, "\n"]);
    // The name consists of letters, digits, `.`, `_` and `-`, so it needs no escaping.
    entry("Label", &format!("<string>{}</string>", label(service)));
    entry("ProgramArguments", &format!("<array>\n{words}\t</array>"));
    entry("WorkingDirectory", &directory);
    if !environment.is_empty() {
        entry("EnvironmentVariables", &format!("<dict>\n{environment}\t</dict>"));
    }
    entry("RunAtLoad", "<true/>");
    entry("KeepAlive", "<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>");
    entry("ThrottleInterval", &format!("<integer>{}</integer>", service.restart_seconds.max(1)));
    // 0 would mean no timeout.
    entry("ExitTimeOut", &format!("<integer>{}</integer>", service.stop_seconds.max(1)));
    list.push_str("</dict>\n</plist>\n");
    Some(list)
}

fn program_arguments(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let (program, _) = service.command.split_first()?;
    let is_usable = notes.require(program, path::program(&program.text)).is_some();
    let mut words = Vec::new();
    if let Some(file) = &service.environment_file {
        for word in ["/bin/sh", "-c", WITH_ENVIRONMENT, "sh"] {
            words.push(Value::new("the shell", word));
        }
        let is_path = notes.require(&file.path, path::absolute(&file.path.text)).is_some();
        words.extend(is_path.then(|| file.path.clone()));
        for (_, value) in &file.variables {
            notes.require(value, path::line(&value.text))?;
        }
    }
    // Variables of the environment file take precedence over those of the property list.
    let before = service.environment_prefix();
    if !before.is_empty() && program.text.contains('=') {
        notes.refuse(program, "it contains `=`, so `env` would read it as a variable");
        return None;
    }
    words.extend(before);
    words.extend(service.command.iter().cloned());
    let mut list = Some(String::new());
    for word in words {
        match (&mut list, notes.require(&word, string(&word.text))) {
            (Some(list), Some(word)) => list.extend(["\t\t", word.as_str(), "\n"]),
            _ => list = None,
        }
    }
    list.filter(|_| is_usable)
}

fn environment(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let mut list = Some(String::new());
    for (key, value) in service.additional_environment() {
        match (&mut list, notes.require(value, string(&value.text))) {
            (Some(list), Some(value)) => list.extend(["\t\t<key>", key, "</key>\n\t\t", &value, "\n"]),
            _ => list = None,
        }
    }
    list
}

fn string(text: &str) -> Result<String, Reason> {
    Ok(format!("<string>{}</string>", xml::text(text, false)?))
}
