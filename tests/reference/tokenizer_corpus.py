"""Makes the tokenizer corpus and its golden answers by the reference tokenizers library, offline and the same every time.

    python3 tokenizer_corpus.py FOLDER_WITH_TOKENIZER_JSON tests/parity/tokenizer

writes there
    corpus.jsonl       a line is [text] or [text, text]
    golden.tsv         a line for each line of the corpus: the ids by the model's own tokenizer; CRC of its ids, types and byte offsets; CRC
                       of its word numbers or -; and for each further variant CRC of its ids, types and offsets, or = where it is the first
    code_points.json   for each block of 4,096 code points, CRCs of what the normalisers and the pre-tokeniser make of them
    truncation.txt     "n_first n_second limit kept_first kept_second" a line, of the reference's "longest_first"

With --explain VARIANT LINE it prints the reference's tokens for that line instead, to compare with a failing test's.
The variants must be those of tests/parity/tokenizer/tokenizer_parity_test.cpp.
"""

import argparse
import json
import pathlib
import random
import struct
import zlib

from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers, processors

# Common words, a line a script.
SCRIPTS = {
    "latin": "the animal street because tired wide crossing water people understanding unbelievable tokenization Monday Paris",
    "latin_accents": "résumé naïve façade Ångström señor über Straße crème brûlée Čeština Łódź ğüzel İstanbul ısı Þórður œuvre šťastný",
    "vietnamese": "người Việt Nam đường phố không được tiếng trường những thuở nghĩa Huế ăn ơi ưng",
    "greek": "άνθρωπος δρόμος ζώο Ελλάδα ΟΔΟΣ ὕδωρ ᾳ ᾼδης λόγος σοφός ΰ ψυχή",
    "cyrillic": "животное улица Москва ёлка йогурт Україна їжак ґанок Србија љубав қазақ ѣ щ Ѽ",
    "armenian": "Հայաստան մարդ փողոց և կենդանի ջուր ՈՒԹ ﬓ",
    "georgian": "საქართველო ადამიანი ქუჩა წყალი ᲗᲑᲘᲚᲘᲡᲘ თბილისი Ⴀⴀ",
    "hebrew": "שָׁלוֹם רחוב חיה מַיִם ישראל בְּרֵאשִׁית ״צה״ל״",
    "arabic": "السلام عليكم شارع حَيَوَان مَاءٌ القرآن ٱللَّهِ لا پارسی اردو ﷺ ٣٤٥",
    "syriac_thaana": "ܫܠܡܐ ܣܘܪܝܝܐ ދިވެހި ރާއްޖެ ܐܒ݂",
    "devanagari": "नमस्ते हिन्दी सड़क जानवर पानी क्षत्रिय कि की १२३ संस्कृतम् ॐ।",
    "bengali": "বাংলা মানুষ রাস্তা জল কোলকাতা ড়াল ৪৫ ৎ",
    "gurmukhi_gujarati": "ਪੰਜਾਬੀ ਸੜਕ ਪਾਣੀ ਸ਼ੇਰ ગુજરાતી રસ્તો પાણી",
    "tamil": "தமிழ் தெரு விலங்கு தண்ணீர் கொடு ஸ்ரீ",
    "telugu_kannada": "తెలుగు వీధి నీరు కృష్ణ ಕನ್ನಡ ಬೀದಿ ನೀರು ಕೊ",
    "malayalam_sinhala": "മലയാളം തെരുവ് വെള്ളം ൻ සිංහල වීදිය ක්‍රි කෝ",
    "thai": "ภาษาไทย ถนน สัตว์ น้ำ กรุงเทพฯ เก่า ๑๒๓ ำ",
    "lao": "ພາສາລາວ ຖະໜົນ ນ້ຳ ສັດ ວຽງຈັນ",
    "tibetan": "བོད་སྐད། ལམ་ཁ ཆུ ཀྵ གཱི ༄༅།",
    "khmer": "ភាសាខ្មែរ ផ្លូវ សត្វ ទឹក កម្ពុជា។",
    "myanmar": "မြန်မာ လမ်း ရေ တိရစ္ဆာန် ၁၂၃ ။",
    "ethiopic": "አማርኛ መንገድ እንስሳ ውሃ ፩ ።",
    "cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꮳꮃꭹ Ꭰꭰ",
    "canadian": "ᐃᓄᒃᑎᑐᑦ ᓄᓇᕗᑦ ᕿᒻᒥᖅ ᙮",
    "hangul": "안녕하세요 거리 동물 물 한국어 서울특별시 값 뷁",
    "hangul_jamo": "한국 가각 ㅋㅋㅋ ㅎㅎ ᅡᆨ 〮가 ﾡﾢ",
    "hiragana": "ひらがな どうぶつ みち みず が か゛ か\u3099 きゃ ゟ",
    "katakana": "カタカナ ドウブツ ﾊﾝｶｸ ﾊﾟ パン ハ\u309a ヷ ㌔",
    "han": "動物 街道 水 因為 中华人民共和国 龍 你好世界 東京都 々 〇 﨑 豈 \u2f800",
    "han_extensions": "𠮷野家 𪜶 𫝀 𫠠 𬺰 㐀㐁 𰀀 𫠝𫤟 丽 ⼀⼁",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ ᠬᠦᠮᠦᠨ ᠤᠰᠤ ᠭᠤᠳᠤᠮᠵᠢ\u180b ᠠ\u180e",
    "runic_ogham_gothic": "ᚠᚢᚦᚨᚱᚲ ᚛ᚁᚂᚃ᚜ 𐌰𐌱𐌲 𐍈 𐐀𐐨 𐓐𐓸",
    "africa_asia": "ⵜⴰⵎⴰⵣⵉⵖⵜ ߒߞߏ ߊ߲ ꦧꦱꦗꦮ ᬩᬮᬶ ᜆᜄᜎᜓᜄ ᜴ 𞤀𞤢 ꕙꔤ ᨅᨔ",
    "letterlike": "ℌ ℓ № ™ ﬁ ﬂ Ａｂｃ １２ ① Ⅷ ⅷ ½ 𝐀𝓫 Ⓐⓐ 🄰 ª º µ Ω K Å ǅ ẞ ſ ŉ ǰ ΐ",
}

BLOCKS = [
    (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x58F), (0x590, 0x5FF),
    (0x600, 0x6FF), (0x700, 0x7FF), (0x800, 0x8FF), (0x900, 0x97F), (0x980, 0xA7F), (0xA80, 0xB7F), (0xB80, 0xC7F), (0xC80, 0xD7F),
    (0xD80, 0xE7F), (0xE80, 0xFFF), (0x1000, 0x109F), (0x10A0, 0x11FF), (0x1200, 0x13FF), (0x1400, 0x167F), (0x1680, 0x177F),
    (0x1780, 0x18AF), (0x1900, 0x1AFF), (0x1B00, 0x1CFF), (0x1D00, 0x1DFF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x214F),
    (0x2150, 0x23FF), (0x2400, 0x27BF), (0x2C00, 0x2E7F), (0x2E80, 0x303F), (0x3040, 0x318F), (0x3190, 0x33FF), (0x3400, 0x9FFF),
    (0xA000, 0xA6FF), (0xA700, 0xABFF), (0xAC00, 0xD7FF), (0xE000, 0xF8FF), (0xF900, 0xFB4F), (0xFB50, 0xFDFF), (0xFE00, 0xFFFF),
    (0x10000, 0x107FF), (0x10800, 0x10FFF), (0x11000, 0x117FF), (0x11800, 0x11FFF), (0x12000, 0x1343F), (0x16800, 0x16FFF),
    (0x1B000, 0x1BCFF), (0x1D000, 0x1D7FF), (0x1E000, 0x1EFFF), (0x1F000, 0x1FAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2EBEF),
    (0x2F800, 0x2FA1F), (0xE0000, 0xE01EF), (0xF0000, 0xF0FFF),
]
EMOJI = "😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 🇫🇷🇯🇵 1️⃣ #️⃣ ❤️ ☺︎ 🧑🏿‍🚀 🏴󠁧󠁢󠁳󠁣󠁴󠁿 👁️‍🗨️ 🤷‍♀️ ™️ 🫠 🩷".split()
SPACES = [chr(c) for c in (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)]
INVISIBLE = [chr(c) for c in (0, 1, 8, 0x1B, 0x7F, 0x80, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060,
                               0x2061, 0x2066, 0x2069, 0x202A, 0x202E, 0xFEFF, 0xFFF9, 0xFFFC, 0xFFFD, 0xFFFE, 0xFE0F, 0xE0001, 0xE0041, 0x10FFFF)]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + list("…—–«»“”‘’‚„‹›¿¡§¶†‡•‰′″‐‑、。「」『』！？，．：；（）～·՚־׃؟۔।॥๏།፡᠂‿⁀⸮")
SPECIALS = ["[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[mask]", "[ MASK ]", "[MASK", "MASK]", "[[MASK]]", "[unused1]", "[MASK][SEP]", "<mask>", "##ing", "[É]"]
CODE = """int main() { return 0; }
https://example.org/a/b?c=d&e=%20f#g
user.name+tag@example.co.uk
C:\\Temp\\new_file.txt
for (auto& x : xs) { y += x * 2.5e-3; }
SELECT * FROM t WHERE a <> 'b' -- c
<a href="x">y&amp;z</a>
#!/bin/sh && echo "$HOME" | sed 's/a/b/g'
{"key": [1, 2, null], "é": "\\u00e9"}
f(x) = x^2 + 3x - 1 ≤ ∞ ∑∫√π≈≠
2024-02-29T23:59:60.123Z +49 (0)30 123-456 $1,234.56 12% 3/4
snake_case CamelCase kebab-case SCREAMING_CASE dotted.name
don't can't it's o'clock rock'n'roll 'quoted' the dogs' ’tis l’été aujourd’hui d'où 5'10" ''' a''b
ＦＵＬＬｗｉｄｔｈ！ ﬃ ŉ ǆ Ǆ ß ẞ İ I ı ΣΑΣ""".split("\n")


def make_corpus():
    rng = random.Random(20240229)
    lines = []
    words = {name: text.split() for name, text in SCRIPTS.items()}
    every_word = [word for group in words.values() for word in group]

    def sentence(pool, low=2, high=9):
        parts = []
        for _ in range(rng.randint(low, high)):
            word = rng.choice(pool)
            if rng.random() < 0.15:
                word = rng.choice((word.upper(), word.title(), word + rng.choice(pool), word[::-1]))
            if rng.random() < 0.2:
                word += rng.choice(PUNCTUATION)
            parts.append(word)
        return " ".join(parts) + rng.choice((".", "", "!", " ?", "…"))

    def characters(low, high, count):
        return "".join(chr(c) for c in (rng.randint(low, high) for _ in range(count)) if not 0xD800 <= c <= 0xDFFF)

    for pool in words.values():
        lines += [[" ".join(pool)]] + [[sentence(pool)] for _ in range(26)]
    for low, high in BLOCKS:
        for i in range(6):
            glue = rng.choice(("", "", " ", "a", "-"))
            lines.append([glue.join(characters(low, high, 1) for _ in range(rng.randint(3, 14)))])
    lines += [[sentence(every_word)] for _ in range(160)]
    lines += [[characters(0, 0x10FFFF, rng.randint(4, 16))] for _ in range(60)]
    lines += [[characters(0, 0x2FFFF, rng.randint(4, 16))] for _ in range(60)]
    for _ in range(100):
        lines.append([rng.choice(("", " ")).join(rng.choice(EMOJI + words["latin"]) for _ in range(rng.randint(1, 7)))])
    marks = [chr(c) for c in (*range(0x300, 0x315), 0x327, 0x328, 0x334, 0x338, 0x344, 0x345, 0x35C, 0x360, 0x489, 0x5B0, 0x64B, 0x651, 0x93C, 0x94D,
                              0xF71, 0xF72, 0xF73, 0x302A, 0x302E, 0x3099, 0x1ABF, 0x1DF6, 0x20D0, 0x20E3, 0x16FF0, 0x1D165, 0x1D167, 0x1E130)]
    for _ in range(110):
        base = rng.choice(every_word)
        lines.append(["".join(c + "".join(rng.choice(marks) for _ in range(rng.choice((0, 1, 1, 2, 5)))) for c in base)])
    for _ in range(50):
        parts = [rng.choice(words["hebrew"] + words["arabic"] + words["latin"]) for _ in range(5)]
        lines.append(["".join(p + rng.choice("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069 ") for p in parts)])
    for length in (*range(96, 106), 150):
        lines += [["a" * length], ["x " + "é" * length], ["e\u0301" * length], ["." * length], ["un" * (length // 2) + "!"]]
    for _ in range(140):
        parts = [rng.choice(every_word + SPACES + INVISIBLE) + rng.choice(SPACES + INVISIBLE) for _ in range(rng.randint(2, 8))]
        lines.append(["".join(parts)])
    for _ in range(160):
        glue = [rng.choice(SPECIALS + words["latin"] + [" ", "ing", "Résumé", "résumé", "\u200d", "_", "5", "é", "\u0301"]) for _ in range(rng.randint(1, 7))]
        lines.append([rng.choice(("", " ", "", "\t", "  ", "\u3000")).join(glue)])
    lines += [["a[SEP]b"], ["[MASK]ing"], ["The capital of France is [MASK]."], ["[CLS] already [SEP]"], ["x [ MASK] [MASK ]"]]
    lines += [[line] for line in CODE]
    for _ in range(90):
        lines.append([" ".join(rng.choice(CODE).split()[:: rng.choice((1, 2))]) + "".join(rng.choice(PUNCTUATION) for _ in range(rng.randint(0, 9)))])
    lines += [[""]] + [[space * n] for space in (" ", "\t", "\n", "\u3000", "\u200b", "\ufeff", "\0") for n in (1, 3)]
    for _ in range(230):
        first, second = rng.choice(lines), rng.choice(lines)
        lines.append([first[0][:60], second[0][:60]])
    lines += [["", ""], ["a", ""], ["", "b"], ["A first sentence.", "And its pair."]]
    return lines


def make_variants(folder):
    def fresh():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def with_normalizer(**changes):
        tokenizer = fresh()
        flags = dict(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True) | changes
        tokenizer.normalizer = normalizers.BertNormalizer(**flags)
        return tokenizer

    plain = fresh()
    plain.encode_special_tokens = True
    bare = fresh()
    bare.normalizer = normalizers.Sequence([])
    mpnet = fresh()
    mpnet.post_processor = processors.RobertaProcessing(("[SEP]", 102), ("[CLS]", 101), True, False)
    mpnet.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
    added = fresh()
    added.add_tokens([AddedToken("ing", single_word=True, normalized=False), AddedToken("Résumé", normalized=True),
                      AddedToken("[É]", normalized=True, lstrip=True, rstrip=True), AddedToken("street", normalized=False, rstrip=True)])
    return {
        "uncased": fresh(), "cased": with_normalizer(lowercase=False), "keep_accents": with_normalizer(strip_accents=False),
        "strip_only": with_normalizer(lowercase=False, strip_accents=True, clean_text=False),
        "no_chinese": with_normalizer(handle_chinese_chars=False), "bare": bare, "plain": plain, "mpnet": mpnet, "added": added,
    }


def encode(tokenizer, line):
    """[(id, type, offsets in bytes or None for tokens of the template, word)]"""
    encoding = tokenizer.encode(*line)
    places = []
    for text in line:
        starts = [0]
        for c in text:
            starts.append(starts[-1] + len(c.encode()))
        places.append(starts)
    rows = []
    for id_, type_, sequence, (begin, end), word in zip(encoding.ids, encoding.type_ids, encoding.sequence_ids, encoding.offsets, encoding.word_ids):
        place = None if sequence is None else (places[sequence][begin], places[sequence][end])
        rows.append((id_, type_, place, None if sequence is None else (sequence, word)))
    return rows


def crc(numbers):
    return "%08x" % zlib.crc32(b"".join(struct.pack("<i", n) for n in numbers))


def offsets_of(rows):
    return [n for _, _, place, _ in rows if place is not None for n in place]


def words_of(tokenizer, rows):
    """Word numbers as attnviz counts them: through both texts, -1 for special tokens."""
    special = {id_ for id_, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    unknown = tokenizer.token_to_id("[UNK]")
    numbers, last, count = [], None, 0
    for id_, _, place, word in rows:
        # An unknown word and a typed [UNK] have one id; corpus lines with the latter have no word check.
        if place is None or (id_ in special and id_ != unknown):
            numbers.append(-1)
            last = None
            continue
        if word != last:
            count += 1
        last = word
        numbers.append(count - 1)
    return numbers


def write_golden(variants, lines, path):
    def whole(rows):
        return crc([n for row in rows for n in row[:2]] + offsets_of(rows))

    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            rows = encode(variants["uncased"], line)
            checkable = not any(mark in text for text in line for mark in ("'", "\u2019", "[UNK]"))
            columns = [" ".join(str(row[0]) for row in rows), whole(rows), crc(words_of(variants["uncased"], rows)) if checkable else "-"]
            for name, tokenizer in variants.items():
                if name != "uncased":
                    other = whole(encode(tokenizer, line))
                    columns.append("=" if other == columns[1] else other)
            out.write("\t".join(columns) + "\n")


def write_code_points(path):
    """Each code point c is asked in "a" U+302E c "b": U+302E is a combining mark that stays, so that reordering shows."""
    steps = [
        normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True),
        normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False),
        normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=True),
    ]
    pre_tokenize = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    words = Tokenizer.from_str(json.dumps({"model": {"type": "WordPiece", "unk_token": "u", "continuing_subword_prefix": "##",
                                                     "max_input_chars_per_word": 100, "vocab": {"u": 0}}}))
    words.add_tokens([AddedToken("XYZ", single_word=True, normalized=False)])
    blocks = []
    for first in range(0, 0x110000, 4096):
        code_points = [c for c in range(first, first + 4096) if not 0xD800 <= c <= 0xDFFF]
        sums = []
        for step in steps:
            pieces = ("\n".join(piece for piece, _ in pre_tokenize(step.normalize_str("a\u302e" + chr(c) + "b"))) for c in code_points)
            sums.append("%08x" % zlib.crc32("\n\n".join(pieces).encode()))
        is_word = bytes(words.encode("XYZ" + chr(c)).ids[:1] != [1] for c in code_points)
        sums.append("%08x" % zlib.crc32(is_word))
        blocks.append(sums)
    path.write_text("[\n" + ",\n".join(json.dumps(sums) for sums in blocks) + "\n]\n", encoding="utf-8")


def write_truncation(tokenizer, path):
    """How many tokens of texts of n_first and n_second tokens stay within a limit (3 special tokens included)."""
    rows = []
    for n_first in range(8):
        for n_second in range(8):
            for limit in range(4, 17):
                tokenizer.enable_truncation(limit, strategy="longest_first")
                kept = tokenizer.encode("a " * n_first, "b " * n_second).sequence_ids
                rows.append(f"{n_first} {n_second} {limit} {kept.count(0)} {kept.count(1)}\n")
    tokenizer.no_truncation()
    path.write_text("".join(rows), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="folder with the default model's tokenizer.json")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--explain", nargs=2, metavar=("VARIANT", "LINE"), help="print one line's tokens by one variant (lines count from 1)")
    arguments = parser.parse_args()
    lines, variants = make_corpus(), make_variants(arguments.model)
    if arguments.explain:
        variant, number = arguments.explain
        for row in encode(variants[variant], lines[int(number) - 1]):
            print(variants[variant].id_to_token(row[0]), *row)
        return
    with open(arguments.out / "corpus.jsonl", "w", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_golden(variants, lines, arguments.out / "golden.tsv")
    write_truncation(variants["uncased"], arguments.out / "truncation.txt")
    write_code_points(arguments.out / "code_points.json")
    print(len(lines), "lines,", len(variants), "variants")


if __name__ == "__main__":
    main()
