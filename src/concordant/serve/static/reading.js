// The options that say how to read the input. Their fields are the one place that holds them:
// questions, menus and buttons of the page set these fields.

import { find, make } from "./dom.js";

// The options that name one column each.
export const COLUMNS = ["voter", "item", "rank", "score", "weight", "count", "winner", "loser", "left", "right"];
// The options that list several values, with commas between them.
const LISTS = ["ignore", "reverse", "skip_rows", "missing"];
// Columns of ranks and of items are those of a long table.
const LONG = ["item", "rank", "score"];
const LONG_LAYOUTS = ["", "long", "edges"];

let fields = [];
let onChange = () => {};

export function setUp(given, changed) {
  fields = given;
  onChange = changed;
  find("fields").append(...fields.map(control));
}

function control(field) {
  const attributes = { id: field.name, title: field.help, onchange: () => onChange() };
  const options = [{ value: "", label: field.default }, ...field.choices];
  const element = field.choices.length
    ? make("select", attributes, ...options.map(({ value, label }) => make("option", { value }, label)))
    : make("input", { ...attributes, type: "text", maxlength: 5000, placeholder: field.default, autocomplete: "off" });
  return make("label", {}, field.title, element);
}

export const field = (name) => fields.find((each) => each.name === name);

export const value = (name) => find(name)?.value.trim() ?? "";

export const values = () => Object.fromEntries(fields.map(({ name }) => [name, value(name)]));

export const chosen = () => fields.filter(({ name }) => value(name) !== "");

export const label = (name, given) =>
  field(name)?.choices.find((choice) => choice.value === given)?.label ?? given;

export const list = (name) =>
  value(name)
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

// Sets several options at once; the input is then read again.
export function choose(changes) {
  for (const [name, given] of Object.entries(changes)) find(name).value = given;
  onChange();
}

export function clear() {
  for (const { name } of fields) find(name).value = "";
}

// Follows a hint: a list gets one more value, any other option is replaced.
export function follow(name, given) {
  if (LISTS.includes(name) && given !== "none") {
    const others = list(name).filter((each) => each !== "none" && each !== given);
    choose({ [name]: [...others, given].join(",") });
  } else choose({ [name]: given });
}

export const without = (name, given) => list(name).filter((each) => each !== given);

// Gives a column a role: the name of an option, "ignored", "reversed", or "" for what is recognised.
export function assign(key, role) {
  const changes = {};
  for (const name of COLUMNS) if (value(name) === key) changes[name] = "";
  for (const name of ["ignore", "reverse"]) changes[name] = without(name, key).join(",");
  if (role === "ignored") changes.ignore = [...without("ignore", key), key].join(",");
  else if (role === "reversed") changes.reverse = [...without("reverse", key), key].join(",");
  else if (role) {
    changes[role] = key;
    if (role === "rank") changes.score = "";
    if (role === "score") changes.rank = "";
    if (LONG.includes(role) && !LONG_LAYOUTS.includes(value("layout"))) changes.layout = "";
  }
  choose(changes);
}

// What was chosen for a column; "" if nothing was.
export function assigned(key) {
  if (!key) return "";
  if (list("ignore").includes(key)) return "ignored";
  if (list("reverse").includes(key)) return "reversed";
  return COLUMNS.find((name) => value(name) === key) ?? "";
}
