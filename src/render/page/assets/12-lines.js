// Queries left, keys right, a curve for each link: its width and strength are the weight. The chosen query's links are warm, the others
// faint. Scrolls as the large map does.
const mostLines = 600;

class LinesView {
  constructor(host, events) {
    this.events = events;
    this.host = host;
    this.canvas = element("canvas");
    this.spacer = element("div", { className: "spacer" });
    this.scroller = element("div", { className: "scroller", tabIndex: 0, role: "application", "aria-roledescription": "lines between words" });
    this.scroller.append(this.canvas, this.spacer);
    host.append(this.scroller);
    this.hover = -1;
    this.scroller.addEventListener("scroll", () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.pointAt(-1));
    this.canvas.addEventListener("click", (event) => {
      const place = this.placeAt(event);
      if (place.row >= 0) events.select(place.row, strongestOfRow(this.content, place.row));
      if (place.column >= 0) events.select(Math.max(this.content.selected.row, 0), place.column);
    });
    this.scroller.addEventListener("keydown", (event) => this.press(event));
  }

  show(content) {
    const wasShown = this.content !== undefined;
    if (this.content?.values !== content.values || this.content?.threshold !== content.threshold) this.links = null;
    this.content = content;
    this.links ??= linksToDraw(content);
    this.scroller.setAttribute("aria-label", `${content.name}, links between ${content.rows.length} queries and ${content.columns.length} keys`);
    this.layOut();
    if (!wasShown) this.reveal();
    this.draw();
  }

  layOut() {
    const { rows, columns } = this.content;
    const most = roomBelow(this.host);
    const n = Math.max(rows.length, columns.length);
    this.step = clamp(Math.floor((most - 40) / n), 18, 28);
    const high = 34 + n * this.step;
    this.scroller.style.height = `${Math.min(high, most)}px`;
    this.scroller.style.overflow = high > most ? "hidden auto" : "hidden";
    this.spacer.style.height = `${high}px`;
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    this.shape = linesShape(this.width, this.content, this.canvas.getContext("2d"));
  }

  draw() {
    if (!this.content) return;
    const context = fitCanvas(this.canvas, this.width, this.height);
    const top = 30 - this.scroller.scrollTop;
    drawLines(context, this, top);
  }

  placeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = Math.floor((event.clientY - box.top - 30 + this.scroller.scrollTop) / this.step);
    const x = event.clientX - box.left;
    const isLeft = x < (this.shape.from + this.shape.to) / 2;
    return {
      row: isLeft && at >= 0 && at < this.content.rows.length ? at : -1,
      column: !isLeft && at >= 0 && at < this.content.columns.length ? at : -1,
    };
  }

  point(event) {
    this.pointAt(this.placeAt(event).row);
  }

  pointAt(row) {
    if (row === this.hover) return;
    this.hover = row;
    this.draw();
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, columns, selected } = this.content;
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const row = clamp(selected.row + move[0], 0, rows.length - 1);
    const column = move[0] !== 0 ? strongestOfRow(this.content, row) : clamp(selected.column + move[1], 0, columns.length - 1);
    this.events.select(row, column);
    this.reveal();
  }

  reveal() {
    const y = Math.max(this.content.selected.row, 0) * this.step;
    this.scroller.scrollTop = clamp(this.scroller.scrollTop, y + 4 * this.step + 30 - this.height, y - 3 * this.step);
  }
}

function strongestOfRow({ values, columns }, row) {
  let best = 0;
  for (let c = 1; c < columns.length; c += 1) {
    if (values[row * columns.length + c] > values[row * columns.length + best]) best = c;
  }
  return best;
}

// Where the curves begin and end.
function linesShape(width, { rows, columns }, context) {
  context.font = labelFont;
  const most = Math.max(60, width * 0.3);
  const from = longestLabel(context, rows, most) + gap;
  const to = width - longestLabel(context, columns, most) - gap;
  const spare = Math.max(0, to - from - 420) / 2; // curves of a page's width are hard to follow
  return { from: from + spare, to: to - spare, most };
}

// The strongest links of all rows; what is below the threshold, or a hundredth of the maximum, is nothing to see.
function linksToDraw({ values, columns, threshold, scale }) {
  const least = Math.max(threshold, scale.maximum / 100);
  let links = [];
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] >= least) links.push(i);
  }
  links.sort((a, b) => values[b] - values[a]);
  links = links.slice(0, mostLines).reverse(); // strong ones are drawn last
  return links.map((i) => ({ row: Math.floor(i / columns.length), column: i % columns.length, weight: values[i] }));
}

// Many lines are fainter, so that where they meet is not one surface.
function crowding(n) {
  return Math.min(1, Math.sqrt(90 / Math.max(n, 1)));
}

function linkStyle(weight, content) {
  const place = Math.min(weight / (content.scale.maximum || 1), 1);
  return { width: 0.5 + 3.5 * place, opacity: 0.08 + 0.5 * place };
}

function drawLines(context, view, top) {
  const { content, shape, step, hover } = view;
  const chosen = hover >= 0 ? hover : content.selected.row;
  const y = (at) => top + (at + 0.5) * step;
  const curve = ({ row, column, weight }, colour, strength) => {
    const style = linkStyle(weight, content);
    const bend = (shape.to - shape.from) * 0.45;
    context.globalAlpha = clamp(style.opacity * strength, 0, 1);
    context.strokeStyle = colour;
    context.lineWidth = style.width;
    context.beginPath();
    context.moveTo(shape.from, y(row));
    context.bezierCurveTo(shape.from + bend, y(row), shape.to - bend, y(column), shape.to, y(column));
    context.stroke();
  };
  const isSeen = (link) => Math.max(y(link.row), y(link.column)) > 0 && Math.min(y(link.row), y(link.column)) < view.height;
  const strength = (chosen >= 0 ? 0.75 : 1.4) * crowding(view.links.length);
  for (const link of view.links) {
    if (link.row !== chosen && isSeen(link)) curve(link, inks.link, strength);
  }
  for (const link of linksOfRow(content, chosen)) curve(link, inks.warm, 1.9);
  context.globalAlpha = 1;
  drawLineLabels(context, view, { y, chosen });
}

function linksOfRow({ values, columns, threshold, scale }, row) {
  if (row < 0) return [];
  const links = columns.map((_, column) => ({ row, column, weight: values[row * columns.length + column] }));
  const least = Math.max(threshold, scale.maximum / 200);
  return links.filter((link) => link.weight >= least).sort((a, b) => a.weight - b.weight);
}

function drawLineLabels(context, view, { y, chosen }) {
  const { content, shape, step } = view;
  const reached = new Set(linksOfRow(content, chosen).filter((link) => link.weight > content.scale.maximum / 20).map((link) => link.column));
  context.textBaseline = "middle";
  const side = (entries, x, align, isStrong, found) => {
    context.textAlign = align;
    entries.forEach((entry, i) => {
      if (y(i) < 24 || y(i) > view.height + step) return;
      context.font = isStrong(i) ? boldFont : labelFont;
      const text = elide(context, entry.name, shape.most);
      if (found.includes(i)) {
        context.fillStyle = inks.mark;
        const width = context.measureText(text).width;
        context.fillRect(align === "right" ? x - width - 3 : x - 3, y(i) - 9, width + 6, 18);
      }
      context.fillStyle = isStrong(i) ? inks.warm : labelColour(entry);
      context.fillText(text, x, y(i));
    });
  };
  side(content.rows, shape.from - gap, "right", (i) => i === chosen, content.found.rows);
  side(content.columns, shape.to + gap, "left", (i) => reached.has(i), content.found.columns);
  context.font = smallFont;
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, view.width, 22);
  context.fillStyle = inks.grey;
  context.textAlign = "right";
  context.fillText("query (attends)", Math.max(shape.from - gap, 84), 11);
  context.textAlign = "left";
  context.fillText("key (attended to)", Math.min(shape.to + gap, view.width - 96), 11);
}
