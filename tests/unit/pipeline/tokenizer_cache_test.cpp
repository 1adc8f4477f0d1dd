// tokenizer_cache.h: when a kept tokenizer is used, when it is read anew, and what no damage to it may do.
#include "pipeline/tokenizer_cache.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "text/frozen_tokenizer.h"
#include "unit/base/temporary_folder.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr int kWords = 6000;  // enough of them to be worth keeping

// A vocab.txt of numbered words; `first` is the first of them.
std::string vocabulary(const std::string& first = "w0", int n = kWords) {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n" + first + "\n";
  for (int i = 1; i < n; ++i) text += fmt::format("w{}\n", i);
  return text;
}

class TokenizerCache : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    fs::create_directories(model());
    write("model/vocab.txt", vocabulary());
  }

  fs::path model() const { return folder_ / "model"; }
  fs::path cache() const { return folder_ / "cache"; }

  TokenizerSource source_of(const fs::path& place) {
    const auto read = [this, place] {
      ++n_read_;
      return read_tokenizer_files(place);
    };
    return {place, tokenizer_file_paths(place), read, current_file_time() + 1'000'000'000};  // as if all had long been there
  }
  TokenizerSource source() { return source_of(model()); }

  std::vector<std::int32_t> ids(const TokenizerSource& source, const std::string& text = "w0 w5999 x") {
    std::vector<std::int32_t> out;
    for (const Token& token : open_tokenizer_of(source, cache())->encode({text, std::nullopt})) out.push_back(token.id);
    return out;
  }
  std::vector<std::int32_t> ids() { return ids(source()); }

  fs::path kept() { return tokenizer_cache_file(source(), cache()); }
  std::string kept_file() {
    std::ifstream file(kept(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> cached_names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(cache() / "tokenizers")) names.insert(entry.path().filename());
    return names;
  }

  int n_read_ = 0;
};

const std::vector<std::int32_t> kExpected = {2, 5, 5 + kWords - 1, 1, 3};

TEST_F(TokenizerCache, IsReadOnceAndThenLookedUp) {
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(ids(), kExpected);
    EXPECT_EQ(n_read_, 1) << run;
  }
  EXPECT_EQ(cached_names().size(), 1U);
}

TEST_F(TokenizerCache, NothingIsKeptWithoutAFolder) {
  for (int run = 1; run < 3; ++run) {
    open_tokenizer_of(source(), {});
    EXPECT_EQ(n_read_, run);
  }
  EXPECT_EQ(n_files(), 1U) << "the model alone";
}

// As long as before, and as old: only the time of its last change, which nobody can set, tells it apart.
TEST_F(TokenizerCache, AChangedFileIsReadAnewWhateverItsSizeAndAge) {
  ids();
  const auto written = fs::last_write_time(model() / "vocab.txt");
  std::this_thread::sleep_for(std::chrono::milliseconds(25));  // a tick of the file system's clock
  std::ofstream(model() / "vocab.txt") << vocabulary("v0");
  fs::last_write_time(model() / "vocab.txt", written);
  EXPECT_EQ(ids(source(), "v0 w0"), (std::vector<std::int32_t>{2, 5, 1, 3}));
  EXPECT_EQ(n_read_, 2);
  EXPECT_EQ(ids(source(), "v0"), (std::vector<std::int32_t>{2, 5, 3}));
  EXPECT_EQ(n_read_, 2) << "the new one is kept";
  EXPECT_EQ(cached_names().size(), 1U) << "in the old one's place";
}

TEST_F(TokenizerCache, ATouchedFileIsReadAnew) {
  ids();
  fs::last_write_time(model() / "vocab.txt", fs::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 2);
}

TEST_F(TokenizerCache, AFileThatComesOrGoesCounts) {
  ids();
  write("model/added_tokens.json", R"({"typed": 6005})");
  EXPECT_EQ(ids(source(), "w0 typed"), (std::vector<std::int32_t>{2, 5, 6005, 3}));
  EXPECT_EQ(n_read_, 2);
  fs::remove(model() / "added_tokens.json");
  EXPECT_EQ(ids(source(), "w0 typed"), (std::vector<std::int32_t>{2, 5, 1, 3}));
  EXPECT_EQ(n_read_, 3);
}

// What the readers of tokenizer files name in their sources is what decides whether a kept tokenizer is theirs.
TEST_F(TokenizerCache, KnowsEveryFileThatIsRead) {
  std::set<std::string> known;
  for (const fs::path& file : tokenizer_file_paths("x")) known.insert(file.filename());
  std::set<std::string> named;
  const std::regex name(R"re("([a-z_.]+\.(json|txt|model))")re");
  for (const auto& entry : fs::directory_iterator(ATTNVIZ_TEST_DIR "/../src/formats/tokenizer")) {
    if (entry.path().filename().string().starts_with("gguf_")) continue;  // its quoted names are metadata keys
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match) named.insert((*match)[1]);
  }
  EXPECT_EQ(named, known);
  EXPECT_GE(named.size(), 12U);
}

TEST_F(TokenizerCache, WhatWasDeletedIsWrittenAgain) {
  ids();
  fs::remove(kept());
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 2);
  fs::remove_all(cache());
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 3);
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 3);
}

TEST_F(TokenizerCache, AFileThatIsCutShortIsWrittenAnew) {
  ids();
  const std::string whole = kept_file();
  ASSERT_GT(whole.size(), kMinKeptBytes);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{7}, std::size_t{30}, std::size_t{300}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(kept(), std::ios::binary) << whole.substr(0, n);
    n_read_ = 0;
    EXPECT_EQ(ids(), kExpected);
    EXPECT_EQ(n_read_, 1) << n << " bytes";
    EXPECT_EQ(kept_file(), whole);
  }
  std::ofstream(kept(), std::ios::binary | std::ios::app) << "more";
  n_read_ = 0;
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 1);
}

TEST_F(TokenizerCache, NoFlippedBitIsOverlooked) {
  ids();
  const std::string whole = kept_file();
  const std::string identity = identity_of(source());
  const auto files = source().files;
  ASSERT_NE(open_kept_tokenizer(FlatBytes::of(whole), identity, files), nullptr);
  std::size_t n_tried = 0;
  for (std::size_t at = 0; at < whole.size(); at += at < 1500 ? 1 : 997) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    EXPECT_EQ(open_kept_tokenizer(FlatBytes::of(changed), identity, files), nullptr) << "byte " << at;
    ++n_tried;
  }
  EXPECT_GT(n_tried, 1600U);
}

// With a checksum that is right.
std::string summed(std::string bytes) {
  const FlatBytes block = FlatBytes::of(bytes);
  const std::uint64_t sum = checksum_of(block.bytes.subspan(sizeof sum));
  std::copy_n(reinterpret_cast<const char*>(&sum), sizeof sum, bytes.begin());
  return bytes;
}

TEST_F(TokenizerCache, AnotherVersionsFileCountsForNothing) {
  ids();
  const std::string whole = kept_file();
  const std::string identity = identity_of(source());
  const auto opens = [&](const std::string& bytes) {
    return open_kept_tokenizer(FlatBytes::of(bytes), identity, source().files) != nullptr;
  };
  ASSERT_TRUE(opens(summed(whole)));
  // checksum, length of the header, length of the magic, the magic, then the format's number and the version's length and text
  const std::size_t format = 8 + 8 + 8 + std::string_view("attnviz tokenizer").size();
  EXPECT_TRUE(std::regex_search(whole.substr(format + 4 + 8, 20), std::regex("^[0-9]+\\.[0-9]+\\.[0-9]+")))
      << "the program's version";
  for (const std::size_t at : {format, format + 4 + 8, std::size_t{24}}) {
    std::string changed = whole;
    ++changed[at];
    EXPECT_FALSE(opens(summed(changed))) << "byte " << at;
  }
  EXPECT_EQ(open_kept_tokenizer(FlatBytes::of(whole), identity + "x", source().files), nullptr);
}

TEST_F(TokenizerCache, AFileOfSomethingElseIsWrittenAnew) {
  ids();
  const std::string whole = kept_file();
  std::ofstream(kept(), std::ios::binary) << std::string(100000, 'x');
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(kept_file(), whole);
}

TEST_F(TokenizerCache, WhereItCannotBeWrittenNothingHappens) {
  write("cache", "a file, where a folder should be");
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(n_read_, 2);
  fs::remove(cache());
  fs::create_directories(kept());  // a folder, where the file should be
  EXPECT_EQ(ids(), kExpected);
  EXPECT_TRUE(fs::is_directory(kept()));
  fs::remove(kept());
  ASSERT_EQ(::mkfifo(kept().c_str(), 0600), 0);  // nobody reads from it
  EXPECT_EQ(ids(), kExpected);
  EXPECT_TRUE(fs::is_fifo(kept()));
  fs::remove(kept());
  fs::create_symlink("/dev/full", kept());
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(cached_names().size(), 1U) << "no temporary file is left";
}

TEST_F(TokenizerCache, SmallVocabulariesAreNotKept) {
  write("model/vocab.txt", vocabulary("w0", 100));
  ids();
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(TokenizerCache, WhatHasJustChangedIsNotKept) {
  TokenizerSource fresh = source();
  fresh.begun = identify_file(model() / "vocab.txt").changed + 10'000'000;  // 10 ms later
  EXPECT_EQ(ids(fresh), kExpected);
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(TokenizerCache, WhatChangesWhileItIsReadIsNotKept) {
  TokenizerSource changing = source();
  changing.read = [this] {
    const TokenizerSpec spec = read_tokenizer_files(model());
    write("model/vocab.txt", vocabulary("w0", kWords + 1));
    return spec;
  };
  EXPECT_EQ(ids(changing), kExpected);
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(TokenizerCache, EveryPlaceHasAFileAndOldOnesGo) {
  const std::vector<std::string> others = {"notes.tok", "0123456789abcdef.txt", "0123456789abcdeg.tok", ".attnviz-1"};
  fs::create_directories(cache() / "tokenizers");
  for (const std::string& name : others) write("cache/tokenizers/" + name, "someone else's, and the oldest");
  for (std::size_t i = 0; i < kMaxKeptFiles + 5; ++i) {
    const std::string name = fmt::format("model{}", i);
    fs::create_directories(folder_ / name);
    write(name + "/vocab.txt", vocabulary());
    ids(source_of(folder_ / name));
    EXPECT_EQ(cached_names().size(), std::min(i + 1, kMaxKeptFiles) + others.size());
  }
  for (const std::string& name : others) EXPECT_TRUE(cached_names().contains(name)) << name;
}

TEST_F(TokenizerCache, ManyAtOnceDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> n_right = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round) {
        const TokenizerSource own{model(), tokenizer_file_paths(model()), [this] { return read_tokenizer_files(model()); },
                                  current_file_time() + 1'000'000'000};
        n_right += ids(own) == kExpected ? 1 : 0;
        std::error_code ignored;
        if (t == 0) fs::remove(tokenizer_cache_file(own, cache()), ignored);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(n_right, 80);
  EXPECT_EQ(ids(), kExpected);
  EXPECT_EQ(cached_names().size(), 1U);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Its own errors name the file as the user reached it, kept or not.
TEST_F(TokenizerCache, MessagesAreTheSame) {
  std::string pieces = R"(["a", -1])";
  for (int i = 0; i < kWords; ++i) pieces += fmt::format(R"(, ["w{}", -2])", i);
  write("model/tokenizer.json", R"({"model": {"type": "Unigram", "unk_id": null, "vocab": [)" + pieces + "]}}");
  const auto message = [&](const fs::path& place) { return message_of([&] { ids(source_of(place), "x"); }); };
  const std::string first = message(model());
  EXPECT_EQ(first.find((model() / "tokenizer.json").string() + ": the vocabulary has no piece for U+0078"), 0U) << first;
  EXPECT_EQ(message(model()), first);
  EXPECT_EQ(n_read_, 1);
  fs::create_directory_symlink(model(), folder_ / "link");
  EXPECT_EQ(message(folder_ / "link").find((folder_ / "link/tokenizer.json").string() + ": "), 0U);
  EXPECT_EQ(n_read_, 1) << "it is the same place";
}

TEST_F(TokenizerCache, WhatIsBrokenIsNotKept) {
  write("model/vocab.txt", "no special tokens\n");
  const std::string first = message_of([&] { ids(); });
  EXPECT_NE(first, "no error");
  EXPECT_EQ(message_of([&] { ids(); }), first);
  EXPECT_EQ(n_read_, 2);
  EXPECT_FALSE(fs::exists(cache()));
}

class Environment : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      saved_.emplace_back(value == nullptr ? std::nullopt : std::optional<std::string>(value));
      ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      saved_[i] ? ::setenv(kNames[i], saved_[i]->c_str(), 1) : ::unsetenv(kNames[i]);
    }
    TemporaryFolder::TearDown();
  }

  static constexpr std::array<const char*, 3> kNames = {"ATTNVIZ_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> saved_;
};

TEST_F(Environment, SaysWhereTokenizersAreKept) {
  EXPECT_EQ(program_cache_folder(), "");
  ::setenv("HOME", (folder_ / "not-there").c_str(), 1);
  EXPECT_EQ(program_cache_folder(), "") << "a home that is not there is not made";
  ::setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(program_cache_folder(), folder_ / ".cache/attnviz");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(program_cache_folder(), folder_ / ".cache/attnviz") << "its specification wants such a path ignored";
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(program_cache_folder(), "/x/attnviz");
  ::setenv("ATTNVIZ_CACHE", "/y", 1);
  EXPECT_EQ(program_cache_folder(), "/y");
  ::setenv("ATTNVIZ_CACHE", "off", 1);
  EXPECT_EQ(program_cache_folder(), "");
}

}  // namespace
}  // namespace attnviz
