//! Tasks of the Windows Task Scheduler: its schema 1.2 of XML, and command lines as `CommandLineToArgvW` takes them apart.

use super::service::{Notes, Reason, Service};
use super::{path, xml};

/// How many UTF-16 code units a command line has at most, with the program and a zero at its end.
const MAX_UNITS: usize = 32_767;

/// Returns a task; none, and findings, if something cannot be written.
///
/// All of it is ASCII and it names no encoding, so it is the same however the tool that registers it reads files.
pub(super) fn render(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    if !service.hands_over_environment {
        leave_out_environment(service, notes);
    }
    if let Some(place) = &service.stop_place {
        let help = "let the command itself end what runs, or stop the agent before its task is ended";
        let reason = "a task has no place for a time to end in";
        notes.leave_out("`drain_timeout_secs`", reason, help, Some(place));
    }
    let description = path::line(&service.description.text).and_then(|text| xml::text(text, true));
    let description = notes.take(&service.description, description);
    let directory = notes.take(&service.directory, directory(&service.directory.text));
    let (program, rest) = service.command.split_first()?;
    let command = notes.take(program, self::program(&program.text));
    let mut quoted = Some(Vec::new());
    for word in rest {
        match (&mut quoted, notes.take(word, argument(&word.text))) {
            (Some(words), Some(word)) => words.push(word),
            _ => quoted = None,
        }
    }
    let arguments = quoted?.join(" ");
    let length = program.text.encode_utf16().count() + arguments.encode_utf16().count() + 4;
    if length > MAX_UNITS {
        notes.refuse(program, "with its arguments it is longer than command lines of Windows are");
        return None;
    }
    let arguments = notes.take(program, xml::text(&arguments, true));
    let (description, directory, command, arguments) = (description?, directory?, command?, arguments?);
    let arguments = if arguments.is_empty() {
        String::new()
    } else {
        format!("      <Arguments>{arguments}</Arguments>\n")
    };
    Some(format!(
        "<?xml version=\"1.0\"?>
<!-- Written by `minds render`. -->
<Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">
  <RegistrationInfo>
    <Description>{description}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id=\"Author\">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowStartOnDemand>true</AllowStartOnDemand>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context=\"Author\">
    <Exec>
      <Command>{command}</Command>
{arguments}      <WorkingDirectory>{directory}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
"
    ))
}

/// Says that a task has no environment of its own.
fn leave_out_environment(service: &Service, notes: &mut Notes<'_>) {
    let what = format!("the environment of `{}`", service.agent);
    let reason = "a task has no place for it";
    if service.environment_file.is_some() {
        notes.leave_out(&what, reason, "let the command read it from `{env_file}`", None);
    } else if let Some((_, value)) = service.environment.first() {
        let help = "let the command take it from `{redis_url}`";
        notes.leave_out(&what, reason, help, value.place.as_ref());
    }
}

/// Returns a text in which the scheduler replaces nothing.
fn literal(text: &str) -> Result<&str, Reason> {
    let text = path::line(text)?;
    if text.contains('%') {
        return Err("it has `%`, with which variables begin, and there is no way to say the sign itself");
    }
    if text.contains("$(") {
        return Err(
            "it has `$(`, with which parameters begin, and there is no way to say the signs themselves",
        );
    }
    xml::text(text, true).map(|_| text)
}

fn directory(text: &str) -> Result<String, Reason> {
    let is_absolute = text.starts_with(['/', '\\']) || has_drive(text);
    if !is_absolute {
        return Err("it is no absolute path");
    }
    if text.contains('"') {
        return Err("paths of Windows have no quotes");
    }
    xml::text(literal(text)?, true)
}

/// Returns a program: an absolute path, or a name that is looked for.
fn program(text: &str) -> Result<String, Reason> {
    if text.trim() != text || text.is_empty() {
        return Err("it is empty, or has white space around it");
    }
    if path::names_directory(text, &['/', '\\']) {
        Err("it names a directory")
    } else if text.contains(['/', '\\', ':']) {
        directory(text)
    } else if text.contains('"') {
        Err("paths of Windows have no quotes")
    } else {
        xml::text(literal(text)?, true)
    }
}

fn has_drive(text: &str) -> bool {
    let mut signs = text.chars();
    signs.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && signs.next() == Some(':')
        && matches!(signs.next(), Some('/' | '\\'))
}

/// Returns an argument in quotes, if it needs any: backslashes count only before a quote.
fn argument(text: &str) -> Result<String, Reason> {
    let text = literal(text)?;
    if !text.is_empty() && !text.contains([' ', '"']) {
        return Ok(text.to_owned());
    }
    let mut quoted = String::from("\"");
    let mut backslashes = 0;
    for c in text.chars() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let before = std::mem::take(&mut backslashes);
        quoted.push_str(&"\\".repeat(if c == '"' { 2 * before + 1 } else { before }));
        quoted.push(c);
    }
    quoted.push_str(&"\\".repeat(2 * backslashes));
    quoted.push('"');
    Ok(quoted)
}
