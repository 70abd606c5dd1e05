// Somebody was quicker: both texts, and what changed meanwhile. Nothing is overwritten unless somebody says so.

import { differences } from "./diff.js";
import { button, by, make } from "./words.js";

/// Returns the heading, and all that is shown.
export function conflict(editor, { keep, take }) {
  const { file, newer, base } = editor;
  const isGone = newer.hash === null;
  const heading = make("h3", { tabindex: "-1" }, isGone ? `Conflict: ${file} is gone` : `Conflict: ${file} changed while you were editing`);
  const children = [
    heading,
    make("p", { class: "about" }, "Changed", ...by(newer), ". Nothing of yours was written, and nothing is lost."),
    make("h4", {}, "What changed meanwhile"),
    differences(base.text, newer.text ?? "", `What changed in ${file} meanwhile`),
    make(
      "div",
      { class: "both" },
      side(`${file} now`, newer.text ?? ""),
      side("Your text", editor.text),
    ),
    make(
      "div",
      { class: "buttons" },
      make("span", { class: "spring" }),
      button(isGone ? "Drop my edit" : `Take ${file} as it is now`, "", take),
      button("Go on with my text", "primary", keep),
    ),
  ];
  return { heading, children };
}

function side(label, text) {
  return make(
    "section",
    { "aria-label": label },
    make("h4", {}, label),
    make("pre", { class: "plain", tabindex: "0" }, text === "" ? "(empty)" : text),
  );
}
