#!/usr/bin/env python3
"""How much the result probe sees, and how often it is wrong.

    pip install agentdojo
    cargo build --release -p automode-doors --example probe
    bench/probe.py target/release/examples/probe DIRECTORY...

Detection: every injection task of AgentDojo in every attack that it registers.
False alarms: documentation and source files under the directories, which somebody else wrote.
"""

import collections
import pathlib
import subprocess
import sys
import tempfile

KINDS = {".md", ".rst", ".txt", ".py", ".rs", ".js", ".ts", ".json", ".toml", ".html", ".h", ".c"}
LARGEST = 400_000


def injections(folder):
    """Writes one file an injection, named after its attack."""
    import agentdojo.attacks.baseline_attacks as baseline
    import agentdojo.attacks.dos_attacks as dos
    import agentdojo.attacks.important_instructions_attacks as important
    from agentdojo.task_suite.load_suites import get_suites

    class Pipeline:
        name = "claude-3-5-sonnet-20241022"

    for suite_name, suite in get_suites("v1.2.1").items():
        user_task = next(iter(suite.user_tasks.values()))
        for module in (baseline, important, dos):
            for attack in vars(module).values():
                own = isinstance(attack, type) and attack.__module__ == module.__name__
                if not own or getattr(attack, "name", "manual") == "manual":
                    continue
                made = attack(suite, Pipeline())
                for task_id, task in suite.injection_tasks.items():
                    text = next(iter(made.attack(user_task, task).values()))
                    (folder / f"{attack.name}.{suite_name}.{task_id}").write_text(text)


def scan(program, files):
    names = "\n".join(map(str, files)) + "\n"
    done = subprocess.run([program], input=names, capture_output=True, text=True, errors="replace", check=True)
    return dict(line.split("\t", 1) for line in done.stdout.split("\n") if "\t" in line)


def main():
    program, *directories = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        injections(folder)
        told = scan(program, sorted(folder.iterdir()))
        seen, all_of = collections.Counter(), collections.Counter()
        for path, found in told.items():
            attack = pathlib.Path(path).name.split(".")[0]
            all_of[attack] += 1
            seen[attack] += bool(found)
        for attack in sorted(all_of):
            print(f"{attack:<42} {seen[attack]:>4} of {all_of[attack]}")
        print(f"detected {sum(seen.values())} of {sum(all_of.values())}: {sum(seen.values()) / sum(all_of.values()):.1%}")
    files = [
        path
        for directory in directories
        for path in pathlib.Path(directory).rglob("*")
        if path.suffix in KINDS and path.is_file() and path.stat().st_size < LARGEST
    ]
    told = scan(program, files)
    alarms = {path: found for path, found in told.items() if found}
    for path, found in list(alarms.items())[:20]:
        print(f"  {path}: {found[:100]}")
    print(f"false alarms {len(alarms)} of {len(told)}: {len(alarms) / max(1, len(told)):.2%}")


main()
