// Colour maps (the program's own tables), themes, and scales from weights to places on a colour map, as src/figure/scale.cpp has them.
const colourNames = Object.keys(page.colours);
const paletteCache = new Map();

// 256 colours as the 32-bit pixels of a canvas, and as css for the legend.
function palette(name, dark) {
  const key = `${name}.${dark}`;
  if (!paletteCache.has(key)) {
    const bytes = decodeText(name === "difference" ? page.difference : page.colours[name]).subarray(dark ? 768 : 0, dark ? 1536 : 768);
    const pixels = new Uint32Array(256);
    for (let i = 0; i < 256; i += 1) pixels[i] = pixelOf(bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]);
    paletteCache.set(key, { pixels, bytes });
  }
  return paletteCache.get(key);
}

function pixelOf(red, green, blue) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function cssColour(colours, place) {
  const i = 3 * Math.round(clamp(place, 0, 1) * 255);
  return `rgb(${colours.bytes[i]}, ${colours.bytes[i + 1]}, ${colours.bytes[i + 2]})`;
}

// The one of black and white that can be read on a colour.
function inkOn(colours, place) {
  const i = 3 * Math.round(clamp(place, 0, 1) * 255);
  const linear = (part) => ((part / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = 0.2126 * linear(colours.bytes[i]) + 0.7152 * linear(colours.bytes[i + 1]) + 0.0722 * linear(colours.bytes[i + 2]);
  return luminance > 0.18 ? "#1a1d21" : "#ffffff";
}

// For differences: blue below zero, red above, neutral at 128.
function differencePalette(dark) {
  return palette("difference", dark);
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return state.theme === "dark" || (state.theme === "system" && systemDark.matches);
}

// The colours of the style sheet, for what is drawn on canvases.
let inks = {};
function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "ink", "grey", "special", "made", "frame", "warm", "mark", "link"]) {
    inks[name] = style.getPropertyValue(`--${name}`).trim();
  }
}

// What the colours of a map mean: { kind, low, high, maximum, rowMaximum, signed }.
function scaleOf(values, nColumn, kind) {
  const scale = { kind, low: 0, high: 1, maximum: 0, rowMaximum: null, signed: false };
  const rowMaximum = new Float32Array(nColumn > 0 ? values.length / nColumn : 0);
  let smallest = Infinity;
  for (let r = 0, i = 0; r < rowMaximum.length; r += 1) {
    let most = 0;
    for (let c = 0; c < nColumn; c += 1, i += 1) {
      const value = values[i];
      if (value > most) most = value;
      if (value > 0 && value < smallest) smallest = value;
    }
    rowMaximum[r] = most;
    scale.maximum = Math.max(scale.maximum, most);
  }
  if (kind === "row") return { ...scale, rowMaximum };
  scale.high = scale.maximum > 0 ? scale.maximum : 1;
  if (kind === "robust") scale.high = percentile(values, 0.98) || scale.high;
  if (page.style.vmax) scale.high = page.style.vmax;
  if (kind === "log") {
    scale.low = Math.max(Math.min(smallest, scale.high), scale.high * 1e-6);
    if (scale.low > scale.high * 0.9) scale.low = scale.high / 10;
  }
  return scale;
}

// Red and blue are as far from the middle for the same difference.
function differenceScale(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value) || 0);
  return { kind: "linear", low: -(most || 1), high: most || 1, maximum: most, rowMaximum: null, signed: true };
}

function percentile(values, share) {
  const sorted = values.slice().sort();
  return sorted[Math.max(Math.ceil(share * sorted.length), 1) - 1];
}

// Where on the colour map a weight is, 0 to 1.
function placeOf(scale, value, row) {
  if (scale.signed) return Number.isNaN(value) ? 128 / 255 : clamp((128 + 127.5 * (value / scale.high)) / 255, 0, 1);
  if (!(value > 0)) return 0;
  if (scale.kind === "row") return Math.min(value / scale.rowMaximum[row], 1);
  if (scale.kind === "log") return clamp(Math.log(value / scale.low) / Math.log(scale.high / scale.low), 0, 1);
  return Math.min(value / scale.high, 1);
}
