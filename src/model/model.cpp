// See model.h.
#include "model/model.h"

#include <attnviz/error.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "model/run/kv_cache.h"
#include "model/run/readout.h"
#include "model/run/run_checks.h"
#include "model/run/stack_run.h"

namespace attnviz {
namespace {

std::size_t n_texts(const StackInput& input) { return offsets_of(input).size() - 1; }

// Keeps the stream of one stack before one of its layers.
class StreamTap final : public Tap {
 public:
  StreamTap(std::span<const std::size_t> offsets, std::size_t layer_before, std::size_t d_model)
      : layer_before_(layer_before), offsets_(offsets), rows_(offsets.back() * d_model) {}

  bool wants(TapKind kind) const override { return kind == TapKind::kResidual; }

  void on_block(const TapBlock& block) override {
    if (block.layer != layer_before_) return;
    for (std::size_t row = 0; row < block.n_rows; ++row) {
      const std::span<const float> values = block.row(row);
      const std::size_t place = (offsets_[block.sequence] + block.row_begin + row) * block.n_columns;
      std::copy(values.begin(), values.end(), rows_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }

  std::vector<float> take() { return std::move(rows_); }

 private:
  std::size_t layer_before_;
  std::span<const std::size_t> offsets_;
  std::vector<float> rows_;
};

// Rows [rows.size(), D] out of the stream of a batch.
std::vector<float> pick_rows(std::span<const float> stream, std::span<const std::size_t> offsets, std::span<const BatchRow> rows,
                             std::size_t d_model) {
  std::vector<float> picked;
  picked.reserve(rows.size() * d_model);
  for (const BatchRow& row : rows) {
    const bool exists = row.sequence + 1 < offsets.size() && row.position < offsets[row.sequence + 1] - offsets[row.sequence];
    if (!exists) {
      throw Error(ErrorKind::kInput, fmt::format("logits: text {} has no token {}", row.sequence + 1, row.position));
    }
    const std::span<const float> values = stream.subspan((offsets[row.sequence] + row.position) * d_model, d_model);
    picked.insert(picked.end(), values.begin(), values.end());
  }
  return picked;
}

}  // namespace

KeptStream KeptStream::repeated(std::size_t n) const {
  KeptStream copies{first_layer};
  for (std::size_t i = 0; i < n; ++i) {
    copies.rows.insert(copies.rows.end(), rows.begin(), rows.end());
    copies.offsets.push_back(copies.offsets.back() + offsets.back());
  }
  return copies;
}

// A stack of the model with its weights.
struct Model::Stack {
  const StackSpec& spec;
  const StackWeights& weights;
};

Model::Model(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source)
    : config_(std::move(config)), source_(std::move(source)), weights_(std::move(weights)) {
  for (std::size_t i = 0; i < config_.stacks.size(); ++i) {
    const StackSpec& stack = config_.stacks[i];
    const bool projected = weights_.stacks[i].model().has_matrix(TensorRole::kEmbeddingProjection);
    if (stack.role == StackRole::kVision || projected || stack.embedding.d_embedding == stack.d_model) continue;
    throw Error(ErrorKind::kBug, config_.family + ": the embedding's width is not the model's, and no projection is expected");
  }
}

Model::Stack Model::stack_of(StackRole role) const {
  for (std::size_t i = 0; i < config_.stacks.size(); ++i) {
    if (config_.stacks[i].role == role) return {config_.stacks[i], weights_.stacks[i]};
  }
  throw Error(ErrorKind::kBug, fmt::format("model: has no {} stack", stack_role_name(role)));
}

// A whole run up to the last layer that is needed. Every run goes through here: the encoder first where there is one, and only as
// far as a request needs it.
struct Model::Pass {
  const Model& model;
  ThreadPool& pool;
  const RunInput& input;
  std::span<const Request> requests;
  std::span<Tap* const> taps;

  void check() const {
    const bool is_pair = model.config_.find(StackRole::kDecoder) != nullptr;
    check_sites(model.config_, requests);
    check_input(model.config_.first(), input.source);
    if (is_pair && input.target.given()) check_input(*model.config_.find(StackRole::kDecoder), input.target);
    if (input.target.given() && (!is_pair || n_texts(input.source) != n_texts(input.target))) {
      throw Error(ErrorKind::kBug, "run: a target needs a decoder, and as many texts as the source has");
    }
    if (n_texts(input.source) == 0) return;
    check_edits(model.config_, input);
  }

  // Runs a stack as planned. The result's stream is the one after the plan's last layer.
  std::unique_ptr<StackRun> run_stack(const Stack& stack, const StackInput& start, const std::vector<LayerPlan>& plan,
                                      const StackRequests& wanted, SourceRows source = {}) const {
    auto run = std::make_unique<StackRun>(
        StackRunArgs{stack.spec, stack.weights, pool, offsets_of(start), taps, input.edits, wanted.times(), nullptr, source});
    run->start(start);
    for (const LayerPlan& step : plan) run->layer(step);
    return run;
  }

  // Runs the only stack, or the encoder and then the decoder. `whole`: up to the last stream of the generating stack.
  std::vector<float> run(bool whole) const {
    const StackSpec* decoder = model.config_.find(StackRole::kDecoder);
    const Stack first = model.stack_of(model.config_.first().role);
    const StackRequests first_wanted = requests_of(first.spec, requests);
    if (decoder == nullptr) {
      const auto plan = whole ? plan_whole_run(first.spec, first_wanted, input.source.first_layer)
                              : plan_run(first.spec, first_wanted, taps, input.source.first_layer);
      const auto done = run_stack(first, input.source, plan, first_wanted);
      return whole ? std::vector<float>(done->stream().begin(), done->stream().end()) : std::vector<float>();
    }
    const StackRequests wanted = requests_of(*decoder, requests);
    const bool needs_decoder = whole || wanted.any();
    const auto plan = needs_decoder ? plan_whole_run(first.spec, first_wanted, input.source.first_layer)
                                    : plan_run(first.spec, first_wanted, taps, input.source.first_layer);
    const auto encoder = run_stack(first, input.source, plan, first_wanted);
    if (!needs_decoder) return {};
    if (!input.target.given()) throw Error(ErrorKind::kInput, "run: the decoder has no text; expected a target beside the source");
    const std::vector<float> source = encoder->output();
    const auto target_plan = whole ? plan_whole_run(*decoder, wanted, input.target.first_layer)
                                   : plan_run(*decoder, wanted, taps, input.target.first_layer);
    const auto done = run_stack(model.stack_of(StackRole::kDecoder), input.target, target_plan, wanted,
                                {source.data(), offsets_of(input.source)});
    return whole ? std::vector<float>(done->stream().begin(), done->stream().end()) : std::vector<float>();
  }
};

void Model::run(ThreadPool& pool, const RunInput& input, std::span<const Request> requests, std::span<Tap* const> taps) const {
  const Pass pass{*this, pool, input, requests, taps};
  pass.check();
  if (n_texts(input.source) > 0) pass.run(false);
}

KeptStream Model::keep_stream(ThreadPool& pool, const RunInput& input, std::size_t layer, Site site) const {
  const StackSpec* stack = config_.find(site);
  if (stack == nullptr || layer > stack->n_layer) {
    throw Error(ErrorKind::kBug, fmt::format("model: has no {} stream before layer {}", site_name(site), layer));
  }
  const bool of_target = stack->role == StackRole::kDecoder;
  const std::span<const std::size_t> offsets = offsets_of(of_target ? input.target : input.source);
  StreamTap tap(offsets, layer == 0 ? kEmbeddingLayer : layer - 1, stack->d_model);
  Tap* const taps[] = {&tap};
  Request request{{layer == 0 ? 0 : layer - 1}, {0}};
  request.site = self_site(stack->role);
  run(pool, input, request, taps);
  return {layer, {offsets.begin(), offsets.end()}, tap.take()};
}

std::vector<float> Model::extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids,
                                 std::span<const Request> requests, std::span<Tap* const> taps) const {
  check_next_token();
  const Stack stack = stack_of(config_.generating().role);
  check_sites(config_, requests);
  const StackRequests wanted = requests_of(stack.spec, requests);
  const std::vector<LayerPlan> plan = plan_whole_run(stack.spec, wanted);
  TokenBatch batch;
  batch.ids.assign(ids.begin(), ids.end());
  batch.segments.assign(ids.size(), 0);
  batch.offsets.push_back(ids.size());
  check_extension(stack.spec, cache, batch);
  StackRun run({stack.spec, stack.weights, pool, batch.offsets, taps, {}, wanted.times(), &cache});
  StackInput start;
  start.tokens = &batch;
  run.start(start);
  for (const LayerPlan& step : plan) run.layer(step);
  cache.grow(ids.size());
  return read_logits({pool, stack.spec, stack.weights.model(), true}, run.stream().last(stack.spec.d_model));
}

void Model::encode_source(ThreadPool& pool, KvCache& cache, const TokenBatch& source) const {
  const Stack encoder = stack_of(StackRole::kEncoder);
  const Stack decoder = stack_of(StackRole::kDecoder);
  check_batch(encoder.spec, source);
  if (source.n_sequences() != 1) throw Error(ErrorKind::kBug, "cache: holds the keys of one source");
  const Pass pass{*this, pool, RunInput(source), {}, {}};
  const auto run = pass.run_stack(encoder, pass.input.source, plan_whole_run(encoder.spec, {}), {});
  keep_cross_keys(pool, decoder.spec, decoder.weights, run->output(), &cache);
}

bool Model::has_logits() const {
  const StackSpec& stack = config_.generating();
  return stack.output.kind != OutputKind::kNone && has_output_weights(stack, stack_of(stack.role).weights.model());
}

void Model::check_logits() const {
  if (config_.generating().output.kind == OutputKind::kNone) {
    throw Error(ErrorKind::kInput, fmt::format("{}: this {} model has no output head; expected one that scores its vocabulary",
                                               source_->where(), config_.family));
  }
  if (has_logits()) return;
  throw Error(ErrorKind::kInput, fmt::format("{}: lacks the weights of its output head; expected a checkpoint that was saved with "
                                             "its language-modelling head",
                                             source_->where()));
}

void Model::check_next_token() const {
  if (config_.generating().output.kind != OutputKind::kNextToken) {
    throw Error(ErrorKind::kInput, fmt::format("{}: this {} model does not predict next tokens; expected a decoder",
                                               source_->where(), config_.family));
  }
  if (has_logits()) return;
  throw Error(ErrorKind::kInput,
              fmt::format("{}: has no output matrix, so it cannot predict next tokens; expected a checkpoint that "
                          "was saved with its language-modelling head",
                          source_->where()));
}

std::vector<float> Model::logits(ThreadPool& pool, const RunInput& input, std::span<const BatchRow> rows,
                                 std::span<const Request> requests, std::span<Tap* const> taps) const {
  check_logits();
  const Pass pass{*this, pool, input, requests, taps};
  pass.check();
  const Stack stack = stack_of(config_.generating().role);
  const bool of_target = stack.spec.role == StackRole::kDecoder;
  const std::span<const std::size_t> offsets = offsets_of(of_target ? input.target : input.source);
  if (n_texts(input.source) == 0 && rows.empty()) return {};
  const std::vector<float> picked = pick_rows(pass.run(true), offsets, rows, stack.spec.d_model);
  const Readout readout{pool, stack.spec, stack.weights.model()};
  const RunTaps shown(taps, offsets, 0);
  const std::vector<float> factors = shown.wants(TapKind::kFinalNorm) ? final_norm_factors(readout, picked) : std::vector<float>();
  for (std::size_t i = 0; !factors.empty() && i < rows.size(); ++i) {
    shown.show_block({TapKind::kFinalNorm, rows[i].sequence, stack.spec.n_layer - 1, 0, rows[i].position, 1, 2,
                      factors.data() + 2 * i, 2, self_site(stack.spec.role)});
  }
  return read_logits(readout, picked);
}

std::vector<float> Model::next_token_logits(ThreadPool& pool, const RunInput& input) const {
  check_next_token();
  const bool of_target = config_.generating().role == StackRole::kDecoder;
  const std::span<const std::size_t> offsets = offsets_of(of_target ? input.target : input.source);
  std::vector<BatchRow> last;
  for (std::size_t text = 0; text + 1 < offsets.size(); ++text) {
    if (offsets[text + 1] > offsets[text]) last.push_back({text, offsets[text + 1] - offsets[text] - 1});
  }
  return logits(pool, input, last);
}

}  // namespace attnviz
