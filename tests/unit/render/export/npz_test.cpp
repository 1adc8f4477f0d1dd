// The archive's bytes hang together; what cannot be written is refused before the first byte. tests/cli/test_npz.py reads it.
#include "render/export/npz.h"

#include <attnviz/error.h>

#include <limits>

#include <gtest/gtest.h>

#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

Trace two_maps() {
  Trace trace;
  trace.texts = {"a"};
  trace.queries = {make_token("a", TokenKind::kWord, 0, 0, 1)};
  trace.keys = {trace.queries[0], trace.queries[0]};
  trace.maps = {make_map(1, 2, {{0.25F, 0.75F}}), make_map(1, 3, {{1.0F, 0.0F}})};
  return trace;
}

std::string written(const Trace& trace) {
  std::string all;
  write_npz(trace, [&](std::string_view bytes) {
    all += bytes;
    return true;
  });
  return all;
}

TEST(WriteNpz, MapsGoToTheSinkFromWhereTheyLie) {
  const Trace trace = two_maps();
  std::size_t n_own = 0;
  write_npz(trace, [&](std::string_view bytes) {
    for (const AttentionMap& map : trace.maps) n_own += bytes.data() == reinterpret_cast<const char*>(map.pattern.data()) ? 1 : 0;
    return true;
  });
  EXPECT_EQ(n_own, 2U);
}

TEST(WriteNpz, SameMapsSameBytes) {
  const std::string all = written(two_maps());
  EXPECT_EQ(all, written(two_maps()));
  EXPECT_EQ(all.substr(0, 4), std::string("PK\x03\x04", 4));
  EXPECT_EQ(all.substr(all.size() - 22, 4), std::string("PK\x05\x06", 4));
  EXPECT_NE(all.find("'shape': (2, 1, 2), }"), std::string::npos);
}

TEST(WriteNpz, StopsWhenTheReaderIsGone) {
  std::size_t n_calls = 0;
  write_npz(two_maps(), [&](std::string_view) { return ++n_calls < 2; });
  EXPECT_EQ(n_calls, 2U);
}

TEST(WriteNpz, RefusesWhatAnArchiveCannotHold) {
  EXPECT_NO_THROW(check_npz_size(0xFFFFFFFEU));
  EXPECT_THROW(check_npz_size(0xFFFFFFFFU), Error);
  Trace trace = two_maps();
  trace.maps[1].pattern[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(written(trace), Error);
  trace = two_maps();
  trace.keys.pop_back();
  EXPECT_THROW(written(trace), Error);
}

}  // namespace
}  // namespace attnviz
