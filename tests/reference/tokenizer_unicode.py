"""Prints src/text/unicode/unicode_exceptions.cpp: where the reference tokenizers library and utf8proc see a code point differently.

The reference carries tables of several Unicode versions (categories of Unicode 8, normalisation of 13, lower-casing of 16); utf8proc 2.8
those of Unicode 15. Both are asked about every code point, and the differences become ranges. Needs `tokenizers` and libutf8proc.so.2.

    python3 tokenizer_unicode.py | clang-format --style=file:.clang-format > src/text/unicode/unicode_exceptions.cpp
"""

import ctypes

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

UTF8PROC = ctypes.CDLL("libutf8proc.so.2")
CATEGORIES = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co".split()
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
DECOMPOSE = 1 << 4


class Property(ctypes.Structure):
    _fields_ = [("category", ctypes.c_int16), ("combining_class", ctypes.c_int16)]


UTF8PROC.utf8proc_get_property.restype = ctypes.POINTER(Property)
UTF8PROC.utf8proc_tolower.restype = ctypes.c_int32
UTF8PROC.utf8proc_decompose_char.restype = ctypes.c_ssize_t


def properties(code_point):
    found = UTF8PROC.utf8proc_get_property(code_point)[0]
    return CATEGORIES[found.category], found.combining_class


def decompose(code_point):
    buffer = (ctypes.c_int32 * 64)()
    count = UTF8PROC.utf8proc_decompose_char(code_point, buffer, 64, DECOMPOSE, ctypes.byref(ctypes.c_int(0)))
    return "".join(map(chr, buffer[:count]))


def bert(**on):
    steps = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**(steps | on)).normalize_str


def ranges(code_points):
    out = []
    for code_point in sorted(code_points):
        if out and code_point == out[-1][1] + 1:
            out[-1][1] = code_point
        else:
            out.append([code_point, code_point])
    return out


def print_table(name, comment, code_points):
    print(f"\n// {comment}")
    cells = ["{0x%X, 0x%X}" % tuple(r) for r in ranges(code_points)]
    print(f"const CodePointRange {name}[] = {{{', '.join(cells)}}};")
    print(f"const std::span<const CodePointRange> {name.replace('Table', '')}({name});")


def main():
    category = {c: properties(c)[0] for c in CODE_POINTS}
    clean, strip, lower, nfd = bert(clean_text=True), bert(strip_accents=True), bert(lowercase=True), normalizers.NFD().normalize_str
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    words = Tokenizer(models.WordPiece({"[UNK]": 0, "X": 1}, unk_token="[UNK]"))
    words.add_tokens([AddedToken("XYZ", single_word=True, normalized=False)])

    dropped = {c for c in CODE_POINTS if clean(chr(c)) == ""}
    ours = {c for c in CODE_POINTS if c in (0, 0xFFFD) or category[c] in ("Cc", "Cf", "Co") and c not in (9, 10, 13)}
    undecomposed = {c for c in CODE_POINTS if nfd(chr(c)) == chr(c)}
    mark = {c for c in undecomposed if strip(chr(c)) == ""}
    our_mark = {c for c in undecomposed if category[c] == "Mn"}
    punctuation = {c for c in CODE_POINTS if len(split("a" + chr(c) + "b")) == 3}
    our_punctuation = {c for c in CODE_POINTS if category[c][0] == "P" or c < 128 and chr(c).isprintable() and not chr(c).isalnum() and c != 32}
    word = {c for c in CODE_POINTS if words.encode("XYZ" + chr(c)).ids[0] != 2}
    our_word = {
        c for c in CODE_POINTS
        if category[c][0] in "LM" or category[c] in ("Nd", "Nl", "Pc") or c in (0x200C, 0x200D) or 0x24B6 <= c <= 0x24E9
        or any(0x1F100 + a <= c <= 0x1F100 + b for a, b in ((0x30, 0x49), (0x50, 0x69), (0x70, 0x89)))
    }
    assert dropped <= ours, "the reference drops more than utf8proc"
    assert not our_word - word, "utf8proc has more word characters"
    no_decomposition = {c for c in undecomposed if decompose(c) != chr(c)}
    assert all(nfd(chr(c)) == decompose(c) for c in CODE_POINTS if c not in no_decomposition), "other decompositions differ"
    # A mark of class 0 is not reordered around marks of class 232 and 1.
    reordered = {c for c in undecomposed if nfd("\u0315" + chr(c))[0] != "\u0315" or nfd(chr(c) + "\u0334")[0] != chr(c)}
    no_class = {c for c in undecomposed if properties(c)[1] != 0} - reordered - set(range(0x334, 0x339)) - {c for c in undecomposed if properties(c)[1] == 1}

    print("// Where the reference tokenizers library and utf8proc 2.8 see a code point differently; see unicode.h.")
    print("// Made by tests/reference/tokenizer_unicode.py from both libraries, over all code points: do not edit by hand.")
    print('#include "text/unicode/unicode_exceptions.h"')
    print("\nnamespace attnviz {")
    print_table("kKeptTable", "Control or format characters by utf8proc that the reference keeps.", ours - dropped)
    print_table("kMarkTable", "Nonspacing marks for the reference only.", mark - our_mark)
    print_table("kNotMarkTable", "Nonspacing marks for utf8proc only.", our_mark - mark)
    print_table("kPunctuationTable", "Punctuation for the reference only.", punctuation - our_punctuation)
    print_table("kNotPunctuationTable", "Punctuation for utf8proc only.", our_punctuation - punctuation)
    print_table("kWordCharacterTable", "Word characters (\\w) for the reference only.", word - our_word)
    print_table("kNoClassTable", "Characters that take no part in canonical reordering in the reference.", no_class)
    print_table("kNoDecompositionTable", "Characters that the reference does not decompose.", no_decomposition)
    print("\n// Lower-casing: a range, and what is added to a code point in it. U+0130 becomes two characters, see unicode.cpp.")
    shifts = []
    for c in CODE_POINTS:
        lowered = lower(chr(c))
        if c == 0x130 or lowered == chr(UTF8PROC.utf8proc_tolower(c)):
            continue
        assert len(lowered) == 1, "a new character lowers to several"
        shift = ord(lowered) - c
        if shifts and shifts[-1][1] == c - 1 and shifts[-1][2] == shift:
            shifts[-1][1] = c
        else:
            shifts.append([c, c, shift])
    print("const LowerShift kLowerShiftTable[] = {%s};" % ", ".join("{0x%X, 0x%X, %d}" % tuple(s) for s in shifts))
    print("const std::span<const LowerShift> kLowerShift(kLowerShiftTable);")
    print("\n}  // namespace attnviz")


if __name__ == "__main__":
    main()
