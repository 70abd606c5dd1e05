//! The table of checks.

/// A check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) steps: &'static [Step],
}

/// A part of a check.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Tests of a package, with variables that make them longer.
    Test {
        package: &'static str,
        program: &'static str,
        /// A part of the names of the tests.
        filter: &'static str,
        variables: &'static [(&'static str, &'static str)],
    },
    /// Another command of this program.
    Task(&'static [&'static str]),
    /// An agent that is separated from its server.
    Split,
}

impl Step {
    /// Returns what the step runs, for people.
    pub(super) fn describe(&self, profile: &str) -> String {
        match self {
            Self::Test { package, filter, variables, .. } => {
                let variables: String =
                    variables.iter().map(|(name, value)| format!("{name}={value} ")).collect();
                format!("{variables}cargo test --profile {profile} -p {package} --all-features {filter}")
            }
            Self::Task(args) => format!("cargo xtask {}", args.join(" ")),
            Self::Split => "network namespaces, 60 s of separation, a second instance".to_owned(),
        }
    }
}

const BUS: &str = "minds-fleet-bus";
const BUS_TESTS: &str = "fleet_bus_tests";
const SEEDS: &[(&str, &str)] = &[("MINDS_TEST_SEEDS", "1000")];

const fn bus(filter: &'static str, variables: &'static [(&'static str, &'static str)]) -> Step {
    Step::Test { package: BUS, program: BUS_TESTS, filter, variables }
}

const fn agent(filter: &'static str, variables: &'static [(&'static str, &'static str)]) -> Step {
    Step::Test { package: "minds-fleet-agent", program: "fleet_agent_tests", filter, variables }
}

const fn commands(filter: &'static str, variables: &'static [(&'static str, &'static str)]) -> Step {
    Step::Test { package: "minds-fleet-cli", program: "fleet_cli_tests", filter, variables }
}

const fn tests(package: &'static str, program: &'static str) -> Step {
    Step::Test { package, program, filter: "", variables: &[] }
}

const fn check(name: &'static str, summary: &'static str, steps: &'static [Step]) -> Check {
    Check { name, summary, steps }
}

/// Every check.
pub(super) const CHECKS: &[Check] = &[
    check(
        "fleet-envelope",
        "messages of the protocol, among them 1,000,000 random ones",
        &[Step::Test {
            package: "minds-fleet-protocol",
            program: "fleet_protocol_tests",
            filter: "envelope::",
            variables: &[("PROPTEST_CASES", "1000000")],
        }],
    ),
    check(
        "fleet-conformance",
        "the laws of the bus on all transports, with and without faults, 1,000 seeds each",
        &[bus("memory::", SEEDS), bus("local::", SEEDS), bus("redis_keeps", SEEDS), bus("every_defect", &[])],
    ),
    check(
        "fleet-kill",
        "an agent killed 10,000 times and at each system call, and a queue of 10,000 items",
        &[
            agent("killed_at_any_time", &[("MINDS_TEST_KILLS", "10000")]),
            agent("traced::", &[("MINDS_TEST_EVERY_CALL", "1")]),
            agent("long_queue", &[("MINDS_TEST_ITEMS", "10000")]),
            Step::Test {
                package: "minds-fleet-store",
                program: "fleet_store_kill_tests",
                filter: "",
                variables: &[("MINDS_TEST_KILLS", "10000"), ("MINDS_TEST_EVERY_CALL", "1")],
            },
        ],
    ),
    check(
        "fleet-ownership",
        "100,000 claims, takeovers, releases and ends on both transports",
        &[bus("races::", &[("MINDS_TEST_RACES", "100000")])],
    ),
    check(
        "fleet-redis",
        "a server that is killed 200 times, stopped for 30 s, emptied, and closes connections",
        &[
            commands(
                "redis::",
                &[
                    ("MINDS_TEST_KILLS", "200"),
                    ("MINDS_TEST_STOP_SECONDS", "30"),
                    ("MINDS_TEST_MAX_RECOVERY_MS", "6000"),
                ],
            ),
            bus("redis::access", &[]),
            bus("redis::faults", &[]),
        ],
    ),
    check(
        "fleet-split",
        "an agent that is separated from its server while a second one starts",
        &[Step::Split],
    ),
    check(
        "fleet-tail",
        "1,000,000 events and 20 followers, of which 5 stop reading",
        &[bus("followers::", &[("MINDS_TEST_EVENTS", "1000000")])],
    ),
    check(
        "fleet-exec",
        "commands of agents: output, limits, what is left of them, and attempts to leave the sandbox",
        &[tests("minds-exec", "exec_tests")],
    ),
    check(
        "fleet-tools",
        "tools that are not given, and files of agents that are changed by a command",
        &[
            tests("minds-agent-tools", "agent_tools_tests"),
            commands("tools::", &[]),
            commands("commands::", &[]),
        ],
    ),
    check(
        "fleet-sandbox",
        "1,000,000 hostile paths, and 100,000 exchanges of a directory",
        &[Step::Test {
            package: "minds-agent-tools",
            program: "agent_tools_tests",
            filter: "hostile::",
            variables: &[("MINDS_TEST_PATHS", "1000000"), ("MINDS_TEST_EXCHANGES", "100000")],
        }],
    ),
    check(
        "fleet-llm",
        "answers of models: recorded ones, faults, limits",
        &[tests("minds-model-client", "model_client_tests"), commands("providers::", &[])],
    ),
    check(
        "fleet-acp",
        "a real opencode as an engine, a real client of the protocol, and a program that floods, hangs and lies",
        &[Step::Task(&["acp"]), agent("engine", &[("MINDS_TEST_FLOOD", "1000000")]), commands("acp::", &[])],
    ),
    check(
        "fleet-secrets",
        "200 secrets through inputs, answers, errors, calls and files",
        &[commands("secrets::", &[("MINDS_TEST_SECRETS", "200")])],
    ),
    check(
        "fleet-mcp",
        "the toolset `fleet` in `minds mcp`: granted and not, with and without tasks, and without its program",
        &[
            Step::Test { package: "xtask", program: "xtask_tests", filter: "fleet_tools::", variables: &[] },
            commands("mcp::", &[]),
        ],
    ),
    check("fleet-services", "the command of a rendered unit", &[commands("services::", &[])]),
    check("fleet-one-command", "the command of the README", &[commands("readme", &[])]),
    check(
        "gateway-kill",
        "processes of the gateway, each killed 1,000 times",
        &[Step::Task(&["gateway", "kill"])],
    ),
    check("gateway-reload", "10,000 edits of `mcp.yaml`", &[Step::Task(&["gateway", "edits"])]),
    check("gateway-peers", "servers and clients of other projects", &[Step::Task(&["mcp"])]),
];
