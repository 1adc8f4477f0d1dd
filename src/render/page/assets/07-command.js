// The command that draws what is shown, quoted for a shell as src/base/command_text.cpp does.
function shellQuote(word) {
  if (/^[\w\-./,:=@%+]+$/.test(word)) return word;
  if (!/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

// A name for the picture's file.
function fileStem() {
  const { layer, head } = page.maps[state.map];
  return `layer${reduced.layers ? `-${reduced.by}` : layer}-head${reduced.heads ? `-${reduced.by}` : head}`;
}

function viewSuffix() {
  return state.tab === "map" ? "" : `-${state.tab}`;
}

function pictureOptions() {
  const { layer, head } = page.maps[state.map];
  const options = ["--layer", `${reduced.layers?.join(",") ?? layer}`, "--head", `${reduced.heads?.join(",") ?? head}`];
  if (state.scale !== "linear") options.push("--scale", state.scale);
  if (page.style.vmax && state.scale !== "row") options.push("--vmax", String(Number(page.style.vmax.toPrecision(7))));
  if (state.colours !== "blues") options.push("--cmap", state.colours);
  if (state.words) options.push("--words");
  if (!state.special) options.push("--hide-special");
  if (state.values) options.push("--values");
  if (isDark()) options.push("--dark");
  if (state.tab !== "map") options.push("--view", state.tab);
  // Rows of a part, or of merged words, have other numbers in the command's picture.
  const isWhole = page.focus === "" && !page.pool && !(state.words && state.tab === "lines");
  if (state.tab !== "map" && isWhole) options.push("--row", `@${queryTokens.positions[state.query]}`);
  return options;
}

function commandText() {
  const { words, texts } = page.command;
  const all = [...words, ...pictureOptions(), "-o", `${fileStem()}${viewSuffix()}.png`];
  if (texts.length > 0) all.push("--", ...texts);
  return all.map(shellQuote).join(" ");
}

async function copyCommand() {
  const text = commandText();
  const copied = await copyText(text);
  const button = byId("copy");
  button.textContent = copied ? "Copied" : "Press Ctrl+C";
  if (!copied) getSelection().selectAllChildren(byId("command"));
  announce(copied ? "Command copied" : "Command selected");
  setTimeout(() => {
    button.textContent = "Copy command";
  }, 1600);
}

// Pages opened from disk may have no clipboard of the new kind.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { className: "away", value: text, readOnly: true });
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}
