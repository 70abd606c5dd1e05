//! Windows Task Scheduler tasks: XML schema 1.2, and command lines as `CommandLineToArgvW` splits them.

use super::service::{Notes, Reason, Service};
use super::{path, xml};

/// The maximum length of a command line in UTF-16 code units, including the program and the final NUL.
const MAX_COMMAND_LINE_UNITS: usize = 32_767;

pub(crate) fn file_name(service: &Service) -> String {
    format!("minds-{}.xml", service.name)
}

/// Returns the task, or `None` and findings if a value cannot be written.
///
/// The file is pure ASCII and does not declare an encoding, so it does not matter in which encoding the
/// registering tool reads it.
pub(crate) fn render(service: &Service, notes: &mut Notes<'_>) -> Option<String> {
    if !service.passes_environment {
        leave_out_environment(service, notes);
    }
    if let Some(place) = &service.stop_place {
        let help = "let the command stop the agent itself, or stop the agent before its task is ended";
        let reason = "a task does not support a shutdown timeout";
        notes.leave_out("`drain_timeout_secs`", reason, help, Some(place));
    }
    let description = path::line(&service.description.text).and_then(|text| xml::text(text, true));
    let description = notes.require(&service.description, description);
    let directory = notes.require(&service.directory, directory(&service.directory.text));
    let (program, rest) = service.command.split_first()?;
    let command = notes.require(program, self::program(&program.text));
    let mut quoted = Some(Vec::new());
    for word in rest {
        match (&mut quoted, notes.require(word, argument(&word.text))) {
            (Some(words), Some(word)) => words.push(word),
            _ => quoted = None,
        }
    }
    let arguments = quoted?.join(" ");
    let length = program.text.encode_utf16().count() + arguments.encode_utf16().count() + 4;
    if length > MAX_COMMAND_LINE_UNITS {
        notes.refuse(program, "with its arguments it is longer than a Windows command line may be");
        return None;
    }
    let arguments = notes.require(program, xml::text(&arguments, true));
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

/// Reports that a task does not support environment variables.
fn leave_out_environment(service: &Service, notes: &mut Notes<'_>) {
    let what = format!("the environment of `{}`", service.agent);
    let reason = "a task does not support environment variables";
    if service.environment_file.is_some() {
        notes.leave_out(&what, reason, "let the command read it from `{env_file}`", None);
    } else if let Some((_, value)) = service.environment.first() {
        let help = "pass it to the command with `{redis_url}`";
        notes.leave_out(&what, reason, help, value.place.as_ref());
    }
}

/// Returns `text` if the scheduler does not expand anything in it.
fn literal(text: &str) -> Result<&str, Reason> {
    let text = path::line(text)?;
    if text.contains('%') {
        return Err("it contains `%`, which starts a variable and cannot be escaped");
    }
    if text.contains("$(") {
        return Err("it contains `$(`, which starts a parameter and cannot be escaped");
    }
    xml::text(text, true).map(|_| text)
}

fn directory(text: &str) -> Result<String, Reason> {
    let is_absolute = text.starts_with(['/', '\\']) || has_drive(text);
    if !is_absolute {
        return Err("it is not an absolute path");
    }
    if text.contains('"') {
        return Err("Windows paths cannot contain quotes");
    }
    xml::text(literal(text)?, true)
}

/// Returns `text` if it is a program: an absolute path, or a name to look up.
fn program(text: &str) -> Result<String, Reason> {
    if text.trim() != text || text.is_empty() {
        return Err("it is empty or has surrounding white space");
    }
    if path::names_directory(text, &['/', '\\']) {
        Err("it names a directory")
    } else if text.contains(['/', '\\', ':']) {
        directory(text)
    } else if text.contains('"') {
        Err("Windows paths cannot contain quotes")
    } else {
        xml::text(literal(text)?, true)
    }
}

fn has_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('/' | '\\'))
}

/// Returns an argument, quoted if necessary. Backslashes need escaping only in front of a quote.
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
