#!/usr/bin/env python3
"""What a hook costs, as a ratio to a bare process that reads stdin.

    cargo build --release && bench/ratios.py [--runs 100] [--large 50000] [--peer NAME=COMMAND]

All contestants run in turns, so that load hits them alike. Printed are the median of the CPU
time over that of the bare process with its quartiles, page faults, and system calls where
strace is there. The bars behind the figures make the exit code: 1 where one is missed.
"""
import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BARE = "use std::io::Read; fn main() { let mut b = Vec::new(); std::io::stdin().read_to_end(&mut b).unwrap(); println!(\"{{}}\"); }"


def bare(home):
    source = os.path.join(home, "bare.rs")
    with open(source, "w") as f:
        f.write(BARE)
    path = os.path.join(home, "bare")
    subprocess.check_call(["rustc", "-O", "-C", "strip=symbols", "-o", path, source])
    return [path]


def repository(path, count):
    """A repository of that many committed files."""
    subprocess.check_call(["git", "init", "-q", path])
    for at in range(count):
        folder = os.path.join(path, "src", "d%d" % (at // 500))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "f%d.rs" % at), "w") as f:
            f.write("fn f%d() {}\n" % at)
    git = ["git", "-C", path, "-c", "user.name=b", "-c", "user.email=b@example.com"]
    subprocess.check_call(git + ["add", "-A"])
    subprocess.check_call(git + ["commit", "-qm", "one"])
    # An index that is younger than its files needs no look at their content.
    subprocess.check_call(git + ["status", "-s"])
    return path


def once(argv, payload, env, cwd):
    """CPU milliseconds and page faults of one run."""
    with tempfile.TemporaryFile() as given:
        given.write(payload)
        given.seek(0)
        process = subprocess.Popen(argv, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=cwd)
        process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        process.stdout.close()
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_minflt


def system_calls(argv, payload, env, cwd):
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strace", "-f", "-c", "-o", out.name] + argv, input=payload, capture_output=True, env=env, cwd=cwd)
        total = [line for line in open(out.name) if line.rstrip().endswith("total")]
    words = total[0].split() if total else []
    return int(words[3]) if len(words) > 3 and words[3].isdigit() else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--large", type=int, default=50_000)
    parser.add_argument("--peer", action="append", default=[], help="NAME=COMMAND, run with the same call")
    parser.add_argument("--automode", default=os.path.join(ROOT, "target/release/automode"))
    args = parser.parse_args()
    home = tempfile.mkdtemp()
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    small, large = (repository(os.path.join(home, name), count) for name, count in (("small", 100), ("large", args.large)))
    ruled = repository(os.path.join(home, "ruled"), 10)
    os.makedirs(ruled + "/.claude")
    with open(ruled + "/.claude/settings.json", "w") as f:
        json.dump({"permissions": {"deny": ["Bash(forbidden-%d:*)" % at for at in range(10_000)]}}, f, indent=1)
    hook = [args.automode, "hook", "claude-code"]

    # A session of its own for every repository: it works under the settings of where it began.
    def call(cwd, tool, given, session=None):
        session = session or os.path.basename(cwd)
        return json.dumps({"session_id": session, "cwd": cwd, "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": tool, "tool_input": given, "tool_use_id": "t"}).encode()

    def shell(cwd, command, session=None):
        return call(cwd, "Bash", {"command": command}, session)

    compound = " && ".join("grep -rn 'word%d' src | sort | uniq -c | head -%d" % (at, at + 1) for at in range(40))[:2048].rsplit(" && ", 1)[0]
    edit = lambda cwd: call(cwd, "Edit", {"file_path": cwd + "/src/d0/f7.rs", "old_string": "fn f7", "new_string": "fn g7"})
    write = lambda cwd: call(cwd, "Write", {"file_path": cwd + "/src/d0/f8.rs", "content": "fn g8() {}\n"})
    hundred = "rm " + " ".join("src/d0/f%d.rs" % at for at in range(100))
    # A session of many calls: as many records as a day of work leaves.
    for _ in range(3):
        once(hook, shell(small, "git status", "long"), env, small)
    record = max((os.path.join(top, name) for top, _, names in os.walk(home + "/.local/state") for name in names if name.endswith(".jsonl") and "sessions" in top), key=os.path.getmtime)
    with open(record) as f:
        line = [text for text in f if '"note":"call"' in text][-1]
    with open(record, "a") as f:
        f.writelines(line for _ in range(20_000))

    cases = [
        ("git status", shell(small, "git status"), small, 1.3),
        ("Read", call(small, "Read", {"file_path": small + "/src/d0/f1.rs"}), small, 1.3),
        ("npm test", shell(small, "npm test"), small, 1.3),
        ("rm -rf /", shell(small, "rm -rf /"), small, 1.3),
        ("2 KB compound", shell(small, compound), small, 2.0),
        ("Edit, 100 files", edit(small), small, 1.8),
        ("Edit, %d files" % args.large, edit(large), large, 1.8),
        ("Write, 100 files", write(small), small, 1.8),
        ("Write, %d files" % args.large, write(large), large, 1.8),
        ("rm of 100 files in %d" % args.large, shell(large, hundred), large, 4.0),
        ("10,000 rules", shell(ruled, "git status"), ruled, 2.0),
        ("session of 20,000 calls", shell(small, "git status", "long"), small, 1.5),
    ]
    contestants = [("bare", bare(home), cases[0][1], small, None)]
    contestants += [(name, hook, payload, cwd, bar) for name, payload, cwd, bar in cases]
    for peer in args.peer:
        name, command = peer.split("=", 1)
        contestants.append((name, shlex.split(command), cases[0][1], small, None))
    times = {name: [] for name, *_ in contestants}
    faults = {}
    for _ in range(args.runs):
        for name, argv, payload, cwd, _bar in contestants:
            took, fault = once(argv, payload, env, cwd)
            times[name].append(took)
            faults[name] = fault
    base = statistics.median(times["bare"])
    missed = 0
    print("%-28s %8s %16s %8s %8s" % ("", "x bare", "quartiles", "faults", "calls"))
    for name, argv, payload, cwd, bar in contestants:
        low, middle, high = (value / base for value in statistics.quantiles(times[name], n=4))
        over = bar is not None and middle > bar
        missed += over
        calls = system_calls(argv, payload, env, cwd)
        print("%-28s %8.2f %7.2f – %6.2f %8d %8s%s" % (name, middle, low, high, faults[name], calls if calls is not None else "-", "  bar %.1f missed" % bar if over else ""))
    print("bare: %.2f ms of CPU" % base)
    shutil.rmtree(home, ignore_errors=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
