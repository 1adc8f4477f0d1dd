// The grid of all heads: a small picture each, layers down and heads across, one stop of the tab key.
const gridHost = byId("thumbnails-grid");
const gridCells = new Array(page.maps.length);

function buildGrid() {
  const across = heads.length;
  gridHost.style.setProperty("--across", across);
  gridHost.setAttribute("aria-rowcount", layers.length);
  const headRow = element("div", { className: "grid-row", role: "row" }, element("span", { className: "corner", role: "columnheader" }));
  for (const head of heads) headRow.append(element("span", { className: "axis", role: "columnheader" }, reduced.heads ? reduced.by : `H${head}`));
  gridHost.append(headRow);
  for (const layer of layers) {
    const row = element("div", { className: "grid-row", role: "row" }, element("span", { className: "axis", role: "rowheader" }, reduced.layers ? "" : `L${layer}`));
    for (const head of heads) row.append(gridCell(layer, head));
    gridHost.append(row);
  }
  rove(gridHost, ".cell", () => across);
  gridHost.addEventListener("focusin", (event) => {
    const index = Number(event.target.dataset.map);
    if (event.target.matches(":focus-visible") && index !== state.map) update({ map: index });
  });
  gridHost.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) update({ map: Number(cell.dataset.map) });
  });
}

function gridCell(layer, head) {
  const index = indexOfMap.get(`${layer}.${head}`);
  if (index === undefined) return element("span", { role: "gridcell", className: "nothing" });
  const cell = element("button", { type: "button", className: "cell", tabIndex: -1 }, element("canvas", { "aria-hidden": "true" }));
  cell.dataset.map = index;
  cell.setAttribute("aria-label", cellName(index));
  cell.title = cellName(index);
  gridCells[index] = cell;
  return element("span", { role: "gridcell" }, cell);
}

function cellName(index) {
  const { best } = page.maps[index];
  if (!best) return mapName(index);
  return `${mapName(index)}: ${queryTokens.labels[best[0]]} to ${keyTokens.labels[best[1]]} ${threeDecimals(best[2])}`;
}

// Codes of all thumbnails, from a block of their own or from the maps.
const thumbnails = new Array(page.maps.length).fill(null);

async function loadThumbnails() {
  if (page.thumbnailSide === 0) return;
  const bytes = await inflate(decodeText(await blockText("thumbnails")));
  const height = Math.min(page.thumbnailSide, nQuery);
  const width = Math.min(page.thumbnailSide, nKey);
  for (let i = 0; i < thumbnails.length; i += 1) {
    thumbnails[i] = { width, height, codes: bytes.subarray(i * width * height, (i + 1) * width * height) };
  }
  drawThumbnails();
}

// Of a small map: its own cells, at most 48 a side.
function thumbnailOf(index) {
  const map = unpacked[index];
  const width = Math.min(48, nKey);
  const height = Math.min(48, nQuery);
  const codes = new Uint8Array(width * height);
  const { maximum } = page.maps[index];
  for (let key = 0; key < nKey; key += 1) {
    for (let query = 0; query < nQuery; query += 1) {
      const at = Math.floor((query * height) / nQuery) * width + Math.floor((key * width) / nKey);
      const code = Math.round(topCode * Math.sqrt(weightAt(map, query, key) / maximum)) || 0;
      codes[at] = Math.max(codes[at], code);
    }
  }
  return { width, height, codes };
}

function drawThumbnails() {
  for (let i = 0; i < thumbnails.length; i += 1) drawThumbnail(i);
}

// Each on its own scale: its maximum is the darkest.
function drawThumbnail(index) {
  const thumbnail = thumbnails[index];
  if (!thumbnail) return;
  const canvas = gridCells[index].firstChild;
  canvas.width = thumbnail.width;
  canvas.height = thumbnail.height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  const { pixels: colours } = palette(state.colours, isDark());
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = colours[Math.round((thumbnail.codes[i] / topCode) ** 2 * 255)];
  context.putImageData(image, 0, 0);
}

function markGrid() {
  gridCells.forEach((cell, index) => {
    cell.classList.toggle("chosen", index === state.map);
    cell.classList.toggle("pinned", index === state.pin);
    cell.tabIndex = index === state.map ? 0 : -1;
    cell.setAttribute("aria-pressed", index === state.map);
  });
  // Many layers scroll in a box of their own: the chosen one is in sight.
  const box = gridHost.parentElement;
  const top = gridCells[state.map].getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  box.scrollTop = clamp(box.scrollTop, top + 64 - box.clientHeight, Math.max(0, top - 64));
}

// The head beside the shown one, in layers and heads that are there; nothing past an edge.
function neighbour(layerStep, headStep) {
  const { layer, head } = page.maps[state.map];
  const nextLayer = layers[layers.indexOf(layer) + layerStep];
  const nextHead = heads[heads.indexOf(head) + headStep];
  return indexOfMap.get(`${nextLayer}.${nextHead}`);
}
