"""Writes vocabularies as GGUF files, as llama.cpp's converter would, and what the reference makes of every line of the tokenizer corpus.

    python3 gguf_tokenizers.py tests/parity/tokenizer

reads corpus.jsonl, kinds/ and sentencepiece_bpe.model there and writes
    gguf/NAME.gguf     vocabularies without tensors: "llama" as the .model has it, "llama_merges" without user-defined pieces (the converter
                       knows none), "bert" and "bert_cased" of the corpus' commonest words, and kinds/ under the names of their patterns
    gguf/ids.tsv       a heading of names; then for each line of the corpus the CRC of the ids by each
    gguf/ids.jsonl     for every 40th line, its number and the ids by each, to read

The reference is what the file was made from: the sentencepiece library for "llama", fast tokenizers for all others. Added tokens lose
their flags (GGUF has none), in the reference, too. With --explain NAME LINE it prints the reference's tokens for that line instead.
"""

import argparse
import collections
import json
import pathlib

import sentencepiece
from gguf import GGUFWriter, TokenType
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers.convert_slow_tokenizer import SentencePieceExtractor, generate_merges

from tokenizer_corpus import crc

SPACE = "\u2581"
PATTERNS = {"gpt2": "gpt-2", "llama3": "llama-bpe", "qwen2": "qwen2", "smollm": "smollm"}


def begin(path, model, tokens, types):
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    return writer


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


class Library:
    def __init__(self, model):
        self.processor = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def ids(self, line):
        return [id_ for text in line for id_ in [1] + self.processor.encode(text)]

    def tokens(self, line):
        return [self.processor.id_to_piece(id_) for id_ in self.ids(line)]


class Fast:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def ids(self, line):
        return self.tokenizer.encode(*line).ids

    def tokens(self, line):
        return self.tokenizer.encode(*line).tokens


def write_sentence_pieces(folder, out):
    proto = SentencePieceExtractor(str(folder / "sentencepiece_bpe.model")).proto
    user_defined = proto.pieces[0].USER_DEFINED
    for name, keep in (("llama", True), ("llama_merges", False)):
        types = [TokenType.NORMAL if piece.type == user_defined and not keep else TokenType(piece.type) for piece in proto.pieces]
        writer = begin(out / f"{name}.gguf", "llama", [piece.piece for piece in proto.pieces], types)
        writer.add_token_scores([piece.score for piece in proto.pieces])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        finish(writer)
    vocab = {piece.piece: id_ for id_, piece in enumerate(proto.pieces)}
    fast = Tokenizer(models.BPE(vocab, generate_merges(vocab), unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    fast.normalizer = normalizers.Sequence([normalizers.Prepend(SPACE), normalizers.Replace(" ", SPACE)])
    fast.add_special_tokens(["<unk>", "<s>", "</s>"])
    fast.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return {"llama": Library(folder / "sentencepiece_bpe.model"), "llama_merges": Fast(fast)}


def word_pieces(texts, normalizer):
    """A vocabulary by counting: the commonest characters, words, beginnings and ends of words."""
    words, beginnings, ends, characters = (collections.Counter() for _ in range(4))
    for text in texts:
        for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(normalizer.normalize_str(text)):
            words[word] += 1
            characters.update(word)
            for length in (2, 3, 4):
                if len(word) > length:
                    beginnings[word[:length]] += 1
                    ends["##" + word[-length:]] += 1

    def common(counter, n):
        return [key for key, _ in sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:n]]

    single = common(characters, 400)
    pieces = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *single, *("##" + c for c in single[:250])]
    return list(dict.fromkeys(pieces + common(words, 250) + common(beginnings, 150) + common(ends, 150)))


def write_word_pieces(texts, out):
    made = {}
    for name, lowercase in (("bert", True), ("bert_cased", False)):
        normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        vocab = word_pieces(texts, normalizer)
        special = [token for token in vocab if token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]

        def stored(token):
            if token in special or (token.startswith("[") and token.endswith("]")):
                return token
            return token[2:] if token.startswith("##") else SPACE + token

        writer = begin(out / f"{name}.gguf", "bert", [stored(token) for token in vocab],
                       [TokenType.CONTROL if token in special else TokenType.NORMAL for token in vocab])
        for add, token in ((writer.add_unk_token_id, "[UNK]"), (writer.add_sep_token_id, "[SEP]"), (writer.add_pad_token_id, "[PAD]"),
                           (writer.add_mask_token_id, "[MASK]")):
            add(vocab.index(token))
        if lowercase:  # files of today, and those of before
            writer.add_bos_token_id(vocab.index("[CLS]"))
        else:
            writer.add_uint32("tokenizer.ggml.cls_token_id", vocab.index("[CLS]"))
        finish(writer)
        fast = Tokenizer(models.WordPiece({token: id_ for id_, token in enumerate(vocab)}, unk_token="[UNK]", max_input_chars_per_word=100))
        fast.normalizer, fast.pre_tokenizer = normalizer, pre_tokenizers.BertPreTokenizer()
        fast.add_special_tokens(special)
        fast.post_processor = processors.BertProcessing(("[SEP]", vocab.index("[SEP]")), ("[CLS]", vocab.index("[CLS]")))
        made[name] = Fast(fast)
    return made


def write_byte_levels(folder, out):
    made = {}
    for name, pattern in PATTERNS.items():
        document = json.loads((folder / "kinds" / f"{name}.json").read_text(encoding="utf-8"))
        for token in document["added_tokens"]:
            token |= {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        fast = Tokenizer.from_str(json.dumps(document))
        special = {token["id"]: token["special"] for token in document["added_tokens"]}
        types = [TokenType.NORMAL if id_ not in special else TokenType.CONTROL if special[id_] else TokenType.USER_DEFINED
                 for id_ in range(fast.get_vocab_size())]
        writer = begin(out / f"{name}.gguf", "gpt2", [fast.id_to_token(id_) for id_ in range(fast.get_vocab_size())], types)
        writer.add_tokenizer_pre(pattern)
        writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in document["model"]["merges"]])
        if name == "llama3":
            writer.add_bos_token_id(fast.token_to_id("<|begin_of_text|>"))
        finish(writer)
        made[name] = Fast(fast)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--explain", nargs=2, metavar=("NAME", "LINE"), help="print one line's tokens by one vocabulary (lines count from 1)")
    arguments = parser.parse_args()
    folder, out = arguments.folder, arguments.folder / "gguf"
    out.mkdir(exist_ok=True)
    lines = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").split("\n") if line]
    texts = [text for line in lines for text in line]
    made = write_sentence_pieces(folder, out) | write_word_pieces(texts, out) | write_byte_levels(folder, out)
    if arguments.explain:
        name, number = arguments.explain
        for row in zip(made[name].ids(lines[int(number) - 1]), made[name].tokens(lines[int(number) - 1])):
            print(*row)
        return
    sums, subset = ["\t".join(made)], []
    for number, line in enumerate(lines, 1):
        ids = {name: tokenizer.ids(line) for name, tokenizer in made.items()}
        sums.append("\t".join(crc(ids[name]) for name in made))
        if number % 40 == 0:
            subset.append(json.dumps([number, ids], separators=(",", ":")))
    (out / "ids.tsv").write_text("\n".join(sums) + "\n", encoding="utf-8", newline="\n")
    (out / "ids.jsonl").write_text("\n".join(subset) + "\n", encoding="utf-8", newline="\n")
    print(len(lines), "lines,", len(made), "files")


if __name__ == "__main__":
    main()
