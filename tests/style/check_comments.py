"""How much of each room of src is comments: why it is so, what must hold, what shape a buffer has.

The share is that of the lines that are not blank, trailing comments included. Each room's is printed; one below FLOOR fails, one below
AIM is noted. Run by ctest as style.comments; seen to fail in tests/style/selftest.py.
"""
from source_tree import CPP_SUFFIXES, comments_of_cpp, files_under, main

FLOOR, AIM = 0.06, 0.08
SMALL_ROOM = 600  # lines; the share of fewer says little


def line_counts(text):
    """(lines with a comment, lines that are not blank)."""
    with_comment = set()
    for first, comment in comments_of_cpp(text):
        with_comment.update(range(first, first + comment.count("\n") + 1))
    return len(with_comment), sum(1 for line in text.splitlines() if line.strip())


def check(root):
    rooms = {}
    for path in files_under(root, ["src"], CPP_SUFFIXES):
        room = path.relative_to(root).parts[1]
        counts = line_counts(path.read_text(encoding="utf-8"))
        rooms[room] = [before + count for before, count in zip(rooms.get(room, [0, 0]), counts)]
    if not rooms:
        return ["no source file found: is --root the project's folder?"]
    faults = []
    for room, (n_comment, n_line) in sorted(rooms.items()):
        if n_line < SMALL_ROOM:
            continue
        share = n_comment / n_line
        if share < FLOOR:
            faults.append(f"src/{room}: {share:.1%} of its lines have a comment; expected at least {FLOOR:.0%}")
        else:
            print(f"src/{room}: {share:.1%} of its lines have a comment" + (f"; aim for {AIM:.0%}" if share < AIM else ""))
    return faults


if __name__ == "__main__":
    main(check, "the share of comments in each room of src")
