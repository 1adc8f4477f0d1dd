"""Reads the #include lines of src and include: only the edges below exist, third-party headers stay in their module.

The table is docs/ARCHITECTURE.md's "May use" line. It also keeps the names of architectures in src/model/arch: everywhere else a
new behaviour is a field of a spec. Run by ctest as style.layers; seen to fail in tests/style/selftest.py.
"""
import collections
import re

from source_tree import CPP_SUFFIXES, files_under, line_of, main, strip_cpp

# module -> modules it may include; include/attnviz, base and the module itself are always allowed.
MAY_USE = {
    "base": set(),
    "tensor": {"base"},
    "text": {"base"},
    "ops": {"tensor"},
    "formats": {"tensor"},
    "hub": {"formats"},
    "image": {"tensor"},
    "model": {"ops", "formats", "tensor"},
    "trace": {"base"},
    "pipeline": {"model", "text", "image", "formats", "hub", "trace"},
    "analysis": {"trace", "ops", "tensor"},
    "figure": {"trace"},
    "render": {"figure", "trace"},
}
MAY_USE["cli"] = set(MAY_USE)

# (module, module it uses) -> the only headers it may take from there. Nothing but the command `pull` may come near a socket.
ONLY_HEADERS = {("pipeline", "hub"): {"hub/cache.h"}}

# header pattern -> modules whose .cpp (or -inl.h) files may include it; None: anywhere in src.
THIRD_PARTY = [
    (r"fmt/.*", None),
    (r"CLI/.*", {"cli"}),
    (r"nlohmann/.*", {"formats", "render"}),
    (r"hwy/.*", {"ops"}),
    (r"utf8proc\.h", {"text"}),
    (r"pcre2\.h", {"text"}),
    (r"sentencepiece_processor\.h", {"text"}),
    (r"pango/.*|cairo.*|fontconfig/.*", {"render"}),
    (r"glib.*", {"render", "hub"}),
    (r"curl/.*|dlfcn\.h", {"hub"}),
    (r"stb_image_write\.h", {"render"}),
    (r"libdeflate\.h", {"formats", "render"}),
    (r"stb_image\.h", {"image"}),
    (r"immintrin\.h|malloc\.h", {"base"}),
    (r"(fcntl|unistd|signal|sched|termios|poll)\.h|sys/[a-z]+\.h", {"base", "render", "cli", "hub"}),
]
MAX_PUBLIC_HEADERS = 13

MAX_FILES_OF_ROOM = 30
LARGE_ROOMS = {"src/model/arch"}  # one file per family

# Names of architectures are those that the registry's families have, without their versions: "qwen" for qwen2 and qwen3.
FAMILY = re.compile(r'\bconst Family \w+ = \{"([\w-]+)"')
VERSION = re.compile(r"(?:-v\d+|\d+|_text)$")
WORD = re.compile(r"\w+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # of an identifier in any spelling: "kDistilBert", "read_gpt2"
# Tokenizer files name their parts and rules after models: the files that read them must know these names, and text builds what
# they stand for.
TOKENIZER_FILE = re.compile(r"src/formats/tokenizer/[^/]*")
TOKENIZER_NAME = re.compile(r"\w*(?:tokeniz|normaliz|processing|punctuation)\w*", re.IGNORECASE)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes_of(path):
    text = strip_cpp(path.read_text(encoding="utf-8"), keep_literals=True)
    return [(line_of(text, match.start()), match.group(1), match.group(2)) for match in INCLUDE.finditer(text)]


def module_of(root, path):
    parts = path.relative_to(root).parts
    if parts[0] == "include":
        return "include"
    return parts[1] if len(parts) > 2 else None


def is_standard(header):
    return "/" not in header and "." not in header


def third_party_fault(header, module, path):
    for pattern, modules in THIRD_PARTY:
        if not re.fullmatch(pattern, header):
            continue
        if modules is not None and module not in modules:
            return f"<{header}> belongs in {' or '.join(sorted(modules))} only"
        if modules is not None and path.suffix == ".h" and not path.name.endswith("-inl.h"):
            return f"<{header}> may be included in a .cpp file only"
        return None
    return f"<{header}> is not on the list of allowed headers"


def include_fault(root, path, module, bracket, header):
    if bracket == "<" and header.startswith("attnviz/"):
        return None if (root / "include" / header).is_file() else f"<{header}> does not exist"
    if bracket == "<":
        if is_standard(header):
            return None
        return f"public headers include std and each other only, not <{header}>" if module == "include" else third_party_fault(header, module, path)
    target = header.split("/")[0] if "/" in header else None
    if module == "include":
        return f'public headers include std and each other only, not "{header}"'
    if target not in MAY_USE:
        # hwy/foreach_target.h re-includes a file by the name in a macro; every written include starts with a module's name.
        return f'"{header}" must be written from src/: "module/file.h"'
    if not (root / "src" / header).is_file():
        return f'"{header}" does not exist'
    if target not in {module, "base"} and target not in MAY_USE[module]:
        return f'{module} may not use {target} ("{header}")'
    if header not in ONLY_HEADERS.get((module, target), {header}):
        return f'{module} may use only {", ".join(sorted(ONLY_HEADERS[module, target]))} of {target}, not "{header}"'
    return None


def architecture_names(root):
    """{"bert", "distilbert", "gptneox", ...} from the families' own files."""
    names = set()
    for path in files_under(root, ["src/model/arch"], {".cpp"}):
        for name in FAMILY.findall(path.read_text(encoding="utf-8")):
            names.add(re.sub(r"[-_]", "", VERSION.sub("", name)))
    return names


def names_architecture(word, names):
    """Whether some consecutive parts of an identifier spell an architecture: "optional" does not spell "opt", "kOpt" does."""
    parts = [part.lower() for part in PART.findall(word)]
    return any("".join(parts[i:j]) in names for i in range(len(parts)) for j in range(i + 1, min(len(parts), i + 3) + 1))


def architecture_faults(root, path, names):
    inside = path.relative_to(root).as_posix()
    if inside.startswith(("src/model/arch/", "src/model/gguf/")) or TOKENIZER_FILE.fullmatch(inside):
        return []
    text = strip_cpp(path.read_text(encoding="utf-8"), keep_literals=True)
    tokenizer_file = re.match(r"src/(formats|text)/|include/attnviz/tokenizer_spec\.h", inside) is not None
    faults = []
    for match in WORD.finditer(text):
        if names_architecture(match.group(0), names) and not (tokenizer_file and TOKENIZER_NAME.fullmatch(match.group(0))):
            faults.append(f'{inside}:{line_of(text, match.start())}: "{match.group(0)}" names an architecture outside src/model/arch')
    return faults


def find_cycle(graph):
    """One cycle of a {node: [node]} graph as a list, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for target in graph.get(node, []):
            cycle = visit(target)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def header_graph(root, paths):
    graph = {}
    for path in paths:
        targets = []
        for _, bracket, header in includes_of(path):
            targets.append("include/" + header if bracket == "<" else "src/" + header)
        graph[path.relative_to(root).as_posix()] = [target for target in targets if (root / target).is_file()]
    return graph


def check(root):
    faults = []
    paths = files_under(root, ["src", "include"], CPP_SUFFIXES)
    if not paths:
        return ["no source file found: is --root the project's folder?"]
    names = architecture_names(root)
    for path in paths:
        inside, module = path.relative_to(root).as_posix(), module_of(root, path)
        if module != "include" and module not in MAY_USE:
            faults.append(f"{inside}: unknown folder; expected one of {', '.join(sorted(MAY_USE))}")
            continue
        for line, bracket, header in includes_of(path):
            fault = include_fault(root, path, module, bracket, header)
            if fault:
                faults.append(f"{inside}:{line}: {fault}")
        faults += architecture_faults(root, path, names)
    n_public = sum(1 for path in paths if module_of(root, path) == "include")
    if n_public > MAX_PUBLIC_HEADERS:
        faults.append(f"include/attnviz: {n_public} public headers; at most {MAX_PUBLIC_HEADERS}")
    for room, n_files in sorted(collections.Counter(path.parent.relative_to(root).as_posix() for path in paths).items()):
        if n_files > MAX_FILES_OF_ROOM and room not in LARGE_ROOMS:
            faults.append(f"{room}: {n_files} files; at most {MAX_FILES_OF_ROOM}: give some of them a room of their own, by meaning")
    cycle = find_cycle(header_graph(root, paths))
    if cycle:
        faults.append("headers include each other in a circle: " + " -> ".join(cycle))
    return faults


if __name__ == "__main__":
    main(check, "the layers of src")
