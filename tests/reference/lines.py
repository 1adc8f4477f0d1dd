"""Two hundred varied lines for the default model's goldens: several scripts, pairs, and lengths from 3 to about 200 tokens.

The sentences are our own. Which are joined, and which stand as pairs, is decided by a seeded generator.
"""

import random

SENTENCES = """
The animal didn't cross the street because it was too tired.
The animal didn't cross the street because it was too wide.
A small lantern hung above the door and swung in the wind.
Nobody had expected the orchestra to play the same piece twice.
She handed the keys to her neighbour, who promised to water the plants.
When the river rose, the farmers moved their cattle to the hill.
I read your letter (twice!) before I understood what you meant.
Prices rose by 3.75% in 2019, then fell below $1,200.
The committee that the mayor had appointed resigned on Tuesday.
def add(a, b): return a + b  # not a sentence
To whom it may concern: the lift is out of order.
Rain. More rain. And then, at last, the sun.
He said that he'd've gone if they hadn't asked him not to.
The trophy doesn't fit into the suitcase because it is too large.
Paul tried to call George on the phone, but he wasn't available.
Visit https://example.org/a?b=c&d=e or write to info@example.org today.
Der alte Mann öffnete langsam das Fenster und hörte den Vögeln zu.
Übermorgen fahren wir mit dem Nachtzug über die Grenze.
Le chat blanc dort sur le mur près de la fenêtre ouverte.
Où êtes-vous allés pendant les vacances d'été ?
La niña encontró una moneda antigua debajo de la alfombra.
¿Por qué no vienes mañana a comer con nosotros?
Il treno per Bologna parte dal binario sette fra dieci minuti.
O barco voltou ao porto antes da tempestade.
De fietser stopte bij de brug en keek naar het water.
Kot zjadł rybę, a potem zasnął na półce z książkami.
Starý most přes řeku se opravuje už třetí rok.
Čaj je na stole, ale nikdo ho nepije.
Книга лежит на столе, а очки куда-то пропали.
Вчера мы долго гуляли по берегу реки.
Η θάλασσα ήταν ήρεμη και ο ουρανός καθαρός.
הספר מונח על השולחן ליד החלון.
القطة نائمة على الكرسي بجانب الباب.
बच्चे बगीचे में खेल रहे हैं।
猫在窗台上睡觉。
昨日は友達と図書館で勉強しました。
아이들이 공원에서 놀고 있다.
แมวนอนอยู่บนเก้าอี้
Con mèo đang ngủ trên ghế cạnh cửa sổ.
Kedi pencerenin önünde uyuyor.
Party tonight 🎉🎉 bring your own 🍕!!!
¡¿Qué?! ... -- "quoted" 'text' [in] {braces} <tags/> & more
antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis
x y z a b c d e f g
""".strip().splitlines()


def varied_lines(n_lines=200, seed=11):
    """Pairs (text, second text or None)."""
    rng = random.Random(seed)
    lines = [(sentence, None) for sentence in SENTENCES]
    lines += [("Yes", None), ("?", None), ("日本", None), ("stop it", None)]
    while len(lines) < n_lines:
        n_joined = rng.choice([1, 1, 2, 2, 3, 4, 6, 9])
        text = " ".join(rng.sample(SENTENCES, n_joined))
        second = rng.choice(SENTENCES) if rng.random() < 0.35 else None
        lines.append((text, second))
    return lines
