// Clicks through the page of a task like a user: views, edits, handles an edit conflict, and sees live updates.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { browser: executablePath, minds, workspace, pictures } = JSON.parse(process.argv[2]);
const env = { ...process.env, USER: "alice", MINDS_HOME: join(workspace, ".git/home") };
mkdirSync(pictures, { recursive: true });

const run = (args, input = "") => execFileSync(minds, ["task", ...args], { cwd: workspace, env, input, encoding: "utf8" });

class Task {
  constructor(name) {
    this.name = name;
    run(["new", name]);
  }

  set(section, text, as = []) {
    const [category, selector] = section.includes("/") ? section.split("/") : [null, section];
    run([...as, "--task", this.name, "set", selector, ...(category ? ["--category", category] : []), "--from", "-"], text);
  }

  file(name) {
    return readFileSync(join(workspace, "tasks", `${this.name}.tsk`, name), "utf8");
  }

  byHand(name, text) {
    writeFileSync(join(workspace, "tasks", `${this.name}.tsk`, name), text);
  }

  last() {
    return JSON.parse(this.file("journal.jsonl").trim().split("\n").at(-1));
  }

  async view() {
    const child = spawn(minds, ["task", "view", this.name, "--no-open"], { cwd: workspace, env, stdio: ["ignore", "pipe", "ignore"] });
    const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    const line = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    return { ...JSON.parse(line), end: () => (child.kill("SIGINT"), ended) };
  }
}

const GOALS = `# Ship the importer

Readers can bring their **whole library** along, and nothing they wrote is lost.

## Done when

- a library of 50,000 notes is in within two minutes
- [x] tags, dates and attachments are the same afterwards
- [ ] a broken file is named, and the others go on
  - with its path and the line
1. first the dry run
2. then \`import --commit\`

> What we do not promise: order of notes with the same date.
`;

/// Characters required by writing systems and emoji, which `text/hidden-text` does not report either.
const NEEDED = "می\u200cخواهم क\u094d\u200dष שלום\u200f! ภาษา\u200bไทย 葛\u{e0100} 👩🏽\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
const HIDDEN = `- a\u202eb **x\u{e0041}\u{e0042}** \`a\u200bb\` 😀\ufe0f\ufe01 a\u200d \u001b[2J e\u200e
${NEEDED}
`;
const HIDDEN_MARKS = ["U+202E", "U+E0041 and 1 more", "U+200B", "U+FE01", "U+200D", "U+001B", "U+200E"];
const CONSTRAINTS = `- MUST NOT write outside of \`library/\`
- MUST keep the old format readable for one year
- SHOULD not need more than 200 MB
<img src=x onerror="document.title='broken'"><script>document.title='broken'</script> [a](javascript:alert(1))

\`\`\`sh
# this is no heading
minds task show --effective
\`\`\`
`;

const PROGRESS = `## Now

Reading works for notes; attachments are next. Blocked by nothing.

## Decided

- 2026-11-02 one transaction for each file
- 2026-11-09 hashes instead of times
`;

/// Returns the text whose contrast with its background is below the requirement of WCAG AA.
function contrasts() {
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([red, green, blue]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || !element.checkVisibility() || element.closest(".visually-hidden, .skip, noscript, :disabled")) continue;
    const [one, other] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${element.className || element.tagName}: ${walker.currentNode.data.slice(0, 30)}`);
  }
  return bad;
}

async function through(browser, width, colorScheme) {
  const name = `importer-${width}-${colorScheme}`;
  const task = new Task(name);
  task.set("goals", GOALS);
  task.set("constraints", CONSTRAINTS);
  task.set("progress", PROGRESS);
  task.set("bearinmind/risks", "- old files with two encodings in one\n");
  task.set("ux/checklist", "- the bar moves before the first second is over\n");
  task.set("notes/windows", "one\r\ntwo\r\nthree\r\n");
  const served = await task.view();
  const origin = new URL(served.url).origin;
  // The browser is started with the file; a user may open the address.
  const redirect = pathToFileURL(served.file).href;
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 800 }, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => request.url().startsWith(origin) || request.url() === redirect || wrong.push(`asks for ${request.url()}`));

  let pictured = 0;
  const look = async (what) => {
    pictured += 1;
    await page.screenshot({ path: join(pictures, `${width}-${colorScheme}-${pictured}-${what}.png`) });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(over <= 0, `${what}: ${over} pixels too wide`);
    assert.deepEqual(await page.evaluate(contrasts), [], what);
  };
  const tab = (label) => page.getByRole("tab", { name: label });
  const card = (label) => page.getByRole("article", { name: label, exact: true });
  const press = (label) => page.getByRole("button", { name: label }).click();
  const field = (file) => page.getByLabel(`New content of ${file}`);
  const disk = async (file, expected) => assert.equal(task.file(file), expected);
  const said = (text) => page.locator("#status", { hasText: text }).waitFor({ state: "attached" });

  // View.
  await page.goto(width < 500 ? served.url : redirect);
  await page.waitForURL(`${origin}/**`);
  await card("Goals").getByText("whole library").waitFor();
  assert.equal(await page.title(), `${name} · task`);
  assert.deepEqual(await page.getByRole("tab").evaluateAll((tabs) => tabs.map((one) => one.firstChild.textContent)), [
    "Goals",
    "Constraints",
    "Progress",
    "Bear In Mind",
    "Extra",
    "Combined",
  ]);
  await card("Goals").getByText(/Last updated .* by user:alice/).waitFor();
  await page.locator("#live[data-state=live]").waitFor();
  assert.equal(await page.getByRole("article").count(), 1);
  await look("goals");

  // Keyboard: one tab stop for all tabs, arrow keys between them.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "tab-goals");
  for (const [key, id] of [["ArrowRight", "constraints"], ["End", "combined"], ["ArrowRight", "goals"], ["ArrowLeft", "combined"], ["Home", "goals"]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), `tab-${id}`);
    assert.equal(await page.locator("[role=tab][aria-selected=true]").getAttribute("id"), `tab-${id}`);
    assert.equal(await page.locator("[role=tab][tabindex='0']").count(), 1);
  }
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "panel");

  // The content of a section is text, even if it looks like markup.
  await tab("Constraints").click();
  await card("Constraints").getByText("<img src=x onerror=").waitFor();
  assert.equal(await page.locator("main img, main script, main a").count(), 0);
  assert.equal(await card("Constraints").locator(".text").evaluate((text) => [...text.children].map((line) => line.textContent).join("\n") + "\n"), CONSTRAINTS);
  await look("constraints");

  await tab("Combined").click();
  assert.deepEqual(await page.getByRole("heading", { level: 2 }).allTextContents(), ["Goals", "Constraints", "Risks", "Progress"]);
  await page.getByText("in this order").waitFor();
  await look("combined");
  await tab("Extra").click();
  assert.deepEqual(await page.getByRole("heading", { level: 2 }).allTextContents(), ["notes / windows", "ux / checklist"]);
  await look("extra");

  // Edit: the replaced file is named, and the change is shown before it is sent.
  await tab("Goals").click();
  await press("Edit goals.md");
  await page.getByText("This replaces goals.md (version").waitFor();
  assert.equal(await field("goals.md").inputValue(), GOALS);
  assert.ok(await field("goals.md").evaluate((element) => element === document.activeElement));
  await page.keyboard.press("Escape");
  await field("goals.md").waitFor({ state: "detached" });
  await press("Edit goals.md");
  const better = GOALS.replace("two minutes", "one minute");
  await field("goals.md").fill(better);
  await look("edit");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").getByText("Discard your edit of goals.md?").waitFor();
  await look("discard");
  await page.keyboard.press("Escape");
  assert.equal(await field("goals.md").inputValue(), better);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Replace goals.md?" }).waitFor();
  assert.equal(await page.locator("del").textContent(), "removed: - a library of 50,000 notes is in within two minutes");
  assert.equal(await page.locator("ins").textContent(), "added: - a library of 50,000 notes is in within one minute");
  await look("review");
  await disk("goals.md", GOALS);
  await press("Replace goals.md");
  await said("goals.md is replaced");
  await card("Goals").locator(".text").getByText("within one minute").waitFor();
  await disk("goals.md", better);
  assert.deepEqual([task.last().actor, task.last().section, task.last().operation], ["user:alice", "goals", "set"]);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Edit goals.md");

  // A change on disk is displayed immediately.
  await tab("Progress").click();
  task.set("progress", `${PROGRESS}- 2026-11-20 attachments are in\n`);
  await card("Progress").getByText("attachments are in").waitFor();
  await said("Updated: progress.md");
  task.byHand("progress.md", PROGRESS);
  await card("Progress").getByText("changed by another program since").waitFor();
  assert.equal(await card("Progress").getByText("attachments are in").count(), 0);
  await look("by-hand");

  // An open edit keeps its text, and reports that the file has changed.
  const mine = CONSTRAINTS.replace("200 MB", "100 MB");
  const theirs = CONSTRAINTS.replace("one year", "two years");
  await tab("Constraints").click();
  await press("Edit constraints.md");
  await field("constraints.md").fill(mine);
  task.set("constraints", theirs);
  await page.getByText("constraints.md changed during your edit").waitFor();
  assert.equal(await field("constraints.md").inputValue(), mine);
  await look("below");
  await press("Show changes");
  await page.getByRole("heading", { name: "Conflict: constraints.md changed while you were editing" }).waitFor();
  assert.ok((await page.locator("ins").textContent()).includes("two years"));
  assert.ok((await page.getByRole("region", { name: "constraints.md now" }).textContent()).includes("two years"));
  assert.ok((await page.getByRole("region", { name: "Your text" }).textContent()).includes("100 MB"));
  await look("conflict");
  await press("Use the current constraints.md");
  await card("Constraints").locator(".text").getByText("two years").waitFor();
  await disk("constraints.md", theirs);

  // A concurrent change that the page has not received yet is not overwritten.
  await press("Edit constraints.md");
  await field("constraints.md").fill(mine);
  await press("Review change");
  await page.route("**/api/package", (route) => route.abort());
  const quicker = theirs.replace("MUST keep", "MUST always keep");
  task.set("constraints", quicker);
  await press("Replace constraints.md");
  await page.getByRole("heading", { name: "Conflict: constraints.md changed while you were editing" }).waitFor();
  await disk("constraints.md", quicker);
  await page.unroute("**/api/package");
  await press("Continue with my text");
  assert.equal(await field("constraints.md").inputValue(), mine);
  await press("Review change");
  assert.ok((await page.locator("del").first().textContent()).includes("MUST always keep"));
  await press("Replace constraints.md");
  await said("constraints.md is replaced");
  await disk("constraints.md", mine);

  // Line breaks are preserved.
  await tab("Extra").click();
  await press("Edit notes/windows.md");
  await field("notes/windows.md").fill("one\n2\nthree\nfour\n");
  await press("Review change");
  await press("Replace notes/windows.md");
  await said("notes/windows.md is replaced");
  await disk("notes/windows.md", "one\r\n2\r\nthree\r\nfour\r\n");

  // A missing section is written; clearing a section is a separate action.
  await tab("Bear In Mind").click();
  await look("bearinmind");
  await press("Write bearinmind/grants.md");
  await field("bearinmind/grants.md").fill("   \n");
  await press("Review change");
  await page.getByText("This is blank.").waitFor();
  await field("bearinmind/grants.md").fill("- may read `library/`\n");
  await press("Review change");
  await press("Replace bearinmind/grants.md");
  await said("bearinmind/grants.md is replaced");
  await disk("bearinmind/grants.md", "- may read `library/`\n");
  await tab("Progress").click();
  await press("Edit progress.md");
  await press("Clear progress.md…");
  await look("clear");
  await press("Keep the content");
  await disk("progress.md", PROGRESS);
  await press("Clear progress.md…");
  await page.getByRole("dialog").getByRole("button", { name: "Clear progress.md" }).click();
  await said("progress.md is empty now");
  await disk("progress.md", "");
  assert.equal(task.last().operation, "clear");

  // Hidden characters are marked, required ones are not.
  task.byHand("progress.md", HIDDEN);
  await page.locator(".hidden-character").first().waitFor();
  assert.deepEqual(await card("Progress").locator(".hidden-character").allTextContents(), HIDDEN_MARKS);
  assert.ok((await card("Progress").textContent()).includes(NEEDED));
  await look("hidden");
  await press("Edit progress.md");
  await field("progress.md").fill("Plain\u{e0041}\u{e0042} text.\n");
  await press("Review change");
  assert.deepEqual(await page.locator("ins .hidden-character").allTextContents(), ["U+E0041 and 1 more"]);
  await press("Back to the text");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();

  // The end of the server is detected, and only deliberate refusals caused errors.
  const expected = /409 \(Conflict\)|net::ERR_FAILED/;
  assert.deepEqual(wrong.filter((text) => !expected.test(text)), []);
  assert.equal(await served.end(), 0);
  await page.locator("#live[data-state=lost]").waitFor();
  await look("lost");
  await context.close();
  console.log(`view: ${width} pixels, ${colorScheme}: view, edit, conflict and live update`);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const width of [390, 1280]) {
    for (const colorScheme of ["light", "dark"]) await through(browser, width, colorScheme);
  }
} finally {
  await browser.close();
}
