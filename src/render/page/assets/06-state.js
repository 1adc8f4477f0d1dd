// Everything that can be chosen, in one object that lives in the address: the same link opens the same picture.
const tabs = ["map", "lines", "text"];
const scales = ["linear", "row", "log", "robust"];

function startState() {
  const first = page.maps[page.first];
  const [query, key] = page.start ?? first.best ?? [0, 0];
  return {
    map: page.first,
    query,
    key,
    tab: page.style.tab,
    scale: page.style.scale,
    colours: page.style.colours,
    theme: page.style.dark ? "dark" : "system",
    words: page.style.words && hasWords,
    special: page.style.special || !canHideSpecial,
    values: page.style.values,
    threshold: 0,
    pin: -1,
    compare: "side",
    zoom: 0,
    order: "weight",
    more: false,
    facing: "from",
    search: "",
  };
}

const state = startState();

// Names in the address; each reads a value from text, or gives undefined where it makes no sense.
const fields = {
  query: (text) => indexBelow(text, nQuery),
  key: (text) => indexBelow(text, nKey),
  tab: (text) => oneOf(text, tabs),
  scale: (text) => oneOf(text, scales),
  colours: (text) => oneOf(text, colourNames),
  theme: (text) => oneOf(text, ["system", "light", "dark"]),
  words: (text) => (hasWords ? text === "1" : undefined),
  special: (text) => (canHideSpecial ? text === "1" : undefined),
  values: (text) => text === "1",
  threshold: (text) => (Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined),
  compare: (text) => oneOf(text, ["side", "difference"]),
  zoom: (text) => (Number(text) >= 0 && Number(text) <= mostCell ? Number(text) : undefined),
  order: (text) => oneOf(text, ["weight", "reading"]),
  more: (text) => text === "1",
  facing: (text) => oneOf(text, ["from", "to"]),
  search: (text) => text.slice(0, 200),
};

function indexBelow(text, n) {
  return /^\d+$/.test(text) && Number(text) < n ? Number(text) : undefined;
}

function oneOf(text, known) {
  return known.includes(text) ? text : undefined;
}

// What differs from how the page opens by itself; the map and the pair are always there.
function stateHash() {
  const start = startState();
  const parts = new URLSearchParams();
  parts.set("layer", page.maps[state.map].layer);
  parts.set("head", page.maps[state.map].head);
  for (const name of Object.keys(fields)) {
    const value = state[name];
    if (value === start[name] && name !== "query" && name !== "key") continue;
    parts.set(name, typeof value === "boolean" ? Number(value) : value);
  }
  if (state.pin >= 0) parts.set("pin", `${page.maps[state.pin].layer}.${page.maps[state.pin].head}`);
  return `#${parts}`;
}

function readHash() {
  const parts = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, startState());
  const map = indexOfMap.get(`${parts.get("layer")}.${parts.get("head")}`);
  if (map !== undefined) {
    state.map = map;
    if (page.maps[map].best && !page.start) [state.query, state.key] = page.maps[map].best;
  }
  for (const [name, read] of Object.entries(fields)) {
    const value = parts.has(name) ? read(parts.get(name)) : undefined;
    if (value !== undefined) state[name] = value;
  }
  state.pin = indexOfMap.get(parts.get("pin")) ?? -1;
}

// The address follows a little later: browsers refuse it when it changes a hundred times in some seconds.
let hashTimer = 0;
let ownHash = "";
function writeHash() {
  clearTimeout(hashTimer);
  hashTimer = setTimeout(() => {
    ownHash = stateHash();
    if (location.hash !== ownHash) history.replaceState(null, "", ownHash);
  }, 150);
}

// Changes what is chosen and shows it.
function update(changes) {
  const before = { ...state };
  Object.assign(state, changes);
  writeHash();
  return show(before);
}
