// The page: one package in tabs, updated when it changes on disk.

import { Card } from "./card.js";
import { listen, load, Unreachable } from "./server.js";
import { make, refreshTimes, size } from "./elements.js";

const at = (id) => document.getElementById(id);
const isTop = (part) => part.category === null;

const TABS = [
  { id: "goals", name: "Goals", has: (card) => card.part.section === "goals" },
  { id: "constraints", name: "Constraints", has: (card) => card.part.section === "constraints" },
  { id: "progress", name: "Progress", has: (card) => card.part.section === "progress" },
  { id: "bearinmind", name: "Bear In Mind", has: (card) => card.part.category === "bearinmind", counts: true },
  { id: "extra", name: "Extra", has: (card) => !card.part.is_injected, counts: true },
  {
    id: "combined",
    name: "Combined",
    has: (card) => card.part.is_injected && (isTop(card.part) || !card.isBlank || card.isOpen),
  },
];

class Page {
  constructor() {
    this.panel = at("panel");
    this.document = null;
    this.cards = new Map();
    this.isLoading = false;
    this.isStale = false;
    this.tabs = TABS.map((tab) => ({ ...tab, button: this.tab(tab) }));
    at("tabs").append(...this.tabs.map((tab) => tab.button));
    at("tabs").addEventListener("keydown", (event) => this.onKey(event));
    this.select(this.wanted(), false);
    window.addEventListener("hashchange", () => this.select(this.wanted(), false));
    window.addEventListener("beforeunload", (event) => {
      if ([...this.cards.values()].some((card) => card.isUnsaved)) event.preventDefault();
    });
    setInterval(() => refreshTimes(document), 20_000);
    listen(
      (revision) => {
        if (revision !== this.document?.revision) this.refresh();
      },
      (state) => this.state(state),
    );
    this.refresh();
  }

  tab({ id, name }) {
    return make(
      "button",
      { role: "tab", id: `tab-${id}`, type: "button", class: "tab", "aria-controls": "panel", onclick: () => this.select(id, false) },
      name,
    );
  }

  wanted() {
    const wanted = window.location.hash.slice(1);
    return TABS.some((tab) => tab.id === wanted) ? wanted : (this.selected ?? "goals");
  }

  // Arrow keys move along the tabs and select them; only the selected tab is in the tab order.
  onKey(event) {
    const here = this.tabs.findIndex((tab) => tab.id === this.selected);
    const last = this.tabs.length - 1;
    const next = {
      ArrowRight: here === last ? 0 : here + 1,
      ArrowDown: here === last ? 0 : here + 1,
      ArrowLeft: here === 0 ? last : here - 1,
      ArrowUp: here === 0 ? last : here - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.select(this.tabs[next].id, true);
  }

  select(id, takesFocus) {
    this.selected = id;
    for (const tab of this.tabs) {
      const is = tab.id === id;
      tab.button.setAttribute("aria-selected", String(is));
      tab.button.tabIndex = is ? 0 : -1;
      if (is) {
        this.panel.setAttribute("aria-labelledby", tab.button.id);
        if (takesFocus) tab.button.focus();
      }
    }
    // The tab is part of the URL for a reload, but not of the history.
    if (window.location.hash !== `#${id}`) window.history.replaceState(null, "", `#${id}`);
    this.arrange();
  }

  async refresh() {
    if (this.isLoading) {
      this.isStale = true;
      return;
    }
    this.isLoading = true;
    try {
      const { status, document: received } = await load();
      if (status === 200) this.show(received);
      else this.showNotice([received.message, received.next].filter(Boolean).join(": ") + ".");
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.state("lost");
    } finally {
      this.isLoading = false;
    }
    if (this.isStale) {
      this.isStale = false;
      this.refresh();
    }
  }

  show(received) {
    const isFirst = this.document === null;
    this.document = received;
    at("name").textContent = received.name;
    at("path").textContent = received.path;
    document.title = `${received.name} · task`;
    this.showNotice(received.problem ? `${received.problem.message}.` : null);
    const changed = [];
    const removed = new Set(this.cards.keys());
    received.sections.forEach((part) => {
      removed.delete(part.section);
      const card = this.cards.get(part.section);
      if (!card) this.cards.set(part.section, new Card(part, this));
      else if (card.update(part)) changed.push(part.file);
    });
    for (const section of removed) {
      const card = this.cards.get(section);
      if (card.isOpen) card.update({ ...card.part, text: null, hash: null, bytes: 0, last: null, problem: null });
      else this.cards.delete(section);
    }
    const order = received.sections.map((part) => this.cards.get(part.section));
    const kept = [...removed].map((section) => this.cards.get(section)).filter(Boolean);
    const elements = [...order, ...kept].map((card) => card.element);
    // Moving an element would remove its focus.
    const now = [...at("cards").children];
    if (now.length !== elements.length || now.some((element, index) => element !== elements[index])) {
      const focus = document.activeElement;
      at("cards").replaceChildren(...elements);
      if (focus && focus !== document.activeElement && document.contains(focus)) focus.focus({ preventScroll: true });
    }
    this.arrange();
    if (!isFirst && changed.length > 0) this.announce(`Updated: ${changed.join(", ")}.`);
  }

  /// Displays the cards and the description of the tab.
  arrange() {
    const tab = this.tabs.find((one) => one.id === this.selected);
    const cards = [...this.cards.values()];
    let isFirst = true;
    for (const element of at("cards").children) {
      const card = cards.find((one) => one.element === element);
      element.hidden = !card || !tab.has(card);
      element.classList.toggle("first", isFirst && !element.hidden);
      isFirst &&= element.hidden;
    }
    at("cards").className = `cards ${tab.id}`;
    for (const { button, has, name, counts } of this.tabs) {
      const mine = cards.filter(has);
      const number = mine.filter((card) => card.part.hash !== null).length;
      const isUnsaved = mine.some((card) => card.isUnsaved);
      button.replaceChildren(
        name,
        ...(counts && number > 0 ? [make("span", { class: "count", "aria-hidden": "true" }, String(number))] : []),
        ...(isUnsaved
          ? [make("span", { class: "unsaved", "aria-hidden": "true" }), make("span", { class: "visually-hidden" }, ", not saved")]
          : []),
      );
    }
    const lead = this.document ? this.lead(tab.id, cards.filter(tab.has).length) : [];
    at("lead").hidden = lead.length === 0;
    at("lead").replaceChildren(...lead);
  }

  lead(id, number) {
    const { effective, more_sections: more } = this.document;
    if (id === "bearinmind") return ["These sections are in the task prompt, between constraints and progress."];
    if (id === "extra" && number === 0) return ["There are no extra sections. Agents create them in custom categories."];
    if (id === "extra") {
      return ["The task prompt lists the names of these sections, which agents read when needed.", more ? " More sections exist than are listed here." : ""];
    }
    if (id !== "combined") return [];
    const cut = effective.cut.map(({ section, left_out: left }) => `${size(left)} of ${section}`);
    return [
      `What agents are given with every message, in this order: ${size(effective.bytes)} of at most ${size(effective.budget)}.`,
      cut.length > 0 ? make("strong", { class: "warn" }, ` Shortened: ${cut.join(", ")}.`) : "",
      effective.unread.length > 0
        ? make("strong", { class: "warn" }, ` Cannot be read, and is missing: ${effective.unread.join(", ")}.`)
        : "",
    ];
  }

  changed() {
    this.arrange();
  }

  state(state) {
    const labels = { live: "Live", lost: "Not connected" };
    at("live").dataset.state = state;
    if (at("live-text").textContent === labels[state]) return;
    at("live-text").textContent = labels[state];
    if (state === "lost") this.announce("The connection is lost. The page may be out of date.");
  }

  showNotice(message) {
    at("notice").hidden = !message;
    at("notice").textContent = message ?? "";
    at("notice").className = "notice warn";
  }

  /// Announces a message to screen readers.
  announce(message) {
    at("status").textContent = message;
  }

  /// Asks for confirmation.
  ask(question, text, no, yes) {
    const dialog = at("ask");
    at("ask-title").textContent = question;
    at("ask-text").textContent = text;
    at("ask-no").textContent = no;
    at("ask-yes").textContent = yes;
    dialog.returnValue = "";
    at("ask-no").onclick = () => dialog.close("");
    at("ask-yes").onclick = () => dialog.close("yes");
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
      dialog.showModal();
      at("ask-no").focus();
    });
  }
}

new Page();
