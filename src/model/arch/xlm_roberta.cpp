// XLM-RoBERTa (Conneau et al. 2020, "Unsupervised Cross-lingual Representation Learning at Scale"): RoBERTa's computation on a
// vocabulary of 100 languages; one segment as a rule. Parity: tests/parity/data/xlm_roberta.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
const Family kXlmRoberta = {"xlm-roberta", read_roberta_stack, roberta_tensors};

}  // namespace attnviz
