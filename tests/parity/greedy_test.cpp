// Greedy continuations, token for token those of the reference: every small causal model, and the default decoder.
//
// No tolerance: the goldens only hold prompts where the best token leads by more than 1e-3 at every step (by 0.069 for the default
// decoder), a hundred times what rounding moves a score.
#include <attnviz/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf.h"
#include "golden.h"
#include "model/kv_cache.h"
#include "model/model.h"

namespace attnviz {
namespace {

using Ids = std::vector<std::int32_t>;

std::vector<Ids> read_lists(const Golden& golden, const std::string& values, const std::string& offsets) {
  const Ids flat = golden.read<std::int32_t>(values);
  const Ids bounds = golden.read<std::int32_t>(offsets);
  std::vector<Ids> lists;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) lists.emplace_back(flat.begin() + bounds[i], flat.begin() + bounds[i + 1]);
  return lists;
}

// LongRoPE turns the whole text otherwise from a length on; a cache cannot follow it there.
bool crosses_its_rotation(const ModelConfig& config, std::size_t n_prompt, std::size_t n_total) {
  const auto& rope = config.attention.rope;
  return rope && !rope->long_frequencies.empty() && n_prompt <= rope->n_short && n_total > rope->n_short;
}

Ids continue_greedily(const Model& model, const Ids& prompt, std::size_t n_new) {
  ThreadPool pool(2);
  KvCache cache(model.config(), prompt.size() + n_new);
  const Request request{{0}, {0}};  // nothing looks; a request names something all the same
  Ids found;
  std::span<const std::int32_t> next = prompt;
  while (found.size() < n_new) {
    const std::vector<float> logits = model.extend(pool, cache, next, request, {});
    found.push_back(static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
    next = std::span(found).last(1);
  }
  return found;
}

// Returns how many prompts were gone on with.
std::size_t expect_continuations(const Model& model, const Golden& golden, const std::string& prefix, std::size_t n_most) {
  const std::vector<Ids> prompts = read_lists(golden, prefix + "greedy_prompts", prefix + "greedy_prompt_offsets");
  const std::vector<Ids> expected = read_lists(golden, prefix + "greedy_ids", prefix + "greedy_offsets");
  EXPECT_EQ(prompts.size(), expected.size());
  std::size_t n_done = 0;
  for (std::size_t i = 0; i < std::min(prompts.size(), n_most); ++i) {
    if (crosses_its_rotation(model.config(), prompts[i].size(), prompts[i].size() + expected[i].size())) {
      EXPECT_THROW(continue_greedily(model, prompts[i], expected[i].size()), Error);
      continue;
    }
    EXPECT_EQ(continue_greedily(model, prompts[i], expected[i].size()), expected[i]) << prefix << i;
    ++n_done;
  }
  return n_done;
}

TEST(Greedy, EverySmallModelGoesOnAsTheReference) {
  const std::string data = std::string(ATTNVIZ_TEST_DIR) + "/data";
  const Golden golden(data + "/greedy.safetensors");
  std::size_t n_models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string name = entry.path().filename();
    if (!entry.is_directory() || !golden.has(name + ".greedy_ids")) continue;
    ++n_models;
    EXPECT_GE(expect_continuations(*load_model(entry.path()), golden, name + ".", 4), 3u) << name;
  }
  EXPECT_EQ(n_models, 21u);
}

TEST(Greedy, TheDefaultDecoderGoesOnAsTheReference) {
  const std::string path = std::string(ATTNVIZ_DATA_DIR) + "/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf";
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is not there; make test-models gets it";
  const auto model = load_gguf_model(open_gguf(path));
  const Golden golden(std::string(ATTNVIZ_TEST_DIR) + "/data/default_decoder.safetensors");
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kNPrompt = 1;  // a sanitizer's build takes long, and is not there for the numbers
#else
  constexpr std::size_t kNPrompt = 5;
#endif
  EXPECT_EQ(expect_continuations(*model, golden, "", kNPrompt), kNPrompt);
}

}  // namespace
}  // namespace attnviz
