// A figure's shapes (18-figure.js) as a PNG or an SVG file.
function drawFigure({ width, height, shapes }, scale) {
  const canvas = element("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) drawShape(context, shape);
  return canvas;
}

function drawShape(context, shape) {
  context.globalAlpha = shape.opacity ?? 1;
  context.fillStyle = shape.fill ?? "transparent";
  context.strokeStyle = shape.stroke ?? "transparent";
  context.lineWidth = shape.width ?? 1;
  if (shape.image) {
    context.imageSmoothingEnabled = false;
    context.drawImage(shape.image, ...shape.rect);
  } else if (shape.curve) {
    const [x0, y0, ...rest] = shape.curve;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(...rest);
    context.stroke();
  } else if (shape.rect) {
    if (shape.fill) context.fillRect(...shape.rect);
    if (shape.stroke) context.strokeRect(...shape.rect);
  } else {
    context.save();
    context.translate(...shape.at);
    if (shape.turned) context.rotate(-Math.PI / 2);
    context.font = `${shape.bold ? "600 " : ""}${shape.size}px ${fontFamily}`;
    context.textAlign = { middle: "center", end: "right" }[shape.anchor] ?? "left";
    context.textBaseline = "alphabetic";
    context.fillText(shape.text, 0, 0);
    context.restore();
  }
}

function escapeXml(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (c) => names[c]).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

function svgOf({ width, height, shapes }, description) {
  const space = byId("vector").namespaceURI; // the page names no address itself
  const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`;
  const parts = shapes.map(svgShape);
  const family = escapeXml(fontFamily).replaceAll("&quot;", "'");
  return [
    `<svg xmlns="${space}" ${size} font-family="${family}">`,
    `<desc>${escapeXml(description)}</desc>`,
    `<rect width="100%" height="100%" fill="${inks.ground}"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function round(number) {
  return Number(number.toFixed(2));
}

function svgShape(shape) {
  const paint = `fill="${shape.fill ?? "none"}"${shape.stroke ? ` stroke="${shape.stroke}" stroke-width="${round(shape.width)}"` : ""}${shape.opacity ? ` opacity="${round(shape.opacity)}"` : ""}`;
  if (shape.curve) {
    const [x0, y0, ...rest] = shape.curve.map(round);
    return `<path d="M${x0} ${y0}C${rest.join(" ")}" ${paint}/>`;
  }
  if (shape.rect) {
    const [x, y, width, height] = shape.rect.map(round);
    const box = `x="${x}" y="${y}" width="${width}" height="${height}"`;
    if (shape.image) return `<image ${box} preserveAspectRatio="none" style="image-rendering:pixelated" href="${shape.image.toDataURL()}"/>`;
    return `<rect ${box} ${paint}/>`;
  }
  const [x, y] = shape.at.map(round);
  const turn = shape.turned ? ` transform="rotate(-90 ${x} ${y})"` : "";
  const anchor = shape.anchor ? ` text-anchor="${shape.anchor}"` : "";
  const weight = shape.bold ? ' font-weight="600"' : "";
  return `<text x="${x}" y="${y}" font-size="${shape.size}"${anchor}${weight}${turn} fill="${shape.fill}" xml:space="preserve">${escapeXml(shape.text)}</text>`;
}

function shownFigure() {
  const { content } = panels[0];
  return { map: mapFigure, lines: linesFigure, text: textFigure }[state.tab](content);
}

// Twice as many pixels as the figure is large, so that it can be printed; fewer where a browser has no canvas of that size.
function savePng() {
  const figure = shownFigure();
  const scale = Math.min(2, 16000 / figure.width, 16000 / figure.height);
  drawFigure(figure, scale).toBlob((blob) => saveBlob(blob, "png"), "image/png");
}

function saveSvg() {
  saveBlob(new Blob([svgOf(shownFigure(), commandText())], { type: "image/svg+xml" }), "svg");
}

function saveBlob(blob, extension) {
  const link = element("a", { href: URL.createObjectURL(blob), download: `${fileStem()}${viewSuffix()}.${extension}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`${extension.toUpperCase()} saved`);
}

function buildSaving() {
  byId("save-png").addEventListener("click", savePng);
  byId("save-svg").addEventListener("click", saveSvg);
}
