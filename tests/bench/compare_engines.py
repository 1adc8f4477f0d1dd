"""The engine against its peers: all attention patterns by ONNX Runtime and PyTorch eager, llama.cpp without patterns, long texts.

compare.py puts the section into docs/BENCHMARKS.md; alone it is printed: compare_engines.py --python PYTHON. All sides take turns,
each turn a process of its own; tokenizing is counted on every side but llama.cpp's, loading on none.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MINILM = ROOT / "data" / "models" / "minilm-l6"
SMOLLM = ROOT / "data" / "models" / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"
THREADS = 2
ENVIRONMENT = {**os.environ, "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1", "PYTHONWARNINGS": "ignore"}
SHAPES = [(1, 16, 200), (32, 16, 20), (1, 512, 20), (8, 512, 4)]  # texts, tokens, runs a turn
WORDS = "the old house by the river was sold to a family who wanted to keep it as it had been when they first saw it".split()
LONG = [1024, 2048, 4096, 8192]
LONGEST_PEER = 2048  # PyTorch keeps every map of every layer: 5.5 GB there, four times as much for twice the tokens


def last_line(command):
    run = subprocess.run(list(map(str, command)), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def own_times(attnviz, model, batch, n_token, repeats, *more):
    command = [attnviz, "bench", "-m", model, "--tokens", n_token, "--batch", batch, "--threads", THREADS, "--repeat", repeats, "-f", "json", *more]
    run = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(run.stdout)[0]


def take_turns(sides, rounds):
    """{name: median of the turns' medians in ms}, and each peer's median ratio of the turns' pairs."""
    turns = [{name: side()["median_ms"] for name, side in sides.items()} for _ in range(rounds)]
    medians = {name: statistics.median(turn[name] for turn in turns) for name in sides}
    ratios = {name: statistics.median(turn["attnviz"] / turn[name] for turn in turns) for name in sides if name != "attnviz"}
    return medians, ratios


def compare_minilm(attnviz, python, rounds):
    lines = []
    for batch, n_token, repeats in SHAPES:
        peer = lambda engine: lambda: last_line([python, HERE / "peer_engine.py", engine, MINILM, n_token, batch, THREADS, repeats])
        times, ratios = take_turns({"attnviz": lambda: own_times(attnviz, "minilm-l6", batch, n_token, repeats), "onnx": peer("onnx"),
                                    "torch": peer("torch")}, rounds)
        lines.append(f"| {batch} x {n_token} | {times['attnviz']:.1f} ms | {times['onnx']:.1f} ms | {ratios['onnx']:.2f} | "
                     f"{times['torch']:.1f} ms | {ratios['torch']:.2f} |")
    return lines


def compare_smollm(attnviz, python, rounds):
    sides = {
        "attnviz": lambda: own_times(attnviz, SMOLLM, 1, 512, 3),
        "torch": lambda: last_line([python, HERE / "peer_engine.py", "torch", SMOLLM, 512, 1, THREADS, 3]),
        "llama": lambda: last_line([python, HERE / "peer_llama.py", SMOLLM, 512, THREADS, 3]),
    }
    times, ratios = take_turns(sides, rounds)
    names = {"torch": "PyTorch eager, f32", "llama": "llama.cpp, Q4_1, no attentions"}
    return [f"| attnviz | {times['attnviz']:.0f} ms | |"] + [f"| {names[name]} | {times[name]:.0f} ms | {ratios[name]:.2f} |" for name in names]


def measure_pooled(attnviz, n_token, folder):
    """Seconds and MB of a whole process that pools one head of a text of so many tokens."""
    text = folder / "long.txt"
    text.write_text(" ".join(WORDS[i % len(WORDS)] for i in range(n_token)))  # each word is one token
    command = [attnviz, "-m", SMOLLM, "--file", text, "--layer", "13", "--head", "8", "--threads", THREADS]
    few = subprocess.run([*map(str, command), "--pool", "2", "-f", "json"], stdout=subprocess.PIPE, check=True)
    last = json.loads(few.stdout)["queries"][-1]
    assert last["position"] + last["tokens"] == n_token
    start = time.perf_counter()
    process = subprocess.Popen([*map(str, command), "--pool", "512", "-o", str(folder / "long.png")])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def compare_long(attnviz, python):
    lines = []
    for n_token in LONG:
        with tempfile.TemporaryDirectory() as folder:
            seconds, megabytes = measure_pooled(attnviz, n_token, pathlib.Path(folder))
        peer = "does not fit 24 GiB" if n_token > 4096 else "not run"
        if n_token <= LONGEST_PEER:
            found = last_line([python, HERE / "peer_engine.py", "torch", SMOLLM, n_token, 1, THREADS, 1])
            peer = f"{found['median_ms'] / 1000:.1f} s"
        lines.append(f"| {n_token:,} | {seconds:.2f} s | {megabytes:.0f} MB | {peer} |")
    return lines


def section(attnviz, python, rounds=3):
    newline = "\n"
    return f"""
## All heads of all layers, inside a process, {THREADS} threads

MiniLM-L6, f32: all 72 patterns are kept. Times include tokenizing but not loading. A ratio below 1 means that attnviz takes
less time: it is the median of the turns' own ratios. ONNX Runtime runs the model's graph cut to the attentions, PyTorch the eager
implementation, the only PyTorch one that returns attention weights ([peer_engine.py](../tests/bench/peer_engine.py)).

| texts x tokens | attnviz | ONNX Runtime | ratio | PyTorch eager | ratio |
|---|---:|---:|---:|---:|---:|
{newline.join(compare_minilm(attnviz, python, rounds))}

SmolLM2-135M, 512 tokens, all 270 heads kept by attnviz and PyTorch; llama.cpp ([peer_llama.py](../tests/bench/peer_llama.py)) keeps none:

| | median | attnviz / it |
|---|---:|---:|
{newline.join(compare_smollm(attnviz, python, rounds))}

## Long texts

One head of layer 13 of SmolLM2-135M, pooled into 512 x 512 tiles, as a whole process that writes a PNG. PyTorch keeps all maps of
all layers, as `output_attentions=True` does, and only its run is timed.

| tokens | attnviz | peak memory | PyTorch eager |
|---:|---:|---:|---:|
{newline.join(compare_long(attnviz, python))}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, required=True, help="an interpreter with torch, onnxruntime and llama-cpp-python")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(section((arguments.build / "bin" / "attnviz").resolve(), arguments.python, arguments.rounds))


if __name__ == "__main__":
    main()
