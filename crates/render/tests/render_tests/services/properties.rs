//! Every value is either read back unchanged or refused.

use minds_render::Target;
use minds_render::services::{Service, Value};

use crate::readers::{Chance, round_trip, service};

const CASES: usize = 6_000;

#[track_caller]
fn holds(target: Target) {
    let mut chance = Chance(1);
    let (mut written, mut refused) = (0, 0);
    for case in 0..CASES {
        let service = service(&mut chance);
        match round_trip(&service, target) {
            Ok(true) => written += 1,
            Ok(false) => refused += 1,
            Err(why) => panic!("{target}, case {case}: {why}\n{service:?}"),
        }
    }
    assert!(written > CASES / 10 && refused > CASES / 10, "{written} were written, {refused} refused");
}

#[test]
fn systemd_reads_values_unchanged() {
    holds(Target::SystemdUser);
    holds(Target::Systemd);
}

#[test]
fn launchd_reads_values_unchanged() {
    holds(Target::Launchd);
}

#[test]
fn the_task_scheduler_reads_values_unchanged() {
    holds(Target::WindowsTask);
}

#[test]
fn containers_read_values_unchanged() {
    holds(Target::Docker);
}

/// Values without special characters are never refused, and a special character is refused only by a target
/// for which it has a meaning.
#[test]
fn only_unsupported_values_are_refused() {
    let everywhere =
        ["", "a", "two words", "é", "a=b", "-x", "--", ";", "#", "'", "\"", "\\", "a\\", "\\\"", "$", "$X"];
    let not_for_tasks = ["%", "%PATH%", "$(Arg0)"];
    let with_escapes = ["\n", "\t", "a\r\nb"];
    for target in Target::SERVICES {
        let accepts = |text: &str| {
            let mut service = Service::new("shop-lead", "shop:lead", Value::new("the directory", "/srv"));
            service.command = vec![Value::new("the program", "/bin/x"), Value::new("an argument", text)];
            round_trip(&service, *target).unwrap_or_else(|why| panic!("{target}: {why}"))
        };
        for text in everywhere {
            assert!(accepts(text), "{target}: {text:?}");
        }
        for text in not_for_tasks {
            assert_eq!(accepts(text), *target != Target::WindowsTask, "{target}: {text:?}");
        }
        for text in with_escapes {
            assert_eq!(
                accepts(text),
                matches!(target, Target::Launchd | Target::Docker),
                "{target}: {text:?}"
            );
        }
        assert!(!accepts("\0"), "{target}");
    }
}
