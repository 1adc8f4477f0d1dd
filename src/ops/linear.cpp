// See linear.h. Two plans with the same sums: with few rows of x, x is packed and the rows of W are read in place, once; with
// many, a panel of W is packed (and unpacked from f16 or bf16 on the way) and used for a block of rows of x.
#include "ops/linear.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/simd_targets.h"

#include "ops/scratch.h"
#include "tensor/half.h"
#include "tensor/unpack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/tile-inl.h"

// The loops over stored blocks, compiled for this instruction set.
#undef ATTNVIZ_BLOCKS_NAMESPACE
#define ATTNVIZ_BLOCKS_NAMESPACE HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
#include "tensor/blocks-inl.h"
HWY_AFTER_NAMESPACE();

#ifndef ATTNVIZ_OPS_LINEAR_SHARED_
#define ATTNVIZ_OPS_LINEAR_SHARED_
namespace attnviz {

// How one call is cut into tasks. Nothing here changes a bit of the result.
struct LinearPlan {
  const LinearArgs* args = nullptr;
  std::size_t row_bytes = 0;       // of a stored row of W
  std::size_t n_inputs = 0;        // K
  std::size_t n_outputs = 0;       // N
  const float* packed = nullptr;   // few rows: x as panels
  std::size_t outputs_a_task = 0;  // a multiple of the tile or panel
  std::size_t rows_a_task = 0;     // many rows: a multiple of the tile
  std::size_t panels_a_task = 1;   // many rows
};

// K is summed in even blocks of at most this many: the packed panel of a block stays in the first-level cache.
inline constexpr std::size_t kMaxBlock = 192;

// Packed blocks of a panel that are kept at once, in the second-level cache.
inline constexpr std::size_t kBlocksAtOnce = 8;

struct BlockRange {
  std::size_t begin;
  std::size_t size;
};

struct LinearTile {
  std::size_t row;
  std::size_t n_rows;
  std::size_t output;
  std::size_t n_outputs;
};

// Whether the rows of W can be read as f32 in place.
inline bool is_in_place(const TensorView& weight) { return weight.dtype == DType::kF32 && weight.interleaved_group == 0; }

inline std::size_t n_blocks(std::size_t n_inputs) { return std::max<std::size_t>(1, (n_inputs + kMaxBlock - 1) / kMaxBlock); }

inline BlockRange block_at(std::size_t n_inputs, std::size_t block) {
  const std::size_t size = (n_inputs + n_blocks(n_inputs) - 1) / n_blocks(n_inputs);
  const std::size_t begin = std::min(block * size, n_inputs);
  return {begin, std::min(size, n_inputs - begin)};
}

}  // namespace attnviz
#endif

HWY_BEFORE_NAMESPACE();
namespace attnviz {
namespace HWY_NAMESPACE {

inline Scratch& scratch(std::size_t which) {
  thread_local Scratch buffers[2];
  return buffers[which];
}

// Elements [begin, begin + n) of a row of W as f32.
void unpack_weights(const LinearPlan& plan, std::size_t row, std::size_t begin, std::size_t n, float* out) {
  const TensorView& weight = plan.args->weight;
  const std::byte* stored = weight.data + weight.stored_row(row) * plan.row_bytes;
  if (unpack_blocks(weight.dtype, stored, begin, n, out)) return;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if (weight.dtype == DType::kBF16) {
    const hn::Rebind<std::uint16_t, F32> half;
    const hn::Rebind<std::uint32_t, F32> whole;
    const auto* from = reinterpret_cast<const std::uint16_t*>(stored) + begin;
    for (; i + kLanes <= n; i += kLanes) {
      const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(whole, hn::LoadU(half, from + i)));
      hn::StoreU(hn::BitCast(kF32, bits), kF32, out + i);
    }
  }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2  // elsewhere Highway's conversion of infinities is not exact
  if (weight.dtype == DType::kF16) {
    const hn::Rebind<hwy::float16_t, F32> half;
    const auto* from = reinterpret_cast<const hwy::float16_t*>(stored) + begin;
    for (; i + kLanes <= n; i += kLanes) hn::StoreU(hn::PromoteTo(kF32, hn::LoadU(half, from + i)), kF32, out + i);
  }
#endif
#endif
  if (i < n) unpack_row(weight, row, begin + i, n - i, out + i);
}

// Rows [row, row + n) of W, columns [begin, begin + n_k): in place for f32, else unpacked to `space`.
struct WeightRows {
  const float* first;
  std::size_t stride;
};

WeightRows weight_block(const LinearPlan& plan, std::size_t row, std::size_t n, BlockRange block, float* space) {
  const TensorView& weight = plan.args->weight;
  const std::size_t n_inputs = weight.shape[1];
  if (is_in_place(weight)) return {reinterpret_cast<const float*>(weight.data) + row * n_inputs + block.begin, n_inputs};
  for (std::size_t r = 0; r < n; ++r) unpack_weights(plan, row + r, block.begin, block.size, space + r * block.size);
  return {space, block.size};
}

// Rows of sums.
struct Place {
  float* first;
  std::size_t stride;
};

// Adds the sum of one block of K to that of the earlier ones.
struct AddBlock {
  Place before;  // null in the first block
  Place to;
  std::size_t n_rows;
  std::size_t n_columns;
  const float* bias;  // of the first column; null where there is none or it is not the last block

  HWY_INLINE void operator()(std::size_t r, std::size_t v, Vec sum) const {
    if (r >= n_rows || v * kLanes >= n_columns) return;
    const std::size_t n = n_columns - v * kLanes;
    if (before.first != nullptr) sum = hn::Add(load_part(before.first + r * before.stride + v * kLanes, n), sum);
    if (bias != nullptr) sum = hn::Add(sum, load_part(bias + v * kLanes, n));
    store_part(sum, to.first + r * to.stride + v * kLanes, n);
  }
};

std::size_t linear_tile_rows() { return kTileRows; }
std::size_t linear_panel() { return kPanel; }

// Few rows: x as panels [K, kPanel]; the last one is a single vector where that is enough. Inputs [begin, end) of every panel.
void linear_pack_x(const LinearArgs& args, std::size_t begin, std::size_t end, float* to) {
  const std::size_t n_inputs = args.weight.shape[1];
  for (std::size_t row = 0; row < args.n_rows; row += kPanel) {
    const std::size_t n = std::min(kPanel, args.n_rows - row);
    const std::size_t width = n > kLanes ? kPanel : kLanes;
    pack_panel({args.x + row * args.x_stride + begin, args.x_stride, n, end - begin}, to + row * n_inputs + begin * width, width);
  }
}

// Few rows: a tile is outputs [output, output + n) x rows [row, row + kPanel); it is summed beside y and turned on its way there.
void few_rows_tile(const LinearPlan& plan, const WeightRows* blocks, std::size_t output, std::size_t n, std::size_t row) {
  const LinearArgs& args = *plan.args;
  const std::size_t n_x = std::min(kPanel, args.n_rows - row);
  TileInput in{};
  in.b_stride = n_x > kLanes ? kPanel : kLanes;
  // The stored rows of the next tile; past the last row it is an address that is never read, only hinted at.
  const std::byte* next = args.weight.data + (output + n) * plan.row_bytes;
  alignas(64) float sums[kTileRows * kPanel];
  for (std::size_t block = 0; block < n_blocks(plan.n_inputs); ++block) {
    const BlockRange range = block_at(plan.n_inputs, block);
    set_rows(in, blocks[block].first, blocks[block].stride, n);
    in.b = plan.packed + row * plan.n_inputs + range.begin * in.b_stride;
    in.n_k = range.size;
    in.ahead = next + range.begin * kCacheLine;
    const Place place{sums, kPanel};
    any_tile<true>(n, n_x, in, AddBlock{block == 0 ? Place{} : place, place, kTileRows, in.b_stride, nullptr});
  }
  if (args.bias != nullptr) {
    for (std::size_t r = 0; r < n; ++r) {
      const Vec bias = hn::Set(kF32, args.bias[output + r]);
      for (std::size_t v = 0; v < in.b_stride; v += kLanes) {
        float* place = sums + r * kPanel + v;
        hn::Store(hn::Add(hn::Load(kF32, place), bias), kF32, place);
      }
    }
  }
  transpose({sums, kPanel, n, n_x}, args.y + row * args.y_stride + output, args.y_stride);
}

void linear_few_rows(const LinearPlan& plan, std::size_t task) {
  const LinearArgs& args = *plan.args;
  const std::size_t end = std::min(plan.n_outputs, (task + 1) * plan.outputs_a_task);
  const bool in_place = is_in_place(args.weight);
  float* space = in_place ? nullptr : scratch(0).reserve(kTileRows * plan.n_inputs);
  std::vector<WeightRows> blocks(n_blocks(plan.n_inputs));
  for (std::size_t output = task * plan.outputs_a_task; output < end; output += kTileRows) {
    const std::size_t n = std::min(kTileRows, end - output);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const BlockRange range = block_at(plan.n_inputs, block);
      blocks[block] = weight_block(plan, output, n, range, in_place ? nullptr : space + kTileRows * range.begin);
    }
    for (std::size_t row = 0; row < args.n_rows; row += kPanel) few_rows_tile(plan, blocks.data(), output, n, row);
  }
}

// Many rows: a tile of rows of x with the packed blocks [begin, end) of a panel; between blocks the sums stay beside y.
void many_rows_tile(const LinearPlan& plan, BlockRange blocks, const float* panel, const LinearTile& tile) {
  const LinearArgs& args = *plan.args;
  alignas(64) float sums[kTileRows * kPanel];
  const Place y{args.y + tile.row * args.y_stride + tile.output, args.y_stride};
  TileInput in{};
  in.b = panel;
  in.b_stride = kPanel;
  for (std::size_t i = 0; i < blocks.size; ++i) {
    const BlockRange range = block_at(plan.n_inputs, blocks.begin + i);
    const bool is_last = i + 1 == blocks.size;
    const bool is_end = is_last && blocks.begin + blocks.size == n_blocks(plan.n_inputs);
    const Place before = i > 0 ? Place{sums, kPanel} : blocks.begin > 0 ? y : Place{};
    set_rows(in, args.x + tile.row * args.x_stride + range.begin, args.x_stride, tile.n_rows);
    in.n_k = range.size;
    any_tile(tile.n_rows, tile.n_outputs, in,
             AddBlock{before, is_last ? y : Place{sums, kPanel}, tile.n_rows, tile.n_outputs,
                      is_end && args.bias != nullptr ? args.bias + tile.output : nullptr});
    in.b += range.size * kPanel;
  }
}

// A weight stored [K, N'] has the panel's layout except for the distance of its rows.
void pack_transposed(const LinearPlan& plan, std::size_t output, std::size_t n, BlockRange range, float* to) {
  for (std::size_t k = 0; k < range.size; ++k, to += kPanel) {
    unpack_weights(plan, range.begin + k, plan.args->first_output + output, n, to);
    std::fill(to + n, to + kPanel, 0.0F);
  }
}

// The blocks [first, first + n) of a panel of n_outputs outputs, packed one after the other.
void pack_blocks(const LinearPlan& plan, BlockRange blocks, std::size_t output, std::size_t n_outputs, float* to) {
  const LinearArgs& args = *plan.args;
  float* space = is_in_place(args.weight) ? nullptr : scratch(1).reserve(kMaxBlock * kPanel);
  for (std::size_t block = blocks.begin; block < blocks.begin + blocks.size; ++block) {
    const BlockRange range = block_at(plan.n_inputs, block);
    if (args.transposed) {
      pack_transposed(plan, output, n_outputs, range, to);
    } else {
      const WeightRows rows = weight_block(plan, output, n_outputs, range, space);
      pack_panel({rows.first, rows.stride, n_outputs, range.size}, to, kPanel);
    }
    to += range.size * kPanel;
  }
}

// Many rows: some panels of outputs x a block of rows. A tile of rows meets all of the panels while it is in the nearest cache.
void linear_many_rows(const LinearPlan& plan, std::size_t task) {
  const LinearArgs& args = *plan.args;
  const std::size_t width = plan.panels_a_task * kPanel;
  const std::size_t n_groups = (plan.n_outputs + width - 1) / width;
  const std::size_t output_begin = task % n_groups * width;
  const std::size_t output_end = std::min(plan.n_outputs, output_begin + width);
  const std::size_t row_begin = task / n_groups * plan.rows_a_task;
  const std::size_t row_end = std::min(args.n_rows, row_begin + plan.rows_a_task);
  constexpr std::size_t kPanelSize = kBlocksAtOnce * kMaxBlock * kPanel;
  float* panels = scratch(0).reserve(plan.panels_a_task * kPanelSize);
  for (std::size_t begin = 0; begin < n_blocks(plan.n_inputs); begin += kBlocksAtOnce) {
    const BlockRange blocks{begin, std::min(kBlocksAtOnce, n_blocks(plan.n_inputs) - begin)};
    for (std::size_t output = output_begin; output < output_end; output += kPanel) {
      float* panel = panels + (output - output_begin) / kPanel * kPanelSize;
      pack_blocks(plan, blocks, output, std::min(kPanel, output_end - output), panel);
    }
    for (std::size_t row = row_begin; row < row_end; row += kTileRows) {
      for (std::size_t output = output_begin; output < output_end; output += kPanel) {
        const float* panel = panels + (output - output_begin) / kPanel * kPanelSize;
        many_rows_tile(plan, blocks, panel,
                       {row, std::min(kTileRows, row_end - row), output, std::min(kPanel, output_end - output)});
      }
    }
  }
}

// sum_k a[k] b[k], in four chains of vectors that are added at the end.
HWY_INLINE float dot(const float* a, const float* b, std::size_t n) {
  Vec sums[4];
  for (Vec& sum : sums) sum = hn::Zero(kF32);
  std::size_t k = 0;
  for (; k + 4 * kLanes <= n; k += 4 * kLanes) {
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] = hn::MulAdd(hn::LoadU(kF32, a + k + i * kLanes), hn::LoadU(kF32, b + k + i * kLanes), sums[i]);
    }
  }
  for (; k < n; k += kLanes) sums[0] = hn::MulAdd(load_part(a + k, n - k), load_part(b + k, n - k), sums[0]);
  return hn::GetLane(hn::SumOfLanes(kF32, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
}

// One row of x: each output is a product of two rows.
void linear_dots(const LinearPlan& plan, std::size_t task) {
  const LinearArgs& args = *plan.args;
  const std::size_t end = std::min(plan.n_outputs, (task + 1) * plan.outputs_a_task);
  float* space = is_in_place(args.weight) ? nullptr : scratch(0).reserve(plan.n_inputs);
  for (std::size_t output = task * plan.outputs_a_task; output < end; ++output) {
    const float sum = dot(weight_block(plan, output, 1, {0, plan.n_inputs}, space).first, args.x, plan.n_inputs);
    args.y[output] = args.bias != nullptr ? sum + args.bias[output] : sum;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnviz
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnviz {
namespace {

HWY_EXPORT(linear_tile_rows);
HWY_EXPORT(linear_panel);
HWY_EXPORT(linear_pack_x);
HWY_EXPORT(linear_few_rows);
HWY_EXPORT(linear_many_rows);
HWY_EXPORT(linear_dots);

constexpr std::size_t kFewRows = 64;            // up to here x is the packed operand
constexpr std::size_t kFewRowsOutputs = 48;     // outputs of a task there
constexpr std::size_t kWorkATask = 1 << 16;     // products of a task where x is one row
constexpr std::size_t kPackStep = 512;          // inputs packed by one task
constexpr std::size_t kPanelCache = 400 << 10;  // bytes of packed panels that a task works with
constexpr std::size_t kTasksAThread = 3;
constexpr std::size_t kRowsATask = 528;  // rows for which a packed panel of W is used, at most

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

void run_few_rows(ThreadPool& pool, LinearPlan& plan) {
  const LinearArgs& args = *plan.args;
  const std::size_t panel = HWY_DYNAMIC_DISPATCH(linear_panel)();
  thread_local Scratch packed;
  float* space = packed.reserve(divide_up(args.n_rows, panel) * panel * plan.n_inputs);
  plan.packed = space;
  const bool is_small = args.n_rows * plan.n_inputs <= 32 * kPackStep;  // waking threads would cost more
  const std::size_t step = is_small ? std::max<std::size_t>(1, plan.n_inputs) : kPackStep;
  pool.run(divide_up(plan.n_inputs, step), [&](std::size_t task, std::size_t) {
    HWY_DYNAMIC_DISPATCH(linear_pack_x)(args, task * step, std::min(plan.n_inputs, (task + 1) * step), space);
  });
  plan.outputs_a_task = kFewRowsOutputs;
  pool.run(divide_up(plan.n_outputs, plan.outputs_a_task), [&](std::size_t task, std::size_t) {
    HWY_DYNAMIC_DISPATCH(linear_few_rows)(plan, task);
  });
}

void run_many_rows(ThreadPool& pool, LinearPlan& plan) {
  const LinearArgs& args = *plan.args;
  const std::size_t tile_rows = HWY_DYNAMIC_DISPATCH(linear_tile_rows)();
  const std::size_t panel = HWY_DYNAMIC_DISPATCH(linear_panel)();
  const std::size_t n_panels = divide_up(plan.n_outputs, panel);
  std::size_t n_parts = divide_up(args.n_rows, kRowsATask);
  while (n_panels * n_parts < 4 * pool.n_threads() && args.n_rows / n_parts > 2 * kFewRows) ++n_parts;
  plan.rows_a_task = divide_up(divide_up(args.n_rows, n_parts), tile_rows) * tile_rows;
  // As many panels as the second-level cache holds, but tasks enough to share.
  const std::size_t panel_bytes = std::min(plan.n_inputs, kBlocksAtOnce * kMaxBlock) * panel * sizeof(float);
  const std::size_t by_cache = std::max<std::size_t>(1, kPanelCache / std::max<std::size_t>(1, panel_bytes));
  const std::size_t by_tasks = std::max<std::size_t>(1, n_panels * n_parts / (kTasksAThread * pool.n_threads()));
  plan.panels_a_task = std::min(by_cache, by_tasks);
  pool.run(divide_up(n_panels, plan.panels_a_task) * divide_up(args.n_rows, plan.rows_a_task), [&](std::size_t task, std::size_t) {
    HWY_DYNAMIC_DISPATCH(linear_many_rows)(plan, task);
  });
}

LinearPlan make_plan(const LinearArgs& args) {
  if (args.weight.shape.size() != 2 || !is_weight_dtype(args.weight.dtype)) {
    throw Error(ErrorKind::kBug, "linear: the weight is not a matrix of weights but " + shape_text(args.weight.shape));
  }
  LinearPlan plan;
  plan.args = &args;
  plan.row_bytes = args.weight.row_bytes();
  plan.n_outputs = args.transposed ? args.n_outputs : args.weight.shape[0];
  plan.n_inputs = args.weight.shape[args.transposed ? 0 : 1];
  return plan;
}

}  // namespace

void linear_one_row(ThreadPool& pool, const LinearArgs& args) {
  if (args.n_rows != 1 || args.transposed) return linear(pool, args);
  LinearPlan plan = make_plan(args);
  // Tasks of about the same work, which must outweigh a thread's waking.
  plan.outputs_a_task = std::max<std::size_t>(1, kWorkATask / std::max<std::size_t>(1, plan.n_inputs));
  pool.run(divide_up(plan.n_outputs, plan.outputs_a_task), [&](std::size_t task, std::size_t) {
    HWY_DYNAMIC_DISPATCH(linear_dots)(plan, task);
  });
}

void linear(ThreadPool& pool, const LinearArgs& args) {
  LinearPlan plan = make_plan(args);
  if (args.n_rows == 0 || plan.n_outputs == 0) return;
  if (args.n_rows <= kFewRows && !args.transposed) {
    run_few_rows(pool, plan);
  } else {
    run_many_rows(pool, plan);
  }
}

TensorView weight_rows(const TensorView& weight, std::size_t begin, std::size_t n) {
  const std::size_t group = weight.interleaved_group;
  if (group != 0 && (begin % group != 0 || n % group != 0)) {
    throw Error(ErrorKind::kBug, "linear: interleaved rows can only be split between their groups");
  }
  TensorView rows = weight;
  rows.shape[0] = n;
  rows.data = weight.data + begin * weight.row_bytes();
  return rows;
}

}  // namespace attnviz
#endif  // HWY_ONCE
