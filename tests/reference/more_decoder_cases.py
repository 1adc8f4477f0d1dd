"""Decoders' cases beyond decoder_cases.py: options that few checkpoints set, and a model with vision around its text part."""

import transformers as t

from decoder_cases import LENGTHS, MODEL_LAYERS, llama_like, small


def vision():
    """The text part in a config of its own; a vision tower of the least size that the reference builds."""
    text = dict(small(head_dim=10, sliding_window=4, query_pre_attn_scalar=7), num_hidden_layers=3)
    text["layer_types"] = ["sliding_attention", "full_attention", "sliding_attention"]
    tower = dict(hidden_size=4, intermediate_size=4, num_hidden_layers=1, num_attention_heads=1, image_size=8, patch_size=4)
    config = t.Gemma3Config(text_config=text, vision_config=tower, mm_tokens_per_image=4)
    config.vocab_size = text["vocab_size"]
    return config


def cases():
    gpt2 = dict(vocab_size=59, n_positions=40, n_embd=35, n_layer=3, n_head=5, bos_token_id=0, eos_token_id=1)
    opt = dict(vocab_size=59, hidden_size=35, num_hidden_layers=3, num_attention_heads=5, ffn_dim=37, word_embed_proj_dim=35,
               max_position_embeddings=40, bos_token_id=0, eos_token_id=1, pad_token_id=None)
    yarn = dict(rope_type="yarn", rope_theta=100.0, factor=4.0, original_max_position_embeddings=16)
    windows = dict(use_sliding_window=True, sliding_window=4, max_window_layers=1)
    return {
        "gemma3_vision": (t.Gemma3ForConditionalGeneration, vision(),
                          dict(layers="model.language_model.layers", lengths=LENGTHS, norms_add_one=True)),
        "gpt2_layer_scale": (t.GPT2Model, t.GPT2Config(**gpt2, scale_attn_by_inverse_layer_idx=True),
                             dict(layers="h", lengths=LENGTHS)),
        "llama_yarn": (t.LlamaForCausalLM, t.LlamaConfig(**small(rope_parameters=yarn)), dict(MODEL_LAYERS, lengths=[1, 33])),
        "opt_post_norm": (t.OPTForCausalLM, t.OPTConfig(**opt, do_layer_norm_before=False),
                          dict(layers="model.decoder.layers", lengths=LENGTHS)),
        "opt_projected": (t.OPTForCausalLM, t.OPTConfig(**dict(opt, word_embed_proj_dim=21), do_layer_norm_before=False),
                          dict(layers="model.decoder.layers", lengths=LENGTHS)),
        "qwen2_window": (t.Qwen2ForCausalLM, t.Qwen2Config(**small(**windows)), dict(MODEL_LAYERS, removed=["layer_types"])),
        "qwen3_biased": (t.Qwen3ForCausalLM, t.Qwen3Config(**llama_like(head_dim=8, attention_bias=True)), MODEL_LAYERS),
    }
