"""Trains four small SentencePiece models and asks the reference for their answers over the tokenizer corpus, offline and the same every time.

    python3 sentencepiece_corpus.py tests/parity/tokenizer

reads corpus.jsonl there (made by tokenizer_corpus.py) and writes beside it
    sentencepiece_unigram.model   Unigram with a normalisation map (a part of nmt_nfkc's rules: the whole map would be 240 KB); and with the
                                  special pieces of T5 and of ALBERT in sentencepiece_t5.model and sentencepiece_albert.model
    sentencepiece_bpe.model       BPE with byte pieces and user-defined ones, nothing normalised
    sentencepiece_variants.json   how each tokenizer is put together: a tokenizer.json without its vocabulary, or a folder's settings
    sentencepiece_golden.tsv      a line for each line of the corpus, a column for each variant: the first six digits of the CRC of the ids and,
                                  on lines of plain ASCII without byte pieces, of the byte offsets
    sentencepiece_ids.jsonl       the ids themselves of every 100th line: [line, variant, ids]

Models are kept when they are there (--train makes them anew). --explain VARIANT LINE prints the reference's tokens of one line.
"""

import argparse
import base64
import json
import pathlib
import struct
import sys
import tempfile
import unicodedata
import zlib

import sentencepiece
from lines import SENTENCES
from tokenizers import Tokenizer
from transformers import AutoTokenizer
from transformers.convert_slow_tokenizer import SentencePieceExtractor, generate_merges

UNIGRAM, T5, ALBERT, BPE = (f"sentencepiece_{name}.model" for name in ("unigram", "t5", "albert", "bpe"))


def normalization_rules():
    """Rows of SentencePiece's rule files: code points, a tab, code points."""
    rules = {}
    for c in (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F, 0xAD, 0x200E, 0x200F, 0xFEFF):
        rules[chr(c)] = ""
    for c in (9, 10, 0xC, 0xD, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000):
        rules[chr(c)] = " "
    compatible = ((0xA1, 0x17F), (0x1C4, 0x1CC), (0x2020, 0x2190), (0x2460, 0x24FF), (0x3300, 0x3360), (0xFB00, 0xFB20), (0xFF01, 0xFFEF))
    for low, high in compatible:
        for c in map(chr, range(low, high)):
            rules.setdefault(c, unicodedata.normalize("NFKC", c))
    for c in map(chr, range(0xC0, 0x250)):
        parts = unicodedata.normalize("NFD", c)
        if len(parts) == 2 and unicodedata.normalize("NFKC", parts) == c:
            rules[parts] = c
    rules |= {"\uff8a\uff9f": "\u30d1", "\uff8a\uff9e": "\u30d0", "\u304b\u3099": "\u304c", "\u30cf\u309a": "\u30d1", "\u1112\u1161\u11ab": "\ud55c"}

    def spelled(text):
        return " ".join(f"{ord(c):X}" for c in text)

    return "".join(f"{spelled(a)}\t{spelled(b)}\n" for a, b in rules.items() if a != b)


def train(folder, lines):
    texts = [text for line in lines[:900:2] for text in line if not set(text) & set("\0\n\r")] + SENTENCES * 8
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "text.txt").write_text("\n".join(texts), encoding="utf-8")
        (scratch / "rules.tsv").write_text(normalization_rules(), encoding="utf-8")
        common = dict(input=str(scratch / "text.txt"), character_coverage=0.985, num_threads=1, minloglevel=2, hard_vocab_limit=False)
        unigram = dict(model_type="unigram", normalization_rule_tsv=str(scratch / "rules.tsv"))
        bpe = dict(model_type="bpe", vocab_size=1600, byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                   split_digits=True, allow_whitespace_only_pieces=True, user_defined_symbols=["street", "[MASK]", "  "])
        t5 = dict(vocab_size=900, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        albert = dict(vocab_size=900, pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"])
        for target, options in ((UNIGRAM, unigram | {"vocab_size": 1300}), (T5, unigram | t5), (ALBERT, unigram | albert), (BPE, bpe)):
            sentencepiece.SentencePieceTrainer.train(model_prefix=str(scratch / "model"), **common, **options)
            model = SentencePieceExtractor(str(scratch / "model.model")).proto
            model.trainer_spec.ClearField("input")  # names a folder of this machine
            model.trainer_spec.ClearField("model_prefix")
            model.normalizer_spec.ClearField("normalization_rule_tsv")
            (folder / target).write_bytes(model.SerializeToString())


def added(token_id, content, special=True, lstrip=False):
    return {"id": token_id, "content": content, "single_word": False, "lstrip": lstrip, "rstrip": False, "normalized": False, "special": special}


def variants():
    """{name: {"model": file, and "json": a tokenizer.json without model.vocab, or "folder": [file name, tokenizer_config.json], or neither:
    the sentencepiece library itself}}. Into a tokenizer.json go the model's map, its vocabulary, and its user-defined pieces as added tokens."""
    split, always = {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    old = {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": True}
    first, never = always | {"prepend_scheme": "first", "split": False}, always | {"prepend_scheme": "never"}
    charsmap = {"type": "Precompiled"}
    specials = [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")]

    def replace(pattern, content):
        return {"type": "Replace", "pattern": pattern, "content": content}

    def sequence(key, *steps):
        return {"type": "Sequence", key: list(steps)}

    def with_template(normalizer, pre_tokenizer, model):
        names = {name: {"id": name, "ids": [id_], "tokens": [name]} for name, id_ in (("<s>", 1), ("</s>", 2))}
        special = [{"SpecialToken": {"id": name, "type_id": 0}} for name in names]
        one, two = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}
        processor = {"type": "TemplateProcessing", "single": [special[0], one, special[1]], "special_tokens": names,
                     "pair": [special[0], one, special[1], special[1], two, special[1]]}
        return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": specials, "normalizer": normalizer,
                "pre_tokenizer": pre_tokenizer, "post_processor": processor, "decoder": None, "model": model}

    unigram, bytes_too = {"type": "Unigram", "unk_id": 0, "byte_fallback": False}, {"type": "Unigram", "unk_id": 0, "byte_fallback": True}
    bpe = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True,
           "byte_fallback": True, "ignore_merges": False}
    albert = sequence("normalizers", replace({"String": "``"}, '"'), replace({"String": "''"}, '"'), {"type": "NFKD"}, {"type": "StripAccents"},
                      {"type": "Lowercase"}, charsmap)
    spaces = sequence("normalizers", charsmap, {"type": "Strip", "strip_left": False, "strip_right": True}, replace({"Regex": " {2,}"}, "\u2581"))
    to_marks = replace({"String": " "}, "\u2581")
    files = {
        "json_split": (UNIGRAM, with_template(charsmap, sequence("pretokenizers", split, old), unigram)),
        "json_spaces": (UNIGRAM, with_template(spaces, always, unigram)),
        "json_albert": (UNIGRAM, with_template(albert, sequence("pretokenizers", split, always), unigram)),
        "json_never": (UNIGRAM, with_template(None, never, unigram)),
        "json_bytes": (BPE, with_template(None, first, bytes_too)),
        "json_llama": (BPE, with_template(sequence("normalizers", {"type": "Prepend", "prepend": "\u2581"}, to_marks), None, bpe)),
        "json_first": (BPE, with_template(None, first, bpe)),
        "json_gemma": (BPE, with_template(to_marks, {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}, bpe)),
        "json_unknown": (BPE, with_template(to_marks, None, bpe | {"byte_fallback": False})),
    }
    folders = {
        "folder_t5": (T5, "spiece.model", {"tokenizer_class": "T5Tokenizer", "extra_ids": 100}),
        "folder_xlmr": (UNIGRAM, "sentencepiece.bpe.model", {"tokenizer_class": "XLMRobertaTokenizer"}),
        "folder_albert": (ALBERT, "spiece.model", {"tokenizer_class": "AlbertTokenizer"}),
        "folder_albert_cased": (ALBERT, "spiece.model", {"tokenizer_class": "AlbertTokenizerFast", "do_lower_case": False, "keep_accents": True}),
        "folder_deberta": (ALBERT, "spm.model", {"tokenizer_class": "DebertaV2Tokenizer", "unk_token": "<unk>", "pad_token": "<pad>"}),
        "folder_llama": (BPE, "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "legacy": True, "add_bos_token": True, "add_eos_token": False}),
        "folder_llama_first": (BPE, "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "legacy": False, "add_bos_token": True, "add_eos_token": True}),
        "folder_gemma": (BPE, "tokenizer.model", {"tokenizer_class": "GemmaTokenizer", "add_bos_token": True, "bos_token": "<s>", "eos_token": "</s>"}),
    }
    out = {name: {"model": model, "json": text} for name, (model, text) in files.items()}
    out |= {name: {"model": model, "folder": [file, config]} for name, (model, file, config) in folders.items()}
    out |= {"library_bpe": {"model": BPE}}
    return out


class Library:
    """A SentencePiece model asked directly, with the interface of tokenizers.Tokenizer that is used here."""

    def __init__(self, path):
        self.processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def rows(self, line):
        out = []
        for text in line:
            starts = byte_starts(text)
            for piece in self.processor.encode(text, return_type="proto").pieces:
                out.append((piece.id, without_space(text, starts.index(piece.begin), starts.index(piece.end), starts), piece.piece))
        return out


class Fast:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()

    def rows(self, line):
        encoding = self.tokenizer.encode(*line)
        places = [byte_starts(text) for text in line]
        rows = []
        for id_, token, sequence, (begin, end) in zip(encoding.ids, encoding.tokens, encoding.sequence_ids, encoding.offsets):
            rows.append((id_, None if sequence is None else without_space(line[sequence], begin, end, places[sequence]), token))
        return rows


def without_space(text, begin, end, starts):
    """The place in bytes, without white space at its ends unless there is nothing else."""
    if text[begin:end].strip():
        begin, end = end - len(text[begin:end].lstrip()), begin + len(text[begin:end].rstrip())
    return starts[begin], starts[end]


def byte_starts(text):
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode()))
    return starts


def make(folder, variant):
    path = folder / variant["model"]
    if "json" in variant:
        text = json.loads(json.dumps(variant["json"]))
        proto = SentencePieceExtractor(str(path)).proto
        charsmap = proto.normalizer_spec.precompiled_charsmap

        def fill(node):
            if isinstance(node, dict):
                if node.get("type") == "Precompiled":
                    node["precompiled_charsmap"] = base64.b64encode(charsmap).decode()
                for value in node.values():
                    fill(value)
            elif isinstance(node, list):
                for value in node:
                    fill(value)

        fill(text["normalizer"])
        if text["model"]["type"] == "Unigram":
            text["model"]["vocab"] = [[piece.piece, piece.score] for piece in proto.pieces]
        else:
            vocab = {piece.piece: i for i, piece in enumerate(proto.pieces)}
            text["model"] |= {"vocab": vocab, "merges": [" ".join(pair) for pair in generate_merges(vocab)]}
        text["added_tokens"] += [added(i, piece.piece, False) for i, piece in enumerate(proto.pieces) if piece.type == piece.USER_DEFINED]
        return Fast(Tokenizer.from_str(json.dumps(text)))
    if "folder" in variant:
        with tempfile.TemporaryDirectory() as scratch:
            name, config = variant["folder"]
            (pathlib.Path(scratch) / name).write_bytes(path.read_bytes())
            (pathlib.Path(scratch) / "tokenizer_config.json").write_text(json.dumps(config))
            return Fast(AutoTokenizer.from_pretrained(scratch)._tokenizer)
    return Library(path)


def is_byte(token):
    return len(token) == 6 and token.startswith("<0x") and token.endswith(">")


def sum_of(line, rows):
    """Ids, and the byte offsets of what stands for text, where ours are meant to be equal: not where a normaliser may have changed characters
    (the reference loses count of some), and not with byte pieces (the reference gives each all of an unknown stretch, ours its character). A
    mark alone is left out: in front of a text ours has an empty place, the reference's the first character's."""
    plain = all(0x20 <= ord(c) <= 0x7E for text in line for c in text) and not any(is_byte(row[2]) for row in rows)
    placed = [row[1] for row in rows if plain and row[1] is not None and row[2] != "\u2581"]
    return crc([row[0] for row in rows] + [n for place in placed for n in place])


def crc(numbers):
    return "%08x" % zlib.crc32(b"".join(struct.pack("<i", n) for n in numbers))


def write_answers(folder, made, lines):
    with open(folder / "sentencepiece_golden.tsv", "w", encoding="utf-8", newline="\n") as golden, \
            open(folder / "sentencepiece_ids.jsonl", "w", encoding="utf-8", newline="\n") as ids:
        for number, line in enumerate(lines):
            columns = []
            for name, tokenizer in made.items():
                rows = tokenizer.rows(line)
                columns.append(sum_of(line, rows)[:6])
                if number % 100 == 0:
                    ids.write(json.dumps([number + 1, name, [row[0] for row in rows]], separators=(",", ":")) + "\n")
            golden.write("\t".join(columns) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--train", action="store_true", help="train the two models anew")
    parser.add_argument("--explain", nargs=2, metavar=("VARIANT", "LINE"), help="print one line's tokens by one variant (lines count from 1)")
    arguments = parser.parse_args()
    folder = arguments.folder
    lines = [json.loads(line) for line in open(folder / "corpus.jsonl", encoding="utf-8")]
    if arguments.train or not all((folder / name).exists() for name in (UNIGRAM, T5, ALBERT, BPE)):
        train(folder, lines)
    if arguments.explain:
        name, number = arguments.explain
        for row in make(folder, variants()[name]).rows(lines[int(number) - 1]):
            print(*row)
        return
    (folder / "sentencepiece_variants.json").write_text(json.dumps(variants(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    write_answers(folder, {name: make(folder, variant) for name, variant in variants().items()}, lines)
    print(len(lines), "lines,", len(variants()), "variants", file=sys.stderr)


if __name__ == "__main__":
    main()
