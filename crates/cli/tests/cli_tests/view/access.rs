//! Authentication of requests, and security headers of replies.

use std::io::{Read as _, Write as _};

use crate::view::served::{Reply, Served, Workspace};

#[track_caller]
fn is_sealed(reply: &Reply) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{reply:?}");
    }
    let policy = reply.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
    for never in ["access-control-allow-origin", "set-cookie", "location"] {
        assert_eq!(reply.header(never), None, "{reply:?}");
    }
}

#[test]
fn without_the_token_nothing_is_disclosed() {
    let workspace = Workspace::with_task();
    let mut served = workspace.view(&[]);
    let right = served.home.clone();
    let token = right.trim_matches('/').to_owned();
    let change = "{\"content\": \"mine\", \"hash\": null}";
    for home in [
        "/".to_owned(),
        "/wrong/".to_owned(),
        format!("/{}/", &token[1..]),
        format!("/{token}0/"),
        format!("/{}/", token.to_uppercase()),
        format!("//{token}/"),
        format!("/?{token}/"),
    ] {
        served.home.clone_from(&home);
        for path in ["", "main.js", "api/package", "api/events", "nothing"] {
            let reply = served.get(path);
            assert_eq!(reply.status, 403, "{home}{path}: {reply:?}");
            assert!(!reply.body.contains("Ship it") && !reply.body.contains(&token), "{reply:?}");
            is_sealed(&reply);
        }
        let reply = served.ask("PUT", "api/sections/goals", "Content-Type: application/json\r\n", change);
        assert_eq!(reply.status, 403, "{home}");
    }
    // The header is misplaced.
    served.home = "/".to_owned();
    let reply = served.ask(
        "GET",
        "api/package",
        &format!("Authorization: Bearer {token}\r\nCookie: token={token}\r\n"),
        "",
    );
    assert_eq!(reply.status, 403);
    served.home = right;
    assert_eq!(served.get("api/package").status, 200);
    assert_eq!(workspace.file("goals.md"), "Ship it.\n");
}

/// Requests with foreign hosts and origins.
fn ask_as(served: &Served, host: &str, more: &str) -> Reply {
    let head = format!("GET {}api/package HTTP/1.1\r\n{host}Connection: close\r\n{more}\r\n", served.home);
    served.send(head.as_bytes())
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let port = served.address.split(':').nth(1).unwrap();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("127.0.0.1.evil.example:{port}"),
        &format!("0.0.0.0:{port}"),
        "",
    ] {
        let reply = ask_as(&served, &format!("Host: {host}\r\n"), "");
        assert_eq!(reply.status, 403, "{host}: {reply:?}");
        is_sealed(&reply);
    }
    let own = format!("Host: {}\r\n", served.address);
    let twice = ask_as(&served, &own, &own);
    assert_eq!(twice.status, 403, "{twice:?}");
    let origin = format!("Origin: http://{}\r\n", served.address);
    assert_eq!(ask_as(&served, &own, &origin).status, 200);
    assert_eq!(ask_as(&served, &own, &origin.repeat(2)).status, 403);
    for authority in ["evil.example", "localhost"] {
        let head = format!(
            "GET http://{authority}{}api/package HTTP/1.1\r\n{own}Connection: close\r\n\r\n",
            served.home
        );
        assert_eq!(served.send(head.as_bytes()).status, 403, "{authority}");
    }
    assert_eq!(ask_as(&served, "", "").status, 403);
    assert_eq!(ask_as(&served, &own, "Host: evil.example\r\n").status, 403);
    assert_eq!(ask_as(&served, &own, "").status, 200);
    assert_eq!(ask_as(&served, &format!("Host: localhost:{port}\r\n"), "").status, 200);
    for origin in ["http://evil.example", "null", &format!("https://{}", served.address), "http://127.0.0.1"]
    {
        for (method, more) in [("GET", ""), ("PUT", "Content-Type: application/json\r\n"), ("OPTIONS", "")] {
            let more = format!("Origin: {origin}\r\n{more}Access-Control-Request-Method: PUT\r\n");
            let reply = served.ask(method, "api/sections/goals", &more, "");
            assert_eq!(reply.status, 403, "{origin} {method}");
            is_sealed(&reply);
        }
    }
    let reply = served.ask("GET", "api/package", &format!("Origin: http://{}\r\n", served.address), "");
    assert_eq!(reply.status, 200);
    assert_eq!(workspace.file("goals.md"), "Ship it.\n");
}

#[test]
fn each_path_has_its_methods_and_every_reply_its_headers() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    for (path, media_type) in [
        ("", "text/html; charset=utf-8"),
        ("page.css", "text/css; charset=utf-8"),
        ("main.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("api/package", "application/json"),
    ] {
        let reply = served.get(path);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)), "{path}");
        assert!(!reply.body.is_empty());
        is_sealed(&reply);
        let head = served.ask("HEAD", path, "", "");
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
            let reply = served.ask(method, path, "", "");
            assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method} {path}");
            is_sealed(&reply);
        }
    }
    for (method, path, status) in [
        ("GET", "api/sections/goals", 405),
        ("DELETE", "api/sections/goals", 405),
        ("POST", "api/events", 405),
        ("GET", "nothing", 404),
        ("GET", "index.html", 404),
        ("GET", "main.js/", 404),
        ("GET", "api", 404),
        ("GET", "api/", 404),
        ("GET", "api/package/", 404),
        ("GET", "../../../etc/passwd", 404),
        ("GET", "..%2f..%2fetc%2fpasswd", 404),
        ("GET", "goals.md", 404),
        ("PUT", "api/section", 404),
    ] {
        let reply = served.ask(method, path, "", "");
        assert_eq!(reply.status, status, "{method} {path}: {reply:?}");
        is_sealed(&reply);
    }
}

#[test]
fn an_invalid_http_request_ends_only_its_connection() {
    let workspace = Workspace::with_task();
    let served = workspace.view(&[]);
    let long = format!("GET {}{} HTTP/1.1\r\n\r\n", served.home, "a".repeat(1024 * 1024));
    for request in ["\r\n\r\n", "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n", &long] {
        let mut stream = served.open();
        let _ = stream.write_all(request.as_bytes());
        let mut printed = Vec::new();
        let _ = stream.read_to_end(&mut printed);
        assert!(
            printed.is_empty() || printed.starts_with(b"HTTP/1.1 4"),
            "{}",
            String::from_utf8_lossy(&printed)
        );
    }
    // Many idle or incomplete connections do not block other clients.
    let silent: Vec<_> = (0..200).map(|_| served.open()).collect();
    for mut stream in &silent {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
    }
    assert_eq!(served.get("api/package").status, 200);
}
