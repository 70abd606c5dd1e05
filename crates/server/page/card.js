// One section on the page: its title, its last change, and its content or an open edit.

import { Editor } from "./editor.js";
import { lastChange, make, size, title } from "./elements.js";
import { typeset } from "./typeset.js";

export class Card {
  constructor(part, page) {
    this.page = page;
    this.part = part;
    this.editor = null;
    const id = `section-${part.section.replaceAll("/", "--")}`;
    this.heading = make("h2", { id: `${id}-title` }, title(part));
    this.meta = make("p", { class: "meta" });
    this.act = make("button", { class: "button small", type: "button", onclick: () => this.edit() });
    this.slot = make("div", { class: "slot" });
    this.element = make(
      "article",
      { class: "card", id, "aria-labelledby": `${id}-title` },
      make(
        "div",
        { class: "margin" },
        make("div", { class: "head" }, this.heading, make("code", { class: "file" }, part.file)),
        this.meta,
        this.act,
      ),
      this.slot,
    );
    this.show();
  }

  get isOpen() {
    return this.editor !== null;
  }

  get isUnsaved() {
    return this.editor?.isUnsaved ?? false;
  }

  get isBlank() {
    return !this.part.problem && (this.part.text ?? "").trim() === "";
  }

  /// Updates the card to the state on disk. An open edit is kept, and shows that the section has changed.
  update(part) {
    const before = this.part;
    this.part = part;
    const same = before.hash === part.hash && before.problem?.message === part.problem?.message;
    if (this.editor) {
      this.label();
      this.editor.below(part);
    } else if (same) {
      this.label();
    } else {
      this.show();
      this.element.classList.remove("fresh");
      // Restarts the animation.
      void this.element.offsetWidth;
      this.element.classList.add("fresh");
    }
    return !same;
  }

  label() {
    const { part } = this;
    const exists = part.hash !== null;
    this.meta.replaceChildren(make("span", { class: "last" }, ...lastChange(part)));
    if (exists) this.meta.append(make("span", { class: "size" }, size(part.bytes)));
    const verb = exists && part.bytes > 0 ? "Edit" : "Write";
    this.act.replaceChildren(verb, make("span", { class: "visually-hidden" }, ` ${part.file}`));
    this.act.hidden = this.isOpen || Boolean(part.problem);
    this.element.classList.toggle("absent", !exists && !part.problem);
    this.element.classList.toggle("editing", this.isOpen);
  }

  show() {
    this.label();
    const { part } = this;
    if (part.problem) {
      const { message, next } = part.problem;
      this.slot.replaceChildren(make("p", { class: "notice warn" }, message, next ? `: ${next}` : "", "."));
    } else if (part.hash === null) {
      this.slot.replaceChildren(make("p", { class: "empty" }, "Does not exist yet."));
    } else if (part.text === "") {
      this.slot.replaceChildren(make("p", { class: "empty" }, "Empty."));
    } else {
      this.slot.replaceChildren(typeset(part.text));
    }
  }

  edit() {
    if (this.editor || this.part.problem) return;
    this.editor = new Editor(this);
    this.label();
    this.editor.write();
    this.page.changed();
  }

  /// Ends the edit, and returns the focus to where it began.
  close(message) {
    this.editor = null;
    this.show();
    this.page.changed();
    if (message) this.page.announce(message);
    (this.act.hidden ? this.page.panel : this.act).focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest" });
  }
}
