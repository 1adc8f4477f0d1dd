"""Runs what the documentation tells people to run, and follows its links, so that neither can rot. Prose is wrapped.

Every command of a fenced block marked sh or console in README.md and docs/*.md is run, block after block of one page in one fresh
folder, with the built program first on PATH and data/demo and data/models beside it; each must exit 0. In a console block commands
begin with "$ ", the rest is output. Commands that build or install (NOT_RUN) have tests of their own or are what runs this one.
Run by ctest as style.docs; seen to fail in tests/style/selftest.py.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# First words of commands that are not run here.
NOT_RUN = re.compile(
    r"(?:make|git|sudo|apt-get|cmake|ctest|ninja|bash \.ci/run|clang-format|build/\S+|\./build/\S+|"
    r"(?:/usr/bin/)?python3 (?:data|tests)/\S+|(?:ASAN|UBSAN|LSAN)_OPTIONS=\S+)(?:\s|$)"
)
FENCE = re.compile(r"^(?P<indent> *)```(?P<mark>[\w-]*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
COMMAND = re.compile(r"\s*(?:\$ )?attnviz\s")
SECONDS = 120
MAX_COLUMNS = 132
GENERATED = {"BENCHMARKS.md", "gallery.md"}


def pages(root):
    return [path for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))] if path.is_file()]


def commands_of(text):
    """(line, command) of every command in the sh and console blocks; a backslash at a line's end joins the next."""
    found = []
    for block in FENCE.finditer(text):
        mark = block.group("mark")
        if mark not in ("sh", "console"):
            continue
        line = text.count("\n", 0, block.start("body")) + 1
        pending, pending_line = "", line
        for number, content in enumerate(block.group("body").splitlines(), start=line):
            content = content.strip()
            if not pending:
                if mark == "console" and not content.startswith("$ "):
                    continue
                content = content[2:] if mark == "console" else content
                pending_line = number
            pending += content
            if pending.endswith("\\"):
                pending = pending[:-1] + " "
                continue
            if pending and not pending.startswith("#"):
                found.append((pending_line, pending))
            pending = ""
    return found


def unmarked_faults(root, page):
    """Commands in a block that does not say what it is (no mark, or indented): nobody would run them."""
    text = page.read_text(encoding="utf-8")
    blocks = [(block.start("body"), block.group("body")) for block in FENCE.finditer(text) if not block.group("mark")]
    without_fences = FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    lines = [(text.count("\n", 0, start) + n, line) for start, body in blocks for n, line in enumerate(body.splitlines(), start=1)]
    lines += [(n, line) for n, line in enumerate(without_fences.splitlines(), start=1) if line.startswith("    ")]
    where = page.relative_to(root)
    return [f"{where}:{n}: a command in a block that is not marked sh or console: {line.strip()}" for n, line in lines if COMMAND.match(line)]


def width_faults(root, page):
    """Lines of prose longer than docs/STYLE.md allows. Tables, code, pictures and generated pages are as wide as they are."""
    if page.name in GENERATED:
        return []
    without_fences = FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), page.read_text(encoding="utf-8"))
    lines = enumerate(without_fences.splitlines(), start=1)
    return [
        f"{page.relative_to(root)}:{n}: {len(line)} columns; at most {MAX_COLUMNS}"
        for n, line in lines
        if len(line) > MAX_COLUMNS and not line.startswith(("|", "    ", "!["))
    ]


def slug(heading):
    """The anchor that a Markdown heading gets on the usual forges."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def link_faults(root, page):
    text = page.read_text(encoding="utf-8")
    without_code = re.sub(r"`[^`\n]*`", "", FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text))
    faults = []
    for match in LINK.finditer(without_code):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        where = f"{page.relative_to(root)}:{without_code.count(chr(10), 0, match.start()) + 1}"
        name, _, anchor = target.partition("#")
        file = page if not name else page.parent / name
        if not file.exists():
            faults.append(f"{where}: links to {target}, which does not exist")
        elif anchor and file.suffix == ".md":
            headings = re.findall(r"^#{1,6} +(.+)$", FENCE.sub("", file.read_text(encoding="utf-8")), re.MULTILINE)
            if anchor not in map(slug, headings):
                faults.append(f"{where}: links to {target}, but there is no such heading")
    return faults


def make_folder(root, folder):
    """What a reader standing in a checkout has: the demo texts, the fetched models and the small ones that tests made."""
    (folder / "data").mkdir()
    if (root / "data" / "demo").is_dir():
        shutil.copytree(root / "data" / "demo", folder / "data" / "demo")
    for name in ["models", "models.json"]:
        if (root / "data" / name).exists():
            (folder / "data" / name).symlink_to(root / "data" / name)


def run_page(root, page, program, count):
    faults = []
    with tempfile.TemporaryDirectory(prefix="attnviz-docs-") as name:
        folder = pathlib.Path(name)
        make_folder(root, folder)
        environment = {
            "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": name,
            "LANG": "C.UTF-8",
            **{key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")},
        }
        for line, command in commands_of(page.read_text(encoding="utf-8")):
            if NOT_RUN.match(command):
                continue
            count[0] += 1
            script = ["bash", "-o", "pipefail", "-c", command]
            try:
                run = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                faults.append(f"{page.relative_to(root)}:{line}: not done after {SECONDS} s: {command}")
                continue
            if run.returncode != 0:
                faults.append(f"{page.relative_to(root)}:{line}: exit code {run.returncode}: {command}\n{run.stdout[-600:]}{run.stderr[-2000:]}")
    return faults


def main():
    parser = argparse.ArgumentParser(description="the commands and links of the documentation")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--program", type=pathlib.Path, help="the built attnviz; without it only links are checked")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    faults, count = [], [0]
    if not pages(root):
        faults.append("no page found: is --root the project's folder?")
    for page in pages(root):
        faults += link_faults(root, page) + unmarked_faults(root, page) + width_faults(root, page)
        if arguments.program:
            faults += run_page(root, page, arguments.program.resolve(), count)
    for fault in faults:
        print(fault)
    print(f"{len(pages(root))} pages, {count[0]} commands run, {len(faults)} fault(s)")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
