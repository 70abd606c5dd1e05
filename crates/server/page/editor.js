// An edit of one section: write, review the diff, and replace; or resolve a conflict.

import { conflict } from "./conflict.js";
import { differences, withBreaksOf } from "./diff.js";
import { Unreachable, put } from "./server.js";
import { button, by, make, short } from "./elements.js";

let editors = 0;

export class Editor {
  constructor(card) {
    this.card = card;
    this.file = card.part.file;
    this.base = { text: card.part.text ?? "", hash: card.part.hash };
    // The state on disk, if it has changed since the edit began.
    this.newer = null;
    this.step = "write";
    // During a request, a notification can be about its own change.
    this.isBusy = false;
    this.heard = null;
    editors += 1;
    const id = `editor-${editors}`;
    this.field = make("textarea", {
      id,
      spellcheck: "false",
      autocapitalize: "off",
      rows: "6",
      "aria-describedby": `${id}-about`,
      oninput: () => this.card.page.changed(),
      onkeydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          this.review();
        }
      },
    });
    this.field.value = this.base.text;
    this.untouched = this.field.value;
    this.banner = make("div", { class: "slot-banner" });
    this.problem = make("p", { class: "notice warn", role: "alert", hidden: true });
    this.about = make("p", { class: "about", id: `${id}-about` });
    this.label = make("label", { for: id }, `New content of ${this.file}`);
  }

  get text() {
    return withBreaksOf(this.base.text, this.field.value);
  }

  get isUnsaved() {
    return this.field.value !== this.untouched;
  }

  /// Updates the editor to the state on disk.
  below(part) {
    if (this.isBusy) {
      this.heard = part;
      return;
    }
    const isNewer = part.hash !== this.base.hash;
    const isOther = isNewer && this.newer?.hash !== part.hash;
    this.newer = isNewer ? part : null;
    if (this.step === "conflict" && isNewer) this.showConflict();
    else this.warn();
    if (isOther) this.card.page.announce(`${this.file} changed during your edit. Your text is kept.`);
  }

  warn() {
    const { newer } = this;
    if (!newer || this.step === "conflict") {
      this.banner.replaceChildren();
      return;
    }
    this.banner.replaceChildren(
      make(
        "div",
        { class: "notice warn" },
        make("p", {}, make("strong", {}, `${this.file} changed during your edit`), ...by(newer), ". Your text is kept."),
        make("button", { class: "button small", type: "button", onclick: () => this.showConflict() }, "Show changes"),
      ),
    );
  }

  set(step, label, ...children) {
    this.step = step;
    const box = make(
      "section",
      {
        class: `editor ${step}`,
        "aria-label": label,
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          if (this.isBusy) return;
          if (step === "write") this.cancel();
          else this.write();
        },
      },
      ...children,
    );
    this.card.slot.replaceChildren(box);
    this.warn();
  }

  write() {
    const { hash } = this.base;
    this.about.replaceChildren(
      ...(hash === null
        ? ["This creates ", make("strong", {}, this.file), "."]
        : ["This replaces ", make("strong", {}, this.file), " (version ", make("code", {}, short(hash)), ")."]),
    );
    this.set(
      "write",
      `Edit ${this.file}`,
      this.banner,
      this.about,
      this.label,
      this.field,
      this.problem,
      make(
        "div",
        { class: "buttons" },
        this.base.text === "" ? null : button(`Clear ${this.file}…`, "danger quiet", () => this.clear()),
        make("span", { class: "spring" }),
        button("Cancel", "", () => this.cancel()),
        button("Review change", "primary", () => this.review()),
      ),
    );
    this.fit();
    this.field.focus({ preventScroll: true });
  }

  // Fits the height of the field to its text, within the window.
  fit() {
    const rows = Math.min(Math.max(this.field.value.split("\n").length + 2, 8), 28);
    this.field.rows = rows;
  }

  review() {
    const text = this.text;
    this.complain(null);
    if (text.trim() === "") {
      this.complain(`This is blank. To empty ${this.file}, clear it; to leave it as it is, cancel.`);
      return;
    }
    const isSame = text === this.base.text;
    const heading = make("h3", { tabindex: "-1" }, isSame ? "Nothing to replace" : `Replace ${this.file}?`);
    this.go = button(`Replace ${this.file}`, "primary", () => this.send({ content: text }));
    this.go.disabled = isSame;
    this.set(
      "review",
      `Review the change of ${this.file}`,
      this.banner,
      heading,
      isSame
        ? make("p", { class: "about" }, "The section already has this text.")
        : differences(this.base.text, text, `What changes in ${this.file}`),
      this.problem,
      make("div", { class: "buttons" }, make("span", { class: "spring" }), button("Back to the text", "", () => this.write()), this.go),
    );
    heading.focus({ preventScroll: true });
    this.card.element.scrollIntoView({ block: "nearest" });
  }

  async clear() {
    const sure = await this.card.page.ask(
      `Clear ${this.file}?`,
      "The section will be empty. “minds task undo” restores its content.",
      "Keep the content",
      `Clear ${this.file}`,
    );
    if (sure) await this.send({ clear: true });
    else this.field.focus();
  }

  async cancel() {
    if (this.isUnsaved) {
      const sure = await this.card.page.ask(`Discard your edit of ${this.file}?`, "Your text is not saved.", "Keep editing", "Discard");
      if (!sure) {
        this.field.focus();
        return;
      }
    }
    this.card.close(null);
  }

  async send(change) {
    if (this.isBusy) return;
    this.isBusy = true;
    if (this.go) this.go.disabled = true;
    this.complain(null);
    try {
      const { status, document } = await put(this.card.part.section, { ...change, hash: this.base.hash });
      if (status === 200 && document.status === "ok") {
        this.card.editor = null;
        if (document.section) this.card.part = document.section;
        this.card.close(change.clear ? `${this.file} is empty now.` : `${this.file} is replaced.`);
      } else if (status === 409 && document.section) {
        this.card.part = document.section;
        this.card.label();
        this.newer = document.section;
        this.showConflict();
      } else {
        this.complain([document.message ?? `the server answered with ${status}`, document.next].filter(Boolean).join("; ") + ".");
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.complain(`Nothing was changed: ${error.message}`);
    } finally {
      this.isBusy = false;
      if (this.go) this.go.disabled = false;
      if (this.heard && this.card.editor === this) this.below(this.heard);
      this.heard = null;
    }
  }

  showConflict() {
    const view = conflict(this, {
      keep: () => {
        this.base = { text: this.newer.text ?? "", hash: this.newer.hash };
        this.newer = null;
        this.write();
        this.card.page.announce(`Your text is kept; it now replaces the current ${this.file}.`);
      },
      take: () => this.card.close(`Your edit of ${this.file} was discarded.`),
    });
    this.set("conflict", `Conflict in ${this.file}`, ...view.children);
    view.heading.focus({ preventScroll: true });
    this.card.element.scrollIntoView({ block: "nearest" });
    this.card.page.announce(view.heading.textContent);
  }

  complain(message) {
    this.problem.hidden = message === null;
    this.problem.textContent = message ?? "";
  }
}
