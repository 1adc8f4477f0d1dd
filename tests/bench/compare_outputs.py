"""What becomes of the maps, against Python: many pictures against matplotlib, JSON against json.dumps, and JSONL by itself.

compare.py puts the section into docs/BENCHMARKS.md; alone it is printed: compare_outputs.py --python PYTHON. Both sides take turns.
"""
import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
N_LINES = 1000
WORDS = """the old man said that first bridge had stood for years because those who made it were not in a hurry and nobody was sorry
when school opened late week but everybody liked new one better than river rose night rain fell water people both sides looked""".split()


def some_text(chooser, n_words):
    return " ".join(chooser.choice(WORDS) for _ in range(n_words)) + "."


def run_timed(command, **options):
    start = time.perf_counter()
    run = subprocess.run(list(map(str, command)), check=True, **options)
    return time.perf_counter() - start, run


def stage_ms(report, names):
    return sum(float(re.search(rf"^{name} +([\d.]+) ms", report, re.MULTILINE).group(1)) for name in names)


def measure_pictures(attnviz, python, folder, rounds):
    """Pictures a second: [attnviz], [matplotlib]."""
    own, peer = [], []
    for _ in range(rounds):
        seconds, _ = run_timed([attnviz, "batch", folder / "lines.txt", "-q", "--layer", "3", "--head", "1", "-o", folder / "maps"])
        own.append(N_LINES / seconds)
        _, run = run_timed([python, HERE / "peer_outputs.py", "pictures", folder], stdout=subprocess.PIPE)
        peer.append(json.loads(run.stdout)["per_second"])
    return own, peer


def measure_lines(attnviz, folder, rounds):
    """MB a second of JSONL with all heads."""
    rates = []
    for _ in range(rounds):
        seconds, _ = run_timed([attnviz, "batch", folder / "lines.txt", "-q", "-f", "jsonl", "-o", folder / "maps.jsonl"])
        rates.append((folder / "maps.jsonl").stat().st_size / 1e6 / seconds)
    return rates


def measure_json(attnviz, python, folder, rounds):
    """ms that one layer of 512 tokens takes to become JSON and be written: [attnviz], [json.dumps of the same numbers]."""
    own, peer = [], []
    command = [attnviz, "--file", folder / "long.txt", "--truncate", "-q", "--layer", "3", "--timings", "-o", folder / "maps.json"]
    for _ in range(rounds):
        _, run = run_timed(command, stderr=subprocess.PIPE, text=True)
        own.append(stage_ms(run.stderr, ["render", "write"]))
        _, run = run_timed([python, HERE / "peer_outputs.py", "json", folder], stdout=subprocess.PIPE)
        peer.append(json.loads(run.stdout)["ms"])
    return own, peer


def section(attnviz, python, rounds=3):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chooser = random.Random(5)
        (folder / "lines.txt").write_text("".join(some_text(chooser, chooser.randint(11, 15)) + "\n" for _ in range(N_LINES)))
        (folder / "long.txt").write_text(some_text(chooser, 600))
        pictures, peer_pictures = measure_pictures(attnviz, python, folder, rounds)
        lines = measure_lines(attnviz, folder, rounds)
        documents, peer_documents = measure_json(attnviz, python, folder, rounds)
    median = statistics.median
    rows = [
        ("pictures a second: 1,000 lines of about 16 tokens, one labelled PNG each, the model's run included", median(pictures),
         f"matplotlib: {median(peer_pictures):.1f}", f"{median(pictures) / median(peer_pictures):.0f} x"),
        ("MB a second: the same lines as JSONL, all 72 heads, the model's run included", median(lines), "", ""),
        ("ms: one layer of 512 tokens (12 x 512 x 512) as JSON, written", median(documents),
         f"json.dumps: {median(peer_documents):.0f}", f"{median(peer_documents) / median(documents):.0f} x"),
    ]
    table = "\n".join(f"| {what} | {own:.0f} | {peer} | {ratio} |" for what, own, peer, ratio in rows)
    return f"""
## Pictures and files

Medians of {rounds} turns. The Python side is [peer_outputs.py](../tests/bench/peer_outputs.py). Its time starts after the imports,
when the numbers are in memory.

| | attnviz | Python | ratio |
|---|---:|---:|---:|
{table}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, required=True, help="an interpreter with matplotlib and numpy")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    print(section(arguments.build / "bin" / "attnviz", arguments.python))


if __name__ == "__main__":
    main()
