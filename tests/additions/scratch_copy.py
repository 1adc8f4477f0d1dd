"""A copy of the sources with a page's additions in it, and the program that it builds.

A page (docs/ADDING_*.md) shows its steps as code blocks, which a reader copies and this file applies:

    ```cpp new src/FILE       the whole text of a new file
    ```cpp in src/FILE        the first line is in that file already, once (... at its end stands for the rest); the others
                              are inserted behind it

Only what differs is compiled: new and changed sources, and the sources that include a changed header, unless all that the header
gained are declarations. They are linked in front of the static libraries of the build folder, whose commands are reused. Tested by
its use in this folder and, with broken pages, in tests/additions/test_scratch_copy.py.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

STEP = re.compile(r"^```\w+ (?P<how>new|in) (?P<file>\S+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
DECLARATION = re.compile(r"\s*(?:(?:extern\b[^{}]*|[\w:<>,&* ]+\([^{}]*\)(?: const)?);\s*(?://.*)?|//.*|)$")
INCLUDE = re.compile(r'^#include "([^"]+)"|^#include <(attnviz/[^>]+)>', re.MULTILINE)


class BadPage(Exception):
    """A step that a reader could not follow."""


def steps_of(page):
    """(how, file, lines) of every step; the whole page has one at least."""
    steps = [(match["how"], match["file"], match["body"].splitlines()) for match in STEP.finditer(page)]
    if not steps:
        raise BadPage("has no code block marked new or in")
    return steps


def insert_behind(text, lines, file):
    """`text` with all of `lines` but the first behind the only line that equals the first, white space around it aside."""
    there, first = text.splitlines(), lines[0].strip()
    same = (lambda line: line.startswith(first[:-3].strip())) if first.endswith("...") else (lambda line: line == first)
    places = [number for number, line in enumerate(there) if same(line.strip())]
    if len(places) != 1 or not first:
        raise BadPage(f"{file}: the line {first!r} is there {len(places)} times; expected once")
    return "\n".join(there[: places[0] + 1] + lines[1:] + there[places[0] + 1:]) + "\n"


class ScratchCopy:
    def __init__(self, root, build, folder):
        self.root, self.build, self.folder = root, build, folder
        for name in ["src", "include"]:
            shutil.copytree(root / name, folder / name)
        self.changed, self.declared = set(), set()  # files that differ; headers that gained declarations only

    def apply(self, page):
        for how, file, lines in steps_of(page):
            path = self.folder / file
            if how == "new" and path.exists():
                raise BadPage(f"{file}: is there already; expected a new file")
            if how == "in" and not path.is_file():
                raise BadPage(f"{file}: is not there")
            path.parent.mkdir(parents=True, exist_ok=True)
            if how == "new":
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            else:
                path.write_text(insert_behind(path.read_text(encoding="utf-8"), lines, file), encoding="utf-8")
            only_declares = how == "new" or all(DECLARATION.match(line) for line in lines[1:])
            (self.declared if only_declares and file.endswith(".h") and file not in self.changed else self.changed).add(file)
        self.declared -= self.changed

    def files_to_compile(self):
        """Sources (from the root) that no object of the build folder stands for."""
        text_of = {path.relative_to(self.folder).as_posix(): path.read_text(encoding="utf-8") for path in self.folder.glob("*/**/*") if path.suffix in (".h", ".cpp")}
        including = {}
        for file, text in text_of.items():
            for own, public in INCLUDE.findall(text):
                including.setdefault("src/" + own if own else "include/" + public, []).append(file)
        found, pending = set(), list(self.changed)
        while pending:
            file = pending.pop()
            if file not in found:
                found.add(file)
                pending += including.get(file, []) if file.endswith(".h") else []
        return sorted(file for file in found if file.endswith(".cpp"))

    def compile(self, file, commands):
        """One object. A new file is compiled as another of its folder, or of the nearest one above that has sources."""
        if file in commands:
            like = file
        else:
            folder = pathlib.PurePosixPath(file).parent.as_posix()
            while not any(known.startswith(folder + "/") for known in commands):
                folder = pathlib.PurePosixPath(folder).parent.as_posix()
            like = next(known for known in sorted(commands) if known.startswith(folder + "/"))
        target = self.folder / "objects" / (file.replace("/", "_") + ".o")
        words = [word.replace(str(self.root / "src"), str(self.folder / "src")).replace(str(self.root / "include"), str(self.folder / "include")) for word in shlex.split(commands[like])]
        words[words.index("-o") + 1] = str(target)
        words[words.index("-c") + 1] = str(self.folder / file)
        run = subprocess.run(words, cwd=self.build, capture_output=True, text=True)
        if run.returncode != 0:
            raise BadPage(f"{file}: does not compile\n{run.stderr[:4000]}")
        return target

    def make_program(self):
        """The path of the program with the additions in it."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        commands = {os.path.relpath(entry["file"], self.root): entry["command"] for entry in entries if entry["file"].startswith(f"{self.root}/src/")}
        (self.folder / "objects").mkdir()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda file: self.compile(file, commands), self.files_to_compile()))
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "bin/attnviz"], capture_output=True, text=True, check=True)
        words = shlex.split(listed.stdout.splitlines()[-1])
        words = words[words.index("&&") + 1:]  # ": && c++ ... && :"
        words = words[: words.index("&&")]
        program = self.folder / "bin" / "attnviz"
        program.parent.mkdir()
        output = words.index("-o") + 1
        words[output] = str(program)
        words[output + 1:output + 1] = map(str, objects)
        run = subprocess.run(words, cwd=self.build, capture_output=True, text=True)
        if run.returncode != 0:
            raise BadPage(f"does not link\n{run.stderr[:4000]}")
        (self.folder / "share").mkdir()
        (self.folder / "share" / "attnviz").symlink_to(self.root / "data")
        return program
