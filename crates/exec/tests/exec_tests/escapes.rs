//! Attempts of a command to leave its sandbox, each judged by what it did and not by what it printed about it: it read the
//! canary, changed a file outside, ended a process outside, or left a process running.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use minds_exec::{Command, Level, SupervisorProgram, available_level};

use crate::place::{Place, finish, processes, supervisor, supervisor_without_sandbox};

/// What every attempt looks for. It is not a part of any script.
const CANARY: &str = "canary-5f1d0c7a";

/// Whether the same attempt succeeds without the sandbox, on every system with a shell: the wrong control.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    Escapes,
    /// It needs a program or a right that not every system has, or would change the machine.
    Unknown,
}
use Control::{Escapes, Unknown};

/// The attempts to read the canary. `$SECRET` is a file outside, `$VICTIM` a process outside that has the canary in its
/// environment, its arguments and an open file, and `$LEAK` the canary, which a script prints when it gained access to
/// something that has no canary. Attempts succeed in the control and when the code is wrong, so none of them reads another
/// process of the machine than the victim and the supervisor, and no failure prints what was read.
const READS: &[(&str, Control)] = &[
    ("cat \"$SECRET\"", Escapes),
    ("cat ../outside/secret", Escapes),
    ("cd \"$OUT\" && cat secret", Escapes),
    ("cd .. && cd outside && cat < secret", Escapes),
    ("cat \"//$SECRET\"; cat \"/./$SECRET\"; cat \"/usr/../$SECRET\"", Escapes),
    ("cat /dev/../\"$SECRET\"", Escapes),
    ("ln -s \"$SECRET\" l; cat l", Escapes),
    ("ln -s \"$OUT\" d; cat d/secret", Escapes),
    ("ln -s .. up; cat up/outside/secret", Escapes),
    ("ln -s l1 l2; ln -s \"$OUT\" l1; cat l2/secret", Escapes),
    ("ln \"$SECRET\" h; cat h", Escapes),
    ("ln -L \"$SECRET\" h; cat h; ln -P \"$SECRET\" g; cat g", Escapes),
    ("cp \"$SECRET\" copy; cat copy", Escapes),
    ("mv \"$SECRET\" moved; cat moved", Escapes),
    ("mv \"$OUT\" stolen; cat stolen/secret", Escapes),
    ("while read -r line; do echo \"$line\"; done < \"$SECRET\"", Escapes),
    (". \"$SECRET\"", Escapes),
    ("sh \"$SECRET\"", Escapes),
    ("exec 3< \"$SECRET\"; cat <&3", Escapes),
    ("grep -r canary \"$OUT\"", Escapes),
    ("ls -R \"$OUT\"", Escapes),
    ("echo \"$OUT\"/*", Escapes),
    ("find \"$OUT\"", Escapes),
    ("tar cf - -C \"$OUT\" . | tr -d '\\0'", Escapes),
    ("dd if=\"$SECRET\" 2>/dev/null", Escapes),
    ("sort \"$SECRET\"; od -c \"$SECRET\" | tr -d ' \\n'; head -c 99 \"$SECRET\"", Escapes),
    ("cat \"$HOME/.ssh/id_rsa\"", Escapes),
    ("cat ~/.ssh/*", Escapes),
    ("env -i /bin/cat \"$SECRET\"", Escapes),
    ("cp /bin/cat ./tool; ./tool \"$SECRET\"", Escapes),
    ("cp /bin/cat ./tool; chmod 6755 ./tool; ./tool \"$SECRET\"", Escapes),
    ("sh -c 'sh -c \"cat $SECRET\"'", Escapes),
    ("nohup cat \"$SECRET\" 2>/dev/null", Escapes),
    ("setsid -w cat \"$SECRET\"", Unknown),
    ("bash -c 'exec -a sh cat \"$SECRET\"'", Unknown),
    ("bash -c 'cat <(cat \"$SECRET\")'", Unknown),
    ("/lib64/ld-linux-x86-64.so.2 /bin/cat \"$SECRET\"", Unknown),
    ("perl -e 'open F, $ENV{SECRET} or die; print <F>'", Unknown),
    ("python3 -c 'import os; print(open(os.environ[\"SECRET\"]).read())'", Unknown),
    ("awk '{ print }' \"$SECRET\"; sed -n p \"$SECRET\"", Escapes),
    ("cat /proc/self/root\"$SECRET\"", Escapes),
    ("cat /proc/self/cwd/../outside/secret", Escapes),
    ("cat /proc/$$/cwd/../outside/secret", Escapes),
    ("cat /proc/$VICTIM/environ", Escapes),
    ("cat /proc/$VICTIM/cmdline", Escapes),
    ("cat /proc/$VICTIM/fd/3", Escapes),
    ("cat /proc/$VICTIM/cwd/secret", Escapes),
    ("cat /proc/$VICTIM/root\"$SECRET\"", Escapes),
    ("cat /proc/$VICTIM/task/$VICTIM/environ", Escapes),
    ("cd /proc/$VICTIM/cwd && cat secret", Escapes),
    ("cat /proc/$VICTIM/task/*/environ | tr '\\0' '\\n' | grep CANARY", Escapes),
    ("cat /proc/$VICTIM/task/*/cmdline | tr '\\0' ' '", Escapes),
    ("cat /proc/$VICTIM/maps > /dev/null && echo $LEAK", Escapes),
    ("exec 3< /proc/$VICTIM/mem && echo $LEAK", Escapes),
    ("exec 3< /proc/$PPID/mem && echo $LEAK", Escapes),
    ("exec 3<> /proc/$PPID/mem && echo $LEAK", Escapes),
    ("cat /proc/$PPID/environ > /dev/null && echo $LEAK", Escapes),
    ("ls /proc/$PPID/fd > /dev/null && echo $LEAK", Escapes),
    ("cat /proc/1/root\"$SECRET\"", Unknown),
    ("cat /proc/self/mounts > /dev/null && echo $LEAK", Escapes),
    ("cat /proc/self/environ > /dev/null && echo $LEAK", Escapes),
    ("cat /proc/net/unix > /dev/null && echo $LEAK", Escapes),
    ("exec 3< /proc/kcore && echo $LEAK; exec 4< /dev/mem && echo $LEAK", Unknown),
    ("exec 3< /dev/kmsg && echo $LEAK", Unknown),
    (
        "for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/loop?; do head -c1 $d >/dev/null && echo $LEAK; done",
        Unknown,
    ),
    ("exec 3<> /dev/ptmx && echo $LEAK", Escapes),
    ("exec 3<> /dev/tty && echo $LEAK", Unknown),
    ("ls / > /dev/null && echo $LEAK", Escapes),
    ("ls /proc > /dev/null && echo $LEAK", Escapes),
    ("ls /dev > /dev/null && echo $LEAK", Escapes),
    ("ls /var/log /run /tmp /root > /dev/null && echo $LEAK", Unknown),
    ("ps eww -o args -p $VICTIM", Unknown),
    ("unshare -m cat \"$SECRET\"; unshare -Ur cat \"$SECRET\"", Unknown),
    ("unshare -Urm sh -c 'mkdir m; mount --bind \"$OUT\" m; cat m/secret'", Unknown),
    ("mkdir m; mount --bind \"$OUT\" m; cat m/secret; umount m", Unknown),
    ("mkdir m; mount -t proc proc m; cat m/$VICTIM/environ; umount m", Unknown),
    ("unshare -Urpmf --mount-proc cat /proc/self/mounts > /dev/null && echo $LEAK", Unknown),
    ("chroot / cat \"$SECRET\"; chroot /proc/$VICTIM/root cat \"$SECRET\"", Unknown),
    ("nsenter -t $VICTIM -m cat \"$SECRET\"", Unknown),
    ("gdb -p $VICTIM -batch -ex 'x/s *environ' 2>&1 | grep -q 'in ' && echo $LEAK", Unknown),
    ("timeout 2 strace -p $VICTIM 2>&1 | grep -q attached && echo $LEAK", Unknown),
];

/// The attempts to change something. `: >> FILE` only opens it.
const WRITES: &[(&str, Control)] = &[
    ("echo x > \"$OUT/new\"", Escapes),
    ("echo x > ../outside/new", Escapes),
    ("echo x >> \"$SECRET\"", Escapes),
    (": > \"$SECRET\"", Escapes),
    ("truncate -s 0 \"$SECRET\"", Escapes),
    ("dd if=/dev/zero of=\"$SECRET\" bs=1 count=3 conv=notrunc 2>/dev/null", Escapes),
    ("rm -f \"$SECRET\"", Escapes),
    ("rm -rf \"$OUT\"", Escapes),
    ("find \"$OUT\" -type f -delete", Escapes),
    ("mkdir \"$OUT/folder\"", Escapes),
    ("rmdir \"$HOME/empty\"", Escapes),
    ("mkfifo \"$OUT/fifo\"", Escapes),
    ("ln -s /etc \"$OUT/link\"", Escapes),
    ("echo x > own; ln own \"$OUT/hard\"", Escapes),
    ("echo x > own; mv own \"$OUT/moved\"", Escapes),
    ("mv \"$SECRET\" .", Escapes),
    ("mv \"$SECRET\" \"$OUT/renamed\"", Escapes),
    ("mkdir own; mv own \"$OUT/\"", Escapes),
    ("cp -r . \"$OUT/copy\"", Escapes),
    ("ln -s \"$OUT/dangling\" l; echo x > l", Escapes),
    ("ln -s \"$OUT\" d; mkdir d/below; echo x > d/new", Escapes),
    ("ln -s \"$SECRET\" l; echo x > l", Escapes),
    ("echo x | tee \"$OUT/new\" > /dev/null", Escapes),
    ("sed -i s/a/b/ \"$SECRET\"", Escapes),
    ("tar cf a.tar -C /etc hostname passwd; tar xf a.tar -C \"$OUT\"", Escapes),
    ("echo 'alias ls=true' >> \"$HOME/.bashrc\"", Escapes),
    ("mkdir -p \"$HOME/.config/autostart\"", Escapes),
    ("echo x > /proc/self/root\"$OUT\"/new", Escapes),
    ("echo x > /proc/$VICTIM/cwd/new", Escapes),
    ("cd \"$OUT\" && echo x > new", Escapes),
    ("cd .. && mv work outside/", Escapes),
    ("d=$PWD; cd /; rm -rf \"$d\"; ln -s \"$OUT\" \"$d\"; echo x > \"$d/new\"", Escapes),
    ("umask 0; (cd .. && echo x > outside/new) & wait", Escapes),
    ("mknod disk b 1 0; mknod memory c 1 1; ln disk d2", Unknown),
    ("for v in hostname domainname; do : >> /proc/sys/kernel/$v && echo $LEAK; done", Unknown),
    (": >> /sys/fs/cgroup/cgroup.procs && echo $LEAK", Unknown),
    (": >> /etc/hostname && echo $LEAK; mkdir /usr/local/$$ && rmdir /usr/local/$$ && echo $LEAK", Unknown),
    (": > /dev/shm/exec-$VICTIM && rm /dev/shm/exec-$VICTIM && echo $LEAK", Escapes),
    ("f=$(mktemp -p /tmp) && rm \"$f\" && echo $LEAK", Escapes),
    ("f=$(mktemp -p /var/tmp) && rm \"$f\" && echo $LEAK", Unknown),
    ("echo 'echo' | at now && echo $LEAK; echo '@daily true' | crontab - && echo $LEAK", Unknown),
    (
        "for f in /var/spool/cron /etc/cron.d /etc/systemd/system; do mkdir $f/x$$ && rmdir $f/x$$ && echo $LEAK; done",
        Unknown,
    ),
    ("systemd-run --user touch \"$OUT/new\" && echo $LEAK", Unknown),
];

/// The attempts to end a process outside.
const KILLS: &[(&str, Control)] = &[
    ("kill -9 $VICTIM", Escapes),
    ("kill -TERM $VICTIM; kill -HUP $VICTIM; kill -INT $VICTIM", Escapes),
    ("/bin/kill -9 $VICTIM || env kill -9 $VICTIM", Unknown),
    ("(sh -c 'kill -9 $VICTIM' &) ; wait", Unknown),
    ("perl -e 'kill 9, $ENV{VICTIM}'", Unknown),
];

/// The attempts to leave a process running. `$LONG` is a number of seconds that no other test uses.
const LEFT: &[&str] = &[
    "sleep $LONG & exit 0",
    "nohup sleep $LONG > /dev/null 2>&1 & exit 0",
    "(sleep $LONG &) ; exit 0",
    "(setsid sleep $LONG &) ; sleep 0.1",
    "setsid sh -c 'sleep $LONG & sleep $LONG' > /dev/null 2>&1 < /dev/null & sleep 0.1",
    "setsid setsid sh -c '(sleep $LONG &) &' & sleep 0.1",
    "(trap '' TERM HUP INT; sleep $LONG) & sleep 0.1; kill $$",
    "bash -c '(exec -a renamed setsid sleep $LONG) & disown -a' ; sleep 0.1",
    "perl -e 'use POSIX; fork and exit; setsid(); fork and exit; exec \"sleep\", $ENV{LONG}'; sleep 0.1",
    "for i in 1 2 3 4 5 6 7 8 9; do (setsid sh -c '(setsid sleep $LONG &) &' &); done; sleep 0.2",
    "sleep $LONG | sleep $LONG & kill -STOP $!; exit 0",
    "env -i sh -c '(setsid sleep '$LONG' &)'; kill -9 $$",
    // Each process starts the next one and ends.
    "echo '[ $2 -lt 999 ] && sh ./again $1 $(($2 + 1)) &' > again; (setsid sh ./again $LONG 0 &); sleep 0.2",
];

/// What a script can reach: a working folder, and outside of it files and a process.
struct Attempt {
    place: Place,
    victim: Child,
    /// What the process outside writes.
    echoes: BufReader<ChildStdout>,
}

impl Attempt {
    fn new() -> Self {
        let place = Place::new();
        let outside = place.outside();
        std::fs::write(outside.join("secret"), format!("{CANARY} and more\n")).unwrap();
        std::fs::write(outside.join(format!("{CANARY}.txt")), "").unwrap();
        std::fs::create_dir_all(outside.join("home/.ssh")).unwrap();
        std::fs::create_dir_all(outside.join("home/empty")).unwrap();
        std::fs::write(outside.join("home/.ssh/id_rsa"), CANARY).unwrap();
        let mut victim = std::process::Command::new("/bin/sh");
        // It repeats what it reads, as long as it lives, and has the file open.
        let script = "exec 3< secret; while read -r line; do echo \"$line\"; done";
        victim.args(["-c", script, CANARY]).stdin(Stdio::piped()).process_group(0);
        victim
            .env("CANARY_VARIABLE", CANARY)
            .current_dir(&outside)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut victim = victim.spawn().unwrap();
        let echoes = BufReader::new(victim.stdout.take().unwrap());
        let mut attempt = Self { place, victim, echoes };
        // Its program is the one with these arguments from now on.
        assert!(attempt.is_victim_alive());
        attempt
    }

    /// Returns whether the process outside repeats a line. One that was sent a signal ends before it can.
    fn is_victim_alive(&mut self) -> bool {
        let mut line = String::new();
        let is_written = self.victim.stdin.as_mut().unwrap().write_all(b"alive\n").is_ok();
        is_written && self.echoes.read_line(&mut line).is_ok() && line == "alive\n"
    }

    fn command(&self, script: &str) -> Command {
        let mut command = self.place.command(script);
        let outside = self.place.outside();
        let text = |path: &Path| path.as_os_str().to_owned();
        command.environment.extend([
            ("OUT".into(), text(&outside)),
            ("SECRET".into(), text(&outside.join("secret"))),
            ("HOME".into(), text(&outside.join("home"))),
            ("VICTIM".into(), self.victim.id().to_string().into()),
            ("LEAK".into(), CANARY.into()),
        ]);
        command
    }

    /// Runs an attempt, and returns what it achieved.
    fn run(mut self, script: &str, supervisor: &SupervisorProgram) -> Vec<String> {
        let before = tree(&self.place.outside());
        let mut running = self.command(script).start(supervisor).unwrap();
        let done = finish(&mut running);
        let mut achieved = Vec::new();
        if done.stdout.contains(CANARY) || done.stderr.contains(CANARY) && !done.stderr.contains("outside/*")
        {
            achieved.push("read the canary".to_owned());
        }
        if tree(&self.place.outside()) != before {
            achieved.push("changed the folder outside".to_owned());
        }
        let own = if self.place.work().is_symlink() { BTreeMap::new() } else { tree(&self.place.work()) };
        if own.values().any(|entry| entry.contains(CANARY) || entry.starts_with("device")) {
            achieved.push("brought it into the working folder".to_owned());
        }
        if !self.place.work().is_dir() || self.place.work().is_symlink() {
            achieved.push("moved the working folder".to_owned());
        }
        if !self.is_victim_alive() {
            achieved.push("ended a process outside".to_owned());
        }
        achieved
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.victim);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.victim.wait();
    }
}

/// Returns each file below a folder with its kind and content.
fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        let about = std::fs::symlink_metadata(&path).unwrap();
        let kind = about.file_type();
        let what = if kind.is_dir() {
            found.extend(tree(&path));
            "folder".to_owned()
        } else if kind.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).unwrap().display())
        } else if kind.is_file() {
            format!("file {} {}", about.nlink(), String::from_utf8_lossy(&std::fs::read(&path).unwrap()))
        } else if kind.is_block_device() || kind.is_char_device() {
            "device".to_owned()
        } else {
            "other".to_owned()
        };
        found.insert(path, what);
    }
    found
}

/// Checks that no attempt succeeds in the sandbox, and that those of the control succeed without it.
fn check(attempts: &[(&str, Control)]) {
    let mut wrong = Vec::new();
    for (script, control) in attempts {
        let achieved = Attempt::new().run(script, &supervisor());
        if !achieved.is_empty() {
            wrong.push(format!("{script}: {achieved:?}"));
        }
        if *control == Escapes && Attempt::new().run(script, &supervisor_without_sandbox()).is_empty() {
            wrong.push(format!("{script}: without a sandbox it does nothing either"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}

/// Returns whether the kernel of this machine has the sandbox. Without it the attempts say nothing.
fn is_confined() -> bool {
    available_level() == Level::Full
}

#[test]
fn nothing_outside_is_read() {
    if is_confined() {
        check(READS);
    }
}

#[test]
fn nothing_outside_is_changed() {
    if is_confined() {
        check(WRITES);
    }
}

#[test]
fn no_process_outside_is_ended() {
    if is_confined() && has_signal_scope() {
        check(KILLS);
    }
}

/// Returns whether the kernel limits signals: Linux 6.12 and later.
fn has_signal_scope() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.trim().parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(12))
}

#[test]
fn no_process_is_left_running() {
    for supervisor in [supervisor(), supervisor_without_sandbox()] {
        for (number, script) in LEFT.iter().enumerate() {
            // A part of the number is the id of this process, so that runs next to each other do not meet.
            let long = format!("3{}{number:02}.5", std::process::id());
            let attempt = Attempt::new();
            let mut command = attempt.command(script);
            command.environment.push(("LONG".into(), long.clone().into()));
            finish(&mut command.start(&supervisor).unwrap());
            assert_eq!(processes(&long), Vec::<String>::new(), "{script}");
        }
    }
}

/// The wrong control: with its parent alone, a command leaves processes.
#[test]
fn a_shell_without_a_supervisor_leaves_processes() {
    let long = format!("4{}.5", std::process::id());
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &format!("sleep {long} & exit 0")]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut shell = shell.process_group(0).spawn().unwrap();
    shell.wait().unwrap();
    let left = processes(&long);
    let group = rustix::process::Pid::from_child(&shell);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn the_supervisor_cannot_be_killed_by_its_command() {
    if is_confined() && has_signal_scope() {
        let done = Attempt::new();
        let done = finish(
            &mut done.command("kill -9 $PPID; kill -STOP $PPID; exit 7").start(&supervisor()).unwrap(),
        );
        assert_eq!(done.outcome.rc, 7);
    }
}

/// The agent may have been started with open files that its programs inherit.
#[test]
fn no_open_file_reaches_a_command() {
    let attempt = Attempt::new();
    let program = supervisor().program;
    let opened =
        format!("exec 7< '{}/secret'; exec '{}'", attempt.place.outside().display(), program.display());
    let inheriting = SupervisorProgram { program: "/bin/sh".into(), args: vec!["-c".into(), opened.into()] };
    let done = finish(&mut attempt.command("cat <&7").start(&inheriting).unwrap());
    assert!(!done.stdout.contains(CANARY) && done.outcome.rc != 0, "{done:?}");
    // It has its three streams and nothing else.
    let mut command = attempt.command("exec ls /proc/self/fd/");
    command.sandbox = None;
    let done = finish(&mut command.start(&inheriting).unwrap());
    // The fourth is the listing.
    assert_eq!(done.stdout.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}
