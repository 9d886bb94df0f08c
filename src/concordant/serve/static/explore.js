// One item at a time: its battles with each other item, and the places that the voters give it.

import { listed, make, named } from "./dom.js";
import * as words from "./words.js";

// Above this number of items, the list of battles is too long to look at.
const MOST = 60;
const SCROLLED = 12;

// The parts of the page for a result, and a function that shows an item by its place.
export function explore(result) {
  const { pairs, ranking } = result;
  if (!pairs || ranking.length < 2 || ranking.length > MOST || result.n_rankings === null) return null;
  const panel = make("div", { class: "one", id: "one-item", "aria-live": "polite" });
  let shown = -1;
  const select = (place) => {
    if (place === shown) return;
    shown = place;
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === place)));
    panel.replaceChildren(...details(result, place));
  };
  const buttons = ranking.map((item, place) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onclick: () => select(place),
        onfocus: () => select(place),
        // When the page scrolls below a pointer that rests, nothing changes.
        onpointermove: (event) => (event.movementX || event.movementY) && select(place),
      },
      named(item),
    ),
  );
  select(0);
  const element = make(
    "section",
    { class: "part", "aria-label": words.EXPLORE },
    make("h3", { tabindex: "-1" }, words.EXPLORE),
    make("p", { class: "help screen" }, words.EXPLORE_HELP),
    make(
      "div",
      { class: "explore" },
      make("div", { class: "items", role: "group", "aria-label": words.WHICH_ITEM }, ...buttons),
      panel,
    ),
  );
  const open = (place) => {
    select(place);
    element.scrollIntoView({ block: "nearest" });
    buttons[place].focus({ preventScroll: true });
  };
  return { element, open };
}

function details(result, place) {
  const battles = result.ranking.map((item, other) => battle(result, place, other)).filter(Boolean);
  const count = (kind) => battles.filter((each) => each.kind === kind).length;
  return [
    make(
      "p",
      { class: "who" },
      make("strong", {}, named(result.ranking[place])),
      ` ${words.battlesOf(count("won"), count("lost"), count("even"))}`,
    ),
    make(
      "ul",
      // A long list scrolls, also by the keyboard.
      { class: "battles", "aria-label": words.BATTLES, tabindex: battles.length > SCROLLED ? "0" : null },
      ...battles.map(({ row }) => row),
    ),
    ...ballots(result, place),
  ];
}

function battle({ pairs, ranking }, place, other) {
  if (other === place) return null;
  const [agree, against] = [pairs[place][other], pairs[other][place]];
  const all = agree + against;
  const kind = all === 0 ? "none" : agree > against ? "won" : agree < against ? "lost" : "even";
  const share = make("span");
  share.style.setProperty("--share", all ? (100 * agree) / all : 0);
  const row = make(
    "li",
    { class: kind },
    make("span", {}, `${words.BATTLE[kind]} `, named(ranking[other])),
    make("span", { class: "track", "aria-hidden": "true" }, share),
    make("span", { class: "score" }, kind === "none" ? "" : words.scored(agree, against)),
  );
  return { kind, row };
}

// Of many places, only some are numbered.
const isMarked = (place, count) => count <= 15 || place === 1 || place % 5 === 0;

// How many voters give the item each place; their names where they are known.
function ballots({ voters, ranking }, place) {
  if (!voters?.shown.length || !voters.shown[0].places || voters.count > voters.shown.length) return [];
  const at = new Map();
  for (const voter of voters.shown) {
    const given = voter.places[place];
    at.set(given, [...(at.get(given) ?? []), voter]);
  }
  const weight = (group) => group.reduce((sum, voter) => sum + voter.weight, 0);
  const most = Math.max(...[...at.values()].map(weight));
  const columns = ranking.map((_, k) => {
    const group = at.get(k + 1) ?? [];
    const height = make("span");
    height.style.setProperty("--share", (100 * weight(group)) / most);
    const text = words.placeOf(k + 1, weight(group));
    return make(
      "li",
      { title: text },
      make("span", { class: "hidden" }, text),
      make("span", { class: "column", "aria-hidden": "true" }, height),
      make("span", { class: "mark", "aria-hidden": "true" }, isMarked(k + 1, ranking.length) ? String(k + 1) : ""),
    );
  });
  const known = [...at.entries()]
    .filter(([given, group]) => given !== null && group.every(({ name }) => name !== null))
    .sort(([a], [b]) => a - b)
    .map(([given, group]) =>
      make("span", {}, make("b", {}, String(given)), " ", ...listed(group.map(({ name }) => name))),
    );
  const missing = at.get(null);
  return [
    make("p", { class: "label" }, words.PLACES),
    make("ol", { class: "places", "aria-label": words.PLACES }, ...columns),
    known.length && voters.count <= 40 ? make("p", { class: "by-place" }, ...known) : null,
    missing ? make("p", { class: "help" }, words.unplaced(weight(missing))) : null,
  ].filter(Boolean);
}
