// The chosen pair in numbers: its weight, its place among others, the same pair in every head, and the strongest of its row and column.
function showReading(content) {
  const { rows, columns, selected, values } = content;
  const row = rows[selected.row];
  const column = columns[selected.column];
  if (!row || !column) {
    byId("pair-title").textContent = "The chosen pair is not shown";
    byId("pair").replaceChildren(element("p", { className: "hint" }, "Choose a cell, or show special tokens again."));
  } else {
    showPair(content, row, column);
  }
  const nColumn = columns.length;
  const rowValues = selected.row < 0 ? [] : Array.from(columns, (_, c) => values[selected.row * nColumn + c]);
  const columnValues = selected.column < 0 ? [] : Array.from(rows, (_, r) => values[r * nColumn + selected.column]);
  setTitle("row-title", row, "attends to");
  setTitle("column-title", column, "is attended to by");
  showBars(byId("row-bars"), columns, rowValues, { content, at: selected.column, pick: (c) => selectEntry(selected.row, c) });
  showBars(byId("column-bars"), rows, columnValues, { content, at: selected.row, pick: (r) => selectEntry(r, selected.column) });
  showLinks(content);
}

function setTitle(id, entry, tail) {
  byId(id).replaceChildren(...(entry ? [element("bdi", {}, entry.label), placeElement(entry), ` ${tail}`] : [""]));
}

// Which of several equal words it is, small.
function placeElement(entry) {
  return entry.place ? element("small", { className: "place" }, ` ${entry.place}`) : "";
}

function showPair(content, row, column) {
  const { values, columns, rows, selected } = content;
  const weight = values[selected.row * columns.length + selected.column];
  let rank = 1;
  columns.forEach((_, c) => (rank += values[selected.row * columns.length + c] > weight ? 1 : 0));
  let received = 0;
  rows.forEach((_, r) => (received += values[r * columns.length + selected.column] || 0));
  byId("pair-title").replaceChildren(element("bdi", {}, row.label), placeElement(row), " → ", element("bdi", {}, column.label), placeElement(column));
  const big = weightElement(weight, content.maximum, column.end - column.first);
  big.className = "big";
  big.id = "pair-weight";
  const digits = page.exact ? element("span", { className: "digits", id: "pair-digits" }, allDigits(weight)) : "";
  const facts = element(
    "p",
    { className: "facts", id: "pair-facts" },
    `${ordinal(rank)} of ${columns.length} in its row · ${percent(weight / received)} of all that ${column.label} receives`,
  );
  const lines = [...pinnedLine(row, column, weight), facts, ...scoreLine(content, row, column)];
  byId("pair").replaceChildren(element("p", { className: "weight-line" }, big, " ", digits), ...lines, everyHead);
  showEveryHead(row, column);
}

// q·k of the pair as softmax gets it, and how far under the row's highest: for two tokens, since words have no score of their own.
function scoreLine({ values, columns, selected }, row, column) {
  if (row.end - row.first > 1 || column.end - column.first > 1) return [];
  const weight = values[selected.row * columns.length + selected.column];
  const score = scoreOf(state.map, row.first, weight);
  if (score === null) return [];
  let highest = 0;
  columns.forEach((_, c) => (highest = Math.max(highest, values[selected.row * columns.length + c] || 0)));
  const about = page.exact ? "" : "≈";
  const below = Math.log(highest / weight);
  const rest = below > 0 ? `${about}${below.toFixed(2)} under the row’s highest` : "the row’s highest";
  const text = `score q·k/√d ${about}${score.toFixed(2).replace("-", "−")} before softmax, ${rest}`;
  return [element("p", { className: "facts", id: "pair-score" }, text)];
}

function pinnedLine(row, column, weight) {
  if (state.pin < 0 || !unpacked[state.pin]) return [];
  const other = entryWeight(unpacked[state.pin], row, column);
  const text = `${mapName(state.pin)}: ${weightText(other, page.maps[state.pin].maximum)} · difference ${signedText(weight - other)}`;
  return [element("p", { className: "facts", id: "pair-pinned" }, text)];
}

// The pair in all heads: a small grid on one scale, and the strongest by name. Heads appear as their maps are unpacked.
const everyHeadCanvas = element("canvas", { id: "pair-heads", role: "img" });
const everyHeadList = element("p", { className: "facts every-head-list" });
const everyHead = element("div", { className: "every-head" }, element("h3", {}, reduced.by ? "The same pair in every map" : "The same pair in every head"), everyHeadCanvas, everyHeadList);
const everyHeadLeft = 22;
const everyHeadTop = 14;
let everyHeadEntries = null;

function showEveryHead(row, column) {
  everyHead.hidden = page.maps.length === 1;
  everyHeadEntries = { row, column };
  if (!everyHead.hidden) drawEveryHead();
}

function drawEveryHead() {
  if (!everyHeadEntries || everyHead.hidden) return;
  const { row, column } = everyHeadEntries;
  const weights = page.maps.map((_, index) => (unpacked[index] ? entryWeight(unpacked[index], row, column) : NaN));
  const most = weights.reduce((best, weight) => (weight > best ? weight : best), 0) || 1;
  const side = clamp(Math.floor(Math.min(264 / heads.length, 240 / layers.length)), 6, 20);
  const context = fitCanvas(everyHeadCanvas, everyHeadLeft + heads.length * side, everyHeadTop + layers.length * side);
  const colours = palette(state.colours, isDark());
  drawHeadNumbers(context, side);
  weights.forEach((weight, index) => {
    const x = everyHeadLeft + heads.indexOf(page.maps[index].head) * side;
    const y = everyHeadTop + layers.indexOf(page.maps[index].layer) * side;
    context.fillStyle = Number.isNaN(weight) ? inks.frame : cssColour(colours, weight / most);
    context.fillRect(x, y, side - 1, side - 1);
    if (index !== state.map) return;
    context.strokeStyle = inks.warm;
    context.lineWidth = 1.5;
    context.strokeRect(x + 0.5, y + 0.5, side - 2, side - 2);
  });
  const order = weights.map((_, index) => index).filter((index) => weights[index] > 0);
  order.sort((a, b) => weights[b] - weights[a]);
  const best = order.slice(0, 3);
  everyHeadCanvas.setAttribute("aria-label", best.map((index) => `${mapName(index)} ${weightText(weights[index], page.maps[index].maximum)}`).join("; ") || "no weight");
  everyHeadList.replaceChildren(...best.map((index) => headButton(index, weightText(weights[index], page.maps[index].maximum))));
}

// Layers and heads along the edges, as many as fit.
function drawHeadNumbers(context, side) {
  context.font = `9.5px ${fontFamily}`;
  context.fillStyle = inks.grey;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const layerStep = Math.ceil(12 / side);
  const headStep = Math.ceil((context.measureText(`H${heads.at(-1)}`).width + 3) / side);
  layers.forEach((layer, i) => i % layerStep === 0 && context.fillText(reduced.layers ? "" : `L${layer}`, 0, everyHeadTop + (i + 0.5) * side));
  context.textAlign = "center";
  heads.forEach((head, i) => i % headStep === 0 && context.fillText(reduced.heads ? "" : `H${head}`, everyHeadLeft + (i + 0.5) * side, everyHeadTop / 2));
}

function headButton(index, text) {
  const button = element("button", { type: "button", className: "plain" }, `${shortName(index)} `, element("b", {}, text));
  button.setAttribute("aria-label", `${mapName(index)}, ${text}`);
  button.addEventListener("click", () => update({ map: index }));
  return button;
}

everyHeadCanvas.addEventListener("click", (event) => {
  const box = everyHeadCanvas.getBoundingClientRect();
  const head = heads[Math.floor(((event.clientX - box.left - everyHeadLeft) / (box.width - everyHeadLeft)) * heads.length)];
  const layer = layers[Math.floor(((event.clientY - box.top - everyHeadTop) / (box.height - everyHeadTop)) * layers.length)];
  const index = indexOfMap.get(`${layer}.${head}`);
  if (index !== undefined) update({ map: index });
});

// One bar a word: strongest first, or in the order of the text.
function showBars(box, entries, values, { content, at, pick }) {
  const n = state.more ? 60 : 8;
  let order = values.map((_, i) => i).filter((i) => values[i] !== 0 || i === at);
  order.sort((a, b) => values[b] - values[a] || a - b);
  const head = order.slice(0, n);
  if (at >= 0 && !head.includes(at) && order.includes(at)) head.splice(-1, 1, at);
  order = state.order === "reading" ? head.sort((a, b) => a - b) : head;
  const most = Math.max(...values.map((value) => value || 0), 1e-30);
  const bars = order.map((i) => barElement(entries[i], values[i], { content, most, isChosen: i === at, pick: () => pick(i) }));
  box.replaceChildren(...bars);
  if (bars.length > 0) setStop(bars, bars.find((bar) => bar.getAttribute("aria-selected") === "true") ?? bars[0]);
}

function barElement(entry, value, { content, most, isChosen, pick }) {
  const bar = element("span", { className: "bar-fill" });
  bar.style.width = `${100 * clamp(value / most, 0, 1) || 0}%`;
  const name = element("span", { className: `bar-name${entry.special ? " special" : ""}${entry.made ? " made" : ""}`, dir: "auto" }, entry.label, placeElement(entry));
  const number = weightElement(value, content.maximum, entry.end - entry.first);
  const item = element("div", { className: "bar-item", role: "option", "aria-selected": isChosen, tabIndex: -1 }, name, element("span", { className: "bar-track" }, bar), number);
  item.addEventListener("click", pick);
  return item;
}

function showLinks(content) {
  byId("links-title").textContent = `Strongest links of ${content.name.toLowerCase()}`;
  const links = content.links();
  const items = links.map(({ row, column, weight }) => {
    const item = element(
      "div",
      { className: "bar-item link-item", role: "option", tabIndex: -1, "aria-selected": row === content.selected.row && column === content.selected.column },
      element("span", { className: "bar-name" }, element("bdi", {}, content.rows[row].label), placeElement(content.rows[row]), " → ", element("bdi", {}, content.columns[column].label), placeElement(content.columns[column])),
      weightElement(weight, content.maximum, content.columns[column].end - content.columns[column].first),
    );
    item.addEventListener("click", () => selectEntry(row, column));
    return item;
  });
  byId("links").replaceChildren(...(items.length > 0 ? items : [element("p", { className: "hint" }, "No link between words has any weight.")]));
  if (items.length > 0) setStop(items, items[0]);
}
