"""Limits that keep the code readable: lines of a file, code lines of a function, parameters, an opening comment, nothing left over.

Functions are found by braces, not by a compiler: a block that follows a parameter list outside any other function's body. Run by
ctest as style.sizes; seen to fail in tests/style/selftest.py.
"""
import re

from source_tree import CPP_SUFFIXES, files_under, line_of, main, strip_cpp

HEADER_LINES = 250
SOURCE_LINES = 500
FAMILY_LINES = 300  # src/model/arch
FUNCTION_LINES = 60
TEST_FUNCTION_LINES = 80  # a table of cases is data
PARAMETERS = 5
ARGUMENT_FIELDS = 10  # of such a struct
OPENING_LINES = (1, 8)
LEFT_OVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
SCOPE = re.compile(r"\s*(?:template\s*<[^{]*>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
# A parameter list, then only what may stand between it and the body: const, noexcept, -> type, attributes, an initialiser list.
BODY_FOLLOWS = re.compile(r"\)[\w\s:<>,&*\-\[\]()\"{}.+|?]*$")


def line_limit(inside):
    if inside.startswith("src/model/arch/"):
        return FAMILY_LINES
    return HEADER_LINES if inside.endswith(".h") else SOURCE_LINES


def matching(text, start, opening, closing):
    """Offset of the bracket that closes the one at `start`, or the text's end."""
    depth = 0
    for offset in range(start, len(text)):
        if text[offset] == opening:
            depth += 1
        elif text[offset] == closing:
            depth -= 1
            if depth == 0:
                return offset
    return len(text) - 1


def parameter_count(signature):
    """Parameters of the first parenthesised list after a name; commas inside <>, () and {} do not count."""
    opening = re.search(r"operator\s*\(\s*\)\s*\(|[\w>]\s*\(|operator\S{1,3}\s*\(", signature)
    if not opening:
        return 0
    start = opening.end() - 1
    inner = signature[start + 1:matching(signature, start, "(", ")")]
    if not inner.strip() or inner.strip() == "void":
        return 0
    depth, count = 0, 1
    for character in inner.replace("->", "  "):
        depth += character in "<({["
        depth -= character in ">)}]"
        count += character == "," and depth == 0
    return count


def functions_of(text):
    """(line, code lines, parameters, signature) of every function with a body; lambdas count into the function around them."""
    code = strip_cpp(text)
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda match: re.sub(r"[^\n]", " ", match.group(0)), code, flags=re.MULTILINE)
    found, offset, head = [], 0, 0
    while offset < len(code):
        character = code[offset]
        if character in ";}":
            head = offset + 1
        elif character == "{":
            signature = ACCESS.sub(lambda match: " " * len(match.group(0)), code[head:offset])
            if SCOPE.match(signature):
                head = offset + 1  # look inside
            elif ")" in signature and not signature[-1].isspace():
                offset = matching(code, offset, "{", "}")  # member_{value} of an initialiser list
            elif BODY_FOLLOWS.search(signature):
                end = matching(code, offset, "{", "}")
                start = head + len(signature) - len(signature.lstrip())
                n_lines = sum(1 for line in code[start:end + 1].splitlines() if line.strip())
                found.append((line_of(code, start), n_lines, parameter_count(signature), " ".join(signature.split())))
                offset, head = end, end + 1
            else:
                offset = matching(code, offset, "{", "}")  # an initialiser
        offset += 1
    return found


def argument_structs(text):
    """(line, name, fields) of every struct that is passed as the arguments of a function: by convention its name ends in Args."""
    code = strip_cpp(text)
    for match in re.finditer(r"\bstruct (\w*Args)\s*\{", code):
        body = code[match.end():matching(code, match.end() - 1, "{", "}")]
        fields = [line for line in re.sub(r"\{[^{}]*\}", "", body).split(";") if line.strip() and "(" not in line]
        yield line_of(code, match.start()), match.group(1), len(fields)


def opening_comment_lines(text):
    lines = text.splitlines()
    count = 0
    while count < len(lines) and lines[count].startswith("//"):
        count += 1
    return count


def check_cpp(inside, text):
    faults = []
    n_opening = opening_comment_lines(text)
    if not OPENING_LINES[0] <= n_opening <= OPENING_LINES[1]:
        faults.append(f"{inside}:1: opens with {n_opening} comment lines; expected {OPENING_LINES[0]} to {OPENING_LINES[1]}: what it is, why so")
    if inside.endswith(".h") and not inside.endswith("-inl.h") and "#pragma once" not in text:
        faults.append(f"{inside}:1: a header without #pragma once")
    for line, name, n_fields in argument_structs(text):
        if n_fields > ARGUMENT_FIELDS:
            faults.append(f"{inside}:{line}: {name} has {n_fields} fields; at most {ARGUMENT_FIELDS}, then group them by meaning")
    limit = TEST_FUNCTION_LINES if inside.startswith("tests/") else FUNCTION_LINES
    for line, n_lines, n_parameters, signature in functions_of(text):
        if n_lines > limit:
            faults.append(f"{inside}:{line}: {n_lines} code lines in one function; at most {limit}: {signature[:80]}")
        if n_parameters > PARAMETERS:
            faults.append(f"{inside}:{line}: {n_parameters} parameters; at most {PARAMETERS}, then a struct: {signature[:80]}")
    return faults


def check(root):
    faults = []
    paths = files_under(root, ["src", "include", "tests", "data"], CPP_SUFFIXES | {".py"})
    if not paths:
        return ["no source file found: is --root the project's folder?"]
    for path in paths:
        inside, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        n_lines = len(text.splitlines())
        if n_lines > line_limit(inside):
            faults.append(f"{inside}: {n_lines} lines; at most {line_limit(inside)}")
        for match in LEFT_OVER.finditer(text):
            faults.append(f"{inside}:{line_of(text, match.start())}: {match.group(0)} left over: do it, or say it in words")
        if path.suffix == ".py":
            if not re.match(r'(?:#[^\n]*\n)*\s*(?:r?""")', text):
                faults.append(f"{inside}:1: opens without a docstring: what it is, why so")
        else:
            faults += check_cpp(inside, text)
    return faults


if __name__ == "__main__":
    main(check, "sizes, opening comments and leftovers")
