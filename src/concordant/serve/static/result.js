// The result: who is first, how good and how firm it is, the ranking, and all that stands beside it.

import * as beside from "./beside.js";
import { Chart } from "./chart.js";
import { make, named, number, phrase, sentence } from "./dom.js";
import { explore } from "./explore.js";
import { pictures, takeAway } from "./takeaway.js";
import { whatIf } from "./whatif.js";
import * as words from "./words.js";

const SHOWN = 20;
const LONGEST_NAME = 28;

// The whole ranking is printed.
addEventListener("beforeprint", () => {
  for (const button of document.querySelectorAll("#result .more")) button.click();
});

export function showResult(place, job, result) {
  const proven = result.status === "optimal";
  const one = explore(result);
  const changed = whatIf(job, result);
  place.replaceChildren(
    make("p", { class: "headline" }, result.words.headline),
    make(
      "div",
      { class: proven ? "verdict proven" : "verdict" },
      make("strong", {}, unbroken(result.words.proof)),
      make("p", {}, explanation(result)),
      ...counting(result),
    ),
    ...firm(result),
    ...notes(job, result),
    ...overruled(result),
    ...legend(result),
    result.tiers ? tiers(result) : ranking(result, one),
    ...[takeAway(job, result), one?.element, changed?.element].filter(Boolean),
    ...beside.voters(result, changed && ((name) => changed.open(["without_voters", [name]]))),
    ...beside.rules(result),
    ...pictures(job),
    ...search(result),
    make(
      "details",
      { class: "reading" },
      make("summary", {}, words.DETAILS),
      make("p", { class: "facts" }, sentence(result.words.input)),
      make("p", { class: "facts" }, words.foundBy(result.words.method)),
    ),
  );
}

// A no-break space keeps the sign next to its number.
const unbroken = (text) => text.replaceAll(" %", "\u00a0%");

// One line on how the counting works, and more on request.
function counting(result) {
  if (result.n_rankings === null || result.tiers) return [];
  return [
    make(
      "details",
      { class: "counting" },
      make("summary", {}, result.cost > 0 ? `${words.DISAGREEMENT} ${words.HOW_COUNTED}` : words.HOW_COUNTED),
      ...words.COUNTING.map((text) => make("p", {}, text)),
    ),
  ];
}

// How firm the result is, in words.
function firm(result) {
  const lines = [...result.words.needed, ...(result.words.resampled ? [result.words.resampled] : [])];
  if (!lines.length) return [];
  return [
    make(
      "section",
      { class: "firm", "aria-label": words.FIRM },
      make("h3", {}, words.FIRM),
      ...lines.map((text) => make("p", {}, text)),
    ),
  ];
}

function explanation(result) {
  const parts = [sentence(result.words.cost)];
  if (result.status !== "optimal") {
    parts.push(words.fewest(result.lower_bound));
  }
  if (result.words.ties) parts.push(sentence(result.words.ties));
  if (result.words.others) parts.push(sentence(result.words.others));
  if (result.words.constraints) parts.push(words.constraintCost(result.words.constraints));
  if (result.words.uncompared) parts.push(sentence(result.words.uncompared));
  return parts.join(" ");
}

// Why the search or the bootstrap ended early.
function notes(job, result) {
  const found = result.words.warnings.map(sentence);
  if (job.problem) {
    const { detail } = job.problem;
    found.push(sentence(job.state === "failed" ? words.bootstrapFailed(detail) : detail));
  }
  const gone = Object.values(result.left_out).flat();
  if (gone.length) found.push(words.leftOut(gone));
  const firm = result.bootstrap;
  if (firm && firm.samples < firm.requested) {
    found.push(words.fewerSamples(firm.samples, firm.requested, firm.interrupted));
  } else if (job.bootstrap && !firm && job.plots.length > 1 && !job.problem) {
    found.push(words.NO_SAMPLES);
  }
  return found.map((words) => make("p", { class: "note" }, words));
}

// Majorities that the ranking goes against, each with the circle of majorities that it closes.
function overruled({ overruled: found }) {
  if (!found.length) return [];
  const lines = found.map(({ circle, for: agree, against }) => {
    const [first, last] = [circle[0], circle.at(-1)];
    const why = circle
      .slice(1)
      .flatMap((next, k) => [k ? ", " : "", ...phrase(words.BEATS, { one: named(circle[k]), other: named(next) })]);
    const values = { last: named(last), first: named(first), agree: number(agree), against: number(against), why };
    return make("li", {}, ...phrase(words.OVERRULED, values));
  });
  return [make("div", { class: "overruled" }, make("p", {}, words.CIRCLE), make("ul", {}, ...lines))];
}

// The meaning of the numbers in each row.
function legend({ bootstrap: firm, tiers }) {
  if (!firm) return [];
  return [make("p", { class: "help" }, words.samplesShown(firm.samples, firm.level, Boolean(tiers)))];
}

// -- the ranking --------------------------------------------------------------------------------

function ranking(result, one) {
  const list = make("ol", { class: "ranking", "aria-label": words.RANKING });
  const add = (from, to) => {
    for (let place = from; place < to; place++) list.append(row(result, place, one));
  };
  const total = result.ranking.length;
  add(0, Math.min(total, SHOWN));
  if (total <= SHOWN) return list;
  const more = make("button", { type: "button", class: "more" }, words.showAll(total));
  more.addEventListener("click", () => {
    add(SHOWN, total);
    more.remove();
    // The button is gone, so the focus moves to the first new row.
    list.children[SHOWN].tabIndex = -1;
    list.children[SHOWN].focus({ preventScroll: true });
  });
  return make("div", {}, list, more);
}

// An answer with ties: one row for each tier, with all its items.
function tiers(result) {
  const list = make("ol", { class: "ranking tiers", "aria-label": words.TIERS });
  let before = 0;
  for (const tier of result.tiers) {
    const places = tier.length > 1 ? `${before + 1}–${before + tier.length}` : `${before + 1}`;
    const items = tier.map((item, index) => {
      const shown = make("span", { class: "item" }, named(item));
      shown.append(...interval(result, before + index));
      return shown;
    });
    const box = tier.length > 1 ? make("div", { class: "tier" }, ...items) : items[0];
    list.append(make("li", {}, make("span", { class: "place" }, places), box));
    before += tier.length;
  }
  return list;
}

// The places that an item takes in the bootstrap samples.
function interval({ bootstrap: firm }, place) {
  if (!firm) return [];
  const [low, high] = [firm.low[place], firm.high[place]];
  return [make("small", {}, words.interval(low, high))];
}

function row(result, place, one) {
  const label = named(result.ranking[place]);
  const link = one && make("button", { type: "button", class: "name", onclick: () => one.open(place) }, label);
  link?.setAttribute("title", words.seeBattles(String(result.ranking[place])));
  const item = make("span", { class: "item" }, link ?? label);
  const isTied = result.first.length > 1 && result.first.includes(result.ranking[place]);
  if (isTied) item.append(make("span", { class: "tied" }, words.TIED));
  item.append(...interval(result, place));
  return make(
    "li",
    {},
    make("span", { class: "place" }, isTied ? "1=" : String(place + 1)),
    item,
    place + 1 < result.ranking.length ? support(result, place) : make("span"),
  );
}

// The number of voters who rank this item above the next one.
function support(result, place) {
  const { for: agree, against } = result.neighbours[place];
  const all = agree + against;
  if (!(agree >= 0 && against >= 0 && all > 0)) {
    return make("span", { class: "support" }, words.NO_VOTES);
  }
  const following = String(result.ranking[place + 1]);
  const next =
    following.length > LONGEST_NAME ? `${following.slice(0, LONGEST_NAME - 1)}…` : following;
  const share = make("span");
  share.style.setProperty("--share", (100 * agree) / all);
  const values = { agree: number(agree), against: number(against), next: named(next) };
  const text = make("span", {}, ...phrase(words.SUPPORT, values));
  if (result.bootstrap) text.append(words.ofSamples(result.bootstrap.stands[place]));
  return make(
    "span",
    { class: "support" },
    make("span", { class: agree < against ? "track against" : "track", "aria-hidden": "true" }, share),
    text,
  );
}

// -- the search ---------------------------------------------------------------------------------

function search(result) {
  const points = result.trace.map(([seconds, , cost, bound]) => [seconds, cost, bound]);
  if (points.length < 3) return [];
  points.push([Math.max(result.elapsed, points.at(-1)[0]), result.cost, result.lower_bound]);
  const place = make("div", { role: "img" });
  const box = make(
    "details",
    { class: "reading" },
    make("summary", {}, words.courseOf(result.elapsed)),
    make(
      "figure",
      { class: "chart" },
      place,
      make(
        "figcaption",
        { class: "legend" },
        make("span", { class: "best" }, words.BEST_SO_FAR),
        make("span", { class: "bound" }, words.LOWER_BOUND),
      ),
    ),
  );
  let chart = null;
  box.addEventListener("toggle", () => {
    if (!box.open || chart) return;
    chart = new Chart(place);
    chart.set(points);
  });
  return [box];
}
