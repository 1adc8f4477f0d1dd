"""What the style checkers share: finding source files, C++ without comments and literals, and how a fault is reported.

A checker is a function root -> list of faults; main prints them as "file:line: what is wrong" and exits 1 when there is any.
Tested by tests/style/selftest.py, which runs every checker on a small tree that is broken on purpose.
"""
import argparse
import pathlib
import re
import sys

CPP_SUFFIXES = {".cpp", ".h"}
SKIPPED_FOLDERS = {"build", "out", ".git", "__pycache__"}
FETCHED = "data/models/"  # weights; src/text/models is source like any other folder


def files_under(root, folders, suffixes):
    """Files of `folders` (relative to root) with one of the suffixes, sorted, without built or fetched ones."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root)
            skipped = SKIPPED_FOLDERS.intersection(inside.parts[:-1]) or inside.as_posix().startswith(FETCHED)
            if path.is_file() and path.suffix in suffixes and not skipped:
                found.append(path)
    return found


_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      |(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      |(?P<text>"(?:\\.|[^"\\\n])*")
      |(?P<number>\b\d[\w.']*)
      |(?P<char>'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)


def strip_cpp(text, keep_literals=False):
    """C++ text with comments (and literals, unless kept) blanked out; line numbers stay as they were."""

    def blank(match):
        if match.lastgroup == "number" or (match.group("comment") is None and keep_literals):
            return match.group(0)
        body = re.sub(r"[^\n]", " ", match.group(0))
        return body if match.group("comment") is not None else '"' + body[1:-1] + '"'

    return _TOKEN.sub(blank, text)


def comments_of_cpp(text):
    """(line, comment) of every comment of a C++ text."""
    return [(line_of(text, match.start()), match.group("comment")) for match in _TOKEN.finditer(text) if match.group("comment") is not None]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def main(check, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    faults = check(parser.parse_args().root)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} fault(s)" if faults else "clean")
    sys.exit(1 if faults else 0)
