//! Who may use the server, and how the connection is protected.

use std::time::Duration;

use minds_fleet_bus::{
    Announced, Bus, ClaimCall, RedisBus, RedisRole, RedisSettings, Served, Start, acl_rules, request,
};
use minds_fleet_protocol::{BootstrapLifetime, ErrorCode, Event, Outcome, Presence, Response, Warning};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::server::{Server, ask, at, caller, free_port, id, info};

/// Starts a server with exactly the rules that [`acl_rules`] prints, and a prefix.
fn server_with_rules(prefix: &str) -> Server {
    let server = Server::start();
    for line in acl_rules(prefix).replace("PASSWORD", "secret").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = redis::cmd(words[0]);
        let _: () = command.arg(&words[1..]).query(&mut server.admin()).unwrap();
    }
    let mut off = redis::cmd("ACL");
    let _: () = off.arg(&["SETUSER", "default", "resetpass", ">admin"]).query(&mut server.admin()).unwrap();
    server
}

fn bus_of(server: &Server, prefix: &str, role: RedisRole) -> RedisBus {
    let (username, password) = (Some(role.user().to_owned()), Some("secret".to_owned()));
    let prefix = prefix.to_owned();
    RedisBus::new(&RedisSettings { username, password, prefix, ..server.settings() }).unwrap()
}

fn code<T>(result: Result<T, minds_fleet_protocol::Failure>) -> Option<ErrorCode> {
    result.err().and_then(|failure| failure.code())
}

#[test]
fn the_printed_rules_are_enough_for_each_role_and_no_more() {
    for prefix in ["mcp:", "other:"] {
        let server = server_with_rules(prefix);
        let [agents, consoles, observers] = RedisRole::ALL.map(|role| bus_of(&server, prefix, role));
        let token = consoles.issue(&id(), BootstrapLifetime::default(), at(0)).unwrap().unwrap();
        agents.redeem(&id(), &token, at(0)).unwrap();
        consoles.issue(&id(), BootstrapLifetime::default(), at(0)).unwrap();
        assert_eq!(consoles.revoke(&id(), at(0)).unwrap(), Some(1));
        let Announced { mut agent, mut publisher } = agents.announce(info(), at(0)).unwrap();
        publisher.publish(vec![Event::new(Warning { msg: "x".to_owned() })], at(0)).unwrap();

        let mut client = consoles.connect(&id(), &caller(1), at(0)).unwrap();
        client.claim(ClaimCall::default(), at(0)).unwrap();
        client.send(ask(1, 1, at(0)), at(0)).unwrap();
        // A heartbeat is due too.
        while let Some(served) = agent.serve(at(4_000), Duration::ZERO).unwrap() {
            if let Served::Message { ticket, .. } = served {
                assert!(agent.owner(&ticket, at(0)).unwrap().is_some());
                let outcome = Outcome::Success {
                    value: minds_fleet_protocol::Json::parse("{}").unwrap(),
                    ts: at(0).time,
                };
                let req_id = ask(1, 1, at(0)).req_id;
                agent.answer(ticket, Response { req_id, outcome, epoch: None }, at(0)).unwrap();
            }
        }
        let events = std::iter::from_fn(|| client.receive(at(4_000), Duration::ZERO).unwrap()).count();
        assert!(events >= 2, "{events}");
        client.release(at(0)).unwrap();

        for bus in [&agents, &consoles, &observers] {
            assert_eq!(bus.list(at(0)).unwrap()[0].presence, Presence::Alive);
            let mut follower = bus.follow(&id(), Start::Offset(0)).unwrap();
            assert_eq!(follower.read(Duration::from_millis(1)).unwrap().len(), 1);
        }
        // What is not the business of a role.
        assert_eq!(code(consoles.announce(info(), at(0))), Some(ErrorCode::RedisUnavailable));
        assert_eq!(
            code(observers.issue(&id(), BootstrapLifetime::default(), at(0))),
            Some(ErrorCode::RedisUnavailable)
        );
        let mut observer = observers.connect(&id(), &caller(2), at(0)).unwrap();
        assert_eq!(code(observer.send(ask(2, 1, at(0)), at(0))), Some(ErrorCode::RedisUnavailable));
        assert_eq!(code(observers.announce(info(), at(0))), Some(ErrorCode::RedisUnavailable));
        let foreign = bus_of(&server, "foreign:", RedisRole::Agent);
        assert_eq!(code(foreign.announce(info(), at(0))), Some(ErrorCode::RedisUnavailable));
        agent.leave(at(0)).unwrap();
    }
}

#[test]
fn a_missing_right_is_named() {
    let server = server_with_rules("mcp:");
    let mut admin = redis::Client::open(format!("{}?user=minds-agent&pass=secret", server.settings().url))
        .unwrap()
        .get_connection()
        .unwrap();
    let denied: Result<(), _> = redis::cmd("ACL").arg(&["WHOAMI"]).query(&mut admin);
    assert!(denied.is_err());
    let mut admin = redis::Client::open(format!("{}?pass=admin", server.settings().url))
        .unwrap()
        .get_connection()
        .unwrap();
    let _: () = redis::cmd("ACL").arg(&["SETUSER", "minds-agent", "-publish"]).query(&mut admin).unwrap();
    let failure = bus_of(&server, "mcp:", RedisRole::Agent).announce(info(), at(0)).err().unwrap();
    assert_eq!(failure.code(), Some(ErrorCode::RedisUnavailable));
    assert!(failure.message.contains("NOPERM") && failure.message.contains("publish"), "{}", failure.message);
}

#[test]
fn a_wrong_password_is_named_and_not_printed() {
    let server = Server::start_with(&["--requirepass", "right"]);
    for (password, expected) in [(Some("wrong"), "WRONGPASS"), (None, "NOAUTH")] {
        let password = password.map(str::to_owned);
        let bus = RedisBus::new(&RedisSettings { password, ..server.settings() }).unwrap();
        let failure = bus.announce(info(), at(0)).err().unwrap();
        assert_eq!(failure.code(), Some(ErrorCode::RedisUnavailable));
        assert!(
            failure.message.contains(expected) && !failure.message.contains("wrong"),
            "{}",
            failure.message
        );
    }
    let password = Some("right".to_owned());
    assert!(RedisBus::new(&RedisSettings { password, ..server.settings() }).unwrap().list(at(0)).is_ok());
}

/// An authority, and a certificate for `localhost` that it has signed, in PEM.
struct Certificates {
    authority: String,
    certificate: String,
    key: String,
}

fn certificates() -> Certificates {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(params, authority_key);
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap().pem();
    Certificates { authority, certificate, key: key.serialize_pem() }
}

#[test]
fn connections_are_encrypted_and_the_authority_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let Certificates { authority, certificate, key } = certificates();
    for (name, text) in
        [("ca", authority), ("other", certificates().authority), ("cert", certificate), ("key", key)]
    {
        std::fs::write(path(name), text).unwrap();
    }
    std::fs::write(path("empty"), "").unwrap();
    let port = free_port().to_string();
    let server = Server::start_with(&[
        "--tls-port",
        &port,
        "--tls-cert-file",
        &path("cert"),
        "--tls-key-file",
        &path("key"),
        "--tls-ca-cert-file",
        &path("ca"),
        "--tls-auth-clients",
        "no",
        "--requirepass",
        "right",
    ]);
    let bus = |scheme: &str, ca: Option<&str>| {
        let mut settings = RedisSettings::new(format!("{scheme}://:right@localhost:{port}"));
        settings.tls = scheme == "redis";
        settings.ca_file = ca.map(|name| path(name).into());
        RedisBus::new(&settings).unwrap()
    };
    for scheme in ["redis", "rediss"] {
        let bus = bus(scheme, Some("ca"));
        let Announced { mut agent, mut publisher } = bus.announce(info(), at(0)).unwrap();
        let text = "x".repeat(200_000);
        publisher.publish(vec![Event::new(Warning { msg: text.clone() }); 20], at(0)).unwrap();
        let mut follower = bus.follow(&id(), Start::Offset(0)).unwrap();
        let frames = follower.read(Duration::ZERO).unwrap();
        assert_eq!(frames.len(), if scheme == "redis" { 20 } else { 40 });
        std::thread::scope(|scope| {
            scope.spawn(move || {
                loop {
                    if let Some(Served::Message { ticket, .. }) =
                        agent.serve(at(0), Duration::from_mins(1)).unwrap()
                    {
                        let outcome = Outcome::Success {
                            value: minds_fleet_protocol::Json::parse("{}").unwrap(),
                            ts: at(0).time,
                        };
                        let req_id = ask(1, 1, at(0)).req_id;
                        return agent
                            .answer(ticket, Response { req_id, outcome, epoch: None }, at(0))
                            .unwrap();
                    }
                }
            });
            let mut client = bus.connect(&id(), &caller(1), at(0)).unwrap();
            let response = request(client.as_mut(), ask(1, 1, at(0)), &mut || at(0), &mut |_| {}).unwrap();
            assert!(matches!(response.outcome, Outcome::Success { .. }));
        });
    }
    for (ca, expected) in [
        (Some("other"), "certificate"),
        (None, "certificate"),
        (Some("empty"), "contains none"),
        (Some("missing"), "missing"),
    ] {
        let failure = bus("rediss", ca).list(at(0)).err().unwrap();
        assert_eq!(failure.code(), Some(ErrorCode::RedisUnavailable));
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    drop(server);
}
