// What the reader of a file asks, warns of and notes: each with buttons that settle it.

import { make, number, sentence } from "./dom.js";
import * as reading from "./reading.js";
import * as words from "./words.js";

const MOST_CHOICES = 10;

// Shows what there is to answer and to know about a file.
export function showFindings(place, found) {
  const of = (kind) => found.findings.filter((finding) => finding.kind === kind);
  const parts = of("question").map((finding, index) => question(finding, index, found));
  if (!found.readable && !parts.length) {
    const hints = found.problems.flatMap((problem) => problem.hints);
    const buttons = answers(hints, found);
    if (buttons.length) {
      parts.push(make("div", { class: "helps", role: "group", "aria-label": words.HELPS }, ...buttons));
    }
  }
  const notes = [
    ...of("warning").map((finding) => line("warning", finding, found)),
    ...others(found).map((text) => make("li", { class: "warning" }, text)),
    ...of("note").map((finding) => line("noted", finding, found)),
  ];
  if (notes.length) parts.push(make("ul", { class: "notes", "aria-label": words.LOOK }, ...notes));
  place.replaceChildren(...parts);
}

// Warnings of the reading that are not among the findings.
const others = (found) =>
  found.warnings.filter((text) => !found.findings.some(({ message }) => text.startsWith(message)));

function question(finding, index, found) {
  const id = `question-${index}`;
  return make(
    "div",
    { class: "question", role: "group", "aria-labelledby": id },
    make(
      "p",
      { id, tabindex: "-1", "data-focus": id },
      make("strong", {}, words.QUESTION),
      make("span", {}, placed(finding)),
    ),
    make("div", { class: "answers" }, ...answers(finding.hints, found)),
  );
}

const line = (kind, finding, found) =>
  make(
    "li",
    { class: kind },
    make("span", {}, sentence(finding.message)),
    // The preview has a button for each row that is left out.
    ...(finding.code === "total-row" ? [] : quiet(answers(finding.hints, found))),
  );

function quiet(controls) {
  for (const control of controls) control.classList.add("quiet");
  return controls;
}

function placed({ message, row }) {
  const text = sentence(message);
  return row === null || message.includes(`row ${row}`) ? text : `${text} (Row ${number(row)})`;
}

// -- answers ------------------------------------------------------------------------------------

function answers(hints, found) {
  return hints.flatMap((hint) => (hint.values.length ? choices(hint) : [columns(hint, found)]));
}

function choices({ setting, values, purpose }) {
  return values.slice(0, MOST_CHOICES).map((value) =>
    make(
      "button",
      { type: "button", "data-focus": `${setting}=${value}`, onclick: () => reading.follow(setting, value) },
      values.length === 1 && purpose ? told(purpose) : named(setting, value),
    ),
  );
}

// "if the highest is best" becomes "The highest is best".
function told(purpose) {
  const text = purpose.replace(/^(if|to) /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const named = (setting, value) => `${reading.field(setting).title}: ${reading.label(setting, value)}`;

// A menu of all columns, where only the user knows which one is meant.
function columns({ setting }, found) {
  const { title } = reading.field(setting);
  if (!found.keys.some(Boolean)) {
    return make("span", { class: "help" }, words.seeReading(title));
  }
  const menu = make(
    "select",
    { "data-focus": `choose ${setting}`, onchange: () => menu.value && reading.follow(setting, menu.value) },
    make("option", { value: "" }, words.CHOOSE_COLUMN),
    ...found.keys
      .map((key, index) => [key, found.columns[index] || words.noName(index + 1)])
      .filter(([key]) => key)
      .map(([key, name]) => make("option", { value: key }, name)),
  );
  return make("label", { class: "pick-column" }, title, menu);
}

export const questionsOf = (found) => found.findings.filter(({ kind }) => kind === "question");
