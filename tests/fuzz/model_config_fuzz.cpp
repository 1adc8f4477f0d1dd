// Any bytes as the config.json of a model: whatever sizes it claims, the configuration and the table of tensors stay small.
#include <cstdint>

#include "formats/weights/config_json.h"
#include "fuzz.h"
#include "model/arch/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::accepts([&] {
    const ConfigObject settings = ConfigObject::parse(text, "config.json");
    const Family& family = find_family(settings);
    const ModelConfig config = read_model_config(family, settings);
    for (const StackSpec& stack : config.stacks) {
      const TensorTable table = family.expected_tensors(stack, settings);
      fuzz::require(table.layers.size() == stack.n_layer, "a table of other layers than the stack's");
      for (const TensorSpec& spec : table.tensors) fuzz::require(!spec.shape.empty(), "a tensor without a shape");
    }
  });
  return 0;
}
