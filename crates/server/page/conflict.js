// A conflict: the section was changed during the edit. Shows both versions and the diff, and overwrites nothing without confirmation.

import { differences } from "./diff.js";
import { button, by, make } from "./elements.js";

/// Returns the heading and the elements of the view.
export function conflict(editor, { keep, take }) {
  const { file, newer, base } = editor;
  const isGone = newer.hash === null;
  const heading = make("h3", { tabindex: "-1" }, isGone ? `Conflict: ${file} was removed` : `Conflict: ${file} changed while you were editing`);
  const children = [
    heading,
    make("p", { class: "about" }, "Changed", ...by(newer), ". Your text was not saved, and is kept here."),
    make("h4", {}, "Changes in the meantime"),
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
      button(isGone ? "Discard my edit" : `Use the current ${file}`, "", take),
      button("Continue with my text", "primary", keep),
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
