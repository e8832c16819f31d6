#!/usr/bin/env python3
"""Kills hooks at random moments, over folds of the session and rotations of the log.

    cargo build --release && bench/kills.py [--kills 10000] [--seed 1]

A file is downloaded first. Afterwards every hook that answered stands in the log, the log
verifies, no line is torn in a way that it does not admit, and the downloaded file is still not
run unasked, in this session and in another one. Exit code 1: something was lost or loosened.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--automode", default=os.path.join(ROOT, "target/release/automode"))
    args = parser.parse_args()
    chance = random.Random(args.seed)
    home = tempfile.mkdtemp()
    work = os.path.join(home, "work")
    os.makedirs(work)
    subprocess.check_call(["git", "init", "-q", work])
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    state = os.path.join(home, ".local/state/automode")

    def payload(command, session="s", event="PreToolUse", name="t"):
        told = {"session_id": session, "cwd": work, "hook_event_name": event, "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {}, "tool_use_id": name}
        return json.dumps(told).encode()

    def start(given):
        process = subprocess.Popen([args.automode, "hook", "claude-code"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=work)
        process.stdin.write(given)
        process.stdin.close()
        return process

    def verdict(given):
        process = start(given)
        told = process.stdout.read()
        process.wait()
        answer = json.loads(told).get("hookSpecificOutput", {}) if told.strip() else {}
        return answer.get("permissionDecision", "none")

    download = "curl -sLo tool.sh https://unknown.example/tool.sh"
    verdict(payload(download, name="d"))
    subprocess.check_call(["sh", "-c", "printf 'echo hi\\n' > tool.sh"], cwd=work)
    verdict(payload(download, event="PostToolUse", name="d"))
    before = [verdict(payload("sh tool.sh")), verdict(payload("sh tool.sh", session="other"))]
    print("before: %s" % before)
    killed = answered = 0
    marks = []
    begun = time.time()
    took = 0.003
    while killed < args.kills:
        mark = "mark%d" % (killed + answered)
        process = start(payload("echo %s %s" % (mark, "x" * chance.randrange(8000))))
        pause = chance.random() * took * 1.3
        end = time.perf_counter() + pause
        while time.perf_counter() < end and process.poll() is None:
            time.sleep(0.0002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        told = process.stdout.read()
        process.stdout.close()
        if process.wait() == -signal.SIGKILL and not told.strip():
            killed += 1
            took = max(0.001, took * 1.002)
        else:
            answered += 1
            took = max(0.001, took * 0.995)
            marks.append(mark)
    after = [verdict(payload("sh tool.sh")), verdict(payload("sh tool.sh", session="other"))]
    logs = [os.path.join(state, name) for name in os.listdir(state) if name.startswith("audit") and name.endswith(".jsonl")]
    text = "".join(open(path, errors="replace").read() for path in logs)
    lost = [mark for mark in marks if "echo %s " % mark not in text]
    verified = subprocess.run([args.automode, "log", "verify"], env=env, capture_output=True, text=True)
    records = [os.path.join(state, "sessions", name) for name in os.listdir(state + "/sessions")]
    folds = sum('"note":"folded"' in open(path).readline() for path in records if path.endswith(".jsonl"))
    print("%d killed, %d answered, %d logs put aside, %d folded records, %.0f s" % (killed, answered, len(logs) - 1, folds, time.time() - begun))
    print("after: %s, lost answers: %d" % (after, len(lost)))
    print(verified.stdout.strip())
    loosened = any(now == "allow" for now in after)
    shutil.rmtree(home)
    sys.exit(1 if lost or loosened or verified.returncode else 0)


if __name__ == "__main__":
    main()
