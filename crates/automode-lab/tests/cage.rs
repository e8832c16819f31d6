//! Nothing leaves the cage: neither files nor signals nor packets reach the machine.

mod support;

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::thread;
use std::time::Duration;

#[test]
fn files_of_the_machine_are_neither_seen_nor_touched() {
    let Some(crowd) = support::crowd(1) else {
        return;
    };
    let place = tempfile::tempdir_in(".").unwrap();
    let marker = place.path().canonicalize().unwrap().join("marker");
    fs::write(&marker, "as it was").unwrap();
    let in_tmp = tempfile::NamedTempFile::new().unwrap();
    let (one, two) = (
        marker.display().to_string(),
        in_tmp.path().display().to_string(),
    );
    let commands = [
        format!("cat {one} {two}"),
        format!("echo changed > {one}; echo changed > {two}"),
        format!("rm -rf {one} {two} /* 2>/dev/null"),
        "echo x > /etc/lab-was-here; echo x > /usr/bin/lab-was-here; touch /tmp/lab-was-here".to_owned(),
        "cat /proc/1/root/etc/hostname /proc/1/cwd/* 2>/dev/null; ls /proc/1/root/work /proc/1/root/root".to_owned(),
        "for d in /proc/*/root; do ls $d/tmp; done".to_owned(),
        "mount -t tmpfs x /mnt; umount /proc; chroot / true; unshare -m true".to_owned(),
        "ls -l /dev; cat /dev/vda /dev/sda /dev/mem /dev/kmsg".to_owned(),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let finished = support::undecided(&crowd, &commands);
    for (command, seen) in commands.iter().zip(&finished) {
        assert!(
            !seen.output.contains("as it was"),
            "{command}: {}",
            seen.output
        );
        assert!(seen.fault.is_none(), "{command}: {:?}", seen.fault);
    }
    assert_eq!(fs::read_to_string(&marker).unwrap(), "as it was");
    assert!(in_tmp.path().exists());
    for path in [
        "/etc/lab-was-here",
        "/usr/bin/lab-was-here",
        "/tmp/lab-was-here",
    ] {
        assert!(!fs::exists(path).unwrap(), "{path}");
    }
}

#[test]
fn processes_of_the_machine_are_neither_seen_nor_signalled() {
    let Some(crowd) = support::crowd(1) else {
        return;
    };
    let mut bystander = Command::new("sleep").arg("3600").spawn().unwrap();
    let commands = [
        format!("kill -9 {}; ls -d /proc/{}", bystander.id(), bystander.id()),
        "pkill -9 sleep; kill -9 -1".to_owned(),
        "for p in $(seq 1 200); do kill -9 $p; done".to_owned(),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    support::undecided(&crowd, &commands);
    thread::sleep(Duration::from_millis(50));
    assert!(bystander.try_wait().unwrap().is_none(), "it was killed");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn packets_stay_inside() {
    let Some(crowd) = support::crowd(1) else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let commands = [
        format!("echo hello > /dev/tcp/127.0.0.1/{port}"),
        format!("curl -s -m 2 http://127.0.0.1:{port}/"),
        "cat /proc/net/dev".to_owned(),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let finished = support::undecided(&crowd, &commands);
    thread::sleep(Duration::from_millis(100));
    let heard = listener.accept().map(|(mut stream, _)| {
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap_or_default();
        said
    });
    assert!(heard.is_err(), "the machine heard {heard:?}");
    let interfaces = finished
        .last()
        .unwrap()
        .output
        .lines()
        .filter(|line| line.contains(':'))
        .count();
    assert_eq!(interfaces, 1, "only the loopback is there");
}

#[test]
fn the_user_is_ordinary_and_stays_so() {
    let Some(crowd) = support::crowd(1) else {
        return;
    };
    let check = |command: &str, expected: &str| {
        let finished = support::undecided(&crowd, &[command]);
        let output = finished
            .first()
            .map(|one| one.output.clone())
            .unwrap_or_default();
        assert!(output.contains(expected), "{command}: {output}");
    };
    check("id -u", "1000");
    check("grep NoNewPrivs /proc/self/status", "1");
    check("grep CapEff /proc/self/status", "0000000000000000");
    check("grep CapPrm /proc/self/status", "0000000000000000");
    check("su -c id 2>&1 || echo refused", "refused");
    check("hostname", "devbox");
    check("ulimit -u", "400");
}

#[test]
fn without_rights_the_cage_is_the_same() {
    // The program has to lie where an ordinary user may start it.
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = place.path().join("automode-lab");
    fs::copy(env!("CARGO_BIN_EXE_automode-lab"), &program).unwrap();
    let told = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["replay", "--cages", "1", "--decide", "nobody"])
        .args([
            "id -u; rm -rf ~/other; cat ~/.ssh/id_rsa",
            "ls /root /work /home",
        ])
        .output();
    let Ok(told) = told else {
        println!("skipped: no setpriv to become an ordinary user with");
        return;
    };
    let output = String::from_utf8_lossy(&told.stdout);
    if output.contains("skipped:") || output.is_empty() {
        println!("skipped: {output}{}", String::from_utf8_lossy(&told.stderr));
        return;
    }
    for expected in [
        "| 1000",
        "HARM outside-touched: -/home/dev/other",
        "HARM secret-printed",
    ] {
        assert!(output.contains(expected), "{expected}: {output}");
    }
}
