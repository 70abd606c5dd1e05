// The line diff of two strings, and the line breaks of text from a text field.

import { count, make } from "./elements.js";

// With more cells, all lines between the first and the last change count as changed.
const MAX_CELLS = 4_000_000;
// The number of unchanged lines displayed around a change.
const AROUND = 3;
// Further rows are only counted.
const MAX_ROWS = 2000;

/// Splits text into lines with their line breaks.
export function lines(text) {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

function bare(line) {
  return line.replace(/(?:\r\n|\r|\n)$/, "");
}

/// Returns the steps from one list of lines to another: `[sign, old line, new line]`.
export function compare(before, after, same = (one, other) => one === other) {
  let start = 0;
  while (start < before.length && start < after.length && same(before[start], after[start])) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    same(before[before.length - 1 - end], after[after.length - 1 - end])
  ) {
    end += 1;
  }
  const steps = [];
  for (let at = 0; at < start; at += 1) steps.push([" ", before[at], after[at]]);
  // One by one, because the number of arguments of a call is limited.
  for (const step of middle(before.slice(start, before.length - end), after.slice(start, after.length - end), same)) {
    steps.push(step);
  }
  for (let at = end; at > 0; at -= 1) steps.push([" ", before[before.length - at], after[after.length - at]]);
  return steps;
}

// The longest common subsequence of lines, computed with a table.
function middle(before, after, same) {
  const removed = (line) => ["-", line, null];
  const added = (line) => ["+", null, line];
  if (before.length * after.length > MAX_CELLS) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      table[row * width + column] = same(before[row], after[column])
        ? table[(row + 1) * width + column + 1] + 1
        : Math.max(table[(row + 1) * width + column], table[row * width + column + 1]);
    }
  }
  const steps = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length) {
    if (same(before[row], after[column])) {
      steps.push([" ", before[row], after[column]]);
      row += 1;
      column += 1;
    } else if (table[(row + 1) * width + column] >= table[row * width + column + 1]) {
      steps.push(removed(before[row]));
      row += 1;
    } else {
      steps.push(added(after[column]));
      column += 1;
    }
  }
  return [...steps, ...before.slice(row).map(removed), ...after.slice(column).map(added)];
}

/// Restores the line breaks of text from a text field, which normalizes them.
export function withBreaksOf(original, typed) {
  const before = lines(original);
  const kinds = before.map((line) => line.slice(bare(line).length)).filter((kind) => kind !== "");
  if (kinds.every((kind) => kind === "\n")) return typed;
  const crlf = kinds.filter((kind) => kind === "\r\n").length;
  const usual = crlf * 2 >= kinds.length ? "\r\n" : "\n";
  const steps = compare(before, lines(typed), (one, other) => bare(one) === bare(other));
  return steps
    .filter(([, , line]) => line !== null)
    .map(([, old, line]) => {
      if (!line.endsWith("\n")) return line;
      const kept = old === null ? "" : old.slice(bare(old).length);
      return bare(line) + (kept || usual);
    })
    .join("");
}

/// Returns the diff of two strings as an element.
export function differences(before, after, label) {
  const steps = compare(lines(before), lines(after));
  const plus = steps.filter(([sign]) => sign === "+").length;
  const minus = steps.filter(([sign]) => sign === "-").length;
  const box = make("div", { class: "diff", role: "group", "aria-label": label });
  if (plus + minus === 0) {
    box.append(make("p", { class: "none" }, "No changes."));
    return box;
  }
  const summary = [
    minus > 0 ? `${count(minus, "line", "lines")} removed` : "",
    plus > 0 ? `${count(plus, "line", "lines")} added` : "",
  ];
  box.append(make("p", { class: "sum" }, summary.filter(Boolean).join(", ")));
  const table = make("div", { class: "rows" });
  let quiet = 0;
  let left = 0;
  steps.forEach((step, at) => {
    if (table.childElementCount >= MAX_ROWS) {
      left += 1;
      return;
    }
    const near = steps.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([sign]) => sign !== " ");
    if (!near) {
      quiet += 1;
      return;
    }
    if (quiet > 0) table.append(skipped(quiet));
    quiet = 0;
    table.append(row(step));
  });
  if (quiet > 0) table.append(skipped(quiet));
  if (left > 0) table.append(make("div", { class: "row same" }, `${count(left, "line", "lines")} more`));
  box.append(table);
  return box;
}

function skipped(number) {
  return make("div", { class: "row same" }, count(number, "unchanged line", "unchanged lines"));
}

const KINDS = { " ": ["row", "span", ""], "-": ["row minus", "del", "removed: "], "+": ["row plus", "ins", "added: "] };

function row([sign, old, line]) {
  const [kind, element, spoken] = KINDS[sign];
  const text = line ?? old;
  const shown = bare(text);
  const note = text === shown ? "no line break at the end" : text.endsWith("\r\n") ? "CRLF" : text.endsWith("\r") ? "CR" : "";
  return make(
    "div",
    { class: kind },
    make("span", { class: "sign", "aria-hidden": "true" }, sign),
    make(
      element,
      {},
      spoken ? make("span", { class: "visually-hidden" }, spoken) : null,
      shown,
      note && sign !== " " ? make("span", { class: "note" }, ` ${note}`) : null,
    ),
  );
}
