// Archives of arrays, from the fuzz corpus (tests/fuzz/make_map_files.py makes them; NumPy's own are in tests/cli/test_render.py).
#include "formats/maps/npz_reader.h"

#include <attnviz/error.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::HasSubstr;

std::string bytes_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(ATTNVIZ_TEST_DIR) / "fuzz" / "corpus" / "map_file" / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

NpzReader open(const std::string& bytes) { return {std::as_bytes(std::span(bytes.data(), bytes.size())), "maps.npz"}; }

TEST(NpzReader, StoredAndCompressedArraysAreTheSame) {
  const std::string stored_bytes = bytes_of("good-own.npz");
  const std::string deflated_bytes = bytes_of("good-own-deflated.npz");
  NpzReader stored = open(stored_bytes);
  NpzReader deflated = open(deflated_bytes);
  ASSERT_FALSE(stored.names().empty());
  EXPECT_TRUE(std::is_sorted(stored.names().begin(), stored.names().end()));
  EXPECT_EQ(stored.names(), deflated.names());
  for (const std::string& name : stored.names()) {
    EXPECT_FALSE(name.ends_with(".npy"));
    const NpyArray a = stored.read(name);
    const NpyArray b = deflated.read(name);
    EXPECT_EQ(a.shape, b.shape) << name;
    EXPECT_TRUE(std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end())) << name;
    EXPECT_THAT(a.name, HasSubstr("maps.npz"));
  }
}

TEST(NpzReader, StoredArraysStayInPlace) {
  const std::string bytes = bytes_of("good-one-array.npz");
  NpzReader reader = open(bytes);
  const NpyArray array = reader.read(reader.names().front());
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  EXPECT_TRUE(array.data.data() >= first && array.data.data() < first + bytes.size());
}

TEST(NpzReader, AnArrayThatIsNotThereIsNamed) {
  const std::string bytes = bytes_of("good-one-array.npz");
  NpzReader reader = open(bytes);
  EXPECT_FALSE(reader.has("nothing"));
  try {
    reader.read("nothing");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("nothing"));
  }
}

TEST(NpzReader, DamageIsFoundAtTheLatestWhenAnArrayIsRead) {
  for (const char* name : {"cut.npz", "checksum.npz", "deflate-damaged.npz"}) {
    const std::string bytes = bytes_of(name);
    const auto read_all = [&] {
      NpzReader reader = open(bytes);
      for (const std::string& array : reader.names()) reader.read(array);
    };
    EXPECT_THROW(read_all(), Error) << name;
  }
}

}  // namespace
}  // namespace attnviz
