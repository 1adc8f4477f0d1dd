// Any bytes as a config.json: every key is read as every type, inner objects included.
#include <cstdint>

#include "formats/weights/config_json.h"
#include "fuzz.h"

namespace {

using attnviz::ConfigObject;
using attnviz::fuzz::accepts;

void ask_everything(const ConfigObject& config, int depth) {
  for (const std::string& key : config.keys()) {
    if (!config.has(key)) continue;
    // A value has one type: being accepted as two would be a hole in the checks.
    int n_types = 0;
    n_types += accepts([&] { config.size(key); }) || accepts([&] { config.number(key, 0); });
    n_types += accepts([&] { config.flag(key, false); });
    n_types += accepts([&] { config.text(key); });
    n_types += accepts([&] { config.object(key); });
    attnviz::fuzz::require(n_types <= 1, "a value of two types");
    accepts([&] { config.texts(key); });
    accepts([&] { config.sizes(key); });
    if (depth == 0) continue;
    accepts([&] {
      for (const ConfigObject& inner : config.objects(key)) ask_everything(inner, depth - 1);
    });
    accepts([&] {
      if (const auto inner = config.object(key)) ask_everything(*inner, depth - 1);
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  accepts([&] { ask_everything(ConfigObject::parse(text, "config.json"), 3); });
  return 0;
}
