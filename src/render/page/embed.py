#!/usr/bin/env python3
"""Joins the page's source into a C++ file: one style sheet, one body, one script, and the hashes that the page's policy names.

Files that browsers open from disk cannot import modules, so the script's files are set end to end, in the order of their names, inside
one strict function. Comment lines and indentation are left out: no file may hold a string of several lines.
"""
import base64
import hashlib
import pathlib
import re
import sys


def stripped(text):
    """Without lines that are only a comment, blank lines, and what stands before a line."""
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def joined_script(folder):
    parts = [stripped(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.js"))]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();"


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def literal(text):
    """The text as C++ string literals, a line each."""
    lines = []
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
        lines.append(f'    "{escaped}"')
    return "\n".join(lines)


def main(folder, output):
    style = stripped((folder / "page.css").read_text(encoding="utf-8"))
    markup = "\n".join(line.strip() for line in (folder / "page.html").read_text(encoding="utf-8").splitlines() if line.strip())
    script = joined_script(folder)
    for name, text in [("style", style), ("script", script)]:
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            sys.exit(f"embed.py: the {name} holds something that would end its element")
        if "://" in text:
            sys.exit(f"embed.py: the {name} names an address")
    constants = [("Style", style), ("Markup", markup), ("Script", script), ("StyleHash", hash_of(style)), ("ScriptHash", hash_of(script))]
    body = "\n\n".join(f"extern const std::string_view kPage{name};\nconst std::string_view kPage{name} =\n{literal(text)};" for name, text in constants)
    pathlib.Path(output).write_text(
        f"// Made by src/render/page/embed.py of src/render/page/assets.\n#include <string_view>\n\nnamespace attnviz {{\n\n{body}\n\n}}  // namespace attnviz\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
