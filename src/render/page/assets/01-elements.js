// Small helpers for elements. Strings of a model only ever become text nodes and attribute values, never markup.
const byId = (id) => document.getElementById(id);

// element("button", { type: "button", "aria-label": name }, "text", child, ...)
function element(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name in node && !name.startsWith("aria")) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function option(value, text) {
  return element("option", { value }, text ?? value);
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

// One stop of the tab key for many elements: arrows move among them, Home and End go to the ends. `columns()`: how many are beside
// each other, for arrows up and down. The element that `current` names is the stop.
function rove(container, selector, columns) {
  container.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const items = [...container.querySelectorAll(selector)];
    const at = items.indexOf(document.activeElement);
    if (at < 0) return;
    const across = columns();
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across, Home: -at, End: items.length - 1 - at };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = items[at + steps[event.key]];
    if (!next) return;
    setStop(items, next);
    next.focus();
  });
}

function setStop(items, chosen) {
  for (const item of items) item.tabIndex = item === chosen ? 0 : -1;
}

// Invisible and direction-changing characters as their code points: for text that is shown as it was typed, like a command.
function visible(text) {
  const spelled = (c) => `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, spelled);
}

// Says something to people who do not see the picture; not on every step of a held key.
let liveTimer = 0;
function announce(text) {
  clearTimeout(liveTimer);
  liveTimer = setTimeout(() => {
    byId("live").textContent = text;
  }, 120);
}
