#!/usr/bin/env python3
"""Writes the corpus of the fuzz target map_file: good files of every kind, and broken ones, each in one way.

The unit tests of map_file.h read them too, and know each by its name. Python alone, so that it runs anywhere; what NumPy writes
itself is tested in tests/cli/test_render.py. Usage: make_map_files.py [FOLDER], default: corpus/map_file beside this script.
"""
import io
import json
import struct
import sys
import zipfile
from pathlib import Path

TOKENS = [
    {"id": 101, "text": "[CLS]", "begin": 0, "end": 0, "kind": "special", "word": None, "segment": 0},
    {"id": 5, "text": "The", "begin": 0, "end": 3, "kind": "word", "word": 0, "segment": 0},
    {"id": 9, "text": "\u00e9t", "begin": 4, "end": 7, "kind": "continuation", "word": 1, "segment": 0},
]
WEIGHTS = [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.125, 0.375]]


def one_map(layer=0, head=0, weights=WEIGHTS, **more):
    return {"kind": "self", "layer": layer, "head": head, "weights": weights, **more}


def document(**more):
    return {
        "schema": "attnviz.attention/1", "model": {"name": "m", "family": "bert", "layers": 6, "heads": 12}, "texts": ["The \u00e9t"],
        "queries": TOKENS, "keys": TOKENS, "maps": [one_map()], "notes": [], "command": "attnviz The", **more,
    }


def without(table, field):
    return {key: value for key, value in table.items() if key != field}


def changed(index=1, **more):
    """The tokens with one of them changed."""
    return [{**token, **more} if i == index else token for i, token in enumerate(TOKENS)]


def good_documents():
    yield "document", document()
    yield "document-fields-in-another-order", dict(sorted(document().items()))
    yield "document-maps-in-another-order", document(maps=[one_map(3, 1), one_map(0, 2), one_map(0, 1)])
    yield "document-unknown-field", document(comment={"by": ["me", 1, None, True]}, maps=[one_map(mood="good")])
    yield "document-pool", document(queries=changed(position=1, tokens=2), pool={"rows": 2, "columns": 2, "by": "mean"})
    yield "document-focus-generated", document(focus="The", queries=changed(generated=True), line=7, source_command="x")
    yield "document-pair", document(texts=["The \u00e9t", "b"], keys=changed(text="b", begin=0, end=1, segment=1), maps=[one_map(kind="cross")])
    yield "document-mean-of-heads", document(reduced={"by": "mean", "over": "heads", "layers": [3, 4], "heads": [1, 2]}, maps=[one_map(3, None), one_map(4, None)])
    yield "document-max-of-all", document(maps=[one_map(None, None, [[1, 0, 0], [0.5, 1, 0], [1, 1, 1]])], reduced={"by": "max", "over": "all", "layers": [3, 4], "heads": [1]})
    yield "document-without-text", document(texts=[], queries=[{**t, "id": None, "begin": 0, "end": 0} for t in TOKENS], keys=[{**t, "begin": 0, "end": 0} for t in TOKENS])


def bad_documents():
    yield "no-schema", without(document(), "schema")
    yield "schema-other", document(schema="attnviz.attention/2")
    yield "error-record", {"line": 2, "error": {"kind": "input", "message": "text: is empty"}}
    for field in ("model", "texts", "queries", "keys", "maps", "notes", "command"):
        yield f"no-{field}", without(document(), field)
    yield "model-no-heads", document(model={"name": "m", "family": "f", "layers": 6})
    yield "model-no-layers-at-all", document(model={"name": "m", "family": "f", "layers": 0, "heads": 1})
    yield "model-number", document(model=3)
    yield "texts-number", document(texts=[1])
    yield "queries-empty", document(queries=[])
    yield "queries-more", document(queries=TOKENS + TOKENS[:1])
    yield "keys-fewer", document(keys=TOKENS[:2])
    for field in TOKENS[0]:
        yield f"token-no-{field}", document(queries=[without(TOKENS[0], field)] + TOKENS[1:])
    yield "token-kind", document(queries=changed(kind="verb"))
    yield "token-id-negative", document(queries=changed(id=-3))
    yield "token-id-large", document(queries=changed(id=2**40))
    yield "token-id-fraction", document(queries=changed(id=1.5))
    yield "token-end-past-text", document(queries=changed(end=99))
    yield "token-begin-after-end", document(queries=changed(begin=3, end=2))
    yield "token-inside-character", document(queries=changed(begin=5, end=7))
    yield "token-segment-past-texts", document(queries=changed(segment=1))
    yield "token-position-alone", document(queries=changed(position=2))
    yield "token-generated-false", document(queries=changed(generated=False))
    yield "token-number", document(queries=[1, 2, 3])
    yield "pool-by", document(pool={"rows": 1, "columns": 1, "by": "median"})
    yield "pool-zero", document(pool={"rows": 0, "columns": 1, "by": "max"})
    yield "reduced-by", document(reduced={"by": "sum", "over": "all", "layers": [0], "heads": [0]}, maps=[one_map(None, None)])
    yield "reduced-over", document(reduced={"by": "max", "over": "texts", "layers": [0], "heads": [0]}, maps=[one_map(None, None)])
    yield "reduced-no-layers", document(reduced={"by": "max", "over": "all", "layers": [], "heads": [0]}, maps=[one_map(None, None)])
    yield "reduced-other-maps", document(reduced={"by": "max", "over": "heads", "layers": [0], "heads": [0]}, maps=[one_map(None, None)])
    yield "reduced-twice", document(reduced={"by": "max", "over": "all", "layers": [0], "heads": [0]}, maps=[one_map(None, None), one_map(None, None)])
    yield "reduced-layer-past-model", document(reduced={"by": "max", "over": "all", "layers": [6], "heads": [0]}, maps=[one_map(None, None)])
    yield "map-layer-null", document(maps=[one_map(None, 0)])
    yield "maps-empty", document(maps=[])
    yield "maps-twice", document(maps=[one_map(), one_map(1, 1), one_map()])
    yield "map-kind", document(maps=[one_map(kind="other")])
    yield "map-layer-past-model", document(maps=[one_map(6, 0)])
    yield "map-head-negative", document(maps=[one_map(0, -1)])
    yield "map-no-weights", document(maps=[without(one_map(), "weights")])
    yield "map-rows-fewer", document(maps=[one_map(2, 1, WEIGHTS[:2])])
    yield "map-row-short", document(maps=[one_map(2, 1, [*WEIGHTS[:2], [0.5, 0.5]])])
    yield "map-row-empty", document(maps=[one_map(2, 1, [[], [], []])])
    yield "map-no-row", document(maps=[one_map(2, 1, [])])
    yield "map-deeper", document(maps=[one_map(2, 1, [WEIGHTS])])
    yield "map-text-weight", document(maps=[one_map(2, 1, [[1, 0, 0], [0, "1", 0], [0, 0, 1]])])
    yield "map-weights-before-its-names", document(maps=[{"weights": [[1, 0, 0], [1, 0]], "kind": "self", "layer": 0, "head": 0}])


def texts():
    """(name, text or bytes) that is not simply a value's JSON."""
    plain = "[[0.5, 0.5], [1e-3, 0.999]]"
    yield "good-plain", plain
    yield "good-plain-space", " \r\n\t[ [ 0.5 ,0.5 ]\n, [1,0] ] \n"
    yield "good-plain-bom", b"\xef\xbb\xbf" + plain.encode()
    yield "good-plain-heads", "[[[1]],[[1]],[[0]]]"
    yield "good-plain-layers", "[[[[1,0],[0,1]]],[[[1,0],[0.5,0.5]]]]"
    yield "good-plain-batch", "[[[[[1,0],[0,1]],[[1,0],[0,1]]]],[[[[1,0],[0,1]],[[1,0],[0,1]]]]]"
    yield "good-plain-batch-first", "[[[[[1]],[[1]]],[[[1]],[[1]]]]]"
    yield "good-plain-cross", "[[0.25,0.25,0.5]]"
    yield "good-plain-words", "[[NaN, Infinity], [-Infinity, null]]"
    yield "good-plain-range", "[[1e-400, 1e400], [-1e999, 1e-50], [123456789012345678901234567890, 0.00000000000000000000000000000000000000000000000000001]]"
    two = json.dumps(document()) + "\n" + json.dumps(document(line=2)) + "\n"
    yield "good-one-line", json.dumps(document()) + "\n"
    yield "two-lines", two
    yield "escapes", json.dumps(document(command="\"\\/\b\f\n\r\t\u00e9\U0001F600\u2028"))
    yield "empty", b""
    yield "space", b" \n \n"
    yield "only-bom", b"\xef\xbb\xbf"
    yield "bracket", "["
    yield "brackets", "[" * 5
    yield "many-brackets", "[" * 4000
    yield "many-braces", '{"a":' * 700
    yield "list-empty", "[]"
    yield "list-of-empty", "[[]]"
    yield "list-flat", "[1, 0]"
    yield "list-six-deep", "[[[[[[1]]]]]]"
    yield "list-batch-of-two", "[[[[[1]]],[[[1]]]],[[[[1]]],[[[1]]]]]"
    yield "list-ragged-row", "[[[1, 0], [1, 0, 0]]]"
    yield "list-ragged-map", "[[[1, 0], [1, 0]], [[1, 0]]]"
    yield "list-ragged-heads", "[[[[1]], [[1]]], [[[1]]]]"
    yield "list-number-for-row", "[[1, 0], 1]"
    yield "list-row-for-number", "[[1, 0], [1, [0]]]"
    yield "list-trailing-comma", "[[1, 0,], [0, 1]]"
    yield "list-no-comma", "[[1 0], [0 1]]"
    yield "list-cut-in-number", "[[0.5, 0."
    yield "list-cut-in-row", "[[0.5, 0.5], [0.5,"
    yield "list-behind", "[[1]] [[1]]"
    yield "list-leading-zero", "[[01]]"
    yield "list-plus", "[[+1]]"
    yield "list-hex", "[[0x1]]"
    yield "list-point-first", "[[.5, .5]]"
    yield "list-point-last", "[[1., 0]]"
    yield "list-nan-other-case", "[[nan]]"
    yield "list-text", '[["a"]]'
    yield "list-true", "[[true]]"
    whole = json.dumps(document())
    yield "document-cut", whole[: len(whole) // 2]
    yield "document-cut-in-text", whole[: whole.index("special") + 3]
    yield "document-behind", whole + " x"
    yield "field-twice", whole.replace('"notes": []', '"command": ""')
    yield "text-control", whole.replace("attnviz The", "attnviz\nThe")
    yield "text-escape", whole.replace("attnviz The", "attnviz \\x41")
    yield "text-hex", whole.replace("attnviz The", "attnviz \\u00g0")
    yield "text-lone-surrogate", whole.replace("attnviz The", "attnviz \\ud800 x")
    yield "text-not-utf8", whole.encode().replace(b"attnviz The", b"attnviz \xff")
    yield "fields-many", json.dumps({f"f{i}": i for i in range(200)})
    yield "png", b"\x89PNG\r\n\x1a\n"
    yield "pdf", b"%PDF-1.7"
    yield "html", b"<!doctype html>"
    yield "gzip", b"\x1f\x8b\x08"
    yield "pickle", b"\x80\x04K\x01."
    yield "csv", b"layer,head,query,key,query_text,key_text,weight\n"
    yield "gguf", b"GGUF\x03\0\0\0"
    yield "words", b"The animal"


def npy(descr="<f4", shape=(2, 2), data=None, fortran=False, version=1, header=None):
    if data is None:
        data = struct.pack("<4f", 0.5, 0.5, 0.25, 0.75)
    text = header or f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    text = text.encode("latin-1") if isinstance(text, str) else text
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def npy_files():
    yield "good-f4", npy()
    yield "good-f4-version-2", npy(version=2)
    yield "good-f4-version-3", npy(version=3)
    yield "good-f4-big", npy(">f4", data=struct.pack(">4f", 0.5, 0.5, 0.25, 0.75))
    yield "good-f8", npy("<f8", data=struct.pack("<4d", 0.5, 0.5, 0.25, 0.75))
    yield "good-f8-big", npy(">f8", data=struct.pack(">4d", 0.5, 0.5, 0.25, 0.75))
    yield "good-f2", npy("<f2", data=struct.pack("<4e", 0.5, 0.5, 0.25, 0.75))
    yield "good-f2-big", npy(">f2", data=struct.pack(">4e", 0.5, 0.5, 0.25, 0.75))
    yield "good-fortran", npy(data=struct.pack("<4f", 0.5, 0.25, 0.5, 0.75), fortran=True)
    # [2][1][2][1][2] = [layer][batch][head][query][key]: item (l, h, k) is l * 4 + h * 2 + k, the first index runs fastest.
    order = [layer * 4 + head * 2 + key for key in range(2) for head in range(2) for layer in range(2)]
    yield "good-fortran-five-axes", npy(shape=(2, 1, 2, 1, 2), data=struct.pack("<8f", *order), fortran=True)
    yield "good-quotes", npy(header='{"shape": (2, 2), "fortran_order": False, "descr": "<f4"}')
    yield "short", b"\x93NUMPY\x01\x00"
    yield "version-4", npy(version=1).replace(b"\x93NUMPY\x01", b"\x93NUMPY\x04")
    yield "version-0", npy(version=1).replace(b"\x93NUMPY\x01", b"\x93NUMPY\x00")
    yield "header-cut", npy()[:40]
    yield "header-size-huge", b"\x93NUMPY\x02\x00" + b"\xff" * 4 + npy()[12:]
    yield "header-not-a-dictionary", npy(header="['descr']")
    yield "header-cut-dictionary", npy(header="{'descr': '<f4', 'shape': (2, 2")
    yield "header-key-missing", npy(header="{'descr': '<f4', 'shape': (2, 2), }")
    yield "header-key-twice", npy(header="{'descr': '<f4', 'descr': '<f4', 'shape': (2, 2), }")
    yield "header-key-unknown", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'more': 1}")
    yield "header-behind", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)} 1")
    yield "header-truth", npy(header="{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 2)}")
    yield "header-shape-negative", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}")
    yield "header-shape-no-brackets", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': 4}")
    yield "header-control", npy(header=b"{'descr\x1b': 1}")
    yield "type-int", npy("<i4")
    yield "type-bool", npy("|b1", data=b"\1\0\0\1")
    yield "type-complex", npy("<c8", shape=(2,), data=b"\0" * 16)
    yield "type-object", npy("|O", data=b"\x80\x04.")
    yield "type-records", npy(header="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}")
    yield "type-date", npy("<M8[ns]", shape=(2,), data=b"\0" * 16)
    yield "type-long-double", npy("<f16", shape=(1, 1), data=b"\0" * 16)
    yield "type-bfloat16", npy("|V2", data=b"\0" * 8)
    yield "type-empty", npy("")
    yield "type-size-huge", npy("<f99999999999999999999")
    yield "type-text-huge", npy("<U4611686018427387905", shape=(1,), data=b"")
    yield "shape-one-axis", npy(shape=(4,))
    yield "shape-six-axes", npy(shape=(1, 1, 1, 1, 2, 2))
    yield "shape-scalar", npy(shape=(), data=b"\0" * 4)
    yield "shape-batch-of-two", npy(shape=(2, 2, 1, 1, 1))
    yield "shape-zero", npy(shape=(0, 2), data=b"")
    yield "shape-overflow", npy(shape=(2**33, 2**33))
    yield "shape-overflow-zero", npy(shape=(2**33, 2**33, 0, 2, 2), data=b"")
    yield "data-short", npy(data=b"\0" * 15)
    yield "data-long", npy(data=b"\0" * 17)


def text_array(items, shape=None, descr=None, order="le"):
    longest = max(map(len, items))
    data = b"".join(item.ljust(longest, "\0").encode(f"utf-32-{order}") for item in items)
    return npy(descr or f"{'<' if order == 'le' else '>'}U{longest}", (len(items),) if shape is None else shape, data)


def zipped(entries, method=zipfile.ZIP_STORED):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return memory.getvalue()


def own_arrays(**more):
    rows = [weight for row in WEIGHTS for weight in row]
    arrays = {
        "maps": npy("<f4", (2, 3, 3), struct.pack("<18f", *rows, *rows)), "layers": npy("<i8", (2,), struct.pack("<2q", 3, 0)),
        "heads": npy("<i8", (2,), struct.pack("<2q", 1, 5)), "document": text_array([json.dumps(document(maps=[]))], ()),
        "queries": text_array([token["text"] for token in TOKENS]), **more,
    }
    return [(f"{name}.npy", data) for name, data in arrays.items() if data is not None]


def npz_files():
    yield "good-own", zipped(own_arrays())
    yield "good-own-deflated", zipped(own_arrays(), zipfile.ZIP_DEFLATED)
    yield "good-own-big-endian", zipped(own_arrays(
        layers=npy(">i4", (2,), struct.pack(">2i", 3, 0)), heads=npy("|u1", (2,), b"\1\5"), document=text_array([json.dumps(document(maps=[]))], (), order="be")))
    yield "good-one-array", zipped([("a.npy", npy())])
    yield "good-one-array-deflated", zipped([("a.npy", npy())], zipfile.ZIP_DEFLATED)
    yield "two-arrays", zipped([("a.npy", npy()), ("b.npy", npy()), ("readme.txt", b"")])
    yield "no-array", zipped([("data.pkl", b"\x80\x02}.")])
    yield "nothing", zipped([])
    yield "lzma", zipped([("a.npy", npy())], zipfile.ZIP_LZMA)
    yield "array-broken", zipped([("a.npy", b"not one")])
    yield "array-of-objects", zipped([("a.npy", npy("|O", data=b"\x80\x04."))])
    damaged = bytearray(zipped([("a.npy", npy())]))
    damaged[damaged.index(b"NUMPY") + 130] ^= 1
    yield "checksum", bytes(damaged)
    deflated = bytearray(zipped([("a.npy", npy(shape=(64, 64), data=bytes(range(256)) * 64))], zipfile.ZIP_DEFLATED))
    deflated[80] ^= 0xFF
    yield "deflate-damaged", bytes(deflated)
    yield "cut", zipped(own_arrays())[:-30]
    yield "own-maps-other-shape", zipped(own_arrays(maps=npy()))
    yield "own-maps-fewer", zipped(own_arrays(maps=npy("<f4", (1, 3, 3), b"\0" * 36)))
    yield "own-maps-other-size", zipped(own_arrays(maps=npy("<f4", (2, 2, 2), b"\0" * 32)))
    yield "own-layers-text", zipped(own_arrays(layers=text_array(["3", "0"])))
    yield "own-layers-negative", zipped(own_arrays(layers=npy("<i8", (2,), struct.pack("<2q", -2, 0))))
    yield "own-layers-of-several", zipped(own_arrays(layers=npy("<i2", (2,), struct.pack("<2h", -1, 0))))
    yield "own-layers-missing", zipped(own_arrays(layers=None))
    yield "own-document-number", zipped(own_arrays(document=npy("<f4", (), b"\0" * 4)))
    yield "own-document-two", zipped(own_arrays(document=text_array(["{}", "{}"])))
    yield "own-document-not-unicode", zipped(own_arrays(document=npy("<U1", (), b"\0\xd8\0\0")))
    yield "own-document-no-characters", zipped(own_arrays(document=npy("<U0", (), b"")))
    yield "own-document-broken", zipped(own_arrays(document=text_array(['{"schema":'], ())))
    yield "own-document-with-maps", zipped(own_arrays(document=text_array([json.dumps(document())], ())))
    # 4 kB that claim much: what deflate can really do, and what it cannot.
    zeros = zipped([("a.npy", npy(shape=(1000, 1000), data=b"\0" * 4_000_000))], zipfile.ZIP_DEFLATED)
    yield "huge-zeros", zeros
    for name, claim in (("huge-claim", 2**31 - 1), ("huge-claim-4gb", 2**32 - 2)):
        lying = bytearray(zeros)
        lying[22:26] = struct.pack("<I", claim)
        at = lying.rindex(b"PK\x01\x02")
        lying[at + 24 : at + 28] = struct.pack("<I", claim)
        yield name, bytes(lying)
    yield "huge-empty-texts", zipped(own_arrays(document=npy("<U0", (10**12,), b"")))


def all_files():
    for name, value in good_documents():
        yield f"good-{name}.json", json.dumps(value, ensure_ascii=False).encode()
    for name, value in bad_documents():
        yield f"{name}.json", json.dumps(value).encode()
    for name, text in texts():
        yield f"{name}.txt", text.encode() if isinstance(text, str) else text
    for name, data in npy_files():
        yield f"{name}.npy", data
    for name, data in npz_files():
        yield f"{name}.npz", data


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "corpus" / "map_file"
    folder.mkdir(parents=True, exist_ok=True)
    names = set()
    for name, data in all_files():
        assert name not in names, name
        names.add(name)
        (folder / name).write_bytes(data)
    for path in folder.iterdir():
        if path.name not in names and not path.name.startswith("found-"):
            path.unlink()
    print(f"{folder}: {len(names)} files")


if __name__ == "__main__":
    main()
