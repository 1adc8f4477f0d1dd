// What the file holds: one JSON block, and each map in a block of its own, unpacked when it is wanted (docs/page.md).
const page = JSON.parse(byId("page").textContent);
const queryTokens = page.queries;
const keyTokens = page.keys ?? page.queries;
const sameTokens = page.keys === null;
const nQuery = queryTokens.labels.length;
const nKey = keyTokens.labels.length;
const topCode = 254;
const badCode = 255;

const reverseAlphabet = (() => {
  const reverse = new Uint8Array(128);
  let n = 0;
  for (let code = 33; code < 127; code += 1) {
    if (!"<>&".includes(String.fromCharCode(code))) reverse[code] = n++;
  }
  return reverse;
})();

// Two characters hold 13 bits, lowest first; a last single one holds 6.
function decodeText(text) {
  const nPair = text.length >> 1;
  const isOdd = text.length % 2 === 1;
  const bytes = new Uint8Array(Math.floor((nPair * 13 + (isOdd ? 6 : 0)) / 8));
  let bits = 0;
  let nBit = 0;
  let at = 0;
  for (let i = 0; i < 2 * nPair; i += 2) {
    bits |= (reverseAlphabet[text.charCodeAt(i)] + 91 * reverseAlphabet[text.charCodeAt(i + 1)]) << nBit;
    nBit += 13;
    while (nBit >= 8) {
      bytes[at++] = bits;
      bits >>>= 8;
      nBit -= 8;
    }
  }
  if (isOdd && at < bytes.length) bytes[at] = bits | (reverseAlphabet[text.charCodeAt(2 * nPair)] << nBit);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Maps are behind the script, so one may still be on its way: an element is whole once something stands after it.
async function blockText(id) {
  for (;;) {
    const block = byId(id);
    if (block && (block.nextSibling || document.readyState !== "loading")) {
      const text = block.textContent;
      block.remove();
      return text;
    }
    if (!block && document.readyState === "complete") throw new Error(`${id} is missing: the file is not whole`);
    await new Promise((done) => setTimeout(done, 8));
  }
}

// The f32 numbers of four planes of bytes.
function joinPlanes(planes) {
  const n = planes.length / 4;
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) {
    words[i] = planes[i] | (planes[n + i] << 8) | (planes[2 * n + i] << 16) | (planes[3 * n + i] << 24);
  }
  return new Float32Array(words.buffer);
}

// The weight that a code stands for, as f32.
function decodeTable(maximum) {
  const table = new Float32Array(256);
  for (let code = 0; code <= topCode; code += 1) table[code] = maximum * (code / topCode) ** 2;
  table[badCode] = NaN;
  return table;
}

const unpacked = new Array(page.maps.length).fill(null); // { cells, table }: column by column; table is null for exact weights
const unpacking = new Array(page.maps.length).fill(null);

async function unpack(index) {
  const bytes = await inflate(decodeText(await blockText(`map-${index}`)));
  const map = page.exact ? { cells: joinPlanes(bytes), table: null } : { cells: bytes, table: decodeTable(page.maps[index].maximum) };
  if (map.cells.length !== nQuery * nKey) throw new Error(`map ${index} has ${map.cells.length} weights`);
  unpacked[index] = map;
  return map;
}

function whenUnpacked(index) {
  unpacking[index] ??= unpack(index);
  return unpacking[index];
}

// What scores are made of: for each map and query ln of the sum of exp(score). null where the page has none, or not yet.
let logSums = null;

async function unpackLogSums() {
  if (page.scores) logSums = joinPlanes(await inflate(decodeText(await blockText("log-sums"))));
}

// What a weight was before softmax; null where nobody knows, and for a weight of 0.
function scoreOf(index, query, weight) {
  return logSums && weight > 0 ? Math.log(weight) + logSums[index * nQuery + query] : null;
}

function weightAt(map, query, key) {
  const cell = map.cells[key * nQuery + query];
  return map.table ? map.table[cell] : cell;
}

// Maps by layer and head.
const layers = [...new Set(page.maps.map((map) => map.layer))].sort((a, b) => a - b);
const heads = [...new Set(page.maps.map((map) => map.head))].sort((a, b) => a - b);
const indexOfMap = new Map(page.maps.map((map, index) => [`${map.layer}.${map.head}`, index]));

// "Layer 3, head 1"; where maps were combined, "Layer 3, mean of heads".
const reduced = page.reduced ?? { by: "", layers: null, heads: null };

function mapName(index) {
  const { layer, head } = page.maps[index];
  if (reduced.layers && reduced.heads) return `${reduced.by === "max" ? "Maximum" : "Mean"} of layers and heads`;
  return `${layerName(layer)}, ${headName(head)}`;
}

function layerName(layer) {
  return reduced.layers ? `${reduced.by} of layers` : `Layer ${layer}`;
}

function headName(head) {
  return reduced.heads ? `${reduced.by} of heads` : `head ${head}`;
}

function shortName(index) {
  const { layer, head } = page.maps[index];
  return `${reduced.layers ? reduced.by : `L${layer}`} ${reduced.heads ? reduced.by : `H${head}`}`;
}
