#!/usr/bin/env python3
"""Instructions of a hook, held to the figures in bench/instructions.json.

    cargo build --release && bench/instructions.py [--write]

Counted are the instructions of the process under valgrind, which load does not change. Exit
code 1: one of the calls takes over a fifth more than written down. `--write` writes down what
was counted; a figure that fell by a fifth asks for that.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIGURES = os.path.join(ROOT, "bench/instructions.json")
SLACK = 0.20


def count(automode, payload, env, cwd):
    """Instructions of one run."""
    with tempfile.NamedTemporaryFile() as out:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out.name]
        subprocess.run(valgrind + [automode, "hook", "claude-code"], input=payload, env=env, cwd=cwd, check=True, capture_output=True)
        return next(int(line.split()[1]) for line in open(out.name) if line.startswith(("summary:", "totals:")))


def calls(work):
    compound = " && ".join("grep -rn 'word%d' src | sort | uniq -c | head -%d" % (at, at + 1) for at in range(40))[:2048].rsplit(" && ", 1)[0]
    shell = [
        ("git status", "git status"),
        ("npm test", "npm test"),
        ("rm -rf /", "rm -rf /"),
        ("2 KB compound", compound),
        ("rm of 100 files", "rm " + " ".join("src/f%d.rs" % at for at in range(100))),
    ]
    given = [(name, "Bash", {"command": command}) for name, command in shell]
    given += [
        ("Read", "Read", {"file_path": work + "/src/f1.rs"}),
        ("Edit", "Edit", {"file_path": work + "/src/f7.rs", "old_string": "fn f7", "new_string": "fn g7"}),
        ("Write", "Write", {"file_path": work + "/src/f8.rs", "content": "fn g8() {}\n"}),
    ]
    for name, tool, put in given:
        # The first call of a session does more than the others.
        told = {"session_id": name, "cwd": work, "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": tool, "tool_input": put, "tool_use_id": "t"}
        yield name, json.dumps(told).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--automode", default=os.path.join(ROOT, "target/release/automode"))
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: no valgrind (hint: apt-get install valgrind)")
        return 0
    home = tempfile.mkdtemp()
    work = os.path.join(home, "work")
    os.makedirs(work + "/src")
    for at in range(600):
        with open("%s/src/f%d.rs" % (work, at), "w") as f:
            f.write("fn f%d() {}\n" % at)
    git = ["git", "-C", work, "-c", "user.name=b", "-c", "user.email=b@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["status", "-s"]):
        subprocess.check_call(git + words)
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    known = json.load(open(FIGURES)) if os.path.exists(FIGURES) else {}
    counted, missed = {}, 0
    for name, payload in calls(work):
        subprocess.run([args.automode, "hook", "claude-code"], input=payload, env=env, cwd=work, check=True, capture_output=True)
        counted[name] = count(args.automode, payload, env, work)
        bar = known.get(name)
        word = "new" if bar is None else "missed" if counted[name] > bar * (1 + SLACK) else "write it down" if counted[name] < bar * (1 - SLACK) else ""
        missed += word == "missed"
        print("%-20s %12s %12s  %s" % (name, format(counted[name], ","), "-" if bar is None else format(bar, ","), word))
    shutil.rmtree(home)
    if args.write:
        with open(FIGURES, "w") as f:
            json.dump(counted, f, indent=1)
            f.write("\n")
        return 0
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
