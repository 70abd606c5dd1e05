//! Values that cannot be written, and the reasons.

use minds_diagnostics::Problems;
use minds_render::services::{EnvironmentFile, Service, Value, render};
use minds_render::{RenderError, Target};

fn service() -> Service {
    let mut service = Service::new("shop-lead", "shop:lead", Value::new("the directory", "/srv"));
    service.command = vec![Value::new("the program", "/bin/x")];
    service
}

/// Returns the findings for a service and a target.
fn findings(service: &Service, target: Target) -> Vec<String> {
    let mut problems = Problems::new();
    let made = render(std::slice::from_ref(service), target, "minds-test", &mut problems).unwrap();
    let found: Vec<String> = problems.into_sorted().into_iter().map(|found| found.message).collect();
    assert_eq!(made.is_empty(), !found.is_empty(), "{found:?}");
    found
}

#[track_caller]
fn refuses(service: &Service, target: Target, expected: &str) {
    let found = findings(service, target);
    assert!(found.len() == 1 && found[0].ends_with(expected), "{target}: {found:?} and not {expected}");
}

#[test]
fn programs_are_paths_or_names() {
    for (program, systemd, others) in [
        ("/bin/x", "", ""),
        ("agent", "", ""),
        ("", "it is empty", "it is empty"),
        ("bin/x", "it is not an absolute path", "it is not an absolute path"),
        ("./x", "it is not an absolute path", "it is not an absolute path"),
        ("/bin/", "it names a directory", "it names a directory"),
        (".", "it names a directory", "it names a directory"),
        ("..", "it names a directory", "it names a directory"),
        ("-x", "as a prefix", "a shell would read a name that begins with `-` as an option"),
        ("@x", "as a prefix", ""),
        ("/bin/it's", "a quote or a backslash in the path of a program", ""),
        ("/bin/$x", "expand `$` in the name of the program", ""),
        ("/bin/../x", "an empty segment, `.` or `..`", ""),
        ("/bin/..", "an empty segment, `.` or `..`", "it names a directory"),
        ("/bin/.", "an empty segment, `.` or `..`", "it names a directory"),
        ("/bin/x..", "", ""),
    ] {
        let mut service = service();
        service.command[0].text = program.to_owned();
        for (target, expected) in [
            (Target::SystemdUser, systemd),
            (Target::Systemd, systemd),
            (Target::Launchd, others),
            (Target::Docker, others),
        ] {
            if expected.is_empty() {
                assert_eq!(findings(&service, target), [] as [&str; 0], "{program}");
            } else {
                refuses(&service, target, expected);
            }
        }
    }
}

#[test]
fn windows_programs_are_paths_or_names() {
    for (program, is_taken) in [
        ("C:\\Program Files\\agent.exe", true),
        ("c:/agent.exe", true),
        ("\\\\server\\agent.exe", true),
        ("agent.exe", true),
        ("", false),
        (" agent", false),
        ("bin\\agent.exe", false),
        ("C:agent.exe", false),
        ("C:\\a\"b.exe", false),
        ("a\"b.exe", false),
        ("%SystemRoot%\\agent.exe", false),
        ("C:\\x\\", false),
        ("C:/x/", false),
        ("C:\\x\\..", false),
        ("C:\\x/.", false),
        ("..", false),
        (".", false),
    ] {
        let mut service = service();
        service.command[0].text = program.to_owned();
        assert_eq!(findings(&service, Target::WindowsTask).is_empty(), is_taken, "{program}");
    }
}

#[test]
fn directories_are_read_unchanged() {
    for (directory, expected) in [
        ("srv", "it is not an absolute path"),
        ("/srv\\", "it ends with a backslash, which would continue the line"),
        ("/srv ", "systemd removes surrounding white space"),
        ("/srv\nUser=root", "it contains a line break or another control character"),
        ("/srv//x", "it contains an empty segment, `.` or `..`"),
    ] {
        let mut service = service();
        service.directory.text = directory.to_owned();
        refuses(&service, Target::SystemdUser, expected);
    }
    let mut service = service();
    service.directory.text = format!("/{}", "x".repeat(256));
    refuses(&service, Target::Systemd, "it is longer than a path may be");
    service.directory.text = "/x".repeat(2_047);
    assert_eq!(findings(&service, Target::Systemd), [] as [&str; 0]);
    service.directory.text = "/x".repeat(2_048);
    refuses(&service, Target::Systemd, "it is longer than a path may be");
    let mut service = self::service();
    service.description.text = String::new();
    refuses(&service, Target::SystemdUser, "it is empty");
}

/// Escaped glob characters are longer, and systemd limits the length of the escaped pattern.
#[test]
fn escaped_patterns_are_limited_like_paths() {
    let mut service = service();
    let mut with = |path: String| {
        service.environment_file =
            Some(EnvironmentFile { path: Value::new("the path", path), variables: Vec::new() });
        findings(&service, Target::SystemdUser)
    };
    assert_eq!(with(format!("/srv/{}", "*".repeat(85))), [] as [&str; 0]);
    for path in [format!("/srv/{}", "*".repeat(86)), "/[x]?*".repeat(400)] {
        let found = with(path);
        assert!(found.len() == 1 && found[0].ends_with("it is longer than a path may be"), "{found:?}");
    }
}

/// 0 would mean no timeout, or an immediate restart.
#[test]
fn timeouts_are_never_zero() {
    let service = Service { stop_seconds: 0, restart_seconds: 0, ..service() };
    let made = |target| {
        let made =
            render(std::slice::from_ref(&service), target, "minds-test", &mut Problems::new()).unwrap();
        String::from_utf8(made[0].bytes.clone()).unwrap()
    };
    assert!(made(Target::SystemdUser).contains("\nTimeoutStopSec=1\n"));
    let list = made(Target::Launchd);
    for key in ["ExitTimeOut", "ThrottleInterval"] {
        assert!(list.contains(&format!("<key>{key}</key>\n\t<integer>1</integer>")), "{list}");
    }
}

/// In a file with a declared encoding, letters are not escaped; characters that a parser treats as white
/// space always are.
#[test]
fn printable_characters_are_not_escaped_unnecessarily() {
    let mut service = service();
    service.command.push(Value::new("an argument", "é\t"));
    let made = |target, at: usize| {
        let made =
            render(std::slice::from_ref(&service), target, "minds-test", &mut Problems::new()).unwrap();
        String::from_utf8(made[at].bytes.clone()).unwrap()
    };
    assert!(made(Target::Launchd, 0).contains("<string>é&#9;</string>"));
    assert!(made(Target::Docker, 1).contains("    command:\n      - \"é\\t\"\n"));
}

/// `teamctl` does not quote values in the environment file, so systemd would read some values differently.
#[test]
fn variables_of_environment_files_are_read_unchanged() {
    for (value, is_taken) in [
        ("fast", true),
        ("a \"b\" 'c' $d %e #f", true),
        ("", true),
        ("C:\\models", false),
        ("\"fast\"", false),
        ("'fast", false),
        (" fast", false),
        ("fast\t", false),
    ] {
        let mut service = service();
        service.environment_file = Some(EnvironmentFile {
            path: Value::new("the path", "/srv/lead.env"),
            variables: vec![("MODEL".to_owned(), Value::new("the variable `MODEL`", value))],
        });
        assert_eq!(findings(&service, Target::SystemdUser).is_empty(), is_taken, "{value}");
        for target in [Target::Docker, Target::Launchd] {
            assert_eq!(findings(&service, target).is_empty(), !value.contains('\t'), "{target}: {value}");
        }
    }
}

#[test]
fn command_lines_have_a_length() {
    let mut service = service();
    service.command.push(Value::new("an argument", "x".repeat(40_000)));
    assert_eq!(findings(&service, Target::SystemdUser), [] as [&str; 0]);
    refuses(&service, Target::WindowsTask, "longer than a Windows command line may be");
    service.command = vec![Value::new("the program", "/bin/x")];
    service.command.extend((0..9).map(|_| Value::new("an argument", "x".repeat(120_000))));
    refuses(&service, Target::SystemdUser, "with its arguments it is longer than 1,000,000 bytes");
    service.command =
        vec![Value::new("the program", "/bin/x"), Value::new("an argument", "x".repeat(131_071))];
    assert_eq!(findings(&service, Target::SystemdUser), [] as [&str; 0]);
    service.command[1].text.push('x');
    refuses(&service, Target::SystemdUser, "it is longer than 128 KiB");
    service.command = vec![Value::new("the program", "agent"), Value::new("an argument", "x".repeat(32_758))];
    assert_eq!(findings(&service, Target::WindowsTask), [] as [&str; 0]);
    service.command[1].text.push('x');
    refuses(&service, Target::WindowsTask, "longer than a Windows command line may be");
    service.command = vec![Value::new("the program", "x".repeat(70_000))];
    refuses(&service, Target::Docker, "it is longer than a line of a Dockerfile may be");
}

#[test]
fn unsupported_settings_are_reported() {
    let mut service = service();
    service.environment.push(("ATEAM_REDIS_URL", Value::new("the address", "redis://localhost")));
    let mut problems = Problems::new();
    let made = render(&[service.clone()], Target::WindowsTask, "minds-test", &mut problems).unwrap();
    let found = problems.into_sorted();
    assert_eq!((made.len(), found.len(), found[0].rule.code), (1, 1, "service/left-out"));
    service.passes_environment = true;
    let mut problems = Problems::new();
    render(&[service], Target::WindowsTask, "minds-test", &mut problems).unwrap();
    assert!(problems.is_empty());
}

#[test]
fn secrets_are_never_written() {
    // Concatenated so that secret scanners do not report it.
    let secret = ["sk", "-7h3Kq9Zr2mXw5Tb8Vn4Lp6Jd"].concat();
    for place in 0..3 {
        let mut service = service();
        let value = Value::new("a value", format!("key={secret}"));
        match place {
            0 => service.command.push(value),
            1 => service.environment.push(("ATEAM_REDIS_URL", value)),
            _ => service.description = value,
        }
        for target in Target::SERVICES {
            let mut problems = Problems::new();
            render(std::slice::from_ref(&service), *target, "minds-test", &mut problems).unwrap();
            let found = problems.into_sorted();
            let is_found = found.iter().any(|found| found.rule.code == "service/literal-secret");
            assert!(is_found, "{target} {place}");
            assert!(found.iter().all(|found| !found.message.contains(&secret)), "{target} {place}");
        }
    }
}

#[test]
fn names_must_be_safe_in_file_names() {
    let named = |name: &str| Service { name: name.to_owned(), ..service() };
    let render = |services: &[Service]| {
        render(services, Target::SystemdUser, "minds-test", &mut Problems::new()).map(|made| made.len())
    };
    assert_eq!(render(&[named("a"), named("b")]), Ok(2));
    for name in ["", "a/b", "../a", "a b", "a\nb", "a@b", "-a"] {
        assert!(matches!(render(&[named(name)]), Err(RenderError::UnsafeId { .. })), "{name}");
    }
    for (one, other) in [("a", "a"), ("Zeus", "zeus")] {
        let mut problems = Problems::new();
        let services = [named(one), named("x"), named(other)];
        let made = minds_render::services::render(&services, Target::Launchd, "minds-test", &mut problems);
        assert_eq!((made.unwrap().len(), problems.into_sorted().len()), (0, 1), "{one}");
    }
}

#[test]
fn different_programs_become_entry_points_of_their_containers() {
    let mut other = Service { name: "shop-coder".to_owned(), ..service() };
    other.command[0].text = "/bin/other".to_owned();
    let made = render(&[service(), other], Target::Docker, "minds-test", &mut Problems::new()).unwrap();
    let text = |at: usize| String::from_utf8(made[at].bytes.clone()).unwrap();
    assert!(!text(0).contains("ENTRYPOINT"));
    for program in ["/bin/x", "/bin/other"] {
        assert!(text(1).contains(&format!("    entrypoint:\n      - '{program}'\n")), "{program}");
    }
}
