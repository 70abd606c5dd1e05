// Typesets text without changing it: the reader of the page sees exactly the characters that agents receive. Characters
// that are not displayed are marked.

import { make } from "./elements.js";

// Text with more lines is displayed as plain text.
const MAX_LINES = 4000;
// A longer line is displayed as plain text.
const MAX_CHARACTERS = 5000;

/// Returns the text as an element.
export function typeset(text) {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > MAX_LINES || text.length > 1024 * 1024) return make("pre", { class: "plain" }, text);
  const body = make("div", { class: "text" });
  let fence = null;
  for (const line of lines) {
    const opens = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence) {
      const closes = opens && opens[1][0] === fence[0] && opens[1].length >= fence.length && opens[2].trim() === "";
      body.append(make("div", { class: closes ? "line code fence" : "line code" }, filled(line)));
      if (closes) fence = null;
    } else if (opens && !(opens[1][0] === "`" && opens[2].includes("`"))) {
      fence = opens[1];
      body.append(make("div", { class: "line code fence" }, line));
    } else {
      body.append(set(line));
    }
  }
  return body;
}

// An empty line has the height of a line, but is empty when it is copied.
function filled(line) {
  return line === "" ? make("br") : line;
}

function set(line) {
  if (line.length > MAX_CHARACTERS) return make("div", { class: "line" }, line);
  if (line.trim() === "") return make("div", { class: "line blank" }, make("br"));
  const heading = /^( {0,3}#{1,6})(\s+.*)$/.exec(line);
  if (heading) {
    const level = Math.min(heading[1].trim().length, 4);
    return make("div", { class: `line heading level-${level}` }, mark(heading[1]), ...inline(heading[2]));
  }
  const item = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(\[[ xX]\]\s)?(.*)$/.exec(line);
  if (item) {
    const [, indent, bullet, gap, box, rest] = item;
    const depth = Math.min(Math.floor(indent.replaceAll("\t", "    ").length / 2), 6);
    const done = box && /x/i.test(box);
    return make(
      "div",
      { class: `line item depth-${depth}${/\d/.test(bullet) ? " numbered" : ""}${done ? " done" : ""}` },
      indent ? make("span", { class: "indent" }, indent) : null,
      make("span", { class: "mark bullet" }, bullet, gap),
      box ? make("span", { class: "box" }, box.trimEnd()) : null,
      box ? box.slice(-1) : null,
      ...inline(rest),
    );
  }
  const quote = /^(\s{0,3}>)(.*)$/.exec(line);
  if (quote) return make("div", { class: "line quote" }, mark(quote[1]), ...inline(quote[2]));
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return make("div", { class: "line rule" }, mark(line));
  return make("div", { class: "line" }, ...inline(line));
}

function mark(text) {
  return make("span", { class: "mark" }, text);
}

/// Renders code and strong text with their marks, in one pass.
function inline(text) {
  const runs = [...text.matchAll(/`+/g)];
  // The next run of the same length ends the code.
  const ends = new Map();
  const last = new Map();
  for (const run of runs.toReversed()) {
    ends.set(run, last.get(run[0].length));
    last.set(run[0].length, run);
  }
  const parts = [];
  let from = 0;
  for (const run of runs) {
    const end = ends.get(run);
    if (run.index < from || !end) continue;
    parts.push(...strong(text.slice(from, run.index)));
    from = end.index + end[0].length;
    parts.push(make("code", {}, text.slice(run.index, from)));
  }
  return [...parts, ...strong(text.slice(from))];
}

function strong(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(/\*\*[^*\s](?:[^*]*[^*\s])?\*\*/g)) {
    parts.push(text.slice(from, found.index), make("strong", {}, found[0]));
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== "");
}
