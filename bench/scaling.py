#!/usr/bin/env python3
"""What grows with its surroundings: each thing small and large, in turns.

    cargo build --release && bench/scaling.py [--runs 15] [--only WORD]

Printed are the medians of the CPU time of the small and the large case and how many times
the small one the large one costs. Exit code 1: a large case takes over 100 ms, or more than
1.2 times the small one where it also takes more than 2 ms longer.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST, TIMES, SLACK = 100.0, 1.2, 2.0
ENTRY = {
    "agent": "claude-code", "session": "s", "tool": "Bash", "brief": "ls", "cwd": "/w", "verdict": "allow", "ground": "exception",
    "reason": "known", "presence": "interactive", "latency": 0.5, "config": "", "print": "",
}


def once(argv, payload, env, cwd):
    """CPU milliseconds of one run."""
    with tempfile.TemporaryFile() as given:
        given.write(payload)
        given.seek(0)
        process = subprocess.Popen(argv, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd=cwd)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return (usage.ru_utime + usage.ru_stime) * 1000


class World:
    """A home with a repository, and a state of its own."""

    def __init__(self, top, name, files=20):
        self.home = os.path.join(top, name)
        self.work = os.path.join(self.home, "work")
        os.makedirs(self.work + "/src")
        self.env = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.state = os.path.join(self.home, ".local/state/automode")
        self.git("init", "-q")
        for at in range(files):
            with open("%s/src/f%d.rs" % (self.work, at), "w") as f:
                f.write("fn f%d() {}\n" % at)
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def git(self, *words):
        subprocess.check_call(["git", "-C", self.work, "-c", "user.name=b", "-c", "user.email=b@example.com"] + list(words), env=self.env)

    def call(self, tool, given, event="PreToolUse", **more):
        told = {"session_id": "s", "cwd": self.work, "hook_event_name": event, "permission_mode": "default", "tool_name": tool, "tool_input": given, "tool_use_id": "t"}
        return json.dumps(dict(told, **more)).encode()

    def shell(self, command, **more):
        return self.call("Bash", {"command": command}, **more)

    def record(self):
        """The session's record, which is there after a call."""
        folder = self.state + "/sessions/"
        return folder + next(name for name in os.listdir(folder) if name.endswith(".jsonl"))


def log_of(world, lines):
    """A log of that many decisions, put aside in files as automode does it."""
    os.makedirs(world.state, mode=0o700)
    per_file = 60_000
    for first in range(0, lines, per_file):
        count = min(per_file, lines - first)
        is_last = first + count == lines
        with open("%s/audit%s.jsonl" % (world.state, "" if is_last else ".%d" % (first + count)), "w") as f:
            for at in range(first, first + count):
                f.write(json.dumps(dict(ENTRY, time=1_700_000_000_000 + at * 1000, id="i%07d" % at), separators=(",", ":")) + "\n")


def cases(automode, top):
    """Name, then for small and large: program, payload, environment, directory."""
    hook = [automode, "hook", "claude-code"]

    def pair(name, small, large, make):
        worlds = [World(top, "%s-%d" % (name, size)) for size in (small, large)]
        return [make(world, size) for world, size in zip(worlds, (small, large))]

    def rules(world, count):
        os.makedirs(world.work + "/.claude")
        with open(world.work + "/.claude/settings.json", "w") as f:
            json.dump({"permissions": {"deny": ["Bash(forbidden-%d:*)" % at for at in range(count)]}}, f, indent=1)
        return hook, world.shell("git status"), world.env, world.work

    def calls(world, count):
        once(hook, world.shell("git status"), world.env, world.work)
        record = world.record()
        line = [text for text in open(record) if '"note":"call"' in text][-1]
        with open(record, "a") as f:
            f.writelines(line for _ in range(count))
        return hook, world.shell("git status"), world.env, world.work

    def written(world, count):
        for first in range(0, count, 50):
            names = ["src/new%d.txt" % at for at in range(first, min(first + 50, count))]
            once(hook, world.shell("touch " + " ".join(names)), world.env, world.work)
        return hook, world.shell("git status"), world.env, world.work

    def transcript(world, size):
        path = world.home + "/transcript.jsonl"
        line = json.dumps({"type": "user", "message": {"role": "user", "content": "go on"}}) + "\n"
        with open(path, "w") as f:
            f.truncate(size)
            f.seek(size)
            f.write("\n" + line * 4)
        os.makedirs(world.home + "/.config/automode")
        with open(world.home + "/.config/automode/config.toml", "w") as f:
            f.write("[[judge.chain]]\nkind = \"command\"\ncommand = [\"/bin/false\"]\n")
        return hook, world.shell("python3 -c 'import unknown; unknown.go()'", transcript_path=path), world.env, world.work

    def tree(world, count):
        for at in range(count):
            if at % 1000 == 0:
                os.makedirs("%s/out/d%d" % (world.work, at // 1000))
            open("%s/out/d%d/f%d" % (world.work, at // 1000, at), "w").close()
        return hook, world.shell("rm -r out"), world.env, world.work

    def many(world, count):
        return hook, world.shell("rm " + " ".join("src/none%d" % at for at in range(count))), world.env, world.work

    def of_log(*words):
        def make(world, lines):
            log_of(world, lines)
            return [automode] + list(words), b"", world.env, world.work
        return make

    yield "permission rules, 10 and 10,000", lambda: pair("rules", 10, 10_000, rules)
    yield "calls of a session, 10 and 20,000", lambda: pair("calls", 10, 20_000, calls)
    yield "written files, 10 and 5,000", lambda: pair("written", 10, 5_000, written)
    yield "transcript, 1 KB and 1 GB, with a judge", lambda: pair("transcript", 1024, 1 << 30, transcript)
    yield "rm -r of 1,000 and 200,000 files", lambda: pair("tree", 1_000, 200_000, tree)
    yield "rm of 10 and 1,000 absent names", lambda: pair("many", 10, 1_000, many)
    yield "why last, 1,000 and 1,000,000 lines", lambda: pair("why", 1_000, 1_000_000, of_log("why", "last"))
    yield "why the oldest, 1,000 and 1,000,000 lines", lambda: pair("old", 1_000, 1_000_000, of_log("why", "i0000003"))
    yield "log, 1,000 and 1,000,000 lines", lambda: pair("log", 1_000, 1_000_000, of_log("log"))
    yield "stats, 1,000 and 1,000,000 lines", lambda: pair("stats", 1_000, 1_000_000, of_log("stats"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--automode", default=os.path.join(ROOT, "target/release/automode"))
    args = parser.parse_args()
    missed = 0
    print("%-44s %10s %10s %8s" % ("", "small ms", "large ms", "times"))
    top = tempfile.mkdtemp()
    for name, make in cases(args.automode, top):
        if args.only not in name:
            continue
        pair = make()
        for case in pair:  # Once for what is counted or folded the first time.
            once(*case)
        times = [[], []]
        for _ in range(args.runs):
            for own, case in zip(times, pair):
                own.append(once(*case))
        small, large = (statistics.median(own) for own in times)
        over = large > MOST or (large > small * TIMES and large > small + SLACK)
        missed += over
        print("%-44s %10.2f %10.2f %8.2f%s" % (name, small, large, large / small, "  missed" if over else ""), flush=True)
        for entry in os.listdir(top):
            shutil.rmtree(os.path.join(top, entry))
    shutil.rmtree(top)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
