// BERT (Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers"): post-norm encoder, learned absolute
// positions, two segments. Parity: tests/parity/data/bert*, and the default model.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

ModelConfig read_config(const ConfigObject& config) { return read_encoder_config(config, kBert.name); }

}  // namespace

const Family kBert = {"bert", read_config, bert_tensors};

}  // namespace attnviz
