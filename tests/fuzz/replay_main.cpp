// Runs a fuzz target over files and folders of files, without libFuzzer: the corpus as a test, under any sanitizer that the build
// has. Every file is small, and so must be the memory for reading it: holding more than kMostBytes at once is a failure.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "allocation_count.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::vector<std::filesystem::path> files_of(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
    } else {
      files.emplace_back(argv[i]);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const auto files = files_of(argc, argv);
  std::size_t most = 0;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
      return 1;
    }
    const std::vector<char> read(std::istreambuf_iterator<char>(stream), {});
    // Exactly as large as the file, so that a read past the end is a read past an allocation.
    const std::vector<std::uint8_t> bytes(read.begin(), read.end());
    std::fprintf(stderr, "%s\n", file.filename().c_str());  // after a crash, the last line names the file
    attnviz::fuzz::start_counting();
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    const std::size_t n_held = attnviz::fuzz::most_allocated();
    if (n_held > kMostBytes) {
      std::fprintf(stderr, "%s: %zu bytes made the parser hold %zu; expected at most %zu\n", file.c_str(), bytes.size(), n_held,
                   kMostBytes);
      return 1;
    }
    most = std::max(most, n_held);
  }
  std::fprintf(stderr, "%zu files, at most %zu bytes held for one\n", files.size(), most);
  return files.empty() ? 1 : 0;  // an empty corpus is a mistake, not a success
}
