//! What is done so that the servers are those of the file.

use std::collections::BTreeMap;

use minds_mcp_gateway::{Actual, Fingerprint, Goal, Server, StdioServer, Step, Transport, plan};
use proptest::prelude::*;

/// Returns the fingerprint of the configuration with this name.
fn fingerprint(name: char) -> Fingerprint {
    let server =
        StdioServer { command: name.to_string(), args: Vec::new(), env: Vec::new(), directory: "/".into() };
    let lists = Vec::new;
    Server {
        transport: Transport::Stdio(server),
        is_stateless: false,
        is_enabled: true,
        whitelist: lists(),
        blacklist: lists(),
        transforms: Vec::new(),
    }
    .fingerprint()
}

/// Reads what is wanted: a configuration, `=` for no change, or `-` for none.
fn wanted(text: char) -> Goal {
    match text {
        '-' => Goal::Stopped,
        '=' => Goal::Unchanged,
        name => Goal::Running(fingerprint(name)),
    }
}

/// Reads what is: the configuration that works, and the one that starts, or `-`.
fn actual(text: &str) -> Actual {
    let mut names = text.chars().map(|name| (name != '-').then(|| fingerprint(name)));
    Actual { good: names.next().flatten(), starting: names.next().flatten() }
}

fn step(want: char, is: &str) -> Step {
    let (want, is) = (BTreeMap::from([("s", wanted(want))]), BTreeMap::from([("s", actual(is))]));
    plan(&want, &is)["s"]
}

#[test]
fn each_state_has_its_step() {
    for (want, is, expected) in [
        ('a', "--", Step::Start),
        ('a', "a-", Step::Keep),
        ('a', "-a", Step::Keep),
        ('a', "aa", Step::Keep),
        ('b', "a-", Step::Start),
        ('b', "-a", Step::Start),
        ('b', "ab", Step::Keep),
        ('c', "ab", Step::Start),
        ('a', "ab", Step::Abandon),
        ('=', "--", Step::Keep),
        ('=', "a-", Step::Keep),
        ('=', "aa", Step::Keep),
        ('=', "ab", Step::Abandon),
        ('=', "-a", Step::Abandon),
        ('-', "--", Step::Stop),
        ('-', "ab", Step::Stop),
    ] {
        assert_eq!(step(want, is), expected, "wanted {want}, actual {is}");
    }
    let (none, some) = (BTreeMap::new(), BTreeMap::from([("s", actual("a-"))]));
    assert_eq!(plan(&none, &some), BTreeMap::from([("s", Step::Stop)]));
    assert_eq!(plan(&BTreeMap::from([("s", wanted('-'))]), &BTreeMap::new())["s"], Step::Keep);
    assert_eq!(plan(&BTreeMap::from([("s", wanted('a'))]), &BTreeMap::new())["s"], Step::Start);
}

proptest! {
    /// A step makes what is wanted, or what is closest to it, true, and a second one has nothing to do.
    #[test]
    fn a_plan_reaches_its_goal_in_one_step(want in prop::sample::select(vec!['a', 'b', '=', '-']), is in "[ab-][ab-]") {
        let before = actual(&is);
        let target = wanted(want);
        let after = match step(want, &is) {
            Step::Keep => before,
            Step::Start => match target {
                Goal::Running(fingerprint) => Actual { starting: Some(fingerprint), ..before },
                _ => panic!("only a configuration can be started"),
            },
            Step::Abandon => Actual { starting: None, ..before },
            Step::Stop => Actual::default(),
        };
        match target {
            Goal::Running(wanted) => {
                prop_assert!(after.starting == Some(wanted) || (after.good == Some(wanted) && after.starting.is_none()));
                // Nothing that works is given up before something else does.
                prop_assert_eq!(after.good, before.good);
            }
            Goal::Unchanged => prop_assert!(after.good == before.good && (after.starting.is_none() || after.starting == after.good)),
            Goal::Stopped => prop_assert_eq!(after, Actual::default()),
        }
        let second = plan(&BTreeMap::from([("s", target)]), &BTreeMap::from([("s", after)]))["s"];
        let is_done = second == Step::Keep || target == Goal::Stopped;
        prop_assert!(is_done, "{second:?}");
    }
}
