// attnviz_guard_cases CASE: one small piece of work whose instructions tests/bench/guard.py has counted.
//
// Each case runs once to fill caches (fonts, tables, scratch memory) and once inside attnviz_guarded(), which is all that callgrind
// collects. One thread, seeded weights and made-up texts: what is counted is the same in every run.
#include <attnviz/request.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/flat_bytes.h"
#include "base/thread_pool.h"
#include "figure/build.h"
#include "golden/synthetic.h"
#include "model/model.h"
#include "render/export/text_exports.h"
#include "render/picture/png.h"
#include "text/frozen_tokenizer.h"
#include "text/make_tokenizer.h"
#include "unit/model/memory_weights.h"

namespace {

using Work = std::function<std::size_t()>;  // a size that depends on the result, so that nothing is optimised away

}  // namespace

extern "C" [[gnu::noinline]] std::size_t attnviz_guarded(const Work* work) { return (*work)(); }

namespace attnviz {
namespace {

const std::string kBert =
    R"({"model_type": "bert", "vocab_size": 100, "hidden_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 512, "max_position_embeddings": 64, "type_vocab_size": 2})";

struct CountCells final : Tap {
  std::size_t n_cell = 0;
  bool wants(TapKind kind) const override { return kind == TapKind::kPattern; }
  void on_block(const TapBlock& block) override { n_cell += block.n_rows * block.n_columns; }
};

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

// All heads of a small BERT over 48 tokens.
Work engine_case() {
  std::shared_ptr<Model> model = make_model(kBert, "config.json", random_weights(kBert, "bert."));
  auto pool = std::make_shared<ThreadPool>(1);
  std::vector<Token> tokens(48);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i].id = static_cast<std::int32_t>(7 * i % 100);
  TokenBatch batch;
  batch.append(tokens);
  return [=] {
    CountCells count;
    Tap* const taps[] = {&count};
    model->run(*pool, batch, {all_of(3), all_of(4)}, taps);
    return count.n_cell;
  };
}

// One labelled picture of 16 tokens.
Work picture_case() {
  const Trace trace =
      one_map({"The", "animal", "didn", "'", "t", "cross", "the", "street", "because", "it", "was", "too", "tired", "."});
  return [=] { return render_png(make_figure(trace), {}).size(); };
}

// Twelve maps of 66 tokens as JSON.
Work json_case() {
  const Trace trace = grid_of_maps(numbered_words(64), 1, 12);
  return [=] {
    std::size_t n_byte = 0;
    write_json(trace, [&](std::string_view bytes) {
      n_byte += bytes.size();
      return true;
    });
    return n_byte;
  };
}

// A tokenizer of WordPiece with a template around.
TokenizerSpec word_piece_spec(WordPieceSpec pieces) {
  TokenizerSpec spec;
  spec.where = "guard";
  spec.normalizers = {BertNormalizerSpec{}};
  spec.pre_tokenizers = {BertPreTokenizerSpec{}};
  spec.model = std::move(pieces);
  using What = TemplatePiece::What;
  spec.single = {{What::kSpecial, "[CLS]", 1, 0}, {What::kFirst, "", 0, 0}};
  spec.pair = {{What::kSpecial, "[CLS]", 1, 0}, {What::kFirst, "", 0, 0}, {What::kSecond, "", 0, 1}};
  return spec;
}

// WordPiece over 2,000 words of pieces.
Work tokenizer_case() {
  WordPieceSpec pieces;
  pieces.vocab = {"[UNK]", "[CLS]", "[SEP]"};
  for (char c = 'a'; c <= 'z'; ++c) pieces.vocab.insert(pieces.vocab.end(), {std::string(1, c), std::string("##") + c});
  for (char c = '0'; c <= '9'; ++c) pieces.vocab.insert(pieces.vocab.end(), {std::string(1, c), std::string("##") + c});
  std::shared_ptr<Tokenizer> tokenizer = make_tokenizer(word_piece_spec(std::move(pieces)));
  const std::string text = fmt::format("{}", fmt::join(numbered_words(2000), " "));
  return [=] { return tokenizer->encode({text, std::nullopt}).size(); };
}

// What every start does with a vocabulary of 30,000 pieces that was frozen earlier: sum it up, open it, find the pieces of a text.
Work start_case() {
  WordPieceSpec pieces;
  pieces.vocab = {"[UNK]", "[CLS]", "[SEP]"};
  for (const std::string& word : numbered_words(30000)) pieces.vocab.push_back(word);
  const FlatBytes frozen = FlatBytes::of(freeze_tokenizer(word_piece_spec(std::move(pieces))));
  return [=] {
    const std::uint64_t sum = checksum_of(frozen.bytes);
    return open_tokenizer(frozen, "guard")->encode({"a text", std::nullopt}).size() + (sum == 0 ? 1 : 0);
  };
}

const std::map<std::string, Work (*)()> kCases{
    {"engine", engine_case}, {"picture", picture_case}, {"json", json_case}, {"tokenizer", tokenizer_case}, {"start", start_case}};

int run(const std::string& name) {
  const auto found = kCases.find(name);
  if (found == kCases.end()) {
    for (const auto& entry : kCases) fmt::print("{}\n", entry.first);
    return 2;
  }
  const Work work = found->second();
  const std::size_t first = work();
  const std::size_t second = attnviz_guarded(&work);
  fmt::print("{} {}\n", name, second);
  return first == second && second > 0 ? 0 : 1;
}

}  // namespace
}  // namespace attnviz

int main(int argc, char** argv) {
  try {
    return attnviz::run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& fault) {
    fmt::print(stderr, "attnviz_guard_cases: {}\n", fault.what());
    return 1;
  }
}
