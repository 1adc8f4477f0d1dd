// From the state to the page, and the order in which things happen when it opens: the first picture before anything else.
const scaleCache = new WeakMap();

function cachedScale(values, nColumn, kind) {
  if (!scaleCache.has(values)) scaleCache.set(values, {});
  const scalesOf = scaleCache.get(values);
  scalesOf[kind] ??= scaleOf(values, nColumn, kind);
  return scalesOf[kind];
}

const linksCache = new WeakMap();

function cachedLinks(values, axes) {
  if (!linksCache.has(values)) linksCache.set(values, strongestLinks(values, axes, 12));
  return linksCache.get(values);
}

// All that the views need to know of one head.
function contentOf(index) {
  const axes = axesOf(state.words, state.special);
  const values = valuesOf(index, axes);
  return {
    ...commonContent(axes),
    name: mapName(index),
    values,
    maximum: page.maps[index].maximum,
    scale: cachedScale(values, axes.columns.length, state.scale),
    colours: palette(state.colours, isDark()),
    links: () => cachedLinks(values, axes),
  };
}

function commonContent(axes) {
  return {
    rows: axes.rows,
    columns: axes.columns,
    threshold: state.threshold,
    numbers: state.values,
    zoom: state.zoom,
    selected: { row: entryOf(axes.rows, state.query), column: entryOf(axes.columns, state.key) },
    found: { rows: findEntries(axes.rows), columns: findEntries(axes.columns) },
  };
}

// The shown head minus the pinned one.
function differenceContent(content) {
  const pinned = valuesOf(state.pin, axesOf(state.words, state.special));
  const values = content.values.map((value, i) => value - pinned[i]);
  return {
    ...content,
    name: `${content.name} minus ${mapName(state.pin).toLowerCase()}`,
    values,
    scale: differenceScale(values),
    colours: differencePalette(isDark()),
  };
}

// Shows the state; what changed since `before` decides what must be waited for.
let showing = 0;
async function show(before) {
  const turn = (showing += 1);
  const started = performance.now();
  markGrid();
  const wanted = state.pin >= 0 ? [state.map, state.pin] : [state.map];
  if (wanted.some((index) => !unpacked[index])) {
    await Promise.all(wanted.map(whenUnpacked));
    if (turn !== showing) return; // something else was chosen meanwhile
  }
  if (!before || before.theme !== state.theme) applyTheme();
  if (before && (before.theme !== state.theme || before.colours !== state.colours)) drawThumbnails();
  showPanels();
  performance.measure("attnviz-show", { start: started, end: performance.now() });
  unpackLater();
}

function showPanels() {
  const content = contentOf(state.map);
  const isCompared = state.pin >= 0 && state.pin !== state.map;
  const isDifference = isCompared && state.compare === "difference" && state.tab === "map";
  const shown = isDifference ? differenceContent(content) : content;
  const host = byId("panels");
  const count = isCompared && !isDifference ? 2 : 1;
  while (panels.length < count) panels.push(new Panel(panels.length === 0 ? "shown" : "pinned"));
  if (host.children.length !== count || host.firstChild !== panels[0].root) host.replaceChildren(...panels.slice(0, count).map((panel) => panel.root));
  host.classList.toggle("two", count === 2);
  showControls(content); // before the pictures: they take the room that is left
  if (count === 2) {
    const pinned = contentOf(state.pin);
    shareScale(shown, pinned);
    panels[1].show(pinned, "pinned");
  }
  panels[0].show(shown, "");
  showLegend(shown);
  showReading(content);
  describe(content);
}

// Two maps side by side have one scale, or their colours would say nothing about each other.
function shareScale(first, second) {
  const [a, b] = [first.scale, second.scale];
  const low = Math.min(a.low, b.low);
  const high = Math.max(a.high, b.high);
  const maximum = Math.max(a.maximum, b.maximum);
  first.scale = { ...a, low, high, maximum };
  second.scale = { ...b, low, high, maximum };
  first.isCommon = true;
}

let described = "";
function describe(content) {
  const row = content.rows[content.selected.row];
  const column = content.columns[content.selected.column];
  const weight = row && column ? content.values[content.selected.row * content.columns.length + content.selected.column] : 0;
  const pair = row && column ? `${row.label} attends to ${column.label}: ${weightText(weight, content.maximum, column.end - column.first)}` : "the chosen pair is hidden";
  const text = `${content.name}. ${pair}`;
  if (described !== "" && described !== text) announce(text);
  described = text;
}

// A cell of the picture is chosen: its first tokens are what is remembered.
function selectEntry(row, column) {
  const axes = axesOf(state.words, state.special);
  const changes = {};
  if (axes.rows[row]) changes.query = axes.rows[row].first;
  if (axes.columns[column]) changes.key = axes.columns[column].first;
  update(changes);
}

function zoomTo(zoom) {
  update({ zoom });
  for (const panel of panels) if (panel.root.isConnected) panel.views.map.centre();
}

// In idle moments the other maps are unpacked, nearest first, so that going on takes no waiting.
let isUnpacking = false;
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30));

function unpackLater() {
  if (isUnpacking) return;
  isUnpacking = true;
  whenIdle(unpackNext);
}

async function unpackNext() {
  const index = nearestPacked();
  if (index < 0) {
    isUnpacking = false;
    drawEveryHead();
    return;
  }
  try {
    await whenUnpacked(index);
  } catch {
    isUnpacking = false; // a damaged map is said when it is asked for
    return;
  }
  if (page.thumbnailSide === 0) {
    thumbnails[index] = thumbnailOf(index);
    drawThumbnail(index);
  }
  if (index % 8 === 0) drawEveryHead();
  whenIdle(unpackNext);
}

function nearestPacked() {
  const here = page.maps[state.map];
  let nearest = -1;
  let least = Infinity;
  page.maps.forEach((map, index) => {
    const distance = 2 * Math.abs(map.layer - here.layer) + Math.abs(map.head - here.head);
    if (!unpacked[index] && distance < least) {
      least = distance;
      nearest = index;
    }
  });
  return nearest;
}

function showFrame() {
  const tokens = queryTokens.pieces.slice(0, 60).map((piece, i) => (i > 0 ? queryTokens.gaps[i] : "") + piece);
  const texts = page.texts.length > 0 ? page.texts : [tokens.join("")];
  byId("text").textContent = texts.map((text) => `“${text.replaceAll("\n", " ↵ ")}”`).join("  /  ");
  const size = sameTokens ? counted(nQuery, page.pool ? "tile" : "token") : `${nQuery} × ${counted(nKey, "token")}`;
  const { name, family, layers: nLayer, heads: nHead } = page.model;
  const shape = nLayer > 0 && nHead > 0 ? `${counted(nLayer, "layer")} × ${counted(nHead, "head")}` : "";
  const facts = [name, family, shape, size, ...page.notes.map(visible)];
  if (page.focus) facts.push(`where “${visible(page.focus)}” looks`);
  byId("facts").textContent = facts.filter((fact) => fact !== "").join("  ·  ");
  const many = page.maps.length > 1;
  document.querySelector(".pickers").hidden = !many;
  byId("thumbnails-caption").textContent = `${many ? `${counted(page.maps.length, reduced.by ? "map" : "head")}, each on its own scale. ` : ""}Rows attend to columns.`;
  const precision = page.exact
    ? "Weights are exact: every number is the 32-bit value that the model gave."
    : "Weights are rounded to 8 bits on a square-root scale: those marked ≈ are within 0.4% of their map's largest weight. A page made with --exact has every digit.";
  const made = element("p", {}, "Made by ", element("code", {}, visible(page.made)));
  byId("foot").append(element("p", { id: "precision" }, precision), made);
}

async function start() {
  readHash();
  applyTheme();
  showFrame();
  buildGrid();
  buildControls();
  buildKeys();
  buildSaving();
  await show(null);
  performance.mark("attnviz-first-picture");
  loadThumbnails().then(() => {
    if (page.thumbnailSide > 0) return;
    thumbnails[state.map] = thumbnailOf(state.map);
    drawThumbnail(state.map);
  });
  unpackLogSums().then(
    () => logSums && showReading(contentOf(state.map)),
    () => {}, // of a file that is cut short all else can be shown
  );
  systemDark.addEventListener("change", () => show({ ...state, theme: "" }));
  addEventListener("hashchange", () => {
    if (location.hash === ownHash) return;
    const before = { ...state };
    readHash();
    show(before);
  });
  let resizeTimer = 0;
  addEventListener("resize", () => {
    clearTimeout(resizeTimer);
    resizeTimer = setTimeout(() => show(state), 60);
  });
}

// A file that is cut short or changed, or a browser that lacks what the page needs: said where the picture would be.
function fail(reason) {
  const text = typeof DecompressionStream === "undefined" ? "This browser is too old for the page: it has no DecompressionStream." : `The page cannot be shown: ${reason?.message ?? reason}.`;
  byId("panels").replaceChildren(element("p", { className: "notice", role: "alert" }, text));
}

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
start();
