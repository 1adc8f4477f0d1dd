#!/usr/bin/env python3
"""Writes what the `gguf` package makes of random blocks of every type, for tests/unit/tensor/blocks_test.cpp.

For each type TYPE.blocks (two rows of stored bytes) and TYPE.values (the same as little-endian f32). Needs numpy and gguf.
Usage: gguf_goldens.py FOLDER, as a rule tests/unit/tensor/data.
"""

import argparse
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

# Where the f16 scales of a block are: everything else may be any byte.
SCALES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
          "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0]}
N_ROWS = 2
ROW_SIZE = 512


def random_rows(rng, name):
    """Random bytes with scales that are numbers: of both signs and many sizes, a zero and a subnormal among them."""
    block_size, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    blocks = rng.integers(0, 256, (N_ROWS * ROW_SIZE // block_size, block_bytes), dtype=np.uint8)
    for place in SCALES[name]:
        scales = (rng.standard_normal(len(blocks)) * 2.0 ** rng.integers(-12, 3, len(blocks))).astype(np.float16)
        scales[-1] = 3e-6
        if len(blocks) > 4:
            scales[1] = 0
        blocks[:, place:place + 2] = scales.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(N_ROWS, -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20)
    for name in SCALES:
        rows = random_rows(rng, name)
        values = dequantize(rows, GGMLQuantizationType[name])
        assert values.shape == (N_ROWS, ROW_SIZE) and np.isfinite(values).all()
        (folder / f"{name}.blocks").write_bytes(rows.tobytes())
        (folder / f"{name}.values").write_bytes(values.astype("<f4").tobytes())


if __name__ == "__main__":
    main()
