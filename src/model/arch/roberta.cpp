// RoBERTa (Liu et al. 2019, "RoBERTa: A Robustly Optimized BERT Pretraining Approach"): BERT's layers; positions are numbered from
// the pad token's id + 1 on, and pad tokens that are in a text take none. CamemBERT (Martin et al. 2020) is the same computation
// under its own name. Parity: tests/parity/data/roberta, camembert.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {

const Family kRoberta = {"roberta", read_roberta_stack, roberta_tensors};
const Family kCamembert = {"camembert", read_roberta_stack, roberta_tensors};

}  // namespace attnviz
