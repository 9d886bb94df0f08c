// To take away: the report, the ranking in several forms, the proof, and pictures.

import { address } from "./api.js";
import { make, phrase } from "./dom.js";
import * as words from "./words.js";

export function takeAway(job, result) {
  const link = (part, name, text) =>
    make("a", { class: "button link", href: address(job.id, part), download: name }, text);
  const button = (text, onclick) => make("button", { type: "button", onclick }, text);
  const isChanged = job.source?.format === "folder" || Object.values(result.left_out).some((names) => names.length);
  return make(
    "section",
    { class: "part screen", "aria-label": words.TAKE_AWAY },
    make("h3", {}, words.TAKE_AWAY),
    report(job),
    make(
      "div",
      { class: "downloads" },
      button(words.AS_CSV, () => save("concordant-ranking.csv", table(result))),
      link("/ranking.xlsx", "concordant-ranking.xlsx", words.AS_XLSX),
      copyButton(result),
      button(words.PRINT, () => print()),
      link("/result", "concordant-result.json", words.AS_JSON),
      result.has_proof ? link("/proof", "concordant-proof.json", words.PROOF) : null,
      isChanged ? link("/rankings", "concordant-rankings.json", words.RANKINGS) : null,
    ),
    result.has_proof ? make("p", { class: "help" }, ...command(isChanged)) : null,
  );
}

// The command that checks the files of this page; FILE is the file that the user has chosen.
function command(isChanged) {
  const file = isChanged ? "concordant-rankings.json" : "FILE";
  const text = `concordant verify concordant-result.json ${file} --proof concordant-proof.json`;
  return phrase(words.CHECK, { command: make("code", {}, text) });
}

// The report has a title and a date of one's own.
function report(job) {
  const title = make("input", { type: "text", maxlength: 200, autocomplete: "off" });
  const date = make("input", { type: "text", maxlength: 100, autocomplete: "off" });
  date.value = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const link = make("a", { class: "button link", download: "concordant-report.html" }, words.REPORT);
  const fit = () => {
    const given = new URLSearchParams({ title: title.value.trim(), date: date.value.trim() });
    link.href = `${address(job.id, "/report")}?${given}`;
  };
  for (const field of [title, date]) field.addEventListener("input", fit);
  fit();
  return make(
    "div",
    { class: "report" },
    make("label", {}, make("span", {}, words.REPORT_TITLE), title),
    make("label", {}, make("span", {}, words.REPORT_DATE), date),
    link,
  );
}

// -- the ranking --------------------------------------------------------------------------------

const rows = (result) => result.ranking.map((item, k) => [result.places[k], String(item)]);

// A spreadsheet would take a name that begins like this for a formula.
const FORMULA = /^[=+\-@\t\r]/;

function table(result) {
  const quoted = (text) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = rows(result).map(([place, item]) => `${place},${quoted(item)}`);
  return `place,item\r\n${lines.join("\r\n")}\r\n`;
}

function save(called, text) {
  const source = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  make("a", { href: source, download: called }).click();
  setTimeout(() => URL.revokeObjectURL(source), 10_000);
}

function copyButton(result) {
  const button = make("button", { type: "button" }, words.AS_TEXT);
  button.addEventListener("click", async () => {
    const lines = rows(result).map(([place, item]) => `${place}. ${item}`);
    try {
      await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
      button.textContent = words.COPIED;
    } catch {
      button.textContent = words.NOT_COPIED;
    }
    setTimeout(() => (button.textContent = words.AS_TEXT), 3000);
  });
  return button;
}

// -- pictures -----------------------------------------------------------------------------------

export function pictures(job) {
  if (!job.plots.length) return [];
  const frame = make("div", { class: "picture", "aria-live": "polite" });
  const saves = make("div", { class: "downloads small" });
  const buttons = job.plots.map((name) => {
    const [title, text] = words.PLOTS[name] ?? [name, name];
    const button = make("button", { type: "button", "aria-pressed": "false" }, title);
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      const source = (kind) => address(job.id, `/plots/${name}.${kind}`);
      // The text of an SVG is drawn in the fonts of the reader, so names in any script are legible.
      const image = make("img", { src: source("svg"), alt: text });
      // On a phone the picture is too small to read. The link opens it alone, to be enlarged.
      const link = make("a", { href: source("svg"), target: "_blank", rel: "noopener" }, image);
      image.addEventListener("load", () => {
        if (button.getAttribute("aria-pressed") === "true") frame.replaceChildren(link);
      });
      image.addEventListener("error", () => frame.replaceChildren(words.NOT_DRAWN));
      frame.replaceChildren(words.DRAWING);
      saves.replaceChildren(
        ...["svg", "png"].map((kind) =>
          make(
            "a",
            { class: "button link", href: source(kind), download: `concordant-${name}.${kind}` },
            words.pictureAs(kind),
          ),
        ),
      );
    });
    return button;
  });
  buttons[0].click();
  return [
    make(
      "section",
      { class: "part pictures", "aria-label": words.PICTURES },
      make("h3", {}, words.PICTURES),
      make("div", { class: "tabs", role: "group", "aria-label": words.WHICH_PICTURE }, ...buttons),
      frame,
      saves,
    ),
  ];
}
