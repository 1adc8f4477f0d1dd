#!/usr/bin/env python3
"""Writes the corpus of the fuzz target torch_zip: files as torch.save writes them, and a broken one of each kind.

Zip archives and pickles are put together byte by byte, so that each can be wrong in one place; the standard library is enough.
tests/unit/formats/weights/torch_zip_test.cpp says what each file must give. Files that a fuzzer found start with "found-" and are left
alone. Usage: make_torch_zip.py [FOLDER], default: corpus/torch_zip beside this script.
"""

import struct
import sys
from pathlib import Path

PROTO, STOP, MARK = b"\x80\x02", b".", b"("
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"
PARAMETER = b"ctorch._utils\n_rebuild_parameter\n"
ORDERED = b"ccollections\nOrderedDict\n)R"


# Pickles ------------------------------------------------------------------------------------------

def text(value):
    raw = value.encode() if isinstance(value, str) else value
    return b"X" + struct.pack("<I", len(raw)) + raw


def number(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    raw = value.to_bytes((value.bit_length() + 8) // 8, "little", signed=True)
    return b"\x8a" + bytes([len(raw)]) + raw


def tuple_of(*items):
    return MARK + b"".join(items) + b"t"


def numbers(values):
    return tuple_of(*map(number, values))


def dict_of(*pairs, start=b"}"):
    return start + MARK + b"".join(key + value for key, value in pairs) + b"u"


def storage(kind="FloatStorage", key="0", n=6, tag="storage"):
    return tuple_of(text(tag), b"ctorch\n%s\n" % kind.encode(), text(key), text("cpu"), number(n)) + b"Q"


def tensor(shape=(2, 3), strides=(3, 1), offset=0, where=None, rest=(b"\x89", ORDERED)):
    where = storage() if where is None else where
    return REBUILD + tuple_of(where, number(offset), numbers(shape), numbers(strides), *rest) + b"R"


def parameter(inner):
    return PARAMETER + tuple_of(inner, b"\x88", ORDERED) + b"R"


def pickle(value):
    return PROTO + value + STOP


def state(*pairs):
    return pickle(dict_of(*((text(name), value) for name, value in pairs)))


# Zip archives -------------------------------------------------------------------------------------

class Entry:
    def __init__(self, name, data, **fields):
        self.name, self.data = name.encode(), data
        self.method = self.flags = 0
        self.size = self.stored = len(data)
        self.local_name, self.local_size, self.local_method, self.at = self.name, None, None, None
        self.wide = False
        self.__dict__.update(fields)


def zip_of(entries, n_entry=None, comment=b"", wide=False, wide_n=None, wide_at=None, shift=0, tail=b""):
    body, directory = b"", b""
    for entry in entries:
        at = len(body) if entry.at is None else entry.at
        size = entry.size if entry.local_size is None else entry.local_size
        method = entry.method if entry.local_method is None else entry.local_method
        body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, entry.flags, method, 0, 0, 0, size, size,
                            len(entry.local_name), 0) + entry.local_name + entry.data
        sizes, extra = (entry.stored, entry.size, at), b""
        if entry.wide:
            extra = struct.pack("<HHQQQ", 1, 24, entry.size, entry.stored, at) if entry.wide is True else entry.wide
            sizes = (0xFFFFFFFF,) * 3
        directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, entry.flags, entry.method, 0, 0, 0, sizes[0], sizes[1],
                                 len(entry.name), len(extra), 0, 0, 0, 0, sizes[2]) + entry.name + extra
    directory += tail
    n = len(entries) if n_entry is None else n_entry
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, len(directory), len(body) + shift, len(comment)) + comment
    if wide:
        record = len(body) + len(directory)
        count = n if wide_n is None else wide_n
        end = (struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(directory), len(body))
               + struct.pack("<IIQI", 0x07064B50, 0, record if wide_at is None else wide_at, 1) + end)
    return body + directory + end


def parts(data_pkl, data=None, key="0", **fields):
    data = struct.pack("<6f", 1, 2, 3, 4, 5, 6) if data is None else data
    return [Entry("m/data.pkl", data_pkl), Entry("m/byteorder", b"little"), Entry(f"m/data/{key}", data, **fields)]


GOOD = state(("w", tensor()))


def torch(data_pkl=GOOD, data=None, **fields):
    return zip_of(parts(data_pkl, data, **fields))


# The corpus ---------------------------------------------------------------------------------------

def good_files():
    yield "good", torch()
    yield "good-ordered", torch(pickle(dict_of((text("w"), tensor()), start=ORDERED)
                                       + dict_of((text("_metadata"), ORDERED)) + b"b"))
    yield "good-nested", torch(state(("epoch", number(3)), ("rate", b"G" + struct.pack(">d", 0.5)),
                                     ("state_dict", dict_of((text("w"), tensor())))))
    yield "good-other-values", torch(state(
        ("none", b"N"), ("big", b"\x8a\x09" + b"\1" * 9), ("list", b"]" + MARK + number(1) + b"e" + number(70000) + b"a"),
        ("size", b"ctorch\nSize\n" + tuple_of(numbers((2, 3))) + b"R"), ("three", b"K\1K\2K\3\x87"), ("w", tensor())))
    yield "good-parameter", torch(state(("w", parameter(tensor()))))
    yield "good-transposed", torch(state(("w", tensor((3, 2), (1, 3)))))
    yield "good-sliced", torch(state(("w", tensor((2, 2), (3, 1), 1))))
    yield "good-expanded", torch(state(("w", tensor((2, 6), (0, 1)))))
    yield "good-shared", torch(state(("v", tensor((3,), (1,), 3)), ("w", tensor()), ("x", tensor((3, 2), (1, 3)))))
    yield "good-two-types", torch(state(
        ("v", tensor((2,), (2,), where=storage("FloatStorage", n=6))), ("w", tensor((2,), (2,), where=storage("DoubleStorage", n=3)))))
    yield "good-empty-tensor", torch(state(("w", tensor((0, 5), (5, 1), 6))))
    yield "good-scalar", torch(state(("w", tensor((), (), 5))))
    yield "good-half", torch(state(("w", tensor(where=storage("HalfStorage")))), b"\0\x3c" * 6)
    yield "good-cycle", torch(pickle(b"}q\0" + text("self") + b"h\0s" + text("w") + tensor() + b"s"))
    yield "good-protocol-4", torch(
        b"\x80\x04\x95" + struct.pack("<Q", 9) + b"}" + b"\x8c\x01w" + b"\x8c\x0ctorch._utils\x8c\x12_rebuild_tensor_v2\x93\x94"
        + tuple_of(storage(), number(0), numbers((2, 3)), numbers((3, 1)), b"\x89", b"N") + b"Rs.")
    yield "good-sizes-follow", torch(flags=0x0808, local_size=0)
    yield "good-zip64", zip_of([Entry("m/data.pkl", GOOD, wide=True), Entry("m/data/0", bytes(24), wide=True)], wide=True)
    yield "good-comment", zip_of(parts(GOOD), comment=b"any comment")


def broken_zips():
    whole = torch()
    yield "zip-empty", b""
    yield "zip-text", b"hello, world"
    yield "zip-lfs-pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    yield "zip-legacy", b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."
    yield "zip-tar", b"pickle".ljust(257, b"\0") + b"ustar\x0000" + bytes(247)
    yield "zip-cut", whole[:len(whole) // 2]
    yield "zip-cut-at-end", whole[:-1]
    yield "zip-bytes-after", whole + b"x"
    yield "zip-compressed", torch(method=8)
    yield "zip-encrypted", torch(flags=1)
    yield "zip-two-sizes", torch(stored=20)
    yield "zip-size-past-directory", torch(size=4000, stored=4000)
    yield "zip-size-differs", torch(local_size=20)
    yield "zip-method-differs", torch(local_method=8)
    yield "zip-name-differs", torch(local_name=b"m/data/1")
    yield "zip-name-twice", zip_of(parts(GOOD) + [Entry("m/data/0", b"")])
    yield "zip-header-past-directory", torch(at=5000)
    yield "zip-header-elsewhere", torch(at=1)
    inner = zip_of([Entry("m/data/0", b"1234")])
    yield "zip-overlap", zip_of([Entry("m/data.pkl", GOOD), Entry("m/x", inner), Entry("m/data/0", b"1234", at=len(
        zip_of([Entry("m/data.pkl", GOOD)]).split(b"PK\1\2")[0]) + 30 + 3, local_name=b"m/data/0", size=4, stored=4)])
    yield "zip-more-entries", zip_of(parts(GOOD), n_entry=4)
    yield "zip-fewer-entries", zip_of(parts(GOOD), n_entry=2)
    yield "zip-many-entries", zip_of(parts(GOOD), n_entry=60000)
    yield "zip-directory-elsewhere", zip_of(parts(GOOD), shift=7)
    yield "zip-directory-garbage", zip_of(parts(GOOD), n_entry=4, tail=bytes(60))
    yield "zip64-locator-past", zip_of(parts(GOOD), wide=True, wide_at=2**63)
    yield "zip64-locator-elsewhere", zip_of(parts(GOOD), wide=True, wide_at=3)
    yield "zip64-other-count", zip_of(parts(GOOD), wide=True, wide_n=2**60)
    yield "zip64-no-extra", zip_of([Entry("m/data.pkl", GOOD, wide=b"\x09\0\0\0")])
    yield "zip64-short-extra", zip_of([Entry("m/data.pkl", GOOD, wide=struct.pack("<HHQ", 1, 8, 4))])
    yield "zip64-huge-size", zip_of([Entry("m/data.pkl", GOOD, flags=8, local_size=0, wide=struct.pack("<HHQQQ", 1, 24, 2**63, 2**63, 0))])
    yield "archive-no-pickle", zip_of([Entry("m/data/0", bytes(24))])
    yield "archive-two-pickles", zip_of(parts(GOOD) + [Entry("n/data.pkl", GOOD)])
    yield "archive-torchscript", zip_of(parts(GOOD) + [Entry("m/constants.pkl", b"")])
    yield "archive-big-endian", zip_of([Entry("m/data.pkl", GOOD), Entry("m/byteorder", b"big"), Entry("m/data/0", bytes(24))])
    yield "archive-no-storage", torch(key="1")
    yield "archive-storage-short", torch(data=bytes(20))
    yield "archive-storage-long", torch(data=bytes(28))
    yield "archive-storage-path", torch(state(("w", tensor(where=storage(key="../../data/0")))))


def broken_pickles():
    yield "pickle-empty", b""
    yield "pickle-no-proto", b"}."
    yield "pickle-protocol-0", b"\x80\0}."
    yield "pickle-protocol-9", b"\x80\x09}."
    yield "pickle-no-stop", PROTO + b"}"
    yield "pickle-after-stop", pickle(b"}") + b"N"
    yield "pickle-nothing", pickle(b"")
    yield "pickle-two-values", pickle(b"}}")
    yield "pickle-open-mark", pickle(b"}(")
    yield "pickle-system", pickle(b"cos\nsystem\n" + tuple_of(text("echo hello")) + b"R")
    yield "pickle-system-stacked", b"\x80\x04\x8c\x02os\x8c\x06system\x93" + tuple_of(text("echo hello")) + b"R."
    yield "pickle-eval", pickle(b"c__builtin__\neval\n" + tuple_of(text("1")) + b"R")
    yield "pickle-torch-load", pickle(b"ctorch\nload\n" + tuple_of(text("/etc/passwd")) + b"R")
    yield "pickle-name-with-controls", pickle(b"c\x1b[2J\xff\nb\n)R")
    yield "pickle-name-open", PROTO + b"ctorch"
    yield "pickle-inst", pickle(MARK + b"ios\nsystem\n")
    yield "pickle-newobj", pickle(ORDERED + b")\x81")
    yield "pickle-extension", pickle(b"\x82\x01")
    yield "pickle-call-text", pickle(text("os.system") + b")R")
    yield "pickle-call-storage", pickle(b"ctorch\nFloatStorage\n)R")
    yield "pickle-call-no-tuple", pickle(REBUILD + b"]R")
    yield "pickle-ordered-with-items", pickle(b"ccollections\nOrderedDict\n" + tuple_of(number(1)) + b"R")
    yield "pickle-size-of-text", pickle(b"ctorch\nSize\n" + tuple_of(text("x")) + b"R")
    yield "pickle-build-tensor", pickle(tensor() + b"}b")
    yield "pickle-underflow", pickle(b"\x87")
    yield "pickle-underflow-mark", pickle(b"N(R")
    yield "pickle-no-mark", pickle(b"Nt")
    yield "pickle-put-nothing", pickle(b"q\0")
    yield "pickle-get-unknown", pickle(b"j\xff\xff\xff\xff")
    yield "pickle-append-dict", pickle(b"}Na")
    yield "pickle-set-list", pickle(b"]NNs")
    yield "pickle-odd-items", pickle(b"}(Nu")
    yield "pickle-text-past-end", PROTO + b"X\xff\xff\xff\xffab"
    yield "pickle-text-huge", PROTO + b"\x8d" + b"\xff" * 8
    yield "pickle-text-not-utf8", pickle(text(b"\xff"))
    yield "pickle-long-past-end", PROTO + b"\x8a\xff"
    yield "pickle-deep", pickle(MARK * 30 + b"t" * 30)
    yield "root-list", pickle(b"]")
    yield "root-tensor", pickle(tensor())
    yield "root-nothing", pickle(b"}")
    yield "root-two-models", state(("model", dict_of((text("w"), tensor()))), ("ema", dict_of((text("w"), tensor()))))
    yield "root-numbered", pickle(dict_of((number(0), tensor())))
    yield "name-twice", state(("w", tensor()), ("w", tensor()))


def broken_tensors():
    yield "tensor-few-values", REBUILD + tuple_of(storage(), number(0)) + b"R"
    yield "tensor-no-storage", tensor(where=number(0))
    yield "tensor-storage-number", tensor(where=number(0) + b"Q")
    yield "tensor-storage-short", tensor(where=tuple_of(text("storage")) + b"Q")
    yield "tensor-storage-module", tensor(where=storage(tag="module"))
    yield "tensor-storage-type", tensor(where=storage("ComplexDoubleStorage"))
    yield "tensor-storage-untyped", tensor(where=tuple_of(text("storage"), REBUILD, text("0"), text("cpu"), number(6)) + b"Q")
    yield "tensor-storage-negative", tensor(where=storage(n=-1))
    yield "tensor-storage-huge", tensor(where=storage(n=2**62 + 6))
    yield "tensor-shape-list", REBUILD + tuple_of(storage(), number(0), b"]", numbers((1,)), b"\x89", ORDERED) + b"R"
    yield "tensor-shape-text", REBUILD + tuple_of(storage(), number(0), tuple_of(text("2")), numbers((1,)), b"\x89", ORDERED) + b"R"
    yield "tensor-shape-negative", tensor((-2, -3))
    yield "tensor-shape-past-64-bits", tensor((2**40, 2**40), (0, 0))
    yield "tensor-shape-past-64-bits-empty", tensor((2**40, 2**40, 0), (0, 0, 0))
    yield "tensor-shape-big-number", REBUILD + tuple_of(
        storage(), number(0), tuple_of(b"\x8a\x09" + b"\1" * 9), numbers((1,)), b"\x89", ORDERED) + b"R"
    yield "tensor-dimensions", tensor((1,) * 9, (1,) * 9)
    yield "tensor-strides-few", tensor((2, 3), (1,))
    yield "tensor-strides-negative", tensor((2, 3), (-3, 1), 3)
    yield "tensor-past-storage", tensor((2, 4), (3, 1))
    yield "tensor-offset-past-storage", tensor((2, 3), (3, 1), 1)
    yield "tensor-offset-huge", tensor((2, 3), (3, 1), 2**63 - 1)
    yield "tensor-offset-empty", tensor((0,), (1,), 7)
    yield "tensor-strides-huge", tensor((2, 3), (2**63 - 1, 2**63 - 1))
    yield "tensor-expanded", tensor((1000000, 6), (0, 1))
    yield "parameter-few-values", PARAMETER + tuple_of(tensor()) + b"R"
    yield "parameter-of-number", parameter(number(1))
    yield "parameter-of-parameter", parameter(parameter(tensor()))


def huge_files():
    """At most 200 bytes that claim much: the target reads them as a pickle too."""
    for name, start in (("text-8", b"\x8d"), ("bytes-8", b"\x8e"), ("frame", b"\x95"), ("bytearray", b"\x96")):
        for size in (2**26, 2**32 - 1, 2**63 - 1):
            yield f"huge-{name}-{size:x}", b"\x80\x04" + start + struct.pack("<Q", size) + b"abc."
    for name, start in (("text", b"X"), ("bytes", b"B"), ("long", b"\x8b"), ("put", b"}r")):
        yield f"huge-{name}", PROTO + start + struct.pack("<I", 2**31 - 1) + b"abc."
    yield "huge-doubling", PROTO + b"]" + b"(h\0h\0e" * 30 + b"."
    yield "huge-entries", zip_of([], n_entry=65534)
    yield "huge-entries-64", zip_of([], wide=True, wide_n=2**60)
    yield "huge-entry", zip_of([Entry("m/data.pkl", b"", size=2**31, stored=2**31)])
    yield "huge-comment", zip_of([Entry("m/data.pkl", b"}")])[:-2] + b"\xff\xff"


def files():
    yield from good_files()
    yield from huge_files()
    yield from broken_zips()
    for name, data_pkl in broken_pickles():
        yield name, torch(data_pkl)
    for name, value in broken_tensors():
        yield name, torch(state(("w", value)))
    # 20 overlapping windows of one storage, each in another order than the file's: together more than the file.
    n, width = 900, 800
    windows = [("%d" % i, tensor((2, width // 2), (1, 2), i, storage("ByteStorage", n=n))) for i in range(20)]
    yield "tensor-copies", torch(state(*windows), bytes(n))


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "corpus" / "torch_zip")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if not old.name.startswith("found-"):
            old.unlink()
    for name, data in files():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
