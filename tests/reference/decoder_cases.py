"""The decoders' cases: (class, config, options of make_case) by folder name.

Feed-forward widths are odd, half heads (what RoPE turns) too; windows are 4 wide and texts at least 9 long, so that both cells at a
window's edge occur in every row; soft caps and RoPE scalings are strong enough that leaving them out moves weights by 1e-2.
"""

import torch
import transformers as t

LENGTHS = [1, 9, 17]
SPECIAL = dict(bos_token_id=0, eos_token_id=1, pad_token_id=None)
MODEL_LAYERS = dict(layers="model.layers", lengths=LENGTHS)


def llama_like(**more):
    """Six query heads of width 6 on three key/value heads."""
    sizes = dict(vocab_size=59, hidden_size=36, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=3)
    return {**sizes, "intermediate_size": 29, "max_position_embeddings": 64, **SPECIAL, **more}


def small(**more):
    """Four query heads of width 6 on two key/value heads."""
    return llama_like(**{"hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 27, **more})


LLAMA3_SCALING = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)


def llama_cases():
    scaled = dict(rope_type="llama3", rope_theta=500.0, **LLAMA3_SCALING)
    linear = dict(rope_type="linear", rope_theta=100.0, factor=3.0)
    as_hub_files = dict(removed=["rope_parameters"],
                        added=dict(rope_theta=500.0, rope_scaling=dict(rope_type="llama3", **LLAMA3_SCALING)))
    biased = dict(attention_bias=True, mlp_bias=True)
    return {
        "llama": (t.LlamaForCausalLM, t.LlamaConfig(**llama_like()), MODEL_LAYERS),
        "llama_scaled": (t.LlamaForCausalLM, t.LlamaConfig(**small(tie_word_embeddings=True, rope_parameters=scaled)),
                         dict(MODEL_LAYERS, lengths=[2, 33], **as_hub_files)),
        "llama_linear": (t.LlamaForCausalLM, t.LlamaConfig(**small(rope_parameters=linear, **biased)), MODEL_LAYERS),
        "llama_mqa_bf16": (t.LlamaForCausalLM, t.LlamaConfig(**small(num_key_value_heads=1)),
                           dict(MODEL_LAYERS, dtype=torch.bfloat16)),
        "mistral": (t.MistralForCausalLM, t.MistralConfig(**small(sliding_window=4)), MODEL_LAYERS),
    }


def qwen_cases():
    qwen2 = llama_like(hidden_size=56, num_attention_heads=14, num_key_value_heads=2, intermediate_size=31)
    # Fourteen heads of width 4 amplify rounding: at sharpness 1 the reference itself is 3.3e-6 from its own f64 run, and two f32 runs
    # differ by up to 1.1e-5. A model that is this badly conditioned cannot tell a fault from rounding, so it is a little softer.
    return {
        "qwen2": (t.Qwen2ForCausalLM, t.Qwen2Config(**qwen2),
                  dict(MODEL_LAYERS, lengths=[1, 13], dtype=torch.bfloat16, sharpness=0.75)),
        "qwen3": (t.Qwen3ForCausalLM, t.Qwen3Config(**small(head_dim=10, tie_word_embeddings=True)), MODEL_LAYERS),
    }


def gemma_cases():
    common = dict(head_dim=10, sliding_window=4, query_pre_attn_scalar=7, hidden_activation="gelu_pytorch_tanh")
    gemma2 = small(**common, attn_logit_softcapping=3.0, final_logit_softcapping=2.0)
    gemma3 = small(**common, layer_types=["sliding_attention", "full_attention", "sliding_attention"])
    gemma3["rope_parameters"] = {
        "sliding_attention": dict(rope_type="default", rope_theta=100.0),
        "full_attention": dict(rope_type="linear", rope_theta=10000.0, factor=8.0),
    }
    # As the files on the hub spell the same: a pattern (every second layer is global), two thetas and one scaling.
    as_hub_files = dict(removed=["rope_parameters", "layer_types", "_sliding_window_pattern"],
                        added=dict(rope_theta=10000.0, rope_local_base_freq=100.0, sliding_window_pattern=2,
                                   rope_scaling=dict(rope_type="linear", factor=8.0)))
    options = dict(MODEL_LAYERS, norms_add_one=True)
    return {
        "gemma2": (t.Gemma2ForCausalLM, t.Gemma2Config(**gemma2), dict(options, sharpness=1.5, removed=["layer_types"])),
        "gemma3": (t.Gemma3ForCausalLM, t.Gemma3TextConfig(**gemma3), options),
        "gemma3_hub": (t.Gemma3ForCausalLM, t.Gemma3TextConfig(**gemma3), dict(options, **as_hub_files)),
    }


def phi_cases():
    long = dict(rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.3, 1.7], long_factor=[1.1, 2.5, 6.0],
                original_max_position_embeddings=12)
    hub_scaling = dict(type="longrope", short_factor=long["short_factor"], long_factor=long["long_factor"])
    as_hub_files = dict(removed=["rope_parameters"], added=dict(rope_theta=10000.0, rope_scaling=hub_scaling))
    sizes = small(original_max_position_embeddings=12, rope_parameters=long)
    return {
        "phi3": (t.Phi3ForCausalLM, t.Phi3Config(**small(sliding_window=4)), MODEL_LAYERS),
        "phi3_longrope": (t.Phi3ForCausalLM, t.Phi3Config(**sizes), dict(MODEL_LAYERS, **as_hub_files)),
    }


def older_cases():
    gpt2 = dict(vocab_size=59, n_positions=40, n_embd=35, n_layer=3, n_head=5, n_inner=37, bos_token_id=0, eos_token_id=1)
    neox = dict(vocab_size=59, hidden_size=30, num_hidden_layers=3, num_attention_heads=3, intermediate_size=37, bos_token_id=0,
                eos_token_id=1, max_position_embeddings=48)
    quarter = dict(rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.4)
    neox_hub = dict(removed=["rope_parameters"], added=dict(rotary_pct=0.4, rotary_emb_base=1000))
    opt = dict(vocab_size=59, hidden_size=35, num_hidden_layers=3, num_attention_heads=5, ffn_dim=37, word_embed_proj_dim=35,
               max_position_embeddings=40, bos_token_id=0, eos_token_id=1, pad_token_id=None)
    neox_layers = dict(layers="gpt_neox.layers", lengths=LENGTHS)
    return {
        "gpt2": (t.GPT2LMHeadModel, t.GPT2Config(**gpt2), dict(layers="transformer.h", lengths=LENGTHS)),
        "gpt_neox": (t.GPTNeoXForCausalLM, t.GPTNeoXConfig(**neox, rope_parameters=quarter), dict(neox_layers, **neox_hub)),
        "gpt_neox_sequential": (t.GPTNeoXForCausalLM,
                                t.GPTNeoXConfig(**neox, rope_parameters=quarter, use_parallel_residual=False), neox_layers),
        "opt": (t.OPTForCausalLM, t.OPTConfig(**opt), dict(layers="model.decoder.layers", lengths=LENGTHS)),
    }


def cases():
    return {**llama_cases(), **qwen_cases(), **gemma_cases(), **phi_cases(), **older_cases()}
