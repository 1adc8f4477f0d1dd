// The large map: a canvas of the window's size that stays in sight while an empty box as large as the whole map scrolls under it. So
// labels stay at the edges, any map scrolls as pages do, and only what can be seen is drawn.
const mostCell = 44;
const zoomStep = 1.5;
const gap = 6; // between labels and cells

class MatrixView {
  // `events`: { select(row, column), hover(row, column) or hover(-1, -1), scroll(left, top), zoom(cell) }
  constructor(host, events) {
    this.events = events;
    this.canvas = element("canvas");
    this.spacer = element("div", { className: "spacer" });
    this.scroller = element("div", { className: "scroller", tabIndex: 0, role: "application", "aria-roledescription": "attention map" });
    this.scroller.append(this.canvas, this.spacer);
    host.append(this.scroller);
    this.host = host;
    this.hover = { row: -1, column: -1 };
    this.scroller.addEventListener("scroll", () => {
      this.draw();
      events.scroll(this.scroller.scrollLeft, this.scroller.scrollTop);
    });
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.pointAt(-1, -1));
    this.canvas.addEventListener("click", (event) => {
      const { row, column } = this.cellAt(event);
      if (row >= 0) events.select(row, column);
    });
    this.scroller.addEventListener("keydown", (event) => this.press(event));
    this.scroller.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        events.zoom(this.zoomed(event.deltaY < 0 ? zoomStep : 1 / zoomStep));
      },
      { passive: false },
    );
  }

  // content: { rows, columns, values, scale, colours, threshold, numbers, selected: {row, column}, found: {rows, columns}, name, zoom }
  show(content) {
    const old = this.content;
    const kept = ["values", "scale", "colours", "threshold"].every((name) => old && old[name] === content[name]);
    if (!kept) this.bitmap = null;
    this.content = content;
    this.scroller.setAttribute("aria-label", `${content.name}, ${content.rows.length} by ${content.columns.length}`);
    this.layOut();
    if (!old && content.zoom > 0) this.centre();
    this.draw();
  }

  layOut() {
    const { rows, columns, zoom } = this.content;
    const context = this.canvas.getContext("2d");
    context.font = labelFont;
    const width = Math.max(this.host.clientWidth, 200);
    const isNarrow = width < 480;
    this.left = 20 + gap + longestLabel(context, rows, isNarrow ? 76 : 132);
    this.top = 20 + gap + longestLabel(context, columns, isNarrow ? 76 : 112);
    const across = (width - this.left - gap) / columns.length;
    const down = (roomBelow(this.host) - this.top - gap) / rows.length;
    this.fit = fittingCell(across, rows.length < 9 ? across : down);
    const most = Math.max(roomBelow(this.host), zoom > 0 ? 0 : this.top + rows.length * this.fit + gap);
    const cell = zoom > 0 ? Math.max(zoom, this.fit) : this.fit;
    this.cellWidth = cell;
    this.cellHeight = rows.length < 9 ? Math.max(cell, 22) : cell; // a few rows of a long text
    const factor = Math.max(1, Math.round(1 / (cell * pixelRatio())));
    if (!this.bitmap || this.factor !== factor) this.bitmap = makeBitmap(this.content, factor);
    this.factor = factor;
    const wide = Math.ceil(this.left + columns.length * this.cellWidth + gap);
    const high = Math.ceil(this.top + rows.length * this.cellHeight + gap);
    const scrolls = wide > width || high > most;
    this.scroller.style.overflow = scrolls ? "auto" : "hidden";
    this.scroller.style.height = `${Math.min(high, most) + (scrolls ? 16 : 0)}px`;
    this.spacer.style.width = `${wide}px`;
    this.spacer.style.height = `${high}px`;
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
  }

  draw() {
    if (!this.content) return;
    const { rows, columns } = this.content;
    const context = fitCanvas(this.canvas, this.width, this.height);
    this.x0 = this.left - this.scroller.scrollLeft;
    this.y0 = this.top - this.scroller.scrollTop;
    this.seen = {
      row: Math.max(0, Math.floor((this.top - this.y0) / this.cellHeight)),
      rowEnd: Math.min(rows.length, Math.ceil((this.height - this.y0) / this.cellHeight)),
      column: Math.max(0, Math.floor((this.left - this.x0) / this.cellWidth)),
      columnEnd: Math.min(columns.length, Math.ceil((this.width - this.x0) / this.cellWidth)),
    };
    context.save();
    context.beginPath();
    context.rect(this.left - 1, this.top - 1, this.width, this.height);
    context.clip();
    drawCells(context, this);
    drawMarks(context, this);
    context.restore();
    drawLabels(context, this);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const { rows, columns } = this.content;
    const row = Math.floor((y - this.y0) / this.cellHeight);
    const column = Math.floor((x - this.x0) / this.cellWidth);
    const isInside = x >= this.left && y >= this.top && row >= 0 && column >= 0 && row < rows.length && column < columns.length;
    return isInside ? { row, column } : { row: -1, column: -1 };
  }

  point(event) {
    const { row, column } = this.cellAt(event);
    this.pointAt(row, column);
  }

  pointAt(row, column) {
    if (this.hover.row === row && this.hover.column === column) return;
    this.setHover(row, column);
    this.events.hover(row, column);
  }

  setHover(row, column) {
    this.hover = { row, column };
    this.draw();
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, columns, selected } = this.content;
    const far = event.shiftKey ? 10 : 1;
    const row = Math.max(selected.row, 0);
    const column = Math.max(selected.column, 0);
    const moves = {
      ArrowUp: [row - far, column],
      ArrowDown: [row + far, column],
      ArrowLeft: [row, column - far],
      ArrowRight: [row, column + far],
      Home: [row, 0],
      End: [row, columns.length - 1],
      PageUp: [0, column],
      PageDown: [rows.length - 1, column],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.events.select(clamp(move[0], 0, rows.length - 1), clamp(move[1], 0, columns.length - 1));
    this.reveal();
  }

  // Scrolls so that the chosen cell can be seen.
  reveal() {
    const { row, column } = this.content.selected;
    if (row < 0 || column < 0) return;
    const x = column * this.cellWidth;
    const y = row * this.cellHeight;
    const scroller = this.scroller;
    const roomX = this.width - this.left - this.cellWidth;
    const roomY = this.height - this.top - this.cellHeight;
    scroller.scrollLeft = clamp(scroller.scrollLeft, x - roomX, x);
    scroller.scrollTop = clamp(scroller.scrollTop, y - roomY, y);
  }

  centre() {
    const { row, column } = this.content.selected;
    if (row < 0 || column < 0) return;
    this.scroller.scrollLeft = (column + 0.5) * this.cellWidth - (this.width - this.left) / 2;
    this.scroller.scrollTop = (row + 0.5) * this.cellHeight - (this.height - this.top) / 2;
  }

  // A cell's size after a zoom; 0 stands for all of the map.
  zoomed(factor) {
    const cell = clamp(this.cellWidth * factor, this.fit, mostCell);
    return cell <= this.fit * 1.01 ? 0 : cell >= 3 ? Math.round(cell) : cell;
  }
}

// A cell's side for a map to be seen whole. Small cells are a whole number of device pixels, or a whole number of them is one; a map of
// many tokens takes the page's width, and the page scrolls to see it all.
function fittingCell(across, down) {
  const cell = Math.min(36, across, down < 4 ? Infinity : down);
  if (cell >= 3) return Math.floor(cell);
  const pixels = cell * pixelRatio();
  if (pixels >= 1) return (pixels < 1.3 ? 1 : pixels) / pixelRatio();
  return 1 / (Math.ceil(1 / pixels) * pixelRatio());
}

// Width of the longest label, at most `most`.
const longestKnown = new WeakMap();
function longestLabel(context, entries, most) {
  if (!longestKnown.has(entries)) longestKnown.set(entries, Math.max(8, ...entries.map((entry) => context.measureText(entry.name).width)));
  return Math.ceil(Math.min(longestKnown.get(entries), most)) + 2;
}

// How high a picture may be so that it, and the legend below it, fit the window when the page is not scrolled.
function roomBelow(host) {
  const top = host.getBoundingClientRect().top + window.scrollY;
  return Math.max(360, window.innerHeight - top - 68);
}
