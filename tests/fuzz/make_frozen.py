#!/usr/bin/env python3
"""Writes the corpus of frozen_fuzz: a frozen tokenizer of each model, and broken ones, some of which claim huge counts (huge-*).

The layouts are those that src/base/flat_bytes.h, src/text/models/piece_table.h, merge_table.h, the models' headers and frozen_tokenizer.h
draw; writing them a second time here tells when they change. Files that a fuzzer found start with "found-" and are left alone.
Usage: make_frozen.py [FOLDER], default: corpus/frozen beside this script.
"""

import struct
import sys
from pathlib import Path

FREE = 2**32 - 1
HUGE = [2**26, 2**32 - 1, 2**61, 2**63 - 1]
WORD_PIECE, BPE, UNIGRAM, SPM = range(4)  # as PieceModelSpec lists them


class Flat:
    def __init__(self):
        self.bytes = b""

    def number(self, kind, *values):
        self.bytes += struct.pack("<" + kind * len(values), *values)
        return self

    def text(self, value):
        value = value.encode() if isinstance(value, str) else value
        return self.number("Q", len(value)).raw(value)

    def raw(self, value):
        self.bytes += value
        return self

    def array(self, kind, values, claimed=None):
        self.number("Q", len(values) if claimed is None else claimed)
        return self.raw(bytes(-len(self.bytes) % 8)).raw(struct.pack("<" + kind * len(values), *values))


def slots_for(n):
    return n + n * 2 // 3 + 2


def first_slot(value, n_slots):
    return (value * 0x9E3779B1 % 2**32) * n_slots >> 32


def filled(entries, n_slots, free):
    """The entries of (hash, equal key, values) in their slots; a later one replaces an equal earlier one."""
    slots, keys = [free] * n_slots, [None] * n_slots
    for value, key, values in entries:
        place = first_slot(value, n_slots)
        while keys[place] is not None and keys[place] != key:
            place = (place + 1) % n_slots
        slots[place], keys[place] = values, key
    return [number for slot in slots for number in slot]


def text_hash(text):
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return (value ^ value >> 32) % 2**32


def text_list(flat, texts):
    begins = [0]
    for text in texts:
        begins.append(begins[-1] + len(text))
    return flat.array("I", begins).text(b"".join(texts))


def piece_index(flat, texts):
    longest = [max((len(text) for text in texts if text[:1] == bytes([byte])), default=0) for byte in range(256)]
    entries = [(text_hash(text), text, (text_hash(text), i)) for i, text in enumerate(texts) if text]
    return flat.array("I", longest).array("I", []) if not texts else flat.array("I", longest).number(
        "Q", slots_for(len(texts))).raw(bytes(-len(flat.bytes) % 8)).raw(
        struct.pack(f"<{2 * slots_for(len(texts))}I", *filled(entries, slots_for(len(texts)), (0, FREE))))


def piece_table(texts):
    return piece_index(text_list(Flat(), texts), texts)


def merge_table(flat, merges):
    n_slots = slots_for(len(merges))
    entries = [(((left << 32 | right) * 0x9E3779B97F4A7C15 % 2**64) >> 32, (left, right), (left, right, rank, joined))
               for rank, (left, right, joined) in enumerate(merges)]
    flat.number("Q", n_slots).raw(bytes(-len(flat.bytes) % 8))
    return flat.raw(struct.pack(f"<{4 * n_slots}I", *filled(entries, n_slots, (0, 0, 0, FREE))))


BYTES = [-1] * 256
SETTINGS = {
    WORD_PIECE: Flat().number("B", WORD_PIECE).text("[UNK]").text("##").number("Q", 100).bytes,
    BPE: Flat().number("B", BPE, 1).text("[UNK]").number("B", 1, 1, 0).text("").text("").bytes,
    UNIGRAM: Flat().number("B", UNIGRAM, 1).number("i", 0).number("B", 0).bytes,
    SPM: Flat().number("B", SPM, 0).bytes,
}


def added_token(number, name):
    return Flat().number("i", number).text(name).number("B", 1, 0, 0, 1, 1).bytes


def stages(*kinds):
    return Flat().number("Q", len(kinds)).raw(b"".join(kinds)).bytes


NORMALIZERS = stages(b"\2", b"\4\1\1", Flat().number("B", 5).text("x").number("B", 0).text("y").bytes)  # lower case, strip, replace
PRE_TOKENIZERS = stages(b"\5", Flat().number("B", 2).text("[0-9]").number("B", 1, 0, 1).bytes)          # white space, split
FIRST, SECOND = (Flat().number("B", what).text("").number("i", 0, what - 1).bytes for what in (1, 2))


def frozen(kind, tables, normalizers=NORMALIZERS, pre_tokenizers=PRE_TOKENIZERS, settings=None, added=None, single=None):
    added = stages(added_token(1, "[MASK]")) if added is None else added
    out = Flat().raw(normalizers).raw(pre_tokenizers).raw(SETTINGS[kind] if settings is None else settings).raw(added)
    out.raw(stages(FIRST) if single is None else single).raw(stages(FIRST, SECOND)).number("B", 0)
    return out.array("B", tables)


TEXTS = [text.encode() for text in ("[UNK]", "[MASK]", "a", "b", "ab", "##b", "é", "##a", "t", "")]


def word_piece(texts=TEXTS, unknown=0):
    return piece_table(texts).number("i", unknown).bytes


def bpe(merges=((2, 3, 4), (4, 2, 8)), unknown=0, table=None):
    return merge_table(piece_table(TEXTS) if table is None else table, merges).number("i", unknown, *BYTES).bytes


def unigram(n_scores=len(TEXTS), score=-1.5):
    return piece_table(TEXTS).array("d", [score] * n_scores).number("d", -20.0).number("i", *BYTES).bytes


def spm(types=None, unknown=0, n_scores=len(TEXTS)):
    flat = piece_index(text_list(Flat(), TEXTS), [b"", b"", *TEXTS[2:]])
    piece_index(flat, [b"", TEXTS[1]])
    types = [2, 4, *[1] * (len(TEXTS) - 2)] if types is None else types
    flat.array("f", [-float(i) for i in range(n_scores)]).array("B", types)
    return flat.array("Q", [2**64 - 1, 2**64 - 1, 0, 1 << 41]).number("i", unknown, *BYTES).bytes


def index_with(slots, longest=None):
    flat = text_list(Flat(), TEXTS).array("I", longest or [4] * 256)
    flat.number("Q", len(slots) // 2).raw(bytes(-len(flat.bytes) % 8)).raw(struct.pack(f"<{len(slots)}I", *slots))
    return flat.number("i", 0).bytes


def good_files():
    yield "good-word-piece", frozen(WORD_PIECE, word_piece()).bytes
    yield "good-bpe", frozen(BPE, bpe()).bytes
    yield "good-unigram", frozen(UNIGRAM, unigram()).bytes
    yield "good-spm", frozen(SPM, spm()).bytes


def broken_tables():
    yield "texts-unsorted", text_list(Flat(), TEXTS).bytes.replace(struct.pack("<I", 5), struct.pack("<I", 12), 1)
    yield "texts-short", Flat().array("I", [0, 9]).text("abc").bytes
    yield "texts-none", Flat().array("I", []).text("").bytes
    yield "slots-none", index_with([])
    yield "slots-full", index_with([0, 0, 0, 1])
    yield "slots-past", index_with([0, len(TEXTS), 0, FREE])
    yield "longest-huge", index_with([text_hash(b"a"), 2, 0, FREE], [FREE] * 256)
    yield "longest-short", index_with([0, FREE], [4] * 255)
    yield "unknown-past", word_piece(unknown=len(TEXTS))
    yield "unknown-none", word_piece(unknown=-1)
    yield "unknown-negative", word_piece(unknown=-2)
    for n in (0, 1, 40, 200, 1300):
        yield f"cut-{n}", word_piece()[:n]
    for count in HUGE:
        yield f"huge-texts-{count:x}", Flat().array("I", [0, 1, 2], count).bytes
        yield f"huge-text-{count:x}", Flat().array("I", [0, 4]).number("Q", count).raw(b"abcd").bytes
        yield f"huge-slots-{count:x}", text_list(Flat(), TEXTS).array("I", [4] * 256).number("Q", count).raw(bytes(40)).bytes
        yield f"huge-end-{count:x}", Flat().array("I", [0, count % 2**32]).text("abcd").bytes


def broken_models():
    yield BPE, "merge-past", bpe(merges=[(2, 3, len(TEXTS))])
    yield BPE, "merge-of-nothing", bpe(merges=[(FREE, FREE, 4), (2, 3, 4)])
    yield BPE, "merge-loop", bpe(merges=[(2, 2, 2), (3, 3, 3), (2, 3, 2)])
    full = piece_table(TEXTS).number("Q", 1)
    yield BPE, "merges-full", full.raw(bytes(-len(full.bytes) % 8)).raw(struct.pack("<4I", 2, 3, 0, 4)).number("i", 0, *BYTES).bytes
    yield BPE, "byte-past", bpe()[:-4] + struct.pack("<i", len(TEXTS))
    yield BPE, "other-model", unigram()
    yield UNIGRAM, "scores-few", unigram(n_scores=3)
    yield UNIGRAM, "scores-many", unigram(n_scores=50)
    yield UNIGRAM, "score-nan", unigram(score=float("nan"))
    yield UNIGRAM, "score-infinite", unigram(score=float("inf"))
    yield SPM, "types-unknown", spm(types=[200] * len(TEXTS))
    yield SPM, "types-few", spm(types=[1])
    yield SPM, "types-user-defined", spm(types=[4] * len(TEXTS))
    yield SPM, "scores-few", spm(n_scores=1)
    yield SPM, "unknown-none", spm(unknown=-1)
    for count in HUGE:
        yield UNIGRAM, f"huge-scores-{count:x}", piece_table(TEXTS).array("d", [0.0], count).bytes
        flat = piece_table(TEXTS)
        yield BPE, f"huge-merges-{count:x}", flat.number("Q", count).raw(bytes(80)).bytes


def broken_settings():
    def word(**parts):
        return frozen(WORD_PIECE, word_piece(), **parts).bytes

    yield "normalizer-unknown", word(normalizers=stages(b"\x08"))
    yield "form-unknown", word(normalizers=stages(b"\1\4"))
    yield "flag-two", word(normalizers=stages(b"\4\2\0"))
    yield "map-short", word(normalizers=stages(Flat().number("B", 7).text("abc").bytes))
    yield "map-huge", word(normalizers=stages(Flat().number("B", 7).text(struct.pack("<I", 2**31) + b"abcdefgh").bytes))
    yield "pattern-broken", word(pre_tokenizers=stages(Flat().number("B", 2).text("(").number("B", 1, 0, 1).bytes))
    yield "pattern-deep", word(pre_tokenizers=stages(Flat().number("B", 2).text("(a{99}){99}" * 3).number("B", 1, 0, 1).bytes))
    yield "behaviour-unknown", word(pre_tokenizers=stages(b"\7\5"))
    yield "model-unknown", word(settings=b"\4")
    yield "word-endless", word(settings=Flat().number("B", 0).text("[UNK]").text("##").number("Q", 2**64 - 1).bytes)
    yield "prefix-empty", word(settings=Flat().number("B", 0).text("").text("").number("Q", 9).bytes)
    yield "unigram-unknown-past", frozen(UNIGRAM, unigram(), settings=Flat().number("B", 2, 1).number("i", 99).number("B", 1).bytes).bytes
    yield "unigram-no-unknown", frozen(UNIGRAM, unigram(), settings=Flat().number("B", 2, 0, 1).bytes).bytes
    yield "added-past", word(added=stages(added_token(2**31 - 1, "x")))
    yield "added-negative", word(added=stages(added_token(-1, "x")))
    yield "added-empty", word(added=stages(added_token(1, "")))
    yield "added-not-utf8", word(added=stages(added_token(1, b"\xff\xfe")))
    yield "template-empty", word(single=stages())
    yield "template-twice", word(single=stages(FIRST, FIRST))
    yield "template-past", word(single=stages(Flat().number("B", 0).text("x").number("i", 99, 0).bytes, FIRST))
    yield "empty", b""
    for count in HUGE:
        yield f"huge-normalizers-{count:x}", struct.pack("<Q", count) + b"\2" * 100
        yield f"huge-added-{count:x}", word(added=struct.pack("<Q", count))
        yield f"huge-tables-{count:x}", frozen(WORD_PIECE, b"").bytes[:-8] + struct.pack("<Q", count) + bytes(16)


def files():
    yield from good_files()
    for name, tables in broken_tables():
        yield name, frozen(WORD_PIECE, tables).bytes
    for kind, name, tables in broken_models():
        yield f"{('', 'bpe', 'unigram', 'spm')[kind]}-{name}" if not name.startswith("huge-") else name, frozen(kind, tables).bytes
    yield from broken_settings()


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "corpus" / "frozen"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if not old.name.startswith("found-"):
            old.unlink()
    for name, data in files():
        if len(data) > 8192:
            raise SystemExit(f"{name}: {len(data)} bytes; expected at most 8192")
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
