// A map as an image of one pixel a cell, which canvases then scale. Where cells are smaller than pixels, each pixel is the largest of
// the cells under it, so that no strong link is lost.
function makeBitmap(content, factor) {
  const { values, scale, colours } = content;
  const nColumn = content.columns.length;
  const nRow = content.rows.length;
  const canvas = element("canvas", { width: Math.ceil(nColumn / factor), height: Math.ceil(nRow / factor) });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  const shown = factor === 1 ? values : largestOf(values, nRow, nColumn, factor);
  fillPixels(pixels, shown, { scale, colours, nColumn: canvas.width, factor, threshold: content.threshold });
  context.putImageData(image, 0, 0);
  return canvas;
}

function fillPixels(pixels, values, { scale, colours, nColumn, factor, threshold }) {
  const lookUp = colours.pixels;
  const ground = scale.signed ? 128 : 0;
  if (scale.kind === "linear" && !scale.signed) {
    const step = 255 / scale.high; // the usual case, kept short
    for (let i = 0; i < pixels.length; i += 1) {
      const value = values[i];
      pixels[i] = value >= threshold && value > 0 ? lookUp[Math.min(255, (value * step + 0.5) | 0)] : lookUp[0];
    }
    return;
  }
  for (let i = 0; i < pixels.length; i += 1) {
    const value = values[i];
    const isShown = scale.signed ? Math.abs(value) >= threshold : value >= threshold;
    const row = Math.floor(i / nColumn) * factor;
    pixels[i] = isShown ? lookUp[Math.round(placeOf(scale, value, row) * 255)] : lookUp[ground];
  }
}

// Of each tile the value that is farthest from 0.
function largestOf(values, nRow, nColumn, factor) {
  const width = Math.ceil(nColumn / factor);
  const largest = new Float32Array(width * Math.ceil(nRow / factor));
  for (let r = 0; r < nRow; r += 1) {
    const start = Math.floor(r / factor) * width;
    for (let c = 0; c < nColumn; c += 1) {
      const at = start + Math.floor(c / factor);
      const value = values[r * nColumn + c];
      if (Math.abs(value) > Math.abs(largest[at])) largest[at] = value;
    }
  }
  return largest;
}

function pixelRatio() {
  return window.devicePixelRatio || 1;
}

// Makes a canvas as many device pixels large as it is shown, and gives a context that counts in css pixels.
function fitCanvas(canvas, width, height) {
  const ratio = pixelRatio();
  const wide = Math.max(1, Math.round(width * ratio));
  const high = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const fontFamily = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
const labelFont = `12.5px ${fontFamily}`;
const boldFont = `600 12.5px ${fontFamily}`;
const smallFont = `11.5px ${fontFamily}`;

// A text cut so that it fits, with an ellipsis; measured once for each text and width.
const elided = new Map();
function elide(context, text, width) {
  const key = `${context.font}|${Math.round(width)}|${text}`;
  let fitting = elided.get(key);
  if (fitting === undefined) {
    fitting = text;
    if (context.measureText(text).width > width) {
      const characters = [...text];
      while (characters.length > 1 && context.measureText(`${characters.join("")}…`).width > width) characters.pop();
      fitting = `${characters.join("")}…`;
    }
    if (elided.size > 20000) elided.clear();
    elided.set(key, fitting);
  }
  return fitting;
}
