// The sentence as a sentence, each word shaded by its weight to or from the chosen word, which is underlined. A click chooses another.
class TextView {
  constructor(host, events) {
    this.events = events;
    const facing = (value, text) => {
      const input = element("input", { type: "radio", name: `facing-${events.id}`, value });
      input.addEventListener("change", () => update({ facing: value }));
      return [input, element("label", { className: "check" }, input, ` ${text}`)];
    };
    [this.from, this.fromLabel] = facing("from", "what the word attends to");
    [this.to, this.toLabel] = facing("to", "what attends to the word");
    this.line = element("p", { className: "text-line" });
    this.queries = element("div", { className: "sentence queries", role: "listbox", "aria-label": "Word that attends" });
    this.words = element("div", { className: "sentence", role: "listbox", "aria-label": "The text, shaded by weight" });
    const choice = element("div", { className: "facing", role: "radiogroup", "aria-label": "Shading" }, this.fromLabel, this.toLabel);
    host.append(choice, this.line, this.queries, this.words);
    for (const box of [this.words, this.queries]) {
      rove(box, "[role=option]", () => 8);
      box.addEventListener("click", (event) => this.choose(event));
      box.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") this.choose(event);
      });
    }
  }

  choose(event) {
    const word = event.target.closest("[role=option]");
    if (!word) return;
    event.preventDefault();
    const at = Number(word.dataset.at);
    const { content } = this;
    if (word.parentElement === this.queries) this.events.select(at, strongestOfRow(content, at));
    else if (sameTokens && state.facing === "from") this.events.select(at, strongestOfRow(content, at));
    else this.events.select(Math.max(content.selected.row, 0), at);
  }

  show(content) {
    this.content = content;
    this.from.checked = state.facing === "from";
    this.to.checked = state.facing === "to";
    const isFrom = state.facing === "from";
    const shaded = isFrom ? content.columns : content.rows;
    const other = isFrom ? content.rows : content.columns;
    const chosen = isFrom ? content.selected.row : content.selected.column;
    this.queries.hidden = sameTokens;
    if (!sameTokens) this.fill(this.queries, other, { weightOf: null, chosen });
    const nColumn = content.columns.length;
    const weightOf = (i) => (chosen < 0 ? 0 : isFrom ? content.values[chosen * nColumn + i] : content.values[i * nColumn + chosen]);
    this.fill(this.words, shaded, { weightOf, chosen: sameTokens ? chosen : -1, isFrom });
    this.describe(other[chosen], isFrom);
    this.words.classList.toggle("long", shaded.length > 120);
    this.words.style.maxHeight = `${roomBelow(this.words)}px`;
    this.reveal();
  }

  // Scrolls a long text, but not the page, to the chosen word.
  reveal() {
    const box = sameTokens ? this.words : this.queries;
    const word = box.querySelector("[aria-selected=true]");
    if (!word) return;
    const top = word.offsetTop;
    box.scrollTop = clamp(box.scrollTop, top + word.offsetHeight + 24 - box.clientHeight, Math.max(0, top - 24));
  }

  describe(entry, isFrom) {
    if (!entry) {
      this.line.textContent = "The chosen word is not shown. Choose another.";
      return;
    }
    const name = element("b", {}, entry.label);
    this.line.replaceChildren(...(isFrom ? [name, " attends to"] : ["what attends to ", name]));
  }

  fill(box, entries, { weightOf, chosen, isFrom }) {
    const { content } = this;
    const found = box === this.words && !isFrom ? content.found.rows : content.found.columns;
    let most = 0;
    if (weightOf) entries.forEach((_, i) => (most = Math.max(most, weightOf(i) || 0)));
    const high = content.scale.kind === "row" ? most : content.scale.high;
    const scale = { ...content.scale, kind: content.scale.kind === "row" ? "linear" : content.scale.kind, high: high || 1 };
    if (box.children.length === 0 || box.entries !== entries) buildWords(box, entries);
    const words = box.querySelectorAll("[role=option]");
    setStop(words, words[Math.max(chosen, 0)]);
    entries.forEach((entry, i) => {
      const word = words[i];
      word.setAttribute("aria-selected", i === chosen);
      word.classList.toggle("found", found.includes(i));
      if (!weightOf) return;
      const weight = weightOf(i);
      const place = weight >= content.threshold ? placeOf(scale, weight, 0) : 0;
      word.style.backgroundColor = place > 0.004 ? cssColour(content.colours, place) : "";
      word.style.color = place > 0.004 ? inkOn(content.colours, place) : "";
      const text = weightText(weight, content.maximum, entry.end - entry.first);
      word.title = text;
      word.setAttribute("aria-label", `${entry.label} ${text}`);
      word.dataset.weight = state.values && place > 0.03 ? weight.toFixed(2).replace(/^0/, "") : "";
    });
  }
}

// Words and what is between them; a line end of the text ends the line.
function buildWords(box, entries) {
  box.entries = entries;
  box.replaceChildren();
  entries.forEach((entry, i) => {
    if (i > 0) {
      entry.gap.split("\n").forEach((part, n) => {
        if (n > 0) box.append(element("br"));
        box.append(part);
      });
    }
    const kind = `word${entry.special ? " special" : ""}${entry.made ? " made" : ""}`;
    const word = element("span", { className: kind, role: "option", tabIndex: -1, dir: "auto" }, entry.piece);
    word.dataset.at = i;
    box.append(word);
  });
}
