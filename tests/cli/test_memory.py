"""Memory of long texts: what is above a short text's grows with the number of tokens, never with its square.

Peaks are those of a fresh child each (wait4); the kernel lets a child begin with its parent's, so that no peak is below that of this
script, about 21 MiB, and small growth does not show. Sanitizers keep memory of their own, so such builds are left out.
"""
import os
import subprocess
import unittest

from harness import PROGRAM, ROOT, SANITIZED, CliTest
from tiny_model import write_tiny_decoder

KIB_A_MIB = 1024
SMOLLM2 = ROOT / "data" / "models" / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"


@unittest.skipIf(SANITIZED, "the sanitizers' memory is not the program's")
class Memory(CliTest):
    def peak(self, *words):
        """Peak memory in MiB of a run that must end well."""
        with open(self.folder / "out", "wb") as stream:
            process = subprocess.Popen([PROGRAM, *words, "--threads", "2"], cwd=self.folder, env=self.environment(), stdout=stream)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss / KIB_A_MIB

    def peak_of_text(self, text, *words):
        return self.peak("--file", self.write("long.txt", text), *words)


class TinyDecoders(Memory):
    """A whole map would be 61 MiB at 4,000 tokens and 977 at 16,000: far more than everything else of these models."""

    N_TOKENS = [4000, 8000, 16000]
    SLACK = 24  # MiB; a single byte for every pair of tokens would be 61 at 8,000 and 244 at 16,000

    def check(self, config):
        model = write_tiny_decoder(self.folder / "tiny", {"max_position_embeddings": 20000, **config})
        words = ["-m", model, "--layer", "1", "--head", "0", "--pool", "64"]
        base = self.peak_of_text("the cat", *words)
        peaks = [self.peak_of_text("the " * (n - 2), *words) - base for n in self.N_TOKENS]
        for half, whole in zip(peaks, peaks[1:]):
            self.assertLess(whole, 2 * half + self.SLACK, (base, peaks))
        self.assertLess(peaks[-1], 80, (base, peaks))

    def test_causal(self):
        self.check({"model_type": "llama"})

    def test_window(self):
        self.check({"model_type": "mistral", "sliding_window": 7})


class DefaultDecoder(Memory):
    def test_twice_the_tokens_take_at_most_twice_the_memory_above_the_weights(self):
        self.assertTrue(SMOLLM2.exists(), f"{SMOLLM2} is not there; make test-models gets it")
        words = ["-m", SMOLLM2, "--layer", "13", "--head", "8", "--pool", "512"]
        self.peak_of_text("the", *words)  # the first run makes a tokenizer that the others find, and takes more for it
        weights = self.peak_of_text("the", *words)
        half, whole = [self.peak_of_text(" the" * n, *words) - weights for n in [1024, 2048]]
        # Measured: 47, then 19 and 33 above it. One whole map more would be 4 and 16, and fail.
        self.assertLess(whole, 2 * half + 4, (weights, half, whole))
        # At 33 MiB for 2,048 tokens, the 8,192 that the model takes need 180 MiB, where 900 are allowed.
        self.assertLess(weights + 4 * whole, 900, (weights, half, whole))


if __name__ == "__main__":
    unittest.main()
