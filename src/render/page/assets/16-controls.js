// The row of controls, the pickers and the search: each shows the state and changes it, none keeps anything of its own.
function buildControls() {
  byId("layer").append(...layers.map((layer) => option(`${layer}`, reduced.layers ? reduced.by : `${layer}`)));
  byId("head").append(...heads.map((head) => option(`${head}`, reduced.heads ? reduced.by : `${head}`)));
  byId("colours").append(...colourNames.map((name) => option(name)));
  const pick = () => pickHead(Number(byId("layer").value), Number(byId("head").value));
  byId("layer").addEventListener("change", pick);
  byId("head").addEventListener("change", pick);
  for (const name of ["scale", "colours", "theme", "order"]) byId(name).addEventListener("change", (event) => update({ [name]: event.target.value }));
  for (const name of ["words", "special", "values"]) byId(name).addEventListener("change", (event) => update({ [name]: event.target.checked }));
  byId("threshold").addEventListener("input", (event) => update({ threshold: thresholdOf(Number(event.target.value)) }));
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("more").addEventListener("click", () => update({ more: !state.more }));
  byId("strongest").addEventListener("click", showStrongest);
  byId("copy").addEventListener("click", copyCommand);
  byId("pin").addEventListener("click", togglePin);
  byId("unpin").addEventListener("click", () => update({ pin: -1 }));
  byId("swap").addEventListener("click", () => update({ map: state.pin, pin: state.map }));
  for (const kind of ["side", "difference"]) byId(`compare-${kind}`).addEventListener("change", () => update({ compare: kind }));
  byId("zoom-in").addEventListener("click", () => zoomTo(panels[0].views.map.zoomed(zoomStep)));
  byId("zoom-out").addEventListener("click", () => zoomTo(panels[0].views.map.zoomed(1 / zoomStep)));
  byId("zoom-fit").addEventListener("click", () => zoomTo(0));
  buildTabs();
  buildSearch();
}

// A layer that lacks the head (pages of chosen maps have all of them) keeps what is shown.
function pickHead(layer, head) {
  const map = indexOfMap.get(`${layer}.${head}`);
  if (map !== undefined) update({ map });
}

function buildTabs() {
  const buttons = tabs.map((tab) => byId(`tab-${tab}`));
  tabs.forEach((tab, i) => buttons[i].addEventListener("click", () => update({ tab })));
  rove(buttons[0].parentElement, "[role=tab]", () => 1);
}

// Small thresholds are the ones that matter, so the slider counts in squares.
function thresholdOf(position) {
  return Number(((position / 100) ** 2).toPrecision(2));
}

function togglePin() {
  update({ pin: state.pin === state.map ? -1 : state.map });
}

// The head with the strongest link between words that do not stand side by side, and that link.
function showStrongest() {
  const strength = ({ best }) => best?.[2] ?? 0;
  const map = page.maps.reduce((most, _, index) => (strength(page.maps[index]) > strength(page.maps[most]) ? index : most), 0);
  const { best } = page.maps[map];
  update({ map, ...(best ? { query: best[0], key: best[1] } : {}) });
}

// Entries whose label holds what is looked for, upper and lower case alike.
function findEntries(axis) {
  const wanted = state.search.trim().toLowerCase();
  if (wanted === "") return [];
  const found = [];
  axis.forEach((entry, i) => {
    if (entry.label.toLowerCase().includes(wanted) || entry.piece.toLowerCase().includes(wanted)) found.push(i);
  });
  return found;
}

function buildSearch() {
  const input = byId("search");
  input.addEventListener("input", () => update({ search: input.value }));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    stepMatch(event.shiftKey ? -1 : 1);
  });
  byId("search-next").addEventListener("click", () => stepMatch(1));
  byId("search-previous").addEventListener("click", () => stepMatch(-1));
}

// Goes to the next query that matches, and from it to what it attends to most; to keys where no query matches.
function stepMatch(step) {
  const { content } = panels[0];
  const inRows = content.found.rows.length > 0;
  const matches = inRows ? content.found.rows : content.found.columns;
  if (matches.length === 0) return;
  const now = inRows ? content.selected.row : content.selected.column;
  const later = matches.find((at) => at > now) ?? matches[0];
  const earlier = matches.findLast((at) => at < now) ?? matches.at(-1);
  const at = step > 0 ? later : earlier;
  if (inRows) selectEntry(at, strongestOfRow(content, at));
  else selectEntry(Math.max(content.selected.row, 0), at);
  panels[0].views[state.tab].reveal?.();
}

function showControls(content) {
  const { layer, head } = page.maps[state.map];
  byId("layer").value = layer;
  byId("head").value = head;
  for (const name of ["scale", "colours", "theme", "order"]) byId(name).value = state[name];
  for (const name of ["words", "special", "values"]) byId(name).checked = state[name];
  byId("words").disabled = !hasWords;
  byId("special").disabled = !canHideSpecial;
  if (document.activeElement !== byId("threshold")) byId("threshold").value = Math.round(Math.sqrt(state.threshold) * 100);
  byId("threshold-value").value = state.threshold > 0 ? `${state.threshold}` : "none";
  if (document.activeElement !== byId("search")) byId("search").value = state.search;
  const { rows, columns } = content.found;
  byId("search-count").value = state.search.trim() === "" ? "" : `${Math.max(rows.length, columns.length) || "no"} found`;
  for (const id of ["search-next", "search-previous"]) byId(id).disabled = rows.length + columns.length === 0;
  for (const tab of tabs) {
    byId(`tab-${tab}`).setAttribute("aria-selected", tab === state.tab);
    byId(`tab-${tab}`).tabIndex = tab === state.tab ? 0 : -1;
  }
  byId("panels").setAttribute("aria-labelledby", `tab-${state.tab}`);
  byId("more").textContent = state.more ? "Show fewer" : "Show more";
  byId("more").setAttribute("aria-pressed", state.more);
  byId("zoom-controls").hidden = state.tab !== "map";
  byId("command").textContent = visible(commandText());
  showCompare();
}

function showCompare() {
  const isPinned = state.pin >= 0;
  byId("pin").setAttribute("aria-pressed", state.pin === state.map);
  byId("pin").textContent = state.pin === state.map ? "Pinned" : "Pin to compare";
  byId("pin").hidden = page.maps.length === 1;
  byId("compare").hidden = !isPinned;
  if (!isPinned) return;
  byId("compare-text").textContent = state.pin === state.map ? `${mapName(state.pin)} is pinned. Choose another head to compare.` : `Compared with ${mapName(state.pin).toLowerCase()}`;
  byId("compare-side").checked = state.compare === "side";
  byId("compare-difference").checked = state.compare === "difference";
  byId("swap").disabled = state.pin === state.map;
}

// The colour bar, and in words what it stands for.
function showLegend(content) {
  const { scale, colours } = content;
  const canvas = byId("legend");
  canvas.hidden = state.tab === "lines";
  const width = 240;
  const context = fitCanvas(canvas, width, 32);
  const bar = { x: 14, width: 208, height: 10 };
  for (let i = 0; i < bar.width; i += 1) {
    context.fillStyle = cssColour(colours, i / (bar.width - 1));
    context.fillRect(bar.x + i, 1, 1, bar.height);
  }
  context.strokeStyle = inks.frame;
  context.lineWidth = 1;
  context.strokeRect(bar.x - 0.5, 0.5, bar.width + 1, bar.height + 1);
  context.fillStyle = inks.grey;
  context.font = smallFont;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { place, text } of legendTicks(scale)) {
    context.fillRect(bar.x + place * bar.width - 0.5, bar.height + 2, 1, 3);
    context.fillText(text, bar.x + place * bar.width, 24);
  }
  const words = legendText(content);
  byId("legend-text").textContent = words;
  canvas.setAttribute("aria-label", `Colours: ${words}`);
}

function legendTicks(scale) {
  if (scale.kind === "row") return [0, 0.25, 0.5, 0.75, 1].map((place) => ({ place, text: `${place * 100}%` }));
  if (scale.kind !== "log") return roundTicks(scale.low, scale.high).map((weight) => ({ place: (weight - scale.low) / (scale.high - scale.low), text: `${weight}`.replace("-", "−") }));
  const low = Math.log10(scale.low);
  const high = Math.log10(scale.high);
  const powers = [];
  for (let power = Math.floor(high + 1e-6); power >= low - 1e-6; power -= Math.floor((high - low) / 5) + 1) {
    powers.push({ place: clamp((power - low) / (high - low), 0, 1), text: power < -3 ? `1e${power}`.replace("-", "−") : `${10 ** power}` });
  }
  return powers.length > 1 ? powers : [0, 1].map((place) => ({ place, text: threeDecimals(place ? scale.high : scale.low) }));
}

function legendText({ scale, threshold, maximum, rows, columns, isCommon }) {
  const more = isDark() ? "brighter is more" : "darker is more";
  const hidden = threshold > 0 ? `; weights under ${threshold} are left out` : "";
  if (state.tab === "lines") return `Lines are as wide and as strong as the weight, at most ${weightText(maximum, maximum)}; links of the chosen word are warm${hidden}`;
  if (scale.signed) return `difference of ${page.value}s, largest ${threeDecimals(scale.maximum)}`;
  const kinds = {
    linear: `${page.value}, ${more}, largest ${weightText(scale.maximum, maximum)}`,
    row: `share of each row's largest weight, ${more}`,
    log: `${page.value}, logarithmic, ${more}`,
    robust: `${page.value}, ${more}; what is above the 98th percentile has the last colour`,
  };
  return `${kinds[scale.kind]}${isCommon && scale.kind !== "row" ? ", one scale for both" : ""}${hidden}; ${counted(rows.length, "row")} × ${counted(columns.length, "column")}`;
}
