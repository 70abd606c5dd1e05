// Elements and words: small things that every part of the page needs.

import { visible } from "./visible.js";

/// Makes an element. A child that is a string becomes text, never markup, with marks in the place of hidden characters.
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
    // One by one: there may be more than a call takes.
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

/// Returns what a section is called by people.
export function title(part) {
  return part.is_injected ? (TITLES[part.selector] ?? part.selector) : `${part.category} / ${part.selector}`;
}

const numbers = new Intl.NumberFormat("en");

/// Returns how much something is.
export function size(bytes) {
  if (bytes < 1024) return `${numbers.format(bytes)} ${bytes === 1 ? "byte" : "bytes"}`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export function count(number, one, many) {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}

/// Returns the eight signs of a hash by which people tell it from others.
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

/// Returns a time, which `refreshTimes` keeps true.
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
  create: "written",
  append: "added to",
  clear: "cleared",
  remove: "removed",
  undo: "taken back",
};

/// Returns who changed a section last, and when, as children of an element.
export function lastChange(part) {
  const last = part.last;
  if (!last) {
    return [part.bytes > 0 ? "Last updated by nobody known: the journal does not have it" : "Never updated"];
  }
  const who = last.operation === "outside" ? "somebody outside the tools" : last.actor;
  const how = DONE[last.operation];
  const children = ["Last updated ", time(last.time), " by ", make("strong", {}, who), how && how !== "replaced" ? ` (${how})` : ""];
  if (!last.is_current) children.push(make("span", { class: "warn" }, " and changed outside the tools since"));
  return children;
}

/// Returns by whom, and when, a section became what it is.
export function by(part) {
  const last = part.last;
  if (!last || !last.is_current || last.operation === "outside") return [" outside the tools"];
  return [" ", time(last.time), " by ", make("strong", {}, last.actor)];
}

export function button(text, kind, onclick) {
  return make("button", { class: `button ${kind}`.trim(), type: "button", onclick }, text);
}
