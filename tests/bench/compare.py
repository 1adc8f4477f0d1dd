"""attnviz against Python (transformers, PyTorch eager, matplotlib) on this machine, in one run, and docs/BENCHMARKS.md from it.

Both sides take turns, so that a machine that slows down slows both. `make bench` runs it; --python takes an interpreter that has
the packages already, otherwise a virtual environment is made in build/bench.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

import compare_outputs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = ROOT / "data" / "models" / "minilm-l6"
TEXT = "The animal didn't cross the street because it was too tired."
PACKAGES = [["torch==2.13.0"], ["transformers", "matplotlib"]]
THREADS = 2
ENVIRONMENT = {**os.environ, "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}


def make_python():
    """An interpreter with PyTorch, transformers and matplotlib, in build/bench/venv."""
    venv = ROOT / "build" / "bench" / "venv"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    for packages in PACKAGES:
        print("installing", *packages, flush=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
    return python


def measure_process(command):
    """(seconds, peak resident MB) of one whole process; its output is thrown away unless it fails."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=output, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) != 0:
            output.seek(0)
            sys.exit(f"failed: {command}\n{output.read().decode(errors='replace')}")
    return seconds, usage.ru_maxrss / 1024


def compare_processes(attnviz, python, repeats):
    """{name: (min s, median s, max MB)} of the picture of one head as a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        words = [TEXT, "--layer", "3", "--head", "1", "-o", f"{folder}/a.png"]
        commands = {
            "attnviz": [attnviz, *words],
            "python": [python, HERE / "peer_picture.py", MODEL, TEXT, 3, 1, f"{folder}/b.png"],
        }
        for command in commands.values():
            measure_process(command)  # files into the cache
        runs = {name: [] for name in commands}
        for _ in range(repeats):
            for name, command in commands.items():
                runs[name].append(measure_process(command))
    return {name: (min(s for s, _ in r), statistics.median(s for s, _ in r), max(m for _, m in r)) for name, r in runs.items()}


def compare_engines(engine, python, n_token, rounds, repeats):
    """{name: (min ms, median ms)} of all heads of all layers inside one process."""
    commands = {
        "attnviz": [engine, MODEL, n_token, THREADS, repeats],
        "python": [python, HERE / "peer_engine.py", MODEL, n_token, THREADS, repeats],
    }
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            output = subprocess.run(list(map(str, command)), env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True).stdout
            runs[name].append(json.loads(output.splitlines()[-1]))
    return {name: (min(r["min_ms"] for r in rs), statistics.median(r["median_ms"] for r in rs)) for name, rs in runs.items()}


def machine_facts():
    cpu = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    simd = [name for name in ("avx2", "avx512f") if flags and name in flags.group(1).split()]
    cores = len(os.sched_getaffinity(0))
    return f"{cpu.group(1) if cpu else platform.machine()}, {cores} cores, {', '.join(simd) or 'no AVX2'}"


def version_facts(attnviz, python):
    script = "import torch, transformers, matplotlib, sys; print(sys.version.split()[0], torch.__version__, transformers.__version__, matplotlib.__version__)"
    output = subprocess.run([python, "-c", script], env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True).stdout
    versions = dict(zip(["Python", "PyTorch", "transformers", "matplotlib"], output.split()))
    own = subprocess.run([attnviz, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    return ", ".join([own, *(f"{name} {version}" for name, version in versions.items())])


def page(facts, versions, processes, engines):
    (fast, fast_median, fast_mb), (slow, slow_median, slow_mb) = processes["attnviz"], processes["python"]
    lines = [
        "# Benchmarks",
        "",
        "`make bench` measures and writes this page. Both sides take turns in one run on one machine; files are in the cache. The fastest",
        "and the median run are given; a ratio is of the fastest runs.",
        "",
        f"- Machine: {facts}",
        f"- Versions: {versions}",
        f"- Date: {datetime.date.today().isoformat()}",
        "",
        "## One picture, as a whole process",
        "",
        "One head of a 16-token sentence, from the start of the process to the written PNG. The Python script is",
        "[peer_picture.py](../tests/bench/peer_picture.py): transformers and matplotlib, as people do it.",
        "",
        "| | attnviz | Python | ratio |",
        "|---|---:|---:|---:|",
        f"| time, fastest | {fast * 1000:.0f} ms | {slow * 1000:.0f} ms | {slow / fast:.0f} x |",
        f"| time, median | {fast_median * 1000:.0f} ms | {slow_median * 1000:.0f} ms | {slow_median / fast_median:.0f} x |",
        f"| peak memory | {fast_mb:.0f} MB | {slow_mb:.0f} MB | {slow_mb / fast_mb:.1f} x |",
        "",
        f"## All heads of all layers, inside a process, {THREADS} threads",
        "",
        "The pattern of each of the 72 heads is kept; loading is not counted. PyTorch runs the eager implementation, the only one of its",
        "that gives attention weights ([peer_engine.py](../tests/bench/peer_engine.py)).",
        "",
        "| tokens | attnviz, fastest | median | PyTorch, fastest | median | ratio |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for n_token, found in engines.items():
        (own, own_median), (peer, peer_median) = found["attnviz"], found["python"]
        lines.append(f"| {n_token} | {own:.1f} ms | {own_median:.1f} ms | {peer:.1f} ms | {peer_median:.1f} ms | {peer / own:.1f} x |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter with torch, transformers and matplotlib")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each whole process")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each engine")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs" / "BENCHMARKS.md")
    arguments = parser.parse_args()
    attnviz, engine = (arguments.build / "bin" / name for name in ("attnviz", "attnviz_engine_time"))
    for needed in [attnviz, engine, MODEL / "model.safetensors"]:
        if not needed.exists():
            sys.exit(f"{needed} is missing; `make bench` builds and fetches what is needed")
    python = arguments.python or make_python()
    versions = version_facts(attnviz, python)
    processes = compare_processes(attnviz, python, arguments.repeats)
    engines = {n: compare_engines(engine, python, n, arguments.rounds, repeats) for n, repeats in [(16, 100), (512, 15)]}
    text = page(machine_facts(), versions, processes, engines) + compare_outputs.section(attnviz, python)
    arguments.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
