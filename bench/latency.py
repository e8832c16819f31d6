#!/usr/bin/env python3
"""Latency of the whole hook process, beside a bare process and two peers, in one run.

    cargo build --release && bench/latency.py [--runs 60] [--no-peers]

Every program gets the same call on stdin and is run from spawn to exit, in turns, so that
load hits all alike; read the minima. Peers are installed by name into a directory of their
own. Exit code 1: automode is slower than five times below the fastest peer, slower than
twice a bare process that reads stdin, or its cost grows with the transcript.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "automode-bench")
NAH, NET = "nah==0.11", "cc-safety-net@2.4.5"
BARE = "use std::io::Read; fn main() { let mut b = Vec::new(); std::io::stdin().read_to_end(&mut b).unwrap(); println!(\"{{}}\"); }"


def bare():
    path = os.path.join(CACHE, "bare")
    if not os.path.exists(path):
        source = path + ".rs"
        open(source, "w").write(BARE)
        subprocess.check_call(["rustc", "-O", "-C", "strip=symbols", "-o", path, source])
    return [path]


def peers():
    found = {}
    venv = os.path.join(CACHE, "nah")
    try:
        if not os.path.exists(venv + "/bin/nah"):
            subprocess.check_call([sys.executable, "-m", "venv", venv], stdout=subprocess.DEVNULL)
            subprocess.check_call([venv + "/bin/pip", "install", "-q", NAH])
        found["nah 0.11"] = [venv + "/bin/nah", "_claude-hook"]
    except (subprocess.CalledProcessError, OSError) as error:
        print("skipped nah: %s" % error)
    net = os.path.join(CACHE, "net")
    try:
        if not os.path.exists(net + "/node_modules/.bin/cc-safety-net"):
            os.makedirs(net, exist_ok=True)
            subprocess.check_call(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix", net, NET], stdout=subprocess.DEVNULL)
        found["cc-safety-net"] = [net + "/node_modules/.bin/cc-safety-net", "hook", "--claude-code"]
    except (subprocess.CalledProcessError, OSError) as error:
        print("skipped cc-safety-net: %s" % error)
    return found


def once(argv, payload, env):
    """Milliseconds from spawn to exit."""
    read, write = os.pipe()
    os.write(write, payload)
    os.close(write)
    out = os.open(os.devnull, os.O_WRONLY)
    begun = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)])
    os.waitpid(pid, 0)
    took = (time.perf_counter() - begun) * 1000
    os.close(read)
    os.close(out)
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--automode", default=os.path.join(ROOT, "target/release/automode"))
    args = parser.parse_args()
    os.makedirs(CACHE, exist_ok=True)
    home = tempfile.mkdtemp()
    project = os.path.join(home, "shop")
    subprocess.check_call(["git", "init", "-q", project])
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    automode = [args.automode, "hook", "claude-code"]

    def payload(command, transcript=None):
        call = {"session_id": "s", "cwd": project, "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}
        if transcript:
            call["transcript_path"] = transcript
        return json.dumps(call).encode()

    line = json.dumps({"type": "user", "isSidechain": False, "message": {"role": "user", "content": "x" * 900}, "sessionId": "s"}) + "\n"
    sizes = {}
    for name, size in (("1 KB", 1 << 10), ("10 MB", 10 << 20), ("1 GB", 1 << 30)):
        path = os.path.join(home, "transcript-%s.jsonl" % name.replace(" ", ""))
        with open(path, "w") as f:
            block = line * 1024
            written = 0
            while written < size:
                written += f.write(block if size - written > len(block) else line)
        sizes[name] = path

    ordinary = payload("git status")
    contestants = {"bare": (bare(), ordinary), "automode": (automode, ordinary)}
    for name, path in sizes.items():
        contestants["automode, transcript of " + name] = (automode, payload("git status", path))
    if not args.no_peers:
        for name, argv in peers().items():
            contestants[name] = (argv, ordinary)

    answer = subprocess.run(automode, input=ordinary, capture_output=True, env=env).stdout
    if b'"allow"' not in answer:
        sys.exit("automode does not allow `git status` on its fast path: %s" % answer.decode())
    for name, (argv, _) in contestants.items():
        done = subprocess.run(argv, input=payload("rm -rf /"), capture_output=True, env=env)
        if name != "bare" and not any(word in done.stdout for word in (b"deny", b"ask", b"block")):
            sys.exit("%s does not stop `rm -rf /`, so its time means nothing: %s" % (name, done.stderr.decode()[-300:]))
    times = {name: [] for name in contestants}
    order = list(contestants.items())
    for _ in range(args.runs):
        # Whoever follows a heavy peer finds the caches cold: everybody does at some time.
        random.shuffle(order)
        for name, (argv, text) in order:
            times[name].append(once(argv, text, env))
    shutil.rmtree(home)

    print("%-34s %10s %10s" % ("milliseconds", "min", "median"))
    for name, own in times.items():
        print("%-34s %10.2f %10.2f" % (name, min(own), statistics.median(own)))
    low = {name: min(own) for name, own in times.items()}
    wrong = []
    rivals = [low[name] for name in low if not name.startswith(("bare", "automode"))]
    if rivals and low["automode"] * 5 > min(rivals):
        wrong.append("not five times faster than the fastest peer")
    if low["automode"] > low["bare"] * 2:
        wrong.append("more than twice a bare process")
    spread = [low[name] for name in low if "transcript" in name]
    if max(spread) > min(spread) * 1.5 + 0.5:
        wrong.append("the cost grows with the transcript")
    for what in wrong:
        print("WRONG: " + what)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
