// How fast results become bytes: pictures, the PNG encoder alone, JSON, CSV and NPZ, of made-up maps. Fonts are the machine's own.
// Read the CPU column: one thread does the work, and other programs share the machine.
#include <string>

#include <benchmark/benchmark.h>

#include "figure/build.h"
#include "golden/synthetic.h"
#include "render/export/npz.h"
#include "render/export/text_exports.h"
#include "render/picture/png.h"
#include "render/picture/png_encode.h"

namespace attnviz {
namespace {

void count_bytes(benchmark::State& state, std::size_t n_byte) {
  state.SetBytesProcessed(static_cast<std::int64_t>(n_byte) * state.iterations());
}

void BM_Picture(benchmark::State& state) {
  const Trace trace = one_map(numbered_words(static_cast<std::size_t>(state.range(0)) - 2));
  for (auto _ : state) benchmark::DoNotOptimize(render_png(make_figure(trace), {}));
}
BENCHMARK(BM_Picture)->Arg(16)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

void BM_PictureOfAllHeads(benchmark::State& state) {
  const Trace trace = grid_of_maps(numbered_words(14), 6, 12);
  for (auto _ : state) benchmark::DoNotOptimize(render_png(make_figure(trace), {}));
}
BENCHMARK(BM_PictureOfAllHeads)->Unit(benchmark::kMillisecond);

// Cells of 26 pixels in few colours, as a map has them; bytes are those of the pixels.
void BM_EncodePng(benchmark::State& state) {
  const auto side = static_cast<std::size_t>(state.range(0));
  PngImage image{.width = side, .height = side};
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      const bool gap = x % 26 == 25 || y % 26 == 25;
      const auto shade = static_cast<std::uint8_t>(gap ? 255 : (x / 26 * 37 + y / 26 * 91) % 255);
      image.pixels.insert(image.pixels.end(), {shade, shade, 255});
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(encode_png(image, 96, {}));
  count_bytes(state, image.pixels.size());
}
BENCHMARK(BM_EncodePng)->Arg(600)->Arg(2000)->Unit(benchmark::kMillisecond);

using Exporter = void (*)(const Trace&, const ByteSink&);

// 12 maps; bytes are those written.
void export_maps(benchmark::State& state, Exporter write) {
  const Trace trace = grid_of_maps(numbered_words(static_cast<std::size_t>(state.range(0)) - 2), 1, 12);
  std::size_t n_byte = 0;
  for (auto _ : state) {
    n_byte = 0;
    write(trace, [&](std::string_view bytes) {
      n_byte += bytes.size();
      return true;
    });
  }
  count_bytes(state, n_byte);
}

void BM_Json(benchmark::State& state) { export_maps(state, write_json); }
BENCHMARK(BM_Json)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond);

void BM_Csv(benchmark::State& state) { export_maps(state, write_csv); }
BENCHMARK(BM_Csv)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond);

void BM_Npz(benchmark::State& state) { export_maps(state, write_npz); }
BENCHMARK(BM_Npz)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attnviz

BENCHMARK_MAIN();
