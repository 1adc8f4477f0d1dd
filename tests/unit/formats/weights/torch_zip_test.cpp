// Files of torch.save: every way the archive, the pickle or a tensor can lie, each with its message; and good files with their
// values. The files are the fuzz corpus, written by tests/fuzz/make_torch_zip.py; PyTorch's own are in tests/parity.
#include "formats/weights/torch_zip.h"

#include <attnviz/error.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/unpack.h"

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kCorpus = std::filesystem::path(ATTNVIZ_TEST_DIR) / "fuzz" / "corpus" / "torch_zip";

std::string read_file(const std::string& name) {
  std::ifstream file(kCorpus / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string message_of(const std::string& bytes) {
  try {
    parse_torch_zip(as_bytes(bytes), "m.bin");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_THAT(error.what(), testing::StartsWith("m.bin: "));
    return error.what();
  }
  return "no error";
}

struct Read {
  Shape shape;
  std::vector<double> values;
};

// The tensors of a good file: f32 and f16 as numbers, f64 too.
std::map<std::string, Read> read_good(const std::string& name) {
  const std::string bytes = read_file(name);
  std::map<std::string, Read> found;
  for (const StoredTensor& tensor : parse_torch_zip(as_bytes(bytes), name).tensors) {
    Read& read = found[tensor.name];
    read.shape = tensor.view.shape;
    if (is_weight_dtype(tensor.view.dtype)) {
      for (const float value : unpack_all(tensor.view)) read.values.push_back(value);
    }
  }
  return found;
}

using Messages = std::map<std::string, std::string>;  // a corpus file: a part of its message

Messages zip_messages() {
  return {
      {"zip-empty", "expected a zip archive, as torch.save writes it, found an empty file"},
      {"zip-text", "found a file that starts with \"hello, w\""},
      {"zip-lfs-pointer", "Git LFS pointer"},
      {"zip-legacy", "is of PyTorch before 1.6; expected the zip format of 1.6 or later; convert it with: python3 -c"},
      {"zip-tar", "is a tar archive, as PyTorch before 0.1.10 wrote it"},
      {"zip-cut", "has no end record"},
      {"zip-cut-at-end", "has no end record"},
      {"zip-bytes-after", "has no end record"},
      {"zip-compressed", "entry \"m/data/0\": is compressed (method 8); expected stored entries"},
      {"zip-encrypted", "entry \"m/data/0\": is encrypted"},
      {"zip-two-sizes", "entry \"m/data/0\": is stored, but its two sizes are 20 and 24"},
      {"zip-size-past-directory", "entry \"m/data/0\": expected 4000 bytes before the directory, found 24"},
      {"zip-size-differs", "entry \"m/data/0\": its local header has 20 bytes, the directory 24"},
      {"zip-method-differs", "entry \"m/data/0\": its local header has method 8, the directory 0"},
      {"zip-name-differs", "entry \"m/data/0\": its local header names another entry, \"m/data/1\""},
      {"zip-name-twice", "entry \"m/data/0\": is in the archive twice"},
      {"zip-header-past-directory", "entry \"m/data/0\": begins at byte 5000; expected it before the directory"},
      {"zip-header-elsewhere", "entry \"m/data/0\": no local header at byte 1"},
      {"zip-overlap", "entry \"m/data/0\": overlaps entry \"m/x\""},
      {"zip-more-entries", "cannot hold 4 entries"},
      {"zip-fewer-entries", "bytes after the directory's 2 entries"},
      {"zip-many-entries", "cannot hold 60000 entries"},
      {"zip-directory-elsewhere", "expected the directory from byte"},
      {"zip-directory-garbage", "the directory has no record where one is expected"},
      {"zip64-locator-past", "zip64: expected the end record before byte"},
      {"zip64-locator-elsewhere", "zip64: no end record at byte 3"},
      {"zip64-other-count", "zip64: the two end records do not agree"},
      {"zip64-no-extra", "entry \"m/data.pkl\": its size does not fit 32 bits, and it has no zip64 extra field"},
      {"zip64-short-extra", "expected 8 bytes of zip64 extra field"},
      {"zip64-huge-size", "entry \"m/data.pkl\": expected 9223372036854775808 bytes before the directory"},
      {"archive-no-pickle", "is a zip archive without data.pkl"},
      {"archive-two-pickles", "has two pickles, \"m/data.pkl\" and \"n/data.pkl\""},
      {"archive-torchscript", "is a TorchScript program"},
      {"archive-big-endian", "byteorder: expected \"little\", found \"big\""},
      {"archive-no-storage", "tensor \"w\": its storage \"0\" is not in the archive"},
      {"archive-storage-short", "tensor \"w\": its storage \"0\" of 6 F32 elements has 20 bytes"},
      {"archive-storage-long", "tensor \"w\": its storage \"0\" of 6 F32 elements has 28 bytes"},
      {"archive-storage-path", "tensor \"w\": its storage \"../../data/0\" is not in the archive"},
  };
}

Messages pickle_messages() {
  return {
      {"pickle-empty", "expected 1 bytes of the pickle at offset 0"},
      {"pickle-no-proto", "expected a pickle of protocol 2 to 5"},
      {"pickle-protocol-0", "expected a pickle of protocol 2 to 5, found 0"},
      {"pickle-protocol-9", "expected a pickle of protocol 2 to 5, found 9"},
      {"pickle-no-stop", "ends early"},
      {"pickle-after-stop", "1 bytes after the end"},
      {"pickle-nothing", "expected one value at the end, found 0"},
      {"pickle-two-values", "expected one value at the end, found 2"},
      {"pickle-open-mark", "expected one value at the end, found 1 and 1 open marks"},
      {"pickle-system", "\"os.system\" is not a tensor; nothing in the file was executed"},
      {"pickle-system-stacked", "\"os.system\" is not a tensor; nothing in the file was executed"},
      {"pickle-eval", "\"__builtin__.eval\" is not a tensor; nothing in the file was executed"},
      {"pickle-torch-load", "\"torch.load\" is not supported; nothing in the file was executed"},
      {"pickle-name-with-controls", "\"\\x1B[2J\\xFF.b\" is not a tensor"},
      {"pickle-name-open", "a name of the pickle"},
      {"pickle-inst", "opcode 0x69 is not one that torch.save writes; nothing in the file was executed"},
      {"pickle-newobj", "opcode 0x81 is not one that torch.save writes"},
      {"pickle-extension", "opcode 0x82 is not one that torch.save writes"},
      {"pickle-call-text", "calls a text with a tuple; expected a function with a tuple; nothing in the file was executed"},
      {"pickle-call-storage", "calls a type of storage with a tuple"},
      {"pickle-call-no-tuple", "calls a function with a list"},
      {"pickle-ordered-with-items", "collections.OrderedDict with 1 arguments; expected none"},
      {"pickle-size-of-text", "torch.Size: expected one tuple"},
      {"pickle-build-tensor", "expected a dict, found a tensor"},
      {"pickle-underflow", "takes more values than there are"},
      {"pickle-underflow-mark", "takes more values than there are"},
      {"pickle-no-mark", "takes values from a mark that does not exist"},
      {"pickle-put-nothing", "stores a value that does not exist"},
      {"pickle-get-unknown", "recalls value 4294967295, which was never remembered"},
      {"pickle-append-dict", "expected a list, found a dict"},
      {"pickle-set-list", "expected a dict, found a list"},
      {"pickle-odd-items", "a key without a value"},
      {"pickle-text-past-end", "expected 4294967295 bytes of a text"},
      {"pickle-text-huge", "expected 18446744073709551615 bytes of a text"},
      {"pickle-text-not-utf8", "a text is not UTF-8 at its byte 0"},
      {"pickle-long-past-end", "expected 255 bytes of a number"},
      {"pickle-deep", "holds a tuple; expected a dict of tensors"},
      {"root-list", "holds a list; expected a dict of tensors"},
      {"root-tensor", "holds a tensor; expected a dict of tensors"},
      {"root-nothing", "holds no tensors"},
      {"root-numbered", "holds no tensors"},
      {"root-two-models", "holds several models, \"model\" and \"ema\""},
      {"name-twice", "tensor \"w\": is in the file twice"},
  };
}

Messages tensor_messages() {
  return {
      {"tensor-few-values", "tensor \"w\": is made of 2 values; expected 6 or 7"},
      {"tensor-no-storage", "tensor \"w\": storage: expected a storage, found a whole number"},
      {"tensor-storage-number", "tensor \"w\": storage: expected a tuple, found a whole number"},
      {"tensor-storage-short", "tensor \"w\": storage: expected 5 values, found 1"},
      {"tensor-storage-module", "tensor \"w\": storage: expected \"storage\", found \"module\""},
      {"tensor-storage-type", "\"torch.ComplexDoubleStorage\" is not supported"},
      {"tensor-storage-untyped", "tensor \"w\": storage: expected a type of storage, found a function"},
      {"tensor-storage-negative", "tensor \"w\": storage: expected a whole number >= 0, found -1"},
      {"tensor-storage-huge", "tensor \"w\": its storage \"0\" of 4611686018427387910 F32 elements has 24 bytes"},
      {"tensor-shape-list", "tensor \"w\": shape: expected a tuple, found a list"},
      {"tensor-shape-text", "tensor \"w\": shape: expected a whole number, found a text"},
      {"tensor-shape-negative", "tensor \"w\": shape: expected a whole number >= 0, found -2"},
      {"tensor-shape-past-64-bits", "has more elements than a 64-bit number can count"},
      {"tensor-shape-past-64-bits-empty", "has more elements than a 64-bit number can count"},
      {"tensor-shape-big-number", "tensor \"w\": shape: expected a whole number, found a whole number past 64 bits"},
      {"tensor-dimensions", "tensor \"w\": shape: expected at most 8 dimensions, found 9"},
      {"tensor-strides-few", "tensor \"w\": has 2 dimensions and 1 strides"},
      {"tensor-strides-negative", "tensor \"w\": strides: expected a whole number >= 0, found -3"},
      {"tensor-past-storage", "tensor \"w\": shape [2, 4] from element 0 reaches past its storage of 6 elements"},
      {"tensor-offset-past-storage", "tensor \"w\": shape [2, 3] from element 1 reaches past its storage"},
      {"tensor-offset-huge", "from element 9223372036854775807 reaches past its storage"},
      {"tensor-offset-empty", "tensor \"w\": shape [0] from element 7 reaches past its storage"},
      {"tensor-strides-huge", "tensor \"w\": shape [2, 3] from element 0 reaches past its storage"},
      {"tensor-expanded", "tensor \"w\": F32 [1000000, 6] is transposed, sliced or expanded"},
      {"tensor-copies", "together, as much as the file, found more"},
      {"parameter-few-values", "tensor \"w\": a parameter of 1 values; expected 3"},
      {"parameter-of-number", "tensor \"w\": a parameter: expected a tensor, found a whole number"},
      {"parameter-of-parameter", "tensor \"w\": a parameter of a parameter"},
  };
}

void expect_messages(const Messages& messages) {
  for (const auto& [name, part] : messages) EXPECT_THAT(message_of(read_file(name)), HasSubstr(part)) << name;
}

TEST(TorchZip, RefusesBrokenArchives) { expect_messages(zip_messages()); }
TEST(TorchZip, RefusesBrokenPickles) { expect_messages(pickle_messages()); }
TEST(TorchZip, RefusesBrokenTensors) { expect_messages(tensor_messages()); }

TEST(TorchZip, EveryFileOfTheCorpusIsExpected) {
  Messages all = zip_messages();
  all.merge(pickle_messages());
  all.merge(tensor_messages());
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("found-")) continue;
    if (name.starts_with("huge-")) {
      EXPECT_NE(message_of(read_file(name)), "no error") << name;
    } else if (name.starts_with("good")) {
      EXPECT_TRUE(read_good(name).contains("w")) << name;
    } else {
      EXPECT_TRUE(all.contains(name)) << name << " has no message in this test";
    }
  }
}

// Cut anywhere, or with any one byte of it changed, a file is refused with an Error or read within its bounds (sanitizers watch).
TEST(TorchZip, SurvivesEveryCutAndEveryChangedByte) {
  const std::string whole = read_file("good-transposed");
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(message_of(whole.substr(0, n)), "no error") << n;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      message_of(bytes);
    }
  }
}

TEST(TorchZip, ReadsAContiguousTensorInPlace) {
  const std::string bytes = read_file("good");
  const TorchTensors found = parse_torch_zip(as_bytes(bytes), "good");
  ASSERT_EQ(found.tensors.size(), 1U);
  EXPECT_TRUE(found.copies.empty());
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  EXPECT_GE(found.tensors[0].view.data, begin);
  EXPECT_LT(found.tensors[0].view.data, begin + bytes.size());
  EXPECT_THAT(unpack_all(found.tensors[0].view), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TorchZip, ReadsEveryWayToWriteTheSameTensor) {
  for (const char* name : {"good", "good-ordered", "good-nested", "good-other-values", "good-parameter", "good-cycle",
                           "good-protocol-4", "good-sizes-follow", "good-comment"}) {
    const auto found = read_good(name);
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_THAT(found.at("w").shape, ElementsAre(2, 3)) << name;
    EXPECT_THAT(found.at("w").values, ElementsAre(1, 2, 3, 4, 5, 6)) << name;
  }
  EXPECT_THAT(read_good("good-half").at("w").values, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(read_good("good-zip64").at("w").values, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(TorchZip, PutsViewsIntoRowOrder) {
  EXPECT_THAT(read_good("good-transposed").at("w").values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(read_good("good-sliced").at("w").values, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(read_good("good-expanded").at("w").values, ElementsAre(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read_good("good-scalar").at("w").values, ElementsAre(6));
  EXPECT_THAT(read_good("good-scalar").at("w").shape, ElementsAre());
  EXPECT_THAT(read_good("good-empty-tensor").at("w").shape, ElementsAre(0, 5));
  EXPECT_THAT(read_good("good-empty-tensor").at("w").values, ElementsAre());
  const auto shared = read_good("good-shared");
  EXPECT_THAT(shared.at("v").values, ElementsAre(4, 5, 6));
  EXPECT_THAT(shared.at("w").values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(shared.at("x").values, ElementsAre(1, 4, 2, 5, 3, 6));
}

// The same places of one storage as another type are other bytes.
TEST(TorchZip, DoesNotShareCopiesOfDifferentTypes) {
  const std::string bytes = read_file("good-two-types");
  const TorchTensors found = parse_torch_zip(as_bytes(bytes), "good-two-types");
  ASSERT_EQ(found.copies.size(), 2U);
  EXPECT_EQ(found.copies[0].size(), 8U);
  EXPECT_EQ(found.copies[1].size(), 16U);
}

}  // namespace
}  // namespace attnviz
