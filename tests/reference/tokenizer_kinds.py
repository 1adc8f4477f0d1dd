"""Trains a small tokenizer of each kind from the corpus and writes what the reference tokenizers library makes of every line.

    python3 tokenizer_kinds.py tests/parity/tokenizer

reads corpus.jsonl and kinds/ there and writes
    kinds/NAME.json    with --train only: a tokenizer.json of each kind, with a vocabulary of about a thousand entries (the trainer breaks ties at
                       random, so another run makes others)
    kinds.tsv          a heading of names; then for each line of the corpus, for each kind the CRC of its ids and types, and one CRC of the
                       places of the kinds in PLACED
    class_points.json  checksums of what patterns, digits and normalisers make of each code point
    kinds_ids.jsonl    for every 40th line, its number and the ids by each kind, to read

Places are the reference's byte offsets without white space at the ends, as attnviz shows them; a token that is nothing but the space that a
tokenizer puts in front of a text has an empty place. With --explain NAME LINE it prints the reference's tokens for that line instead.
"""

import argparse
import collections
import json
import pathlib
import zlib

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokenizer_corpus import crc, encode

GPT4O = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
])
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
KINDS = ("gpt2", "llama3", "qwen2", "smollm", "roberta", "opt", "gpt4o", "splits", "end_of_word", "continuing", "nfkd", "byte_fallback")
# Those whose places are compared: where a normaliser composes or reorders, the reference gives a character the place of one of its parts only.
PLACED = ("gpt2", "llama3", "smollm", "roberta", "opt", "gpt4o", "splits", "byte_fallback")
WHITE_SPACE = "".join(map(chr, (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)))


def common_characters(normalizer, texts):
    counts = collections.Counter(c for text in texts for c in normalizer.normalize_str(text) if c not in WHITE_SPACE)
    return sorted(counts, key=lambda c: (-counts[c], c))[:300]


def train(model, texts, vocab_size=1000, specials=(), alphabet="bytes", **stages):
    tokenizer = Tokenizer(model)
    for name, stage in stages.items():
        setattr(tokenizer, name, stage)
    initial = pre_tokenizers.ByteLevel.alphabet() if alphabet == "bytes" else common_characters(tokenizer.normalizer, texts)
    extra = {key: getattr(model, key) for key in ("continuing_subword_prefix", "end_of_word_suffix") if getattr(model, key)}
    limit = {} if alphabet == "bytes" else {"limit_alphabet": len(initial)}
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(specials), initial_alphabet=sorted(initial), show_progress=False, **extra, **limit)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def ids_of(tokenizer, *tokens):
    return [(token, tokenizer.token_to_id(token)) for token in tokens]


def byte_level_kinds(texts):
    byte_level = pre_tokenizers.ByteLevel

    def after_split(pattern):
        return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level(add_prefix_space=False, use_regex=False)])

    gpt2 = train(models.BPE(), texts, specials=["<|endoftext|>"], pre_tokenizer=byte_level(add_prefix_space=False), post_processor=processors.ByteLevel(trim_offsets=False))
    llama3 = train(models.BPE(ignore_merges=True), texts, specials=["<|begin_of_text|>", "<|end_of_text|>"], pre_tokenizer=after_split(LLAMA3))
    begin = processors.TemplateProcessing(single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", special_tokens=ids_of(llama3, "<|begin_of_text|>"))
    llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), begin])
    qwen2 = train(models.BPE(), texts, normalizer=normalizers.NFC(), pre_tokenizer=after_split(QWEN2), post_processor=processors.ByteLevel(trim_offsets=False))
    qwen2.add_special_tokens(["<|endoftext|>", "<|im_start|>"])
    qwen2.add_tokens([AddedToken("<tool_call>", normalized=False), AddedToken("[É]", normalized=True, rstrip=True), AddedToken("ing", single_word=True)])
    smollm = train(models.BPE(), texts, specials=["<|endoftext|>", "<|im_start|>"], pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(add_prefix_space=False)]))
    roberta = train(models.BPE(), texts, specials=["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)], pre_tokenizer=byte_level(add_prefix_space=True))
    cls, sep = ids_of(roberta, "<s>", "</s>")
    roberta.post_processor = processors.RobertaProcessing(sep, cls, trim_offsets=True, add_prefix_space=True)
    opt = train(models.BPE(), texts, specials=["<s>", "<pad>", "</s>", "<unk>"], pre_tokenizer=byte_level(add_prefix_space=False))
    opt.post_processor = processors.TemplateProcessing(single="</s> $A", pair="</s> $A </s>:1 $B:1", special_tokens=ids_of(opt, "</s>"))
    gpt4o = train(models.BPE(), texts, pre_tokenizer=after_split(GPT4O))
    pieces = pre_tokenizers.Sequence([
        pre_tokenizers.Split(" ", "merged_with_next"), pre_tokenizers.Split(Regex(r"\p{N}{2}"), "merged_with_previous"), pre_tokenizers.Split("a", "contiguous"),
        pre_tokenizers.Split(Regex(r"\p{L}+|\s+"), "removed", invert=True), pre_tokenizers.Punctuation("contiguous"), byte_level(add_prefix_space=False, use_regex=False)])
    splits = train(models.BPE(), texts, pre_tokenizer=pieces, normalizer=normalizers.Sequence([normalizers.Replace(Regex("[!?]+"), "!"), normalizers.Replace("\"", "''"), normalizers.Strip()]))
    return {"gpt2": gpt2, "llama3": llama3, "qwen2": qwen2, "smollm": smollm, "roberta": roberta, "opt": opt, "gpt4o": gpt4o, "splits": splits}


def character_kinds(texts):
    plain = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    suffix = train(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"), texts, 900, ["<unk>"], "own", normalizer=plain, pre_tokenizer=pre_tokenizers.Whitespace())
    marks = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    wide = normalizers.Sequence([normalizers.Strip(), normalizers.NFKC()])
    prefix = train(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=True), texts, 1400, ["<unk>"], "own", normalizer=wide, pre_tokenizer=marks)
    nfkd = train(models.BPE(unk_token="<unk>"), texts, 900, ["<unk>"], "own", normalizer=normalizers.NFKD(), pre_tokenizer=pre_tokenizers.Digits(individual_digits=False))
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % byte for byte in range(256)]
    space = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    fallback = train(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True), texts, 900, tokens, "own", normalizer=space)
    fallback = json.loads(fallback.to_str())  # the bytes are entries, not added tokens
    fallback["added_tokens"] = fallback["added_tokens"][:3]
    fallback = Tokenizer.from_str(json.dumps(fallback))
    fallback.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return {"end_of_word": suffix, "continuing": prefix, "nfkd": nfkd, "byte_fallback": fallback}


def untrimmed(tokenizer):
    document = json.loads(tokenizer.to_str().replace('"trim_offsets":true', '"trim_offsets":false'))
    return Tokenizer.from_str(json.dumps(document))


def trimmed(text, begin, end, spelling):
    data = text.encode()
    part = data[begin:end].decode()
    if not spelling.strip("Ġ\u2581") and part.strip(" "):
        return begin, begin
    if not part.strip(WHITE_SPACE):
        return begin, end
    begin += len(part.encode()) - len(part.lstrip(WHITE_SPACE).encode())
    return begin, end - (len(part.encode()) - len(part.rstrip(WHITE_SPACE).encode()))


def rows_of(tokenizer, raw, line):
    """[(id, type, place or None)]"""
    added = tokenizer.get_added_tokens_decoder()
    rows, sequence = [], 0
    for (id_, type_, place, _), (_, _, raw_place, word) in zip(encode(tokenizer, line), encode(raw, line)):
        if place is not None and id_ not in added:
            place = trimmed(line[word[0]], *raw_place, tokenizer.id_to_token(id_))
        rows.append((id_, type_, place))
    return rows


def write_class_points(path):
    """For each block of 4,096 code points the CRC of what pattern, digits and normalisers make of each, in a small context."""
    split, digits = pre_tokenizers.Split(Regex(GPT4O), "isolated").pre_tokenize_str, pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str
    forms = [form().normalize_str for form in (normalizers.NFC, normalizers.NFD, normalizers.NFKC, normalizers.NFKD, normalizers.StripAccents, normalizers.Lowercase)]
    blocks = []
    for first in range(0, 0x110000, 4096):
        code_points = [chr(c) for c in range(first, first + 4096) if not 0xD800 <= c <= 0xDFFF]
        split_text = "\n\n".join("|".join(piece for piece, _ in split("a" + c + "1" + c + " " + c + "A")) for c in code_points)
        digit_text = "\n\n".join("|".join(piece for piece, _ in digits("a" + c + "b")) for c in code_points)
        form_text = "\n\n".join("|".join(form("a" + c + "\u0301") for form in forms) for c in code_points)
        blocks.append(["%08x" % zlib.crc32(text.encode()) for text in (split_text, digit_text, form_text)])
    path.write_text("[\n" + ",\n".join(json.dumps(sums) for sums in blocks) + "\n]\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--train", action="store_true", help="make the tokenizers anew, too")
    parser.add_argument("--explain", nargs=2, metavar=("NAME", "LINE"), help="print one line's tokens by one kind (lines count from 1)")
    arguments = parser.parse_args()
    lines = [json.loads(line) for line in (arguments.folder / "corpus.jsonl").read_text(encoding="utf-8").split("\n") if line]
    if arguments.explain:
        name, number = arguments.explain
        tokenizer = Tokenizer.from_file(str(arguments.folder / "kinds" / f"{name}.json"))
        for row in rows_of(tokenizer, untrimmed(tokenizer), lines[int(number) - 1]):
            print(tokenizer.id_to_token(row[0]), *row)
        return
    if arguments.train:
        texts = [text for line in lines for text in line]
        for name, tokenizer in (byte_level_kinds(texts) | character_kinds(texts)).items():
            document = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
            (arguments.folder / "kinds" / f"{name}.json").write_text(document + "\n", encoding="utf-8", newline="\n")
    kinds = {name: Tokenizer.from_file(str(arguments.folder / "kinds" / f"{name}.json")) for name in KINDS}
    raw = {name: untrimmed(tokenizer) for name, tokenizer in kinds.items()}
    sums, subset = ["\t".join(kinds)], []
    for number, line in enumerate(lines, 1):
        rows = {name: rows_of(tokenizer, raw[name], line) for name, tokenizer in kinds.items()}
        columns = [crc([n for row in rows[name] for n in row[:2]]) for name in kinds]
        sums.append("\t".join(columns + [crc([n for name in PLACED for row in rows[name] if row[2] is not None for n in row[2]])]))
        if number % 40 == 0:
            subset.append(json.dumps([number, {name: [row[0] for row in rows[name]] for name in kinds}], separators=(",", ":")))
    (arguments.folder / "kinds.tsv").write_text("\n".join(sums) + "\n", encoding="utf-8", newline="\n")
    (arguments.folder / "kinds_ids.jsonl").write_text("\n".join(subset) + "\n", encoding="utf-8", newline="\n")
    write_class_points(arguments.folder / "class_points.json")
    print(len(lines), "lines,", len(kinds), "kinds")


if __name__ == "__main__":
    main()
