// What a MatrixView draws: cells, marks on them, and labels along the edges.
function drawCells(context, view) {
  const { seen, factor, bitmap, cellWidth, cellHeight, x0, y0, content } = view;
  const ratio = pixelRatio();
  const isWhole = Math.abs(cellWidth * ratio - Math.round(cellWidth * ratio)) < 0.01;
  context.imageSmoothingEnabled = !isWhole && cellWidth * ratio < 3;
  const column = Math.floor(seen.column / factor);
  const row = Math.floor(seen.row / factor);
  const nColumn = Math.ceil(seen.columnEnd / factor) - column;
  const nRow = Math.ceil(seen.rowEnd / factor) - row;
  if (nColumn <= 0 || nRow <= 0) return;
  const wide = cellWidth * factor;
  const high = cellHeight * factor;
  context.drawImage(bitmap, column, row, nColumn, nRow, x0 + column * wide, y0 + row * high, nColumn * wide, nRow * high);
  if (Math.max(content.rows.length, content.columns.length) <= 64 && cellWidth >= 8) drawHairlines(context, view);
  drawBadCells(context, view);
  if (content.numbers && cellWidth >= 26) drawNumbers(context, view);
  context.strokeStyle = inks.frame;
  context.lineWidth = 1;
  context.strokeRect(x0 - 0.5, y0 - 0.5, content.columns.length * cellWidth + 1, content.rows.length * cellHeight + 1);
}

function drawHairlines(context, { seen, cellWidth, cellHeight, x0, y0, content }) {
  const right = x0 + content.columns.length * cellWidth;
  const bottom = y0 + content.rows.length * cellHeight;
  context.fillStyle = inks.ground;
  for (let r = seen.row + 1; r < seen.rowEnd; r += 1) context.fillRect(x0, y0 + r * cellHeight - 1, right - x0, 1);
  for (let c = seen.column + 1; c < seen.columnEnd; c += 1) context.fillRect(x0 + c * cellWidth - 1, y0, 1, bottom - y0);
}

// Cells that hold no weight are hatched, never coloured.
function drawBadCells(context, { seen, cellWidth, cellHeight, x0, y0, content }) {
  if (content.bad === undefined) content.bad = content.values.some((value) => Number.isNaN(value));
  if (!content.bad) return;
  context.strokeStyle = inks.grey;
  context.lineWidth = 1;
  context.beginPath();
  for (let r = seen.row; r < seen.rowEnd; r += 1) {
    for (let c = seen.column; c < seen.columnEnd; c += 1) {
      if (!Number.isNaN(content.values[r * content.columns.length + c])) continue;
      const x = x0 + c * cellWidth;
      const y = y0 + r * cellHeight;
      for (const part of cellWidth > 8 ? [0.5, 1] : [1]) {
        context.moveTo(x, y + cellHeight * part);
        context.lineTo(x + cellWidth * part, y);
      }
      context.moveTo(x + cellWidth * 0.5, y + cellHeight);
      context.lineTo(x + cellWidth, y + cellHeight * 0.5);
    }
  }
  context.stroke();
}

function drawNumbers(context, { seen, cellWidth, cellHeight, x0, y0, content }) {
  context.font = `${Math.min(11.5, cellWidth * 0.38)}px ${fontFamily}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let r = seen.row; r < seen.rowEnd; r += 1) {
    for (let c = seen.column; c < seen.columnEnd; c += 1) {
      const value = content.values[r * content.columns.length + c];
      if (Number.isNaN(value) || Math.abs(value) < content.threshold) continue;
      context.fillStyle = inkOn(content.colours, placeOf(content.scale, value, r));
      context.fillText(value.toFixed(2).replace(/^(-?)0\./, "$1.").replace("1.00", "1.0"), x0 + (c + 0.5) * cellWidth, y0 + (r + 0.5) * cellHeight);
    }
  }
}

function drawMarks(context, view) {
  const { content, hover, cellWidth, cellHeight, x0, y0 } = view;
  if (hover.row >= 0) drawCross(context, view, hover, inks.grey);
  const { row, column } = content.selected;
  if (row < 0 || column < 0) return;
  if (cellWidth < 6) drawCross(context, view, content.selected, inks.warm);
  context.strokeStyle = inks.warm;
  context.lineWidth = 2;
  const side = Math.max(cellWidth, 5);
  context.strokeRect(x0 + (column + 0.5) * cellWidth - side / 2, y0 + (row + 0.5) * cellHeight - side / 2, side - 1, Math.max(cellHeight, 5) - 1);
}

// Lines on both sides of a row and a column.
function drawCross(context, { content, cellWidth, cellHeight, x0, y0 }, { row, column }, colour) {
  const right = x0 + content.columns.length * cellWidth;
  const bottom = y0 + content.rows.length * cellHeight;
  const x = Math.round(x0 + column * cellWidth);
  const y = Math.round(y0 + row * cellHeight);
  context.fillStyle = colour;
  context.globalAlpha = 0.55;
  for (const line of cellHeight < 3 ? [y] : [y - 1, Math.round(y + cellHeight) - 1]) context.fillRect(x0, line, right - x0, 1);
  for (const line of cellWidth < 3 ? [x] : [x - 1, Math.round(x + cellWidth) - 1]) context.fillRect(line, y0, 1, bottom - y0);
  context.globalAlpha = 1;
}

function labelColour(entry) {
  if (entry.made) return inks.made;
  return entry.special ? inks.special : inks.ink;
}

// Every n-th label where they are closer than lines of text, with ticks that say so; those of the chosen and the touched cell always.
function drawLabels(context, view) {
  const { content, seen, hover } = view;
  drawAxisNames(context, view);
  const rowStep = Math.max(1, Math.ceil(13 / view.cellHeight));
  const columnStep = Math.max(1, Math.ceil(13 / view.cellWidth));
  const isFree = (at, over, step) => at % step === 0 && over.every((other) => other === at || Math.abs(other - at) >= step);
  const overRows = [hover.row, content.selected.row].filter((at) => at >= 0);
  const overColumns = [hover.column, content.selected.column].filter((at) => at >= 0);
  for (let r = seen.row; r < seen.rowEnd; r += 1) {
    if (isFree(r, overRows, rowStep)) drawRowLabel(context, view, r, { isThinned: rowStep > 1 });
  }
  for (let c = seen.column; c < seen.columnEnd; c += 1) {
    if (isFree(c, overColumns, columnStep)) drawColumnLabel(context, view, c, { isThinned: columnStep > 1 });
  }
  drawFoundLabels(context, view, { rowStep, columnStep, overRows, overColumns });
  for (const [cell, style] of [
    [hover, { isOver: true }],
    [content.selected, { isOver: true, isChosen: true }],
  ]) {
    const { rows, columns } = content.found;
    if (cell.row >= 0) drawRowLabel(context, view, cell.row, { ...style, isFound: rows.includes(cell.row) });
    if (cell.column >= 0) drawColumnLabel(context, view, cell.column, { ...style, isFound: columns.includes(cell.column) });
  }
}

// Matches of the search, as many as are not on each other.
function drawFoundLabels(context, view, { rowStep, columnStep, overRows, overColumns }) {
  const rows = [...overRows];
  for (const r of view.content.found.rows) {
    if (rows.some((other) => Math.abs(other - r) < rowStep)) continue;
    rows.push(r);
    drawRowLabel(context, view, r, { isOver: true, isFound: true });
  }
  const columns = [...overColumns];
  for (const c of view.content.found.columns) {
    if (columns.some((other) => Math.abs(other - c) < columnStep)) continue;
    columns.push(c);
    drawColumnLabel(context, view, c, { isOver: true, isFound: true });
  }
}

function drawAxisNames(context, view) {
  context.font = smallFont;
  context.fillStyle = inks.grey;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillText("key (attended to)", view.left, 8);
  context.save();
  context.translate(8, Math.min(view.height - 4, view.top + 110));
  context.rotate(-Math.PI / 2);
  context.fillText("query (attends)", 0, 0);
  context.restore();
}

function drawRowLabel(context, view, r, { isThinned = false, isOver = false, isChosen = false, isFound = false }) {
  const entry = view.content.rows[r];
  const y = view.y0 + (r + 0.5) * view.cellHeight;
  if (y < view.top - 1 || y > view.height) return;
  const right = view.left - gap;
  context.font = isChosen ? boldFont : labelFont;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const text = elide(context, entry.name, view.left - 20 - gap);
  if (isOver) paper(context, 17, y - 8, view.left - 18, 16);
  if (isFound) marker(context, right - context.measureText(text).width - 2, y - 8, view.left - right + context.measureText(text).width, 16);
  context.fillStyle = isChosen ? inks.warm : labelColour(entry);
  context.fillText(text, right, y + 0.5);
  if (isThinned || (isOver && view.cellHeight < 13)) context.fillRect(view.left - 4, y - 0.5, 3, 1);
}

function drawColumnLabel(context, view, c, { isThinned = false, isOver = false, isChosen = false, isFound = false }) {
  const entry = view.content.columns[c];
  const x = view.x0 + (c + 0.5) * view.cellWidth;
  if (x < view.left - 1 || x > view.width) return;
  context.font = isChosen ? boldFont : labelFont;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const text = elide(context, entry.name, view.top - 20 - gap);
  if (isOver) paper(context, x - 8, 17, 16, view.top - 18);
  if (isFound) marker(context, x - 8, view.top - gap - context.measureText(text).width - 2, 16, context.measureText(text).width + gap);
  context.save();
  context.translate(x + 0.5, view.top - gap);
  context.rotate(-Math.PI / 2);
  context.fillStyle = isChosen ? inks.warm : labelColour(entry);
  context.fillText(text, 0, 0);
  context.restore();
  if (isThinned || (isOver && view.cellWidth < 13)) context.fillRect(x - 0.5, view.top - 4, 1, 3);
}

// Behind a label that the search found; cells keep their colours.
function marker(context, x, y, width, height) {
  context.fillStyle = inks.mark;
  context.fillRect(x, y, width, height);
}

function paper(context, x, y, width, height) {
  context.fillStyle = inks.ground;
  context.fillRect(x, y, width, height);
}
