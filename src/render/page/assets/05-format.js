// Weights as people read them. Exact ones have three decimals, and all digits where one is asked for; weights of 8 bits have as many
// as are certain, behind a sign that says so.
function threeDecimals(value) {
  return Math.abs(value) >= 0.001 || value === 0 ? value.toFixed(3) : value.toExponential(1).replace("e-", "e−");
}

// The shortest decimal that reads back as the same f32, as the JSON output has it.
function allDigits(value) {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

// How far a weight of 8 bits can be off (src/render/page/payload.h).
function mostError(value, maximum) {
  return (maximum * (Math.sqrt(Math.max(value, 0) / maximum) + 1 / 1016)) / topCode;
}

// `nCell`: how many weights were added up for this one.
function weightText(value, maximum, nCell = 1) {
  if (Number.isNaN(value)) return "not a weight";
  if (value === 0) return "0";
  if (page.exact) return threeDecimals(value);
  const error = mostError(Math.abs(value), maximum) * nCell;
  const decimals = clamp(Math.floor(-Math.log10(2 * error)), 1, 7);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `<${(10 ** -decimals).toFixed(decimals)}` : `≈${text}`;
}

// A weight as an element that also has all of its digits.
function weightElement(value, maximum, nCell = 1) {
  return element("data", { value: Number.isNaN(value) ? "NaN" : allDigits(value) }, weightText(value, maximum, nCell));
}

function ordinal(n) {
  const tail = n % 100 > 10 && n % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${tail}`;
}

function percent(share) {
  if (!(share > 0)) return "0%";
  return share < 0.01 ? "under 1%" : `${Math.round(share * 100)}%`;
}

function counted(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// About four round numbers from low to high.
function roundTicks(low, high) {
  const span = high - low;
  const magnitude = 10 ** (Math.floor(Math.log10(span)) - 1);
  const distance = (factor) => Math.abs(Math.floor(span / (factor * magnitude) + 1e-9) - 4);
  const factors = [1, 2, 2.5, 5, 10, 20, 25, 50];
  const step = magnitude * factors.reduce((best, factor) => (distance(factor) < distance(best) ? factor : best));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
