#!/usr/bin/env python3
"""The hook's latency with enrolment off and on, call by call in one run.

    cargo build --release && cargo build --release -p automode-server
    bench/enrolment.py target/release/automode [--runs 400]

Three machines with a user's settings take turns in an order that changes: one that belongs
to nobody, its twin, and one that is enrolled at a server that runs beside it, with a policy in force. The
difference between the twins is the noise; the exit code is 1 where that of the enrolled
one is beyond it.
"""
import argparse
import json
import os
import random
import re
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def machine(root, name):
    home = os.path.join(root, name)
    work = os.path.join(home, "work")
    os.makedirs(work)
    subprocess.check_call(["git", "init", "-q", work])
    # Settings of a user, as most have them.
    os.makedirs(os.path.join(home, ".config", "automode"))
    with open(os.path.join(home, ".config", "automode", "config.toml"), "w") as file:
        file.write("[permissions]\ndeny = [\"Bash(git push --force *)\"]\n")
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "AUTOMODE_STATE_DIR": os.path.join(home, "state")}
    return {"env": env, "work": work, "wall": [], "cpu": []}


def serve(server, root):
    port = free_port()
    command = [server, "serve", "--database", os.path.join(root, "server.sqlite"), "--listen", "127.0.0.1:%d" % port]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    token = None
    for line in process.stdout:
        found = re.match(r"administrator's token, shown this once: (\S+)", line)
        token = found.group(1) if found else token
        if line.startswith("open "):
            break
    return process, "http://127.0.0.1:%d" % port, token


def post(origin, token, path, body):
    headers = {"authorization": "Bearer " + token, "content-type": "application/json"}
    request = urllib.request.Request(origin + path, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))


def call(hook, one, command):
    event = {"session_id": "s", "cwd": one["work"], "hook_event_name": "PreToolUse", "permission_mode": "default",
             "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}
    with tempfile.TemporaryFile() as given:
        given.write(json.dumps(event).encode())
        given.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(hook, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=one["env"], cwd=one["work"])
        answer = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        wall = (time.perf_counter() - began) * 1000
        process.returncode = 0
        process.stdout.close()
    return answer, wall, (usage.ru_utime + usage.ru_stime) * 1000


def difference(ours, theirs):
    """The median of the paired differences, with its 95% interval by resampling."""
    pairs = [a - b for a, b in zip(ours, theirs)]
    dice = random.Random(7)
    medians = sorted(statistics.median(dice.choices(pairs, k=len(pairs))) for _ in range(1000))
    return statistics.median(pairs), medians[25], medians[974]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("automode")
    parser.add_argument("--runs", type=int, default=400)
    args = parser.parse_args()
    automode = os.path.abspath(args.automode)
    server = os.path.join(os.path.dirname(automode), "automode-server")
    with tempfile.TemporaryDirectory() as root:
        names = ["alone", "its twin", "enrolled"]
        machines = {name: machine(root, name.replace(" ", "-")) for name in names}
        process, origin, token = serve(server, root)
        try:
            post(origin, token, "/v1/admin/push", {"policy": "[permissions]\ndeny = [\"Bash(terraform destroy *)\"]\n", "everyone": True})
            code = post(origin, token, "/v1/admin/codes", {"group": "everyone"})["code"]
            subprocess.check_call([automode, "fleet", "enroll", origin, code, "--name", "bench"], env=machines["enrolled"]["env"], stdout=subprocess.DEVNULL)
            hook = [automode, "hook", "claude-code"]
            told, _, _ = call(hook, machines["enrolled"], "terraform destroy -auto-approve")
            assert b'"deny"' in told, told
            dice = random.Random(5)
            for turn in range(args.runs + 20):
                order = names[:]
                dice.shuffle(order)
                for name in order:
                    answer, wall, cpu = call(hook, machines[name], "git status")
                    assert b'"allow"' in answer, answer
                    if turn >= 20:
                        machines[name]["wall"].append(wall)
                        machines[name]["cpu"].append(cpu)
        finally:
            process.kill()
            process.wait()
    beyond = False
    for kind in ["wall", "cpu"]:
        print("%s, median of %d calls each" % (kind, args.runs))
        for name in names:
            print("  %-10s %7.2f ms" % (name, statistics.median(machines[name][kind])))
        noise = difference(machines["its twin"][kind], machines["alone"][kind])
        ours = difference(machines["enrolled"][kind], machines["alone"][kind])
        print("  twin less alone      %+.3f ms [%+.3f, %+.3f]" % noise)
        print("  enrolled less alone  %+.3f ms [%+.3f, %+.3f]" % ours)
        room = max(abs(noise[1]), abs(noise[2]), 0.02 * statistics.median(machines["alone"][kind]))
        beyond |= ours[1] > room
    print("beyond noise" if beyond else "no difference beyond noise")
    raise SystemExit(beyond)


if __name__ == "__main__":
    main()
