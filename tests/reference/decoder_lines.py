"""Fifty texts for the default decoder's golden, and the prompts it continues: several scripts, code, odd spaces, 1 to about 60 tokens."""

from lines import SENTENCES

CODE = [
    "for (int i = 0; i < n; ++i) sum += weights[i] * values[i];",
    "def mean(values):\n    total = 0.0\n    for value in values:\n        total += value\n    return total / len(values)\n",
    "SELECT name, COUNT(*) FROM rooms WHERE floor > 2 GROUP BY name ORDER BY 2 DESC;",
    '{"layer": 13, "head": 8, "weights": [0.75, 0.125, 0.125], "causal": true}',
    "#!/bin/sh\nset -eu\nfor file in *.txt; do\n\twc -l \"$file\"\ndone\n",
    "\\frac{QK^T}{\\sqrt{d_k}} + M",
]
SHORT = ["Hello", "?", "日", "    ", "\n\n", "a b", "12345678901234567890", "🎉", "ẞ", "The the THE tHe"]
LONG = [
    "Once the lamps were lit, the whole village came down to the harbour to see whether the boats, which had left before the "
    "storm and had not been heard of since, would find their way home through the fog that lay over the bay.",
    "The recipe is simple: two eggs, 250 g of flour, a pinch of salt, half a litre of milk; stir, wait for thirty minutes, and "
    "fry in a hot pan (not too hot!) until both sides are golden - then eat them at once, with sugar and lemon.",
    "Q: What is the capital of France?\nA: Paris.\nQ: What is the capital of Italy?\nA: Rome.\nQ: What is the capital of Japan?\nA:",
    "one two three four five six seven eight nine ten eleven twelve one two three four five six seven eight nine ten eleven twelve",
]
PROMPTS = [
    "The capital of France is",
    "Once upon a time there was a small dog who",
    "def fibonacci(n):\n",
    "The animal didn't cross the street because",
    "1, 2, 3, 4, 5,",
]


def decoder_lines(n_lines=50):
    own = CODE + SHORT + LONG
    step = len(SENTENCES) / (n_lines - len(own))
    return own + [SENTENCES[int(i * step)] for i in range(n_lines - len(own))]
