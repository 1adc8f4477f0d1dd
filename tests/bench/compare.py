"""attnviz against its peers on this machine, in one run, and docs/BENCHMARKS.md from it: one picture here, the rest in compare_*.py.

Both sides take turns, so that a machine that slows down slows both. `make bench` runs it; --python takes an interpreter that has
the packages already, otherwise a virtual environment is made in build/bench.
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

import compare_engines
import compare_outputs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = ROOT / "data" / "models" / "minilm-l6"
TEXT = "The animal didn't cross the street because it was too tired."
PACKAGES = [["torch==2.13.0"], ["transformers", "matplotlib", "accelerate", "gguf", "onnx", "onnxruntime"], ["llama-cpp-python"]]
ENVIRONMENT = {**os.environ, "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}


def make_python():
    """An interpreter with all the peers, in build/bench/venv. llama.cpp is compiled for this CPU, which takes minutes."""
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


def machine_facts():
    cpu = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    simd = [name for name in ("avx2", "avx512f") if flags and name in flags.group(1).split()]
    cores = len(os.sched_getaffinity(0))
    return f"{cpu.group(1) if cpu else platform.machine()}, {cores} cores, {', '.join(simd) or 'no AVX2'}"


def version_facts(attnviz, python):
    names = {"PyTorch": "torch", "transformers": "transformers", "ONNX Runtime": "onnxruntime", "llama-cpp-python": "llama_cpp_python",
             "matplotlib": "matplotlib"}
    script = "import sys, importlib.metadata as m; print(sys.version.split()[0], *(m.version(name) for name in sys.argv[1:]))"
    command = [python, "-c", script, *names.values()]
    output = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True).stdout
    versions = dict(zip(["Python", *names], output.split()))
    own = subprocess.run([attnviz, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    return ", ".join([own, *(f"{name} {version}" for name, version in versions.items())])


def page(facts, versions, processes):
    (fast, fast_median, fast_mb), (slow, slow_median, slow_mb) = processes["attnviz"], processes["python"]
    lines = [
        "# Benchmarks",
        "",
        "`make bench` measures and writes this page. The two sides run alternately in one run on one machine, with all files in the",
        "page cache. The tables report the fastest and the median run, with ratios beside them.",
        "",
        f"- Machine: {facts}",
        f"- Versions: {versions}",
        f"- Date: {datetime.date.today().isoformat()}",
        "",
        "## One picture, as a whole process",
        "",
        "One head of a 16-token sentence, from the start of the process to the written PNG. The Python script is",
        "[peer_picture.py](../tests/bench/peer_picture.py): the usual way with transformers and matplotlib.",
        "",
        "| | attnviz | Python | ratio |",
        "|---|---:|---:|---:|",
        f"| time, fastest | {fast * 1000:.0f} ms | {slow * 1000:.0f} ms | {slow / fast:.0f} x |",
        f"| time, median | {fast_median * 1000:.0f} ms | {slow_median * 1000:.0f} ms | {slow_median / fast_median:.0f} x |",
        f"| peak memory | {fast_mb:.0f} MB | {slow_mb:.0f} MB | {slow_mb / fast_mb:.1f} x |",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter with the peers")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each whole process")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each engine")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs" / "BENCHMARKS.md")
    arguments = parser.parse_args()
    attnviz = (arguments.build / "bin" / "attnviz").resolve()
    for needed in [attnviz, MODEL / "model.safetensors", compare_engines.SMOLLM]:
        if not needed.exists():
            sys.exit(f"{needed} is missing; `make bench` builds and fetches what is needed")
    python = arguments.python or make_python()
    versions = version_facts(attnviz, python)
    processes = compare_processes(attnviz, python, arguments.repeats)
    text = page(machine_facts(), versions, processes) + compare_engines.section(attnviz, python, arguments.rounds)
    text += compare_outputs.section(attnviz, python)
    arguments.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
