"""The encoders' cases: (class, config, options of make_case) by folder name. Nothing is a multiple of a vector."""

import torch
import transformers as t

from golden_files import without

# Lengths around the widths of vector registers (4, 8, 16 floats and their tails), length 1 and pairs.
ALL_LENGTHS = [1, 2, 3, 5, 8, 9, 16, 17]
LONG_LENGTHS = [*ALL_LENGTHS, 33]


def base(**more):
    """Shapes shared by the BERT-like cases: head width 7."""
    sizes = dict(vocab_size=67, hidden_size=35, num_hidden_layers=3, num_attention_heads=5, intermediate_size=53)
    return {**sizes, "max_position_embeddings": 41, "type_vocab_size": 2, **more}


def narrow(**more):
    """The same for cases about names, types and activations rather than shapes; head width 5."""
    sizes = dict(vocab_size=47, hidden_size=25, intermediate_size=31, max_position_embeddings=23)
    return base(**{**sizes, **more})


def cases():
    distil = dict(vocab_size=71, dim=40, n_layers=3, n_heads=5, hidden_dim=43, max_position_embeddings=37)
    albert = base(embedding_size=13, num_hidden_groups=2)
    albert_inner = narrow(embedding_size=13, num_hidden_groups=2, inner_group_num=2, num_hidden_layers=2)
    mpnet = without(base(max_position_embeddings=43), "type_vocab_size")
    return {
        "bert": (t.BertModel, t.BertConfig(**base()), dict(lengths=ALL_LENGTHS)),
        "bert_classifier": (t.BertForSequenceClassification, t.BertConfig(**narrow(hidden_act="gelu_new", num_labels=3)), {}),
        "bert_masked_lm_bf16": (t.BertForMaskedLM, t.BertConfig(**narrow(hidden_act="relu")), dict(dtype=torch.bfloat16)),
        "bert_pretraining_f16": (t.BertForPreTraining, t.BertConfig(**narrow(layer_norm_eps=0.01)), dict(dtype=torch.float16)),
        "bert_sharded": (t.BertForTokenClassification, t.BertConfig(**narrow(hidden_act="silu")), dict(shards=True)),
        "bert_old_names": (t.BertModel, t.BertConfig(**narrow()), dict(old_names=True)),
        "distilbert": (t.DistilBertForQuestionAnswering, t.DistilBertConfig(**distil), dict(lengths=ALL_LENGTHS)),
        "electra": (t.ElectraForPreTraining, t.ElectraConfig(**base(embedding_size=19)), dict(lengths=ALL_LENGTHS)),
        "electra_no_projection": (t.ElectraModel, t.ElectraConfig(**narrow(embedding_size=25)), {}),
        "albert": (t.AlbertForMaskedLM, t.AlbertConfig(**albert), dict(lengths=ALL_LENGTHS)),
        "albert_inner": (t.AlbertModel, t.AlbertConfig(**albert_inner), {}),
        "mpnet": (t.MPNetForMaskedLM, t.MPNetConfig(**mpnet), dict(lengths=LONG_LENGTHS, pad=1)),
    }
