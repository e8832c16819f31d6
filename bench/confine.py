#!/usr/bin/env python3
"""What a confined start costs over a bare shell.

    cargo build --release -p automode-confine && bench/confine.py [--runs 100] [--launcher PATH]

All contestants run in turns, so that load hits them alike. CPU time is that of the whole tree,
by a cgroup where one can be made (the first process inside is not waited for, so the usual
accounting misses it), else by rusage, which is said. Printed are medians with quartiles, in
milliseconds; the bars behind the figures make the exit code: 1 where one is missed. With
`--build` a cold build of a small crate is compared too; it needs cargo and takes a minute.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Over the bare shell: CPU and wall milliseconds.
BARS = {"bubblewrap": (20.0, 25.0), "landlock": (8.0, 25.0)}
BUILD_BAR = 1.03


class Account:
    """CPU nanoseconds of everything that a run starts."""

    def __init__(self):
        self.path = self.tasks = self.usage = None
        name = "automode-bench-%d" % os.getpid()
        for top, tasks, usage in [
            ("/sys/fs/cgroup/cpuacct", "tasks", "cpuacct.usage"),
            ("/sys/fs/cgroup", "cgroup.procs", "cpu.stat"),
        ]:
            path = os.path.join(top, name)
            try:
                os.mkdir(path)
            except OSError:
                continue
            if os.path.exists(os.path.join(path, usage)):
                self.path, self.tasks, self.usage = path, os.path.join(path, tasks), os.path.join(path, usage)
                return
            os.rmdir(path)

    def enter(self):
        if self.path:
            with open(self.tasks, "w") as f:
                f.write(str(os.getpid()))

    def now(self):
        if not self.path:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return (usage.ru_utime + usage.ru_stime) * 1e9
        with open(self.usage) as f:
            text = f.read()
        if text.startswith("usage_usec"):
            return int(text.split()[1]) * 1e3
        return int(text)

    def close(self):
        if self.path:
            os.rmdir(self.path)


def once(account, argv, env, cwd):
    before, start = account.now(), time.monotonic()
    code = subprocess.call(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, preexec_fn=account.enter)
    wall = time.monotonic() - start
    if code:
        raise SystemExit("%s ended with %d" % (" ".join(argv), code))
    # What is still ending is counted too.
    time.sleep(0.005)
    return (account.now() - before) / 1e6, wall * 1e3


def quartiles(values):
    cut = statistics.quantiles(values, n=4)
    return "%6.1f [%5.1f %5.1f]" % (statistics.median(values), cut[0], cut[2])


def starts(options, account, world):
    command = {"bash": ["bash", "-c", "true"]}
    for backend in BARS:
        command[backend] = world.launch(options.launcher, backend, "true")
    figures = {name: ([], []) for name in command}
    for _ in range(options.runs):
        for name, argv in command.items():
            cpu, wall = once(account, argv, world.env, world.project)
            figures[name][0].append(cpu)
            figures[name][1].append(wall)
    missed = 0
    print("%-12s %-22s %-22s %s" % ("start", "cpu ms", "wall ms", "over bash: cpu, wall (bars)"))
    for name, (cpu, wall) in figures.items():
        # By pairs: what ran side by side had the same load.
        more = [statistics.median(a - b for a, b in zip(mine, bare)) for mine, bare in zip((cpu, wall), figures["bash"])]
        bars = BARS.get(name)
        told = ""
        if bars:
            late = more[0] > bars[0] or more[1] > bars[1]
            missed += late
            told = "%5.1f %5.1f (%g, %g)%s" % (more[0], more[1], bars[0], bars[1], "  MISSED" if late else "")
        print("%-12s %-22s %-22s %s" % (name, quartiles(cpu), quartiles(wall), told))
    return missed


def builds(options, account, world):
    os.makedirs(os.path.join(world.project, "src"))
    with open(os.path.join(world.project, "Cargo.toml"), "w") as f:
        f.write("[package]\nname = \"x\"\nedition = \"2021\"\n[workspace]\n")
    with open(os.path.join(world.project, "src/main.rs"), "w") as f:
        f.write("fn main() {}\n" + "".join("pub fn f%d(x: &str) -> String { format!(\"{x} {x:?}\") }\n" % at for at in range(300)))
    build = "rm -rf target && cargo build --offline -q"
    command = {"bash": ["bash", "-c", build]}
    for backend in BARS:
        command[backend] = world.launch(options.launcher, backend, build)
    walls = {name: [] for name in command}
    for _ in range(max(3, options.runs // 10)):
        for name, argv in command.items():
            walls[name].append(once(account, argv, world.env, world.project)[1])
    missed = 0
    for name, wall in walls.items():
        ratio = statistics.median(a / b for a, b in zip(wall, walls["bash"]))
        late = ratio > BUILD_BAR
        missed += late
        print("%-12s cold build %s  ratio %.3f%s" % (name, quartiles(wall), ratio, "  MISSED" if late else ""))
    return missed


class World:
    """A home with a project of some files, as a person has one."""

    def __init__(self, top):
        self.home = os.path.join(top, "home")
        self.project = os.path.join(self.home, "app")
        self.state = os.path.join(self.home, ".state")
        for at in range(200):
            folder = os.path.join(self.project, "lib", "d%d" % (at // 20))
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "f%d.py" % at), "w") as f:
                f.write("x = %d\n" % at)
        subprocess.check_call(["git", "init", "-q", self.project])
        real = os.environ.get("HOME", "/root")
        self.env = {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8",
                    "CARGO_HOME": os.environ.get("CARGO_HOME", real + "/.cargo"),
                    "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", real + "/.rustup")}

    def launch(self, launcher, backend, command):
        promise = json.dumps({"project": self.project})
        return [launcher, "run", backend, self.state, promise, command]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--launcher", default=os.path.join(ROOT, "target/release/automode-confine"))
    parser.add_argument("--build", action="store_true")
    options = parser.parse_args()
    options.launcher = os.path.abspath(options.launcher)
    if not shutil.which("bwrap"):
        BARS.pop("bubblewrap")
    account = Account()
    print("cpu by %s" % (account.path or "rusage (no cgroup can be made)"))
    # Not below /tmp, which is private inside.
    top = tempfile.mkdtemp(dir=os.path.join(ROOT, "target"))
    try:
        world = World(top)
        missed = starts(options, account, world)
        if options.build:
            missed += builds(options, account, world)
    finally:
        account.close()
        shutil.rmtree(top, ignore_errors=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
