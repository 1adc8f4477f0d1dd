// Keys that work anywhere on the page, in a table that is also their help. Single letters can be switched off (WCAG 2.2, 2.1.4).
const keyTable = [
  { keys: ["h", "H"], say: "next, previous head", act: (key) => stepHead(0, key === "h" ? 1 : -1) },
  { keys: ["l", "L"], say: "next, previous layer", act: (key) => stepHead(key === "l" ? 1 : -1, 0) },
  { keys: ["b"], say: "the head and link that are strongest", act: showStrongest },
  { keys: ["m", "i", "t"], say: "map, lines, text", act: (key) => update({ tab: { m: "map", i: "lines", t: "text" }[key] }) },
  { keys: ["w"], say: "whole words", act: () => hasWords && update({ words: !state.words }) },
  { keys: ["s"], say: "special tokens", act: () => canHideSpecial && update({ special: !state.special }) },
  { keys: ["v"], say: "numbers in the picture", act: () => update({ values: !state.values }) },
  { keys: ["g"], say: "next scale", act: () => update({ scale: scales[(scales.indexOf(state.scale) + 1) % scales.length] }) },
  { keys: ["p"], say: "pin the head, or unpin it", act: togglePin },
  { keys: ["d"], say: "difference, or side by side", act: () => update({ compare: state.compare === "side" ? "difference" : "side" }) },
  { keys: ["/"], say: "find a token", act: () => byId("search").focus() },
  { keys: ["n", "N"], say: "next, previous match", act: (key) => stepMatch(key === "n" ? 1 : -1) },
  { keys: ["+", "-", "0"], say: "larger, smaller, all of the map", act: zoomByKey },
  { keys: ["c"], say: "copy the command", act: copyCommand },
  { keys: ["?"], say: "this list", act: openHelp },
];

const fixedKeys = [
  ["Tab", "to the next part of the page"],
  ["arrows", "in the grid: another head; in a picture or a list: another word (with Shift, ten further)"],
  ["Home, End", "first, last of a row or a list"],
  ["Enter", "choose in a list; in the search: next match"],
  ["Escape", "close this list, clear the search, unpin"],
];

function zoomByKey(key) {
  const { map } = panels[0].views;
  zoomTo(key === "0" ? 0 : map.zoomed(key === "+" ? zoomStep : 1 / zoomStep));
}

function stepHead(layerStep, headStep) {
  const map = neighbour(layerStep, headStep);
  if (map !== undefined) update({ map });
}

function openHelp() {
  const body = byId("help-keys").tBodies[0];
  if (body.children.length === 0) {
    const keyCells = (keys) => keys.flatMap((key, i) => (i > 0 ? [" ", element("kbd", {}, key)] : [element("kbd", {}, key)]));
    const line = (keys, say) => element("tr", {}, element("th", { scope: "row" }, ...keyCells(keys)), element("td", {}, say));
    body.append(...keyTable.map(({ keys, say }) => line(keys, say)), ...fixedKeys.map(([key, say]) => line([key], say)));
  }
  byId("help").showModal();
}

function buildKeys() {
  byId("help-open").addEventListener("click", openHelp);
  byId("keys-on").checked = true;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (event.key === "Escape") return leave();
    if (!byId("keys-on").checked && event.key !== "?") return;
    if (event.target.matches("input:not([type=checkbox], [type=radio], [type=range]), select, textarea")) return;
    const entry = keyTable.find(({ keys }) => keys.includes(event.key));
    if (!entry) return;
    event.preventDefault();
    entry.act(event.key);
  });
  // In a list, Enter and the space bar choose as a click does.
  document.addEventListener("keydown", (event) => {
    const item = event.target.closest?.(".bar-item");
    if (!item || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    const list = item.parentElement;
    item.click();
    list.querySelector("[aria-selected=true]")?.focus();
  });
  for (const id of ["row-bars", "column-bars", "links"]) rove(byId(id), ".bar-item", () => 1);
}

function leave() {
  if (state.search !== "") {
    byId("search").value = "";
    update({ search: "" });
  } else if (state.pin >= 0) {
    update({ pin: -1 });
  }
}
