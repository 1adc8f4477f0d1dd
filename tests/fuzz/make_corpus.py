#!/usr/bin/env python3
"""Writes the corpus of most fuzz targets (see main): good files, a broken one of each kind, and small ones that claim much (huge-*).

Files that a fuzzer found start with "found-" and are left alone; of tokenizer only huge-* are written. Usage: make_corpus.py [FOLDER], default: corpus beside this script.
"""

import json
import struct
import sys
from pathlib import Path

from huge_files import huge_files

MODELS = {
    "schema": "attnviz.models/1",
    "default": "m",
    "models": [{
        "name": "m", "title": "M", "family": "bert", "licence": "MIT", "description": "d",
        "source": {"kind": "pypi", "package": "p", "version": "1", "folder": "f"},
        "files": [{"name": "a.json", "sha256": "0123456789abcdef" * 4}],
    }],
}


def sized(size, rest):
    return struct.pack("<Q", size) + rest


def st(header, data=b""):
    """A safetensors file of a header (object or text) and data."""
    raw = header if isinstance(header, bytes) else (header if isinstance(header, str) else json.dumps(header)).encode()
    return sized(len(raw), raw + data)


def tensor(dtype="U8", shape=(4,), begin=0, end=4):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def without(entry, field):
    return {key: value for key, value in entry.items() if key != field}


def safetensors_files():
    a = tensor()
    entry = json.dumps(a)
    yield "good-empty", st({})
    yield "good-padded", st('{"a":%s}      ' % entry, b"1234")
    yield "good-metadata", st({"__metadata__": {"format": "pt"}, "a": a}, b"1234")
    yield "good-two", st({"b": tensor("F32", (1, 2), 4, 12), "a": a}, b"x" * 12)
    yield "good-empty-tensor", st({"a": tensor("F16", (0, 7), 0, 0), "b": a}, b"1234")
    yield "good-scalar", st({"a": tensor("BF16", (), 0, 2)}, b"12")
    yield "good-unknown-field", st({"a": {**a, "x": [{"y": [1.5, None, True]}]}}, b"1234")
    yield "good-sub-byte", st({"a": tensor("F4", (4,), 0, 2)}, b"12")
    yield "good-escapes", st('{"a\\u00e9\\n\\ud83d\\ude00":%s}' % entry, b"1234")
    yield "size-none", b""
    yield "size-cut", b"\x02\0\0"
    yield "size-past-file", sized(50, b"{}")
    yield "size-past-limit", sized(100_000_001, b"{}")
    yield "size-all-ones", sized(2**64 - 1, b"{}")
    yield "lfs-pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    yield "size-zero", sized(0, b"1234")
    yield "header-not-json", st("{not json")
    yield "header-array", st("[1, 2]")
    yield "header-space-first", st(" {}")
    yield "header-bom", st(b"\xef\xbb\xbf{}")
    yield "header-not-utf8", st(b'{"\xff": 1}')
    yield "header-lone-surrogate", st('{"\\ud800":%s}' % entry, b"1234")
    yield "header-cut", st('{"a":{"dtype":"U8"')
    yield "header-trailing", st("{}{}")
    yield "header-deep", st('{"a":{"x":' + "[" * 400)
    yield "header-deep-objects", st('{"a":{"x":' + '{"y":' * 100)
    yield "name-twice", st('{"a":%s,"a":%s}' % (entry, entry), b"1234")
    yield "field-twice", st('{"a":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}}', b"1234")
    yield "metadata-twice", st('{"__metadata__":{},"__metadata__":{}}')
    yield "metadata-number", st({"__metadata__": 3})
    yield "metadata-not-strings", st({"__metadata__": {"k": [1]}})
    yield "tensor-null", st({"a": None})
    for field in a:
        yield f"no-{field}", st({"a": without(a, field)}, b"1234")
    yield "dtype-unknown", st({"a": tensor("Q7")}, b"1234")
    yield "dtype-number", st({"a": {**a, "dtype": 5}}, b"1234")
    yield "shape-object", st({"a": {**a, "shape": {"0": 4}}}, b"1234")
    yield "shape-nested", st({"a": {**a, "shape": [[4]]}}, b"1234")
    yield "shape-negative", st({"a": tensor(shape=(-4,))}, b"1234")
    yield "shape-fraction", st({"a": tensor(shape=(4.5,))}, b"1234")
    yield "shape-past-64-bits", st({"a": tensor(shape=(2**64,))}, b"1234")
    yield "shape-overflow", st({"a": tensor(shape=(2**32, 2**32, 2))}, b"1234")
    yield "shape-overflow-times-zero", st({"a": tensor(shape=(2**63, 4, 0), end=0)})
    yield "bits-overflow", st({"a": tensor("F64", (2**58 + 1,), 0, 8)}, b"12345678")
    yield "half-a-byte", st({"a": tensor("F4", (3,), 0, 2)}, b"12")
    yield "offsets-one", st({"a": {**a, "data_offsets": [0]}}, b"1234")
    yield "offsets-three", st({"a": {**a, "data_offsets": [0, 4, 4]}}, b"1234")
    yield "offsets-negative", st({"a": tensor(begin=-4, end=0)}, b"1234")
    yield "offsets-huge", st({"a": tensor(begin=2**64 - 5, end=2**64 - 1)}, b"1234")
    yield "begin-after-end", st({"a": tensor(begin=4, end=0)}, b"1234")
    yield "past-the-data", st({"a": tensor(begin=4, end=8)}, b"1234")
    yield "wrong-byte-count", st({"a": tensor("F32")}, b"1234")
    yield "overlap", st({"a": a, "b": tensor(begin=2, end=6)}, b"123456")
    yield "same-range", st({"a": a, "b": a}, b"1234")
    yield "hole", st({"a": a, "b": tensor(begin=5, end=9)}, b"123456789")
    yield "hole-at-start", st({"a": tensor(begin=1, end=5)}, b"12345")
    yield "cut-tail", st({"a": a}, b"123")
    yield "more-after-last", st({"a": a}, b"12345")
    yield "data-without-tensors", st({}, b"xyz")


def config_files():
    bert = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": 384, "layer_norm_eps": 1e-12,
            "use_cache": True, "id2label": {"0": "x"}, "pad_token_id": None, "sizes": [1, 2]}
    yield "good-bert", json.dumps(bert).encode()
    yield "good-nested", b'{"rope_scaling":{"factor":8.0,"type":"llama3"},"layers":[{"n":1},{"n":2}]}'
    yield "good-nan", b'{"a":NaN,"b":[0.0,Infinity,-Infinity],"c":"NaN \\" Infinity"}'
    yield "good-twice", b'{"a":1,"a":"x"}'
    yield "good-key-with-controls", b'{"a\\u001b[2J":{"\\u202e":1}}'
    yield "empty", b""
    yield "array", b"[1]"
    yield "number", b"3"
    yield "cut", b'{"a":'
    yield "cut-in-string", b'{"a":"x\\'
    yield "trailing", b"{} x"
    yield "overflow", b'{"a":1e999}'
    yield "big-integer", b'{"a":99999999999999999999,"b":-99999999999999999999}'
    yield "negative", b'{"a":-1,"b":-0,"c":1.0}'
    yield "not-utf8", b'{"\xff":"\xc3"}'
    yield "lone-surrogate", b'{"a":"\\ud800"}'
    yield "zero-byte", b'{"a":"x\0"}'
    yield "deep", b'{"a":' + b"[" * 900
    yield "deep-closed", b'{"a":' + b"[" * 450 + b"]" * 450 + b"}"
    yield "mixed-list", b'{"a":[1,"x",null,{},[],true,1.5,-1]}'
    yield "nan-in-a-word", b'{"a":NaNN,"b":-Infinity1}'


def manifest_files():
    def changed(path, value):
        document = json.loads(json.dumps(MODELS))
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return json.dumps(document).encode()

    model, file = ["models", 0], ["models", 0, "files", 0]
    yield "good", json.dumps(MODELS).encode()
    yield "good-other-source", changed([*model, "source"], {"kind": "hub", "id": "x/y"})
    yield "no-models", changed(["models"], [])
    yield "models-object", changed(["models"], {})
    yield "other-schema", changed(["schema"], "other/2")
    yield "default-missing", changed(["default"], "n")
    yield "model-path", changed([*model, "name"], "../m")
    yield "model-empty-name", changed([*model, "name"], "")
    yield "models-twice", changed(["models"], MODELS["models"] * 2)
    yield "no-source", changed([*model, "source"], None)
    yield "source-text", changed([*model, "source"], "pypi")
    yield "no-files", changed([*model, "files"], [])
    yield "file-path", changed([*file, "name"], "a/../../b")
    yield "file-backslash", changed([*file, "name"], "a\\b")
    yield "file-zero-byte", changed([*file, "name"], "a\0b")
    yield "files-twice", changed([*model, "files"], MODELS["models"][0]["files"] * 2)
    yield "hash-short", changed([*file, "sha256"], "0123")
    yield "hash-not-hex", changed([*file, "sha256"], "g" * 64)
    yield "hash-number", changed([*file, "sha256"], 5)
    yield "cut", json.dumps(MODELS).encode()[:-3]


def hub_index_files():
    blob, sha = "0123456789" * 4, "0123456789abcdef" * 4

    def entry(name, **more):
        return {"rfilename": name, "size": 5, "blobId": blob, **more}

    def listing(*entries, **more):
        return json.dumps({"sha": blob, "siblings": list(entries), **more}).encode()

    config, weights = entry("config.json"), entry("model.safetensors", lfs={"sha256": sha, "size": 9, "pointerSize": 3})
    yield "good", listing(config, weights, id="a/b", tags=["x"], gated=False, card={"x": [1.5, None]})
    yield "good-bin", listing(config, entry("pytorch_model.bin.index.json"), entry("pytorch_model-00001-of-00001.bin"))
    yield "good-shards", listing(config, entry("model.safetensors.index.json"), entry("model-00001-of-00001.safetensors"))
    yield "good-gguf", listing(entry("x-00001-of-00002.gguf"), entry("x-00002-of-00002.gguf"))
    yield "good-no-hashes", listing({"rfilename": "config.json"}, {"rfilename": "pytorch_model.bin", "lfs": {}})
    yield "empty", b""
    yield "html", b"<!doctype html>"
    yield "array", b"[]"
    yield "cut", listing(config, weights)[:-9]
    yield "deep", b'{"a":' + b"[" * 900
    yield "key-twice", b'{"\\u001b":1,"\\u001b":2}'
    yield "vocab-key", b'{"model":{"vocab":{"\\u001b":999999999}}}'
    yield "vocab-value", b'{"model":{"vocab":{"\\u001b":"x"}}}'
    yield "no-sha", b'{"siblings":[]}'
    yield "sha-name", listing(config, sha="main")
    yield "sha-path", listing(config, sha="../../x")
    yield "no-siblings", json.dumps({"sha": blob}).encode()
    yield "siblings-object", json.dumps({"sha": blob, "siblings": {}}).encode()
    yield "entry-number", listing(3)
    yield "no-name", listing({"size": 1})
    for case, name in (("up", "../x"), ("root", "/x"), ("middle", "a/../x"), ("backslash", "a\\b"), ("zero", "a\0b"), ("empty", ""),
                       ("escape", "\x1b[2J"), ("direction", "\u202ex"), ("long", "x" * 300)):
        yield f"name-{case}", listing(config, entry(name))
    yield "name-twice", listing(config, config)
    yield "size-negative", listing(entry("a", size=-1))
    yield "size-fraction", listing(entry("a", size=1.5))
    yield "size-huge", listing(entry("config.json", size=2**64 - 1), entry("pytorch_model.bin", size=2**63))
    yield "size-past-64-bits", listing(entry("a", size=2**70))
    yield "hash-path", listing(entry("a", blobId="../x"))
    yield "hash-number", listing(entry("a", blobId=5))
    yield "lfs-text", listing(entry("a", lfs="x"))
    yield "lfs-short", listing(entry("a", lfs={"sha256": "0", "size": 1}))


def gguf_text(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf_pair(key, kind, value):
    return gguf_text(key) + struct.pack("<I", kind) + value


def gguf_info(name, dims, kind, offset):
    return gguf_text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset)


def gguf(pairs=(), infos=(), data=b"", version=3):
    head = b"GGUF" + struct.pack("<IQQ", version, len(infos), len(pairs)) + b"".join(pairs) + b"".join(infos)
    return head + (b"\0" * (-len(head) % 32) + data if data else b"")


def gguf_files():
    texts = gguf_pair("t", 9, struct.pack("<IQ", 8, 2) + gguf_text("a") + gguf_text("bc"))
    alignment = gguf_pair("general.alignment", 4, struct.pack("<I", 32))
    yield "good-empty", gguf()
    yield "good-version-2", gguf([alignment], version=2)
    yield "good-values", gguf([texts, alignment, gguf_pair("f", 6, struct.pack("<f", 1.5)), gguf_pair("b", 7, b"\1")])
    yield "good-nested", gguf([gguf_pair("t", 9, struct.pack("<IQIQ", 9, 1, 5, 1) + b"1234")])
    yield "good-tensors", gguf([], [gguf_info("a", (4,), 0, 0), gguf_info("b", (32, 1), 3, 32)], b"x" * 52)
    for kind, size, n_bytes in ((2, 32, 18), (6, 32, 22), (7, 32, 24), (8, 32, 34), (10, 256, 84), (11, 256, 110), (12, 256, 144),
                                (13, 256, 176), (14, 256, 210), (20, 32, 18), (23, 256, 136), (30, 1, 2)):
        yield f"good-type-{kind}", gguf([], [gguf_info("w", (size,), kind, 0)], bytes(range(3, 3 + n_bytes)))
    yield "magic", b"GGML" + b"\0" * 20
    yield "version-1", gguf(version=1)
    yield "big-endian", gguf(version=3 << 24)
    yield "counts-huge", b"GGUF" + struct.pack("<IQQ", 3, 2**63, 2**63)
    yield "key-huge", b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**64 - 1) + b"k" * 20
    yield "key-twice", gguf([alignment, alignment])
    yield "alignment-3", gguf([gguf_pair("general.alignment", 4, struct.pack("<I", 3))])
    yield "array-huge", gguf([gguf_pair("t", 9, struct.pack("<IQ", 8, 2**61))])
    yield "array-deep", gguf([gguf_pair("t", 9, struct.pack("<IQ", 9, 1) * 30)])
    yield "not-utf8", gguf([gguf_pair(b"\xff\x1b", 99, b"")])
    yield "type-unsupported", gguf([], [gguf_info("a", (256,), 16, 0)], b"x" * 66)
    yield "type-unknown", gguf([], [gguf_info("a\x1b", (256,), 77, 0)], b"x" * 66)
    yield "dims-overflow", gguf([], [gguf_info("a", (2**32, 2**32), 0, 0)], b"x" * 32)
    yield "dims-5", gguf([], [gguf_info("a", (1,) * 5, 0, 0)], b"x" * 32)
    yield "dim-0", gguf([], [gguf_info("a", (0,), 0, 0)], b"x" * 32)
    yield "row-not-blocks", gguf([], [gguf_info("a", (33,), 2, 0)], b"x" * 32)
    yield "offset-odd", gguf([], [gguf_info("a", (4,), 0, 4)], b"x" * 32)
    yield "offset-huge", gguf([], [gguf_info("a", (4,), 0, 2**64 - 32)], b"x" * 32)
    yield "overlap", gguf([], [gguf_info("a", (16,), 0, 0), gguf_info("b", (4,), 0, 32)], b"x" * 64)
    yield "data-cut", gguf([], [gguf_info("a", (16,), 0, 0)], b"x" * 63)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def field(number, value):
    """One field of a protobuf message: a number, a float, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def sentencepiece_files():
    def piece(text, score=-1.0, kind=1):
        return field(1, field(1, text) + field(2, score) + field(3, kind))

    unknown = piece("<unk>", 0.0, 2)
    letters = unknown + b"".join(piece(text, -float(i)) for i, text in enumerate("\u2581 a i n al \u2581f \u2581fi inal \u65e5\u672c".split()))
    # A trie of one unit that leads nowhere, and one of 256 whose every unit has a leaf.
    nowhere = struct.pack("<II", 4, 0) + b"a\0"
    leaves = struct.pack("<I", 512) + b"".join(struct.pack("<I", 0x100 | i) for i in range(128)) + b"b\0"
    yield "good-unigram", letters
    yield "good-bpe", letters + field(2, field(3, 2) + field(35, 1)) + field(3, field(3, 0))
    yield "good-types", letters + piece("b", -2.0, 4) + piece("in", -3.0, 5) + piece("<0xC3>", 0.0, 6) + piece("</s>", 0.0, 3)
    yield "map-nowhere", letters + field(3, field(2, nowhere))
    yield "map-leaves", letters + field(3, field(2, leaves))
    yield "map-cut", letters + field(3, field(2, leaves[:100]))
    yield "map-short", letters + field(3, field(2, b"ab"))
    yield "empty", b""
    yield "text", b"version https://git-lfs.github.com/spec/v1\n"
    yield "no-unknown", piece("a")
    yield "twice", letters + piece("a")
    yield "piece-empty", letters + field(1, b"")
    yield "piece-not-utf8", letters + piece(b"\xe2\x96")
    yield "piece-cut", letters[:-2]
    yield "score-nan", letters + piece("z", float("nan"))
    yield "size-past-file", letters + varint(1 << 3 | 2) + varint(2**63)
    yield "varint-long", letters + b"\xff" * 11
    yield "group", letters + b"\x0b"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "corpus"
    targets = {"safetensors": safetensors_files(), "config": config_files(), "manifest": manifest_files(), "hub_index": hub_index_files(),
               "gguf": gguf_files(), "sentencepiece": sentencepiece_files(), "model_config": (), "tokenizer": ()}
    for target, files in targets.items():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if old.name.startswith("huge-") or not (old.name.startswith("found-") or target == "tokenizer"):
                old.unlink()
        for name, data in (*files, *huge_files(target)):
            if len(data) > 1024:
                raise SystemExit(f"{target}/{name}: {len(data)} bytes; expected at most 1024")
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
