// Elements, titles and units: helpers for all parts of the page.

import { visible } from "./visible.js";

/// Makes an element. A child that is a string becomes text, never markup, with marks in place of hidden characters.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "onclick" || key === "oninput" || key === "onkeydown") {
      element.addEventListener(key.slice(2), value);
    } else {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    // One by one, because the number of arguments of a call is limited.
    if (typeof child === "string") visible(child).forEach((part) => element.append(part));
    else element.append(child);
  }
  return element;
}

const TITLES = {
  goals: "Goals",
  constraints: "Constraints",
  progress: "Progress",
  contracts: "Contracts",
  acceptance: "Acceptance",
  grants: "Grants",
  runbook: "Runbook",
  decisions: "Decisions",
  risks: "Risks",
};

/// Returns the title of a section.
export function title(part) {
  return part.is_injected ? (TITLES[part.selector] ?? part.selector) : `${part.category} / ${part.selector}`;
}

const numbers = new Intl.NumberFormat("en");

/// Renders a size.
export function size(bytes) {
  if (bytes < 1024) return `${numbers.format(bytes)} ${bytes === 1 ? "byte" : "bytes"}`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export function count(number, one, many) {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}

/// Returns the first eight characters of a hash.
export function short(hash) {
  return hash ? hash.replace(/^sha256:/, "").slice(0, 8) : "nothing";
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const STEPS = [
  ["year", 31536000],
  ["month", 2592000],
  ["week", 604800],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

function ago(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : "just now";
}

/// Returns a time element, which `refreshTimes` updates.
export function time(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return make("time", {}, text);
  return make("time", { datetime: text, title: absolute.format(date) }, ago(date));
}

export function refreshTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    element.textContent = ago(new Date(element.dateTime));
  }
}

const DONE = {
  set: "replaced",
  create: "created",
  append: "appended",
  clear: "cleared",
  remove: "removed",
  undo: "undone",
};

/// Returns the author and the time of the last change of a section, as children of an element.
export function lastChange(part) {
  const last = part.last;
  if (!last) {
    return [part.bytes > 0 ? "Last updated by an unknown author: the journal has no entry" : "Never updated"];
  }
  const who = last.operation === "outside" ? "another program" : last.actor;
  const how = DONE[last.operation];
  const children = ["Last updated ", time(last.time), " by ", make("strong", {}, who), how && how !== "replaced" ? ` (${how})` : ""];
  if (!last.is_current) children.push(make("span", { class: "warn" }, " and changed by another program since"));
  return children;
}

/// Returns the author and the time of the current content of a section.
export function by(part) {
  const last = part.last;
  if (!last || !last.is_current || last.operation === "outside") return [" by another program"];
  return [" ", time(last.time), " by ", make("strong", {}, last.actor)];
}

export function button(text, kind, onclick) {
  return make("button", { class: `button ${kind}`.trim(), type: "button", onclick }, text);
}
