//! Property lists for launchd, as `launchd.plist(5)` defines them.

use super::service::{Notes, Reason, Service, Value};
use super::{path, xml};

/// Reads a file of variables, of which launchd knows nothing, and becomes the command: each line is one variable, and no
/// sign in it has a meaning for the shell.
const WITH_ENVIRONMENT: &str =
    "while IFS= read -r line; do export \"$line\"; done <\"$1\" || exit; shift; exec \"$@\"";

pub(super) fn label(service: &Service) -> String {
    format!("minds.{}", service.name)
}

/// Returns a property list; none, and findings, if something cannot be written.
pub(super) fn render(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let words = words(service, notes);
    let directory = notes.take(&service.directory, path::absolute(&service.directory.text).and_then(string));
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
    // The name is of letters, digits, `.`, `_` and `-`.
    entry("Label", &format!("<string>{}</string>", label(service)));
    entry("ProgramArguments", &format!("<array>\n{words}\t</array>"));
    entry("WorkingDirectory", &directory);
    if !environment.is_empty() {
        entry("EnvironmentVariables", &format!("<dict>\n{environment}\t</dict>"));
    }
    entry("RunAtLoad", "<true/>");
    entry("KeepAlive", "<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>");
    entry("ThrottleInterval", &format!("<integer>{}</integer>", service.restart_seconds.max(1)));
    // 0 would mean to wait for ever.
    entry("ExitTimeOut", &format!("<integer>{}</integer>", service.stop_seconds.max(1)));
    list.push_str("</dict>\n</plist>\n");
    Some(list)
}

fn words(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let (program, _) = service.command.split_first()?;
    let is_usable = notes.take(program, path::program(&program.text)).is_some();
    let mut words = Vec::new();
    if let Some(file) = &service.environment_file {
        for word in ["/bin/sh", "-c", WITH_ENVIRONMENT, "sh"] {
            words.push(Value::new("the shell", word));
        }
        let is_path = notes.take(&file.path, path::absolute(&file.path.text)).is_some();
        words.extend(is_path.then(|| file.path.clone()));
        for (_, value) in &file.variables {
            notes.take(value, path::line(&value.text))?;
        }
    }
    // What the shell reads wins over what the list says.
    let before = service.words_over_file();
    if !before.is_empty() && program.text.contains('=') {
        notes.refuse(program, "it has `=`, and `env` would take it for a variable");
        return None;
    }
    words.extend(before);
    words.extend(service.command.iter().cloned());
    let mut list = Some(String::new());
    for word in words {
        match (&mut list, notes.take(&word, string(&word.text))) {
            (Some(list), Some(word)) => list.extend(["\t\t", word.as_str(), "\n"]),
            _ => list = None,
        }
    }
    list.filter(|_| is_usable)
}

fn environment(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    let mut list = Some(String::new());
    for (key, value) in service.environment_beside_file() {
        match (&mut list, notes.take(value, string(&value.text))) {
            (Some(list), Some(value)) => list.extend(["\t\t<key>", key, "</key>\n\t\t", &value, "\n"]),
            _ => list = None,
        }
    }
    list
}

fn string(text: &str) -> Result<String, Reason> {
    Ok(format!("<string>{}</string>", xml::text(text, false)?))
}
