// XLM-RoBERTa (Conneau et al. 2020, "Unsupervised Cross-lingual Representation Learning at Scale"): RoBERTa's computation on a
// vocabulary of 100 languages; one segment as a rule. Parity: tests/parity/data/xlm_roberta.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

ModelConfig read_config(const ConfigObject& config) { return read_roberta_config(config, kXlmRoberta.name); }

}  // namespace

const Family kXlmRoberta = {"xlm-roberta", read_config, bert_tensors};

}  // namespace attnviz
