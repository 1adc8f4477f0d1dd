"""Paths that comments and scripts cite must exist: a "Tested in tests/unit/..." that leads nowhere is worse than none.

Looks for paths below src, include, tests, docs and data with a file's ending, in every C++, Python, JavaScript and CMake file. A path
that belongs to another project is written with that project's name in front and does not count. Run by ctest as style.paths; seen to
fail in tests/style/selftest.py, whose own made-up paths it leaves alone.
"""
import re

from source_tree import CPP_SUFFIXES, files_under, line_of, main

CITED = re.compile(r"(?<![\w/.-])(?:src|include|tests|docs|data)/(?:[\w.-]+/)*[\w-]+\.(?:cpp|h|py|md|json|js|css|txt|html|supp)\b")
SUFFIXES = CPP_SUFFIXES | {".py", ".js", ".css", ".txt"}
# Files that write trees of their own, and paths of other projects.
LEFT_OUT = {"tests/style/selftest.py", "tests/additions/test_scratch_copy.py"}
OTHER_PROJECTS = {"docs/gguf.md", "docs/spec.md"}


def check(root):
    faults = []
    paths = files_under(root, ["src", "include", "tests", "docs", "data"], SUFFIXES)
    if not paths:
        return ["no source file found: is --root the project's folder?"]
    for path in paths:
        inside = path.relative_to(root).as_posix()
        if inside in LEFT_OUT or (path.suffix == ".txt" and path.name != "CMakeLists.txt"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in CITED.finditer(text):
            cited = match.group(0)
            if cited not in OTHER_PROJECTS and not (root / cited).exists():
                faults.append(f"{inside}:{line_of(text, match.start())}: {cited} does not exist")
    return faults


if __name__ == "__main__":
    main(check, "paths that comments cite")
