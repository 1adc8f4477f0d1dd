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


def roberta_cases():
    """A pad token inside a text; its id decides where positions begin."""
    roberta = narrow(pad_token_id=3, bos_token_id=0, eos_token_id=2)
    camembert = narrow(hidden_size=15, pad_token_id=1, bos_token_id=5, eos_token_id=6)
    return {
        "roberta": (t.RobertaForSequenceClassification, t.RobertaConfig(**roberta), dict(pad=3)),
        "xlm_roberta": (t.XLMRobertaForMaskedLM, t.XLMRobertaConfig(**narrow(type_vocab_size=1)), dict(pad=1)),
        "camembert": (t.CamembertForTokenClassification, t.CamembertConfig(**camembert), dict(pad=1)),
    }


def modernbert_cases():
    """Local layers see 2 keys to each side (local_attention 5, halved); head width 6; both thetas."""
    sizes = dict(vocab_size=59, hidden_size=30, num_hidden_layers=4, num_attention_heads=5, intermediate_size=37,
                 max_position_embeddings=48, local_attention=5, pad_token_id=0, bos_token_id=1, eos_token_id=1,
                 cls_token_id=1, sep_token_id=1, global_rope_theta=1000.0, local_rope_theta=30.0)
    layers = dict(layers="layers")
    as_hub_files = dict(removed=["rope_parameters", "layer_types"],
                        added=dict(global_rope_theta=1000.0, local_rope_theta=30.0, global_attn_every_n_layers=3))
    biased = dict(attention_bias=True, mlp_bias=True, norm_bias=True, hidden_activation="silu")
    kinds = dict(layer_types=["sliding_attention", "full_attention", "sliding_attention"], num_hidden_layers=3)
    return {
        "modernbert": (t.ModernBertForMaskedLM, t.ModernBertConfig(**sizes),
                       dict(layers, layers="model.layers", lengths=[1, 9, 17], **as_hub_files)),
        "modernbert_biased": (t.ModernBertModel, t.ModernBertConfig(**{**sizes, **biased, **kinds}), dict(layers, lengths=[2, 11])),
    }


def deberta_cases():
    """Texts longer than the exact part of the buckets, and than all of them."""
    sizes = narrow(hidden_size=35, intermediate_size=31, type_vocab_size=0, relative_attention=True, position_biased_input=False,
                   max_position_embeddings=40)
    v3 = dict(position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type="p2c|c2p", max_relative_positions=-1)
    own = dict(position_buckets=6, max_relative_positions=11, share_att_key=False, pos_att_type=["c2p", "p2c"])
    one = dict(max_relative_positions=7, pos_att_type=["p2c"], position_biased_input=True, type_vocab_size=2)
    other = dict(max_relative_positions=30, pos_att_type="c2p", norm_rel_ebd="layer_norm")
    return {
        "deberta_v3": (t.DebertaV2ForMaskedLM, t.DebertaV2Config(**{**sizes, **v3}), dict(lengths=[1, 8, 19, 33])),
        "deberta_own_projections": (t.DebertaV2Model, t.DebertaV2Config(**{**sizes, **own}), dict(lengths=[2, 23])),
        "deberta_p2c": (t.DebertaV2ForTokenClassification, t.DebertaV2Config(**{**sizes, **one}), dict(lengths=[9, 19])),
        "deberta_c2p": (t.DebertaV2Model, t.DebertaV2Config(**{**sizes, **other}), dict(lengths=[17])),
    }


def masked_lm_cases():
    """Heads that the cases above have not: each family's own names, an output matrix of its own, and names of 2018."""
    distil = dict(vocab_size=47, dim=25, n_layers=3, n_heads=5, hidden_dim=31, max_position_embeddings=23)
    roberta = narrow(pad_token_id=3, bos_token_id=0, eos_token_id=2)
    camembert = narrow(hidden_size=15, pad_token_id=1, bos_token_id=5, eos_token_id=6)
    deberta = narrow(type_vocab_size=0, relative_attention=True, position_biased_input=False, position_buckets=8,
                     pos_att_type="p2c|c2p", share_att_key=True, norm_rel_ebd="layer_norm", legacy=False)
    untied = narrow(tie_word_embeddings=False, hidden_act="gelu_new")
    return {
        "bert_untied_masked_lm": (t.BertForMaskedLM, t.BertConfig(**untied), {}),
        "bert_old_masked_lm": (t.BertForMaskedLM, t.BertConfig(**narrow(num_hidden_layers=2)), dict(old_names=True)),
        "camembert_masked_lm": (t.CamembertForMaskedLM, t.CamembertConfig(**camembert), dict(pad=1)),
        "deberta_masked_lm": (t.DebertaV2ForMaskedLM, t.DebertaV2Config(**deberta), {}),
        "distilbert_masked_lm": (t.DistilBertForMaskedLM, t.DistilBertConfig(**distil), {}),
        "electra_generator": (t.ElectraForMaskedLM, t.ElectraConfig(**narrow(embedding_size=19)), {}),
        "roberta_masked_lm": (t.RobertaForMaskedLM, t.RobertaConfig(**roberta), dict(pad=3)),
    }


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
        **roberta_cases(),
        **modernbert_cases(),
        **deberta_cases(),
        **masked_lm_cases(),
    }
