// The preview: the first rows as a table, a menu with the role of each column above it, and
// buttons to swap rows and columns, to choose which number is best and to leave rows out.

import { make, number } from "./dom.js";
import * as reading from "./reading.js";
import * as words from "./words.js";

// The roles to choose from; those of one layout come together.
const CHOICES = ["voter", "item", "rank", "score", "weight", "count", "winner", "loser", "left", "right", "ignored"];

export function showPreview(place, found) {
  place.replaceChildren(...chosen(), ...tools(found), ...table(found), ...sample(found));
}

// -- what the user has chosen -------------------------------------------------------------------

function chosen() {
  const options = reading.chosen();
  if (!options.length) return [];
  const chips = options.map(({ name, title }) =>
    make(
      "button",
      {
        type: "button",
        class: "chip",
        "data-focus": `chip ${name}`,
        "aria-label": words.undo(title, reading.label(name, reading.value(name))),
        onclick: () => reading.choose({ [name]: "" }),
      },
      make("span", {}, `${title}: ${reading.label(name, reading.value(name))}`),
      make("span", { "aria-hidden": "true" }, " ×"),
    ),
  );
  const all = make(
    "button",
    { type: "button", class: "quiet", "data-focus": "reset", onclick: () => (reading.clear(), reading.choose({})) },
    words.RESET,
  );
  return [make("div", { class: "yours" }, make("span", {}, words.YOURS), ...chips, options.length > 1 ? all : null)];
}

// -- the table as a whole -----------------------------------------------------------------------

function tools(found) {
  if (!found.rows.length) return [];
  const parts = [];
  const asks = found.findings.some((finding) => finding.hints.some(({ setting }) => setting === "values"));
  if (found.values || asks) parts.push(best(found));
  if (found.layout === "wide") parts.push(swap(found));
  return parts.length ? [make("div", { class: "tools" }, ...parts)] : [];
}

function best(found) {
  const choice = (value, text) =>
    make(
      "label",
      {},
      make("input", {
        type: "radio",
        name: "best",
        value,
        checked: found.values === value,
        "data-focus": `best ${value}`,
        onchange: () => choose(value),
      }),
      make("span", {}, text),
    );
  return make(
    "fieldset",
    { class: "choice" },
    make("legend", { class: "hidden" }, words.BEST),
    choice("ranks", words.LOWEST),
    choice("scores", words.HIGHEST),
  );
}

function choose(values) {
  const changes = { values };
  // In a long table, the option that names the column says the same.
  const [from, to] = values === "ranks" ? ["score", "rank"] : ["rank", "score"];
  if (reading.value(from)) Object.assign(changes, { [to]: reading.value(from), [from]: "" });
  reading.choose(changes);
}

const swap = (found) =>
  make(
    "button",
    {
      type: "button",
      "aria-pressed": String(found.transposed),
      "data-focus": "swap",
      onclick: () => reading.choose({ transpose: found.transposed ? "no" : "yes" }),
    },
    words.ORIENTATION,
  );

// -- rows and columns ---------------------------------------------------------------------------

function table(found) {
  if (!found.rows.length && !found.columns.length) return [];
  const named = found.columns.some((name) => name.trim());
  const menus = make("tr", {}, make("td"), ...found.columns.map((_, index) => make("td", {}, menu(found, index))));
  const names = make(
    "tr",
    {},
    make("th", { scope: "col", class: "row-number" }, make("span", { class: "hidden" }, words.ROW)),
    ...found.columns.map((name) => make("th", { scope: "col" }, make("bdi", {}, name))),
  );
  const ignored = found.roles.map((role) => role === "ignored");
  const rows = found.rows.map((row, index) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", class: "row-number" }, remove(found, found.numbers[index])),
      ...row.map((cell, column) =>
        make("td", { class: ignored[column] ? "unused" : null }, make("bdi", {}, cell)),
      ),
    ),
  );
  const left = found.n_columns - found.columns.length;
  return [
    make(
      "div",
      { class: "sheet", role: "region", "aria-label": words.PREVIEW, tabindex: "0", "data-focus": "sheet" },
      make(
        "table",
        {},
        make("thead", {}, menus, named ? names : null),
        make("tbody", {}, ...rows),
      ),
    ),
    ...(left > 0 ? [make("p", { class: "help" }, words.moreColumns(number(left)))] : []),
    ...leftOut(found),
  ];
}

function menu(found, index) {
  const key = found.keys[index];
  const role = found.roles[index];
  const name = found.columns[index].trim() || words.noName(index + 1);
  const own = reading.assigned(key);
  const known = words.ROLES[role] ?? `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
  const option = (value, text) => make("option", { value, selected: value === own }, text);
  const choices = [...CHOICES];
  if (role === "item" && found.layout === "wide" && !found.transposed) choices.push("reversed");
  const element = make(
    "select",
    {
      "aria-label": words.roleOf(name),
      "data-focus": `role ${index}`,
      disabled: !key,
      onchange: () => reading.assign(key, element.value),
    },
    option("", own ? words.ROLE_UNKNOWN : role ? known : words.ROLE_UNKNOWN),
    ...choices.map((each) => option(each, words.ROLES[each])),
  );
  return element;
}

// -- rows that are left out ---------------------------------------------------------------------

// The rows that are left out now: those that the user named, else the totals that were found.
function skipped(found) {
  const named = reading.list("skip_rows");
  if (named.length) return named.filter((row) => row !== "none");
  return found.findings.filter(({ code }) => code === "total-row").map(({ row }) => String(row));
}

const remove = (found, row) =>
  make(
    "button",
    {
      type: "button",
      "aria-label": words.leaveOut(row),
      title: words.leaveOut(row),
      "data-focus": `row ${row}`,
      onclick: () => reading.choose({ skip_rows: [...skipped(found), row].join(",") }),
    },
    make("span", { class: "shown" }, String(row)),
    make("span", { class: "cross", "aria-hidden": "true" }, "×"),
  );

function leftOut(found) {
  const rows = skipped(found);
  if (!rows.length) return [];
  const buttons = rows.map((row) =>
    make(
      "button",
      {
        type: "button",
        class: "chip",
        "data-focus": `back ${row}`,
        onclick: () => {
          const others = rows.filter((each) => each !== row);
          reading.choose({ skip_rows: others.join(",") || "none" });
        },
      },
      words.putBack(row),
    ),
  );
  return [make("div", { class: "yours" }, make("span", {}, words.LEFT_OUT), ...buttons)];
}

// -- the first rankings -------------------------------------------------------------------------

function sample(found) {
  if (!found.sample.length) return [];
  const rankings = found.sample.map(({ voter, weight, ranking }) => {
    const times = weight === 1 ? "" : `${number(weight)} × `;
    return make(
      "li",
      {},
      voter === null ? times : make("span", { class: "who" }, times, make("bdi", {}, voter), ": "),
      make("bdi", {}, ranking),
    );
  });
  return [
    make("div", { class: "sample" }, make("p", {}, words.FIRST_RANKINGS), make("ol", {}, ...rankings)),
  ];
}
