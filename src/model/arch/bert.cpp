// BERT (Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers"): post-norm encoder, learned absolute
// positions, two segments. Parity: tests/parity/data/bert*, and the default model.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_encoder_stack(config);
  set_masked_head(&stack, config, stack.ffn.activation, stack.d_model);
  return stack;
}

}  // namespace

const Family kBert = {"bert", read_stack, bert_tensors};

}  // namespace attnviz
