"""Library code names no command-line option: a message that suggests a setting throws a SettingError, which the command line spells.

Looks for "--option" in the string literals of src outside src/cli. Run by ctest as
style.options; seen to fail in tests/style/selftest.py.
"""
import re

from source_tree import CPP_SUFFIXES, files_under, line_of, main, strip_cpp

LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def check(root):
    faults = []
    paths = files_under(root, ["src", "include"], CPP_SUFFIXES)
    if not paths:
        return ["no source file found: is --root the project's folder?"]
    for path in paths:
        inside = path.relative_to(root).as_posix()
        if inside.startswith("src/cli/"):
            continue
        text = strip_cpp(path.read_text(encoding="utf-8"), keep_literals=True)
        for literal in LITERAL.finditer(text):
            for option in OPTION.finditer(literal.group(0)):
                faults.append(f"{inside}:{line_of(text, literal.start())}: names the option {option.group(0)}; throw a SettingError "
                              "(src/base/setting_error.h)")
    return faults


if __name__ == "__main__":
    main(check, "options named by library code")
