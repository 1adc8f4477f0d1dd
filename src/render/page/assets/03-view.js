// What of a map is shown: pieces merged into words, special tokens left out. The arithmetic is that of src/trace/words.cpp, in the same
// order, so that both give the same numbers.
const isSpecial = 1;
const isGenerated = 2;

// Entries of one axis: { first, end, label, piece, gap, special, made, position, span }, tokens [first, end) in each.
function buildAxis(tokens, words, special) {
  const starts = words ? tokens.words : tokens.labels.map((_, i) => i);
  const axis = [];
  starts.forEach((first, group) => {
    const end = starts[group + 1] ?? tokens.labels.length;
    const whole = end - first > 1;
    const entry = {
      first,
      end,
      label: words ? tokens.wordLabels[group] : tokens.labels[first],
      piece: whole ? tokens.wordLabels[group] : tokens.pieces[first],
      gap: tokens.gaps[first],
      special: (tokens.flags[first] & isSpecial) !== 0,
      made: (tokens.flags[first] & isGenerated) !== 0,
      position: tokens.positions[first],
      span: tokens.spans[first],
    };
    if (special || !entry.special) axis.push(entry);
  });
  const times = new Map();
  for (const entry of axis) times.set(entry.label, (times.get(entry.label) ?? 0) + 1);
  const isPart = page.pool || tokens.positions.some((position, i) => position !== i);
  for (const entry of axis) {
    // A tile is called by where it begins; a word that stands there several times by its place.
    entry.name = isPart ? `@${entry.position} ${entry.label}` : entry.label;
    entry.place = isPart || times.get(entry.label) > 1 ? `@${entry.position}` : "";
  }
  return axis;
}

const axesCache = new Map();

// { rows, columns, words, special }: how all maps are shown at the moment.
function axesOf(words, special) {
  const name = `${words}.${special}`;
  if (!axesCache.has(name)) {
    const rows = buildAxis(queryTokens, words, special);
    const columns = sameTokens ? rows : buildAxis(keyTokens, words, special);
    axesCache.set(name, { rows, columns, words, special });
  }
  return axesCache.get(name);
}

const hasWords = queryTokens.words.length < nQuery || keyTokens.words.length < nKey;
const hasSpecial = [...queryTokens.flags, ...keyTokens.flags].some((flag) => flag & isSpecial);
const canHideSpecial =
  hasSpecial && queryTokens.flags.some((flag) => !(flag & isSpecial)) && keyTokens.flags.some((flag) => !(flag & isSpecial));

// Keys summed, queries averaged; a row with nothing to attend to takes no part in the average.
function mergedWeight(map, row, column) {
  let sum = 0;
  let nRow = 0;
  for (let query = row.first; query < row.end; query += 1) {
    for (let key = column.first; key < column.end; key += 1) sum += weightAt(map, query, key);
    nRow += hasWeight(map, query) ? 1 : 0;
  }
  return Math.fround(sum / Math.max(nRow, 1));
}

// Whether a query attends to anything at all.
function hasWeight(map, query) {
  map.emptyRows ??= findEmptyRows(map);
  return map.emptyRows[query] === 0;
}

function findEmptyRows(map) {
  const empty = new Uint8Array(nQuery).fill(1);
  for (let key = 0; key < nKey; key += 1) {
    for (let query = 0; query < nQuery; query += 1) {
      if (map.cells[key * nQuery + query] !== 0) empty[query] = 0;
    }
  }
  return empty;
}

// The weight of one entry to another, for any map that is unpacked.
function entryWeight(map, row, column) {
  if (row.end - row.first === 1 && column.end - column.first === 1) return weightAt(map, row.first, column.first);
  return mergedWeight(map, row, column);
}

const valuesCache = new Map();
const mostCached = 8;

// All weights of a map as it is shown, row by row.
function valuesOf(index, axes) {
  const name = `${index}.${axes.words}.${axes.special}`;
  const known = valuesCache.get(name);
  if (known) {
    valuesCache.delete(name); // back to the young end
    valuesCache.set(name, known);
    return known;
  }
  const values = computeValues(unpacked[index], axes);
  valuesCache.set(name, values);
  if (valuesCache.size > mostCached) valuesCache.delete(valuesCache.keys().next().value);
  return values;
}

function computeValues(map, axes) {
  const nColumn = axes.columns.length;
  const values = new Float32Array(axes.rows.length * nColumn);
  const { cells, table } = map;
  axes.rows.forEach((row, r) => {
    for (let c = 0; c < nColumn; c += 1) {
      const column = axes.columns[c];
      const isPlain = row.end - row.first === 1 && column.end - column.first === 1;
      if (isPlain) {
        const cell = cells[column.first * nQuery + row.first];
        values[r * nColumn + c] = table ? table[cell] : cell;
      } else {
        values[r * nColumn + c] = mergedWeight(map, row, column);
      }
    }
  });
  return values;
}

// Where a token of the text is shown; -1 when it is not.
function entryOf(axis, token) {
  return axis.findIndex((entry) => entry.first <= token && token < entry.end);
}

// Whether a row and a column are the same token of the text, or share one.
function isSelf(row, column) {
  if (page.kind !== "self") return false;
  const rowEnd = row.position + Math.max(row.span, row.end - row.first);
  const columnEnd = column.position + Math.max(column.span, column.end - column.first);
  return row.position < columnEnd && column.position < rowEnd;
}

// The strongest links between words, none to itself: { row, column, weight }, strongest first.
function strongestLinks(values, axes, n) {
  const nColumn = axes.columns.length;
  const found = [];
  let least = 0;
  for (let r = 0; r < axes.rows.length; r += 1) {
    if (axes.rows[r].special) continue;
    for (let c = 0; c < nColumn; c += 1) {
      const weight = values[r * nColumn + c];
      if (!(weight > least) || axes.columns[c].special || isSelf(axes.rows[r], axes.columns[c])) continue;
      found.push({ row: r, column: c, weight });
      if (found.length < 4 * n) continue;
      found.sort((a, b) => b.weight - a.weight);
      found.length = n;
      least = found[n - 1].weight;
    }
  }
  return found.sort((a, b) => b.weight - a.weight).slice(0, n);
}
