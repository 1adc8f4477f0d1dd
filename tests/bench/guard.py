"""Fails when a small piece of work takes notably more instructions than instructions.json says: a slowdown without a clock.

callgrind counts what runs inside attnviz_guarded() of guard_cases.cpp. Code of libc and the loader is left out: it picks variants by
the CPU. Ours does as well, but valgrind shows every x86 machine of the last ten years as one with AVX2 and without AVX-512; on any
other the guard is skipped, and so it is without valgrind and outside Debian 12, whose compiler and libraries the numbers are of.
After a change that is meant: guard.py --program ... --fonts ... --update (docs/TESTING.md has the line).
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = HERE / "instructions.json"
SKIPPED = 77
LEFT_OUT = re.compile(r"(libc|libm|libpthread|ld-linux[\w-]*|ld)[.-]")


def count_by_object(path):
    """{object file: instructions of its own} of a callgrind.out file; names come once as "(id) name", then as "(id)"."""
    names, costs, current, skip = {}, collections.Counter(), None, False
    for line in pathlib.Path(path).read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key in ("ob", "cob"):
            number, _, name = value.partition(" ")
            if name:
                names[number] = name
            if key == "ob":
                current = names[number]
        elif key == "calls":
            skip = True  # the next line is what the called function took
        elif re.match(r"[+\-*\d]", line):
            if not skip and current is not None:
                costs[pathlib.Path(current).name] += int(line.split()[1])
            skip = False
    return costs


def count(program, case, fonts):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=attnviz_guarded", f"--callgrind-out-file={out}", program, case]
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "FONTCONFIG_FILE": fonts}
        run = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{case}: valgrind failed\n{run.stdout}{run.stderr}")
        costs = count_by_object(out)
    return {name: n for name, n in costs.items() if not LEFT_OUT.match(name)}


def reason_to_skip():
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (apt-get install valgrind)"
    release = pathlib.Path("/etc/os-release")
    system = dict(re.findall(r'^(\w+)="?([^"\n]*)', release.read_text(), re.MULTILINE)) if release.exists() else {}
    if (system.get("ID"), system.get("VERSION_ID")) != ("debian", "12"):
        return "the numbers are of Debian 12"
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    missing = [flag for flag in ("avx2", "fma", "bmi2", "f16c") if flag not in flags]
    return f"this CPU lacks {', '.join(missing)}, so that other code would run" if missing else None


def judge(case, known, counted):
    """(message, whether it is a failure)"""
    total, ratio = sum(counted.values()), sum(counted.values()) / known["instructions"]
    message = f"{case}: {total:,} instructions, {known['instructions']:,} known, {ratio:.3f} of them (at most {known['at_most']})"
    if ratio > known["at_most"]:
        parts = "".join(f"\n    {n:>14,} {name}" for name, n in sorted(counted.items(), key=lambda item: -item[1]) if n * 100 > total)
        return f"{message}: slower. What it is made of:{parts}\n  If that is meant, run tests/bench/guard.py --update", True
    return message + ("; faster: guard.py --update would keep it so" if ratio < 0.9 else ""), False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="attnviz_guard_cases, of a release build")
    parser.add_argument("--fonts", type=pathlib.Path, required=True, help="a fontconfig configuration with fixed fonts")
    parser.add_argument("--update", action="store_true", help="write the numbers found")
    arguments = parser.parse_args()
    if reason := reason_to_skip():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    numbers = json.loads(NUMBERS.read_text())
    failed = False
    for case, known in numbers.items():
        counted = count(arguments.program, case, arguments.fonts)
        if arguments.update:
            known["instructions"] = sum(counted.values())
        message, bad = judge(case, known, counted)
        failed = failed or bad
        print(message, flush=True)
    if arguments.update:
        NUMBERS.write_text(json.dumps(numbers, indent=2) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
