// One head's picture: a title, a line that says what is under the pointer, and the view that is chosen.
class Panel {
  constructor(id) {
    this.title = element("h2", { className: "panel-title" });
    this.note = element("span", { className: "panel-note" });
    this.status = element("p", { className: "status", "aria-hidden": "true" });
    this.hosts = Object.fromEntries(tabs.map((tab) => [tab, element("div", { className: `view view-${tab}` })]));
    this.root = element("section", { className: "panel", id: `panel-${id}` });
    this.root.append(element("div", { className: "panel-head" }, this.title, this.note, this.status), ...Object.values(this.hosts));
    const events = {
      id,
      select: (row, column) => selectEntry(row, column),
      hover: (row, column) => hoverAll(row, column),
      scroll: (left, top) => scrollAll(this, left, top),
      zoom: (zoom) => zoomTo(zoom),
    };
    this.views = { map: new MatrixView(this.hosts.map, events), lines: new LinesView(this.hosts.lines, events), text: new TextView(this.hosts.text, events) };
  }

  show(content, note) {
    this.content = content;
    this.title.textContent = content.name;
    this.note.textContent = note;
    for (const [tab, host] of Object.entries(this.hosts)) host.hidden = tab !== state.tab;
    this.views[state.tab].show(content);
    this.say(-1, -1);
  }

  // What the status line says: the touched cell, or the chosen one.
  say(row, column) {
    const at = row >= 0 ? { row, column } : this.content.selected;
    const from = this.content.rows[at.row];
    const to = this.content.columns[at.column];
    if (!from || !to) {
      this.status.textContent = "";
      return;
    }
    const weight = this.content.values[at.row * this.content.columns.length + at.column];
    const text = this.content.scale.signed ? signedText(weight) : weightText(weight, this.content.maximum, to.end - to.first);
    this.status.replaceChildren(element("bdi", {}, from.name), " → ", element("bdi", {}, to.name), " ", element("b", {}, text));
  }
}

function signedText(weight) {
  const size = page.exact ? threeDecimals(Math.abs(weight)) : Math.abs(weight).toFixed(2);
  return `${weight < 0 ? "−" : "+"}${size}`;
}

const panels = [];

function hoverAll(row, column) {
  for (const panel of panels) {
    if (!panel.root.isConnected || !panel.content) continue;
    panel.views.map.setHover(row, column);
    panel.say(row, column);
  }
}

function scrollAll(from, left, top) {
  for (const panel of panels) {
    if (panel === from || !panel.root.isConnected) continue;
    panel.views.map.scroller.scrollTo(left, top);
  }
}
