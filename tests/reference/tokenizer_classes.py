"""Prints src/text/unicode/class_exceptions.cpp: where the reference tokenizers library and the libraries used here class a code point differently.

tokenizer_unicode.py is about BERT's normaliser; this is about regular expressions (Oniguruma of Unicode 16 there, PCRE2 of Unicode 14 here), digits,
marks and compatibility decomposition. All code points are asked. Needs `tokenizers`, libpcre2-32.so.0 and libutf8proc.so.2.

    python3 tokenizer_classes.py | clang-format --style=file:.clang-format > src/text/unicode/class_exceptions.cpp
"""

import ctypes

from tokenizers import Regex, normalizers, pre_tokenizers

from tokenizer_unicode import CATEGORIES, CODE_POINTS, UTF8PROC, print_table, properties

PCRE = ctypes.CDLL("libpcre2-32.so.0")
UTF, UCP, NO_UTF_CHECK = 0x00080000, 0x00020000, 0x40000000
EVERYTHING = "".join(map(chr, CODE_POINTS))


def found_by_reference(pattern):
    pieces = pre_tokenizers.Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(EVERYTHING)
    return {ord(c) for piece, _ in pieces for c in piece}


def found_by_pcre(pattern):
    for name in ("compile", "match_data_create_from_pattern", "get_ovector_pointer"):
        getattr(PCRE, f"pcre2_{name}_32").restype = ctypes.c_void_p
    pattern, subject = ((ctypes.c_uint32 * len(x))(*x) for x in ([ord(c) for c in pattern], CODE_POINTS))
    error, offset = ctypes.c_int(), ctypes.c_size_t()
    code = PCRE.pcre2_compile_32(pattern, ctypes.c_size_t(len(pattern)), UTF | UCP, ctypes.byref(error), ctypes.byref(offset), None)
    match = ctypes.c_void_p(PCRE.pcre2_match_data_create_from_pattern_32(ctypes.c_void_p(code), None))
    place = ctypes.cast(PCRE.pcre2_get_ovector_pointer_32(match), ctypes.POINTER(ctypes.c_size_t))
    found, position, size = set(), 0, ctypes.c_size_t(len(subject))
    while PCRE.pcre2_match_32(ctypes.c_void_p(code), subject, size, ctypes.c_size_t(position), NO_UTF_CHECK, match, None) > 0:
        found.update(CODE_POINTS[place[0]:place[1]])
        position = place[1]
    return found


def print_stand_ins():
    reference, pcre = {}, {}
    for category in set(CATEGORIES) - {"Cn", "Cs"}:
        pattern = r"\p{%s}+" % category
        reference |= dict.fromkeys(found_by_reference(pattern), category)
        pcre |= dict.fromkeys(found_by_pcre(pattern), category)
    pairs = {c: (reference.get(c, "Cn"), pcre.get(c, "Cn")) for c in CODE_POINTS}
    assert found_by_reference(r"\d+") == {c for c in CODE_POINTS if pairs[c][0] == "Nd"}
    spaces, our_spaces = found_by_reference(r"\s+"), found_by_pcre(r"\s+")
    assert our_spaces > spaces
    agreed = [c for c in CODE_POINTS if c >= 0x100 and pairs[c][0] == pairs[c][1] and c not in our_spaces]
    stand_in = {category: next((c for c in agreed if pairs[c][0] == category), None) for category in CATEGORIES}
    ranges = []
    for c in CODE_POINTS:
        theirs, ours = pairs[c]
        if theirs == ours and (c in spaces) == (c in our_spaces):
            continue
        value = stand_in[theirs]
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == value:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, value])
    print("\n// Classed differently by regular expressions: a range, and a code point of the reference's class.")
    print("const StandIn kStandInTable[] = {%s};" % ", ".join("{0x%X, 0x%X, 0x%X}" % tuple(r) for r in ranges))
    print("const std::span<const StandIn> kStandIn(kStandInTable);")


def decompose_compatibly(code_point):
    buffer = (ctypes.c_int32 * 64)()
    count = UTF8PROC.utf8proc_decompose_char(code_point, buffer, 64, 1 << 4 | 1 << 2, ctypes.byref(ctypes.c_int(0)))
    return "".join(map(chr, buffer[:count]))


def main():
    category = {c: properties(c)[0] for c in CODE_POINTS}
    digits, strip, nfkd = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str, normalizers.StripAccents().normalize_str, normalizers.NFKD().normalize_str
    numeric = {c for c in CODE_POINTS if len(digits("a" + chr(c) + "b")) == 3}
    mark = {c for c in CODE_POINTS if strip(chr(c)) == ""}
    our_numeric, our_mark = ({c for c in CODE_POINTS if category[c][0] == letter} for letter in "NM")
    assert our_numeric <= numeric
    other = {c for c in CODE_POINTS if nfkd(chr(c)) != decompose_compatibly(c)}
    assert all(nfkd(chr(c)) == chr(c) for c in other), "another compatibility decomposition differs"

    print("// Where the reference tokenizers library and PCRE2 10.42 or utf8proc 2.8 class a code point differently; see unicode.h.")
    print("// Made by tests/reference/tokenizer_classes.py from these libraries, over all code points: do not edit by hand.")
    print('#include "text/unicode/class_exceptions.h"')
    print("\nnamespace attnviz {")
    print_stand_ins()
    print_table("kNumericTable", "Numeric for the reference only.", numeric - our_numeric)
    print_table("kAnyMarkTable", "Marks of any kind for the reference only.", mark - our_mark)
    print_table("kNotAnyMarkTable", "Marks of any kind for utf8proc only.", our_mark - mark)
    print_table("kNoCompatibilityTable", "Not decomposed compatibly by the reference.", other)
    print("\n}  // namespace attnviz")


if __name__ == "__main__":
    main()
