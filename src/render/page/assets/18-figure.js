// What is saved: the shown view as a list of shapes on white or black, which one function draws on a canvas and another writes as SVG.
// Shapes: { rect: [x, y, width, height], fill }, { text, at: [x, y], size, fill, anchor, bold, turned }, { curve: [8 numbers], ... }
// and { image, rect }.
const margin = 20;

function measure(text, size, bold) {
  const context = byId("legend").getContext("2d");
  context.font = `${bold ? "600 " : ""}${size}px ${fontFamily}`;
  return context.measureText(text).width;
}

function figureHead(content, width) {
  const shapes = [{ text: `${content.name}${chosenWord(content)}`, at: [margin, margin + 13], size: 17, fill: inks.ink, bold: true }];
  const notes = [page.model.name, ...page.notes.map(visible), ...viewNotes(), legendText(content)];
  let line = "";
  let y = margin + 34;
  for (const part of notes) {
    const longer = line === "" ? part : `${line}  ·  ${part}`;
    if (line !== "" && measure(longer, 12) > width - 2 * margin) {
      shapes.push({ text: line, at: [margin, y], size: 12, fill: inks.grey });
      y += 17;
      line = part;
    } else {
      line = longer;
    }
  }
  shapes.push({ text: line, at: [margin, y], size: 12, fill: inks.grey });
  return { shapes, bottom: y + 22 };
}

// Of the views that are about one word: which.
function chosenWord({ rows, columns, selected }) {
  const isFrom = state.facing === "from" || state.tab === "lines";
  const entry = isFrom ? rows[selected.row] : columns[selected.column];
  if (state.tab === "map" || !entry) return "";
  return isFrom ? `: what “${entry.label}” attends to` : `: what attends to “${entry.label}”`;
}

function viewNotes() {
  return [...(state.words ? ["pieces merged into words"] : []), ...(state.special ? [] : ["special tokens hidden"])];
}

function mapFigure(content) {
  const { rows, columns } = content;
  const n = Math.max(rows.length, columns.length);
  const cell = n <= 32 ? 24 : Math.max(n <= 600 ? 2 : 1, Math.floor(780 / n));
  const longest = (entries) => Math.min(170, Math.max(20, ...entries.slice(0, 400).map((entry) => measure(entry.name, 12.5))));
  const left = margin + 18 + longest(rows) + 8;
  const width = Math.max(left + columns.length * cell + 80, 380);
  const { shapes, bottom } = figureHead(content, width);
  const top = bottom + 12 + longest(columns) + 8;
  const place = { x: left, y: top, cell };
  shapes.push(...cellShapes(content, place), ...labelShapes(content, place, bottom));
  shapes.push(...barShapes(content, left + columns.length * cell + 16, top));
  return { width, height: Math.max(top + rows.length * cell, top + 160) + margin, shapes };
}

// Cells one by one where they can be told apart; larger maps are an image in the picture.
function cellShapes(content, { x, y, cell }) {
  const { rows, columns, values, scale, colours, threshold, selected } = content;
  const box = [x, y, columns.length * cell, rows.length * cell];
  const shapes = [];
  if (Math.max(rows.length, columns.length) > 64) {
    shapes.push({ image: makeBitmap(content, 1), rect: box });
  } else {
    for (let i = 0; i < values.length; i += 1) {
      const r = Math.floor(i / columns.length);
      const isShown = Math.abs(values[i]) >= threshold;
      const place = isShown ? placeOf(scale, values[i], r) : scale.signed ? 0.5 : 0;
      const at = [x + (i % columns.length) * cell, y + r * cell];
      shapes.push({ rect: [...at, cell - 1, cell - 1], fill: Number.isNaN(values[i]) ? inks.frame : cssColour(colours, place) });
      if (!content.numbers || cell < 20 || !isShown) continue;
      const text = values[i].toFixed(2).replace(/^(-?)0\./, "$1.").replace("1.00", "1.0");
      shapes.push({ text, at: [at[0] + cell / 2, at[1] + cell / 2 + 3.5], size: 10, fill: inkOn(colours, place), anchor: "middle" });
    }
  }
  shapes.push({ rect: box, stroke: inks.frame, width: 1 });
  if (selected.row >= 0 && selected.column >= 0) {
    shapes.push({ rect: [x + selected.column * cell, y + selected.row * cell, cell - 1, cell - 1], stroke: inks.warm, width: 1.5 });
  }
  return shapes;
}

function labelShapes({ rows, columns }, { x, y, cell }, bottom) {
  const step = Math.max(1, Math.ceil(13 / cell));
  const shapes = [
    { text: "key (attended to)", at: [x, bottom + 2], size: 11.5, fill: inks.grey },
    { text: "query (attends)", at: [margin + 8, y + 90], size: 11.5, fill: inks.grey, turned: true },
  ];
  rows.forEach((entry, i) => {
    if (i % step === 0) shapes.push({ text: shortened(entry.name), at: [x - 7, y + (i + 0.5) * cell + 4], size: 12.5, fill: labelColour(entry), anchor: "end" });
    if (i % step === 0 && step > 1) shapes.push({ rect: [x - 4, y + (i + 0.5) * cell - 0.5, 3, 1], fill: inks.grey });
  });
  columns.forEach((entry, i) => {
    if (i % step === 0) shapes.push({ text: shortened(entry.name), at: [x + (i + 0.5) * cell + 4, y - 7], size: 12.5, fill: labelColour(entry), turned: true });
    if (i % step === 0 && step > 1) shapes.push({ rect: [x + (i + 0.5) * cell - 0.5, y - 4, 1, 3], fill: inks.grey });
  });
  return shapes;
}

function shortened(text) {
  let short = text;
  while (measure(short, 12.5) > 170) short = `${[...short].slice(0, -2).join("")}…`;
  return short;
}

function barShapes({ scale, colours }, x, y) {
  const high = 140;
  const shapes = [];
  for (let i = 0; i < high; i += 1) shapes.push({ rect: [x, y + high - 1 - i, 11, 1.2], fill: cssColour(colours, i / (high - 1)) });
  for (const { place, text } of legendTicks(scale)) {
    const at = y + (1 - place) * high;
    shapes.push({ rect: [x + 11, at - 0.5, 3, 1], fill: inks.grey }, { text, at: [x + 17, at + 4], size: 11, fill: inks.grey });
  }
  return shapes;
}

function linesFigure(content) {
  const { rows, columns, selected } = content;
  const context = byId("legend").getContext("2d");
  const shape = linesShape(640, content, context);
  const { shapes, bottom } = figureHead(content, 680);
  const step = 22;
  const y = (at) => bottom + 22 + (at + 0.5) * step;
  const curve = ({ row, column, weight }, stroke, strength) => {
    const style = linkStyle(weight, content);
    const bend = (shape.to - shape.from) * 0.45;
    const points = [shape.from, y(row), shape.from + bend, y(row), shape.to - bend, y(column), shape.to, y(column)];
    return { curve: points.map((value, i) => (i % 2 ? value : value + margin)), stroke, width: style.width, opacity: clamp(style.opacity * strength, 0, 1) };
  };
  const links = linksToDraw(content);
  for (const link of links) if (link.row !== selected.row) shapes.push(curve(link, inks.link, 0.75 * crowding(links.length)));
  for (const link of linksOfRow(content, selected.row)) shapes.push(curve(link, inks.warm, 1.9));
  const label = (entry, i, x, anchor, bold) => ({ text: shortened(entry.name), at: [x + margin, y(i) + 4], size: 12.5, fill: bold ? inks.warm : labelColour(entry), anchor, bold });
  rows.forEach((entry, i) => shapes.push(label(entry, i, shape.from - gap, "end", i === selected.row)));
  columns.forEach((entry, i) => shapes.push(label(entry, i, shape.to + gap, "start", false)));
  shapes.push({ text: "query (attends)", at: [shape.from - gap + margin, bottom + 8], size: 11.5, fill: inks.grey, anchor: "end" });
  shapes.push({ text: "key (attended to)", at: [shape.to + gap + margin, bottom + 8], size: 11.5, fill: inks.grey });
  return { width: 680, height: y(Math.max(rows.length, columns.length)) + margin, shapes };
}

// The sentence, broken at 680 pixels.
function textFigure(content) {
  const { rows, columns, selected, values } = content;
  const isFrom = state.facing === "from";
  const shaded = isFrom ? columns : rows;
  const chosen = isFrom ? selected.row : selected.column;
  const { shapes, bottom } = figureHead(content, 720);
  const weights = shaded.map((_, i) => (chosen < 0 ? 0 : isFrom ? values[chosen * columns.length + i] : values[i * columns.length + chosen]));
  const high = content.scale.kind === "row" ? Math.max(...weights, 1e-30) : content.scale.high;
  const scale = { ...content.scale, high, kind: content.scale.kind === "log" ? "log" : "linear" };
  let x = margin;
  let y = bottom + 18;
  shaded.forEach((entry, i) => {
    const width = measure(entry.piece, 17);
    if (i > 0) x += measure(entry.gap.replaceAll("\n", ""), 17);
    if (i > 0 && (entry.gap.includes("\n") || x + width > 700)) {
      x = margin;
      y += 30;
    }
    const place = weights[i] >= content.threshold ? placeOf(scale, weights[i], 0) : 0;
    if (place > 0.004) shapes.push({ rect: [x - 1, y - 17, width + 2, 23], fill: cssColour(content.colours, place) });
    shapes.push({ text: entry.piece, at: [x, y], size: 17, fill: place > 0.004 ? inkOn(content.colours, place) : labelColour(entry) });
    if (sameTokens && i === chosen) shapes.push({ rect: [x, y + 7, width, 2], fill: inks.warm });
    x += width;
  });
  return { width: 720, height: y + 30, shapes };
}
