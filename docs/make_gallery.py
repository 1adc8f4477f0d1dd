"""Draws docs/gallery/*.png, light and dark, with the built program, and writes docs/gallery.md with the command under each picture.

`make gallery` runs it; `--check` writes nothing and fails if docs/gallery.md differs from what this script writes or a picture is missing
(ctest style.gallery). The commands themselves are run by tests/style/check_docs.py, as all documented ones.
"""
import argparse
import pathlib
import subprocess
import sys

TEXT = "The animal didn't cross the street because it was too tired."
LONG = "He opened the door, looked around and closed it again. Paris is the capital of France, and Rome is the capital of Italy."
MOST_BYTES = 1_500_000

# name, heading, what it shows, arguments
PICTURES = [
    ("map", "A map", "Rows are queries, columns are keys, darker is more. A link is marked.", [TEXT, "--layer", "3", "--head", "1", "--highlight", "it:animal"]),
    ("grid", "A grid of heads", "Layers down, heads across, one scale; the weight of the marked link is under each map, the strongest three in colour.",
     [TEXT, "--view", "grid", "--highlight", "it:animal", "-q"]),
    ("lines", "Lines", "Queries left, keys right; width and opacity are the weight. Links too faint to see are left out; the caption says so.",
     [TEXT, "--view", "lines", "--layer", "3", "--head", "1", "--hide-special"]),
    ("lines-row", "Lines of one query", "The links of the chosen word are in colour, the others are faint.", [TEXT, "--view", "lines", "--row", "it", "--layer", "3", "--head", "1"]),
    ("pair", "A sentence pair", "What the words of a pair attend to, in three heads side by side.",
     ["The cat sleeps.", "A cat is sleeping.", "--view", "lines", "--layer", "2", "--head", "5-7", "--hide-special"]),
    ("row", "One query", "What \"it\" attends to: bars with exact weights, and the shaded sentence.", [TEXT, "--row", "it", "--layer", "3", "--head", "1", "--highlight", "it:animal"]),
    ("text", "A shaded text", "The query is underlined. `--values` adds the numbers.", [LONG, "--view", "text", "--row", "it", "--layer", "3", "--head", "1", "--values"]),
    ("sink", "Without the sink", "The first token takes most of the weight. `--hide-sink` leaves it out of the colour scale, so the other weights become visible.",
     [TEXT, "--layer", "2", "--head", "5", "--hide-sink"]),
    ("mean", "The mean of a layer", "The mean of all heads of a layer.", [TEXT, "--layer", "5", "--reduce", "mean", "--cmap", "lagoon"]),
]


def quoted(word):
    return f'"{word}"' if any(c in word for c in " '") else word


def command(name, words, dark):
    extra = ["--dark"] if dark else []
    return " ".join(["attnviz", *map(quoted, words), *extra, "-o", f"{name}{'-dark' if dark else ''}.png"])


def page():
    parts = ["# Gallery\n\nMade by `make gallery` from the default model; [PICTURES.md](PICTURES.md) explains the options. Dark pictures add `--dark`.\n"]
    for name, heading, about, words in PICTURES:
        parts.append(f"\n## {heading}\n\n{about}\n\n![{heading}, light](gallery/{name}.png)\n![{heading}, dark](gallery/{name}-dark.png)\n\n"
                     f"```sh\n{command(name, words, False)}\n```\n")
    return "".join(parts)


def check(docs):
    faults = []
    if not (docs / "gallery.md").is_file() or (docs / "gallery.md").read_text(encoding="utf-8") != page():
        faults.append("docs/gallery.md: differs from what docs/make_gallery.py writes; run make gallery")
    wanted = {f"{name}{theme}.png" for name, *_ in PICTURES for theme in ("", "-dark")}
    found = {path.name: path.stat().st_size for path in (docs / "gallery").iterdir()}
    faults += [f"docs/gallery/{name}: is missing; run make gallery" for name in sorted(wanted - found.keys())]
    faults += [f"docs/gallery/{name}: belongs to no command of docs/make_gallery.py" for name in sorted(found.keys() - wanted)]
    if sum(found.values()) > MOST_BYTES:
        faults.append(f"docs/gallery: has {sum(found.values())} bytes; expected at most {MOST_BYTES}")
    return faults


def main():
    parser = argparse.ArgumentParser(description="the pictures of docs/gallery.md")
    parser.add_argument("--program", type=pathlib.Path, help="the built attnviz")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is out of date")
    arguments = parser.parse_args()
    docs = pathlib.Path(__file__).resolve().parent
    if not arguments.check:
        program = arguments.program.resolve()
        (docs / "gallery").mkdir(exist_ok=True)
        for name, _, _, words in PICTURES:
            for dark in (False, True):
                output = f"{name}{'-dark' if dark else ''}.png"
                subprocess.run([program, *words, *(["--dark"] if dark else []), "-o", output], cwd=docs / "gallery", check=True)
        (docs / "gallery.md").write_text(page(), encoding="utf-8")
    faults = check(docs)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
