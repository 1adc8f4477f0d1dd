"""clang-format over every C++ file: the text in the tree is what .clang-format makes of it. `make format` repairs.

Run by ctest as style.format; seen to fail in tests/style/selftest.py.
"""
import re
import shutil
import subprocess

from source_tree import CPP_SUFFIXES, files_under, main


def check(root):
    if shutil.which("clang-format") is None:
        return ["clang-format is not installed: apt-get install clang-format"]
    paths = files_under(root, ["src", "include", "tests"], CPP_SUFFIXES)
    if not paths:
        return ["no source file found: is --root the project's folder?"]
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", "--style=file", *map(str, paths)], capture_output=True, text=True)
    faults = re.findall(r"^.*error: .*$", run.stderr, re.MULTILINE)
    if run.returncode != 0 and not faults:
        faults = [run.stderr.strip() or "clang-format failed without a word"]
    return faults


if __name__ == "__main__":
    main(check, "clang-format")
