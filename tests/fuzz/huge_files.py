"""Files of at most 200 bytes that claim huge counts, sizes and numbers, for each fuzz target but torch_zip (make_torch_zip.py has its own).

replay_main.cpp counts what a parser holds for one: a claim must be checked against the bytes that are there before anything is made
of that size. Called by make_corpus.py.
"""

import json
import struct

MOST_BYTES = 200
COUNTS = [2**26, 2**32 - 1, 2**63 - 1]  # what would fit a machine, what 32 bits hold, what 64 bits hold with a sign


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(n_tensors, n_pairs, rest):
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_pairs) + rest


def gguf_files():
    for count in COUNTS:
        yield f"tensors-{count:x}", gguf(count, 0, b"")
        yield f"pairs-{count:x}", gguf(0, count, b"")
        yield f"key-{count:x}", gguf(0, 1, struct.pack("<Q", count) + b"key")
        yield f"text-{count:x}", gguf(0, 1, text("k") + struct.pack("<IQ", 8, count) + b"text")
        for kind in (0, 4, 7, 8, 9, 12):
            yield f"array-{kind}-{count:x}", gguf(0, 1, text("k") + struct.pack("<IIQ", 9, kind, count) + bytes(80))
        yield f"dimension-{count:x}", gguf(1, 0, text("t") + struct.pack("<IQQIQ", 2, 32, count, 2, 0) + bytes(64))
        yield f"offset-{count:x}", gguf(1, 0, text("t") + struct.pack("<IQIQ", 1, 4, 0, count // 32 * 32) + bytes(64))
        yield f"tokens-{count:x}", gguf(0, 1, text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, count) + bytes(80))
    for exponent in (20, 28, 31):
        yield f"alignment-2-{exponent}", gguf(1, 1, text("general.alignment") + struct.pack("<II", 4, 2**exponent) + text("t")
                                              + struct.pack("<IQIQ", 1, 4, 0, 0) + bytes(32))


def safetensors_files():
    def header(value, data=b""):
        raw = value.encode()
        return struct.pack("<Q", len(raw)) + raw + data

    for count in COUNTS:
        yield f"header-{count:x}", struct.pack("<Q", count) + b'{"a":{'
        for shape in (f"[{count}]", f"[{count},{count}]", f"[0,{count}]"):
            for end in (0, 4, count):
                yield f"shape-{shape}-{end:x}", header(f'{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{end}]}}}}', b"1234")
    yield "dimensions", header('{"a":{"dtype":"U8","shape":[%s],"data_offsets":[0,1]}}' % ",".join("1" * 60), b"1")


def config_files():
    for count in COUNTS:
        yield f"size-{count:x}", b'{"n":%d,"l":[%d,%d]}' % (count, count, count)
    yield "digits", b'{"n":' + b"9" * 190 + b"}"
    yield "exponent", b'{"n":1e308,"m":1e-308,"l":[1e400]}'
    yield "objects", b'{"a":' * 39 + b"1"
    yield "lists", b'{"a":' + b"[" * 195


def model_config_files():
    """One setting of a model's that is huge beside good ones."""
    good = dict(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=8, intermediate_size=8)
    gpt2 = dict(vocab_size=9, n_embd=8, n_layer=1, n_head=2, n_positions=8)
    families = {"llama": good, "bert": good, "albert": good, "mpnet": good, "modernbert": good, "deberta-v2": good, "qwen2": good,
                "gemma2": good, "gemma3_text": good, "phi3": good, "gpt_neox": good, "opt": good, "gpt2": gpt2}
    for family, settings in families.items():
        for name in settings:
            for count in (2**31 - 1, 4096) if "layer" in name else (2**31 - 1,):
                shown = json.dumps({"model_type": family, **settings, name: count}, separators=(",", ":"))
                yield f"{family}-{name}-{count:x}", shown.encode()
    for name in ("num_hidden_groups", "inner_group_num"):
        for count in (4096, 2**63 - 1):
            settings = {key: value for key, value in good.items() if key != "intermediate_size"}
            yield f"albert-{name}-{count:x}", json.dumps({"model_type": "albert", **settings, name: count}, separators=(",", ":")).encode()


def manifest_files():
    yield "lists", b'{"schema":"attnviz.models/1","default":"m","models":' + b"[" * 140
    yield "models", b'{"schema":"attnviz.models/1","default":"m","models":[' + b"{}," * 45 + b"{}]}"


def hub_index_files():
    for count in COUNTS:
        yield f"size-{count:x}", b'{"sha":"%s","siblings":[{"rfilename":"config.json","size":%d,"blobId":"%s"}]}' % (
            b"0123456789" * 4, count, b"0123456789" * 4)
    yield "siblings", b'{"sha":"%s","siblings":[' % (b"0123456789" * 4) + b"{}," * 40 + b"{}]}"
    yield "parts", b'{"sha":"%s","siblings":[{"rfilename":"x-00001-of-99999.gguf"}]}' % (b"0123456789" * 4)


def tokenizer_files():
    def document(model, **more):
        return json.dumps({"model": model, **more}, separators=(",", ":")).encode()

    words = {"type": "WordPiece", "unk_token": "u", "max_input_chars_per_word": 9}
    for count in (2**26, 2**31 - 1, 2**63 - 1):
        yield f"id-{count:x}.json", document({**words, "vocab": {"u": 0, "a": count}})
        yield f"only-id-{count:x}.json", document({**words, "vocab": {"u": count}})
        yield f"added-id-{count:x}.json", document({**words, "vocab": {"u": 0}}, added_tokens=[{"id": count, "content": "b"}])
        yield f"word-{count:x}.json", document({**words, "max_input_chars_per_word": count, "vocab": {"u": 0}})
        yield f"bpe-id-{count:x}.json", document({"type": "BPE", "vocab": {"a": 0, "b": count}, "merges": []})
        yield f"unk-{count:x}.json", document({"type": "Unigram", "unk_id": count, "vocab": [["a", 0]]})
        yield f"truncation-{count:x}.json", document({**words, "vocab": {"u": 0}}, truncation={"max_length": count})
        yield f"prepend-{count:x}.json", document(
            {**words, "vocab": {"u": 0}}, post_processor={"type": "BertProcessing", "sep": ["u", count], "cls": ["u", 0]})
    for pattern in ("(a{9999}){9999}", "(((a{99}){99}){99}){99}", "(a?){65535}b", "[^a-\\x{10ffff}]{60000}", "(" * 30):
        name = "".join(c if c.isalnum() else "_" for c in pattern)[:24]
        yield f"pattern-{name}.json", document({"type": "BPE", "vocab": {}, "merges": []}, pre_tokenizer={
            "type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False})
    for kind in ("vocab", "merges"):
        yield f"lists-{kind}.json", b'{"model":{"type":"BPE","%s":' % kind.encode() + b"[" * 150


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def sentencepiece_files():
    letters = b"".join(b"\x0a" + bytes([len(inner)]) + inner
                       for inner in [b"\x0a\x05<unk>\x18\x02", b"\x0a\x01a", b"\x0a\x01b", b"\x0a\x02ab"])
    for count in COUNTS:
        yield f"piece-{count:x}", letters + b"\x0a" + varint(count) + b"abc"
        yield f"piece-text-{count:x}", letters + b"\x0a\x10\x0a" + varint(count) + b"abcdefgh"
        yield f"map-{count:x}", letters + b"\x1a\x20\x12" + varint(count) + bytes(28)
        yield f"trie-{count:x}", letters + b"\x1a\x28\x12\x26" + struct.pack("<I", count & 0xFFFFFFFF) + bytes(34)
        yield f"id-{count:x}", letters + b"\x12\x0c\xc0\x02" + varint(count) + b"\0" * 8
        yield f"vocabulary-{count:x}", letters + b"\x12\x0b\x20" + varint(count)
    yield "tags", letters + b"\xfa\xff\xff\xff\x7f\x01x" * 20


def huge_files(target):
    for name, data in globals()[f"{target}_files"]():
        if len(data) > MOST_BYTES:
            raise SystemExit(f"{target}/huge-{name}: {len(data)} bytes; expected at most {MOST_BYTES}")
        yield "huge-" + name.replace(" ", ""), data
