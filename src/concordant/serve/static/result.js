// The result: how good it is, the ranking, downloads, pictures.

import { address } from "./api.js";
import { Chart } from "./chart.js";
import { duration, make, number, percent, sentence } from "./dom.js";

const SHOWN = 20;
const LONGEST_NAME = 28;
const PICTURES = {
  positions: ["Positions", "The places that the voters give each item, sorted by the consensus"],
  pairwise: ["Pairs", "Share of the voters who prefer each item to each other item"],
  agreement: ["Voters", "How closely each voter agrees with the consensus"],
  bump: ["Side by side", "The rankings of the voters next to the consensus"],
  bootstrap: ["How firm", "The interval of places of each item over the bootstrap samples"],
};

export function showResult(place, job, result) {
  const proven = result.status === "optimal";
  place.replaceChildren(
    make("p", { class: "headline" }, result.words.headline),
    make(
      "div",
      { class: proven ? "verdict proven" : "verdict" },
      make("strong", {}, result.words.proof.replaceAll(" %", "\u00a0%")),
      make("p", {}, explanation(result)),
      result.n_rankings !== null && result.cost > 0 && !result.tiers
        ? make("small", {}, "A disagreement is one voter who ranks two items in the opposite order.")
        : null,
    ),
    ...notes(job, result),
    ...overruled(result),
    ...legend(result),
    result.tiers ? tiers(result) : ranking(result),
    downloads(job, result),
    ...search(result),
    ...pictures(job),
    make("p", { class: "facts" }, sentence(result.words.input)),
    make(
      "details",
      { class: "reading" },
      make("summary", {}, "Details of the computation"),
      make("p", { class: "facts" }, `Found by ${result.words.method}.`),
    ),
  );
}

function explanation(result) {
  const parts = [sentence(result.words.cost)];
  if (result.status !== "optimal") {
    parts.push(`No order has fewer than ${number(result.lower_bound)}.`);
  }
  if (result.words.ties) parts.push(sentence(result.words.ties));
  if (result.words.others) parts.push(sentence(result.words.others));
  if (result.words.uncompared) parts.push(sentence(result.words.uncompared));
  return parts.join(" ");
}

// Why the search or the bootstrap ended early.
function notes(job, result) {
  const found = result.words.warnings.map(sentence);
  if (job.problem) {
    const what = job.state === "failed" ? "The bootstrap failed: " : "";
    found.push(sentence(`${what}${job.problem.detail}`));
  }
  const firm = result.bootstrap;
  if (firm && firm.samples < firm.requested) {
    const why = firm.interrupted ? "it was cancelled" : "the time limit was reached";
    found.push(
      `The bootstrap has ${number(firm.samples)} of ${number(firm.requested)} samples, because ${why}.`,
    );
  } else if (job.bootstrap && !firm && job.plots.length > 1 && !job.problem) {
    found.push("There is no bootstrap, because the job was cancelled before its first sample.");
  }
  return found.map((words) => make("p", { class: "note" }, words));
}

// Majorities that the ranking goes against, each with the circle of majorities that it closes.
function overruled({ overruled: found }) {
  if (!found.length) return [];
  const lines = found.map(({ circle, for: agree, against }) => {
    const [first, last] = [circle[0], circle.at(-1)];
    const why = circle.slice(1).flatMap((next, k) => [k ? ", " : "", name(circle[k]), " beats ", name(next)]);
    return make(
      "li",
      {},
      name(last),
      " beats ",
      name(first),
      ` ${number(agree)} to ${number(against)} in direct comparison, but is placed behind, because `,
      ...why,
      ".",
    );
  });
  return [
    make(
      "div",
      { class: "overruled" },
      make("p", {}, "The majorities go round in a circle, so no order can follow all of them:"),
      make("ul", {}, ...lines),
    ),
  ];
}

const name = (item) => make("bdi", {}, String(item));

// The meaning of the numbers in each row.
function legend({ bootstrap: firm, tiers }) {
  if (!firm) return [];
  const words =
    `The voters were resampled ${number(firm.samples)} times (bootstrap). Each row shows the places of ` +
    (tiers
      ? `each item in ${percent(firm.level)} of the samples.`
      : `the item in ${percent(firm.level)} of the samples, and the share of samples that rank it above the next item.`);
  return [make("p", { class: "help" }, words)];
}

// -- the ranking --------------------------------------------------------------------------------

function ranking(result) {
  const list = make("ol", { class: "ranking", "aria-label": "The consensus, best first" });
  const add = (from, to) => {
    for (let place = from; place < to; place++) list.append(row(result, place));
  };
  const total = result.ranking.length;
  add(0, Math.min(total, SHOWN));
  if (total <= SHOWN) return list;
  const more = make("button", { type: "button" }, `Show all ${number(total)}`);
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
  const list = make("ol", { class: "ranking tiers", "aria-label": "The tiers, best first" });
  let before = 0;
  for (const tier of result.tiers) {
    const places = tier.length > 1 ? `${before + 1}–${before + tier.length}` : `${before + 1}`;
    const items = tier.map((item, index) => {
      const shown = make("span", { class: "item" }, name(item));
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
  return [make("small", {}, low === high ? `place ${low}` : `places ${low} to ${high}`)];
}

function row(result, place) {
  const item = make("span", { class: "item" }, name(result.ranking[place]));
  const isTied = result.first.length > 1 && result.first.includes(result.ranking[place]);
  if (isTied) item.append(make("span", { class: "tied" }, "tied for first"));
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
    return make("span", { class: "support" }, "no voter compares it with the next");
  }
  const following = String(result.ranking[place + 1]);
  const next =
    following.length > LONGEST_NAME ? `${following.slice(0, LONGEST_NAME - 1)}…` : following;
  const share = make("span");
  share.style.setProperty("--share", (100 * agree) / all);
  const words = make("span", {}, `${number(agree)} to ${number(against)} over `, make("bdi", {}, next));
  if (result.bootstrap) words.append(` · ${percent(result.bootstrap.stands[place])} of samples`);
  return make(
    "span",
    { class: "support" },
    make("span", { class: agree < against ? "track against" : "track", "aria-hidden": "true" }, share),
    words,
  );
}

// -- downloads and pictures ---------------------------------------------------------------------

function downloads(job, result) {
  const link = (part, name, text) =>
    make("a", { class: "button link", href: address(job.id, part), download: name }, text);
  return make(
    "div",
    { class: "downloads" },
    link("/report", "concordant-report.html", "Download the report"),
    make(
      "button",
      { type: "button", onclick: () => save("concordant-ranking.csv", table(result)) },
      "Download as CSV",
    ),
    copyButton(result),
    link("/result", "concordant-result.json", "Download as JSON"),
  );
}

// Each item with its place; tied items share the place of the first of them.
function places(result) {
  if (!result.tiers) {
    const isTied = (item) => result.first.length > 1 && result.first.includes(item);
    return result.ranking.map((item, k) => [isTied(item) ? 1 : k + 1, String(item)]);
  }
  let before = 0;
  return result.tiers.flatMap((tier) => {
    const rows = tier.map((item) => [before + 1, String(item)]);
    before += tier.length;
    return rows;
  });
}

// A spreadsheet would take a name that begins like this for a formula.
const FORMULA = /^[=+\-@\t\r]/;

function table(result) {
  const quoted = (text) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = places(result).map(([place, item]) => `${place},${quoted(item)}`);
  return `place,item\r\n${lines.join("\r\n")}\r\n`;
}

function save(called, text) {
  const source = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  make("a", { href: source, download: called }).click();
  setTimeout(() => URL.revokeObjectURL(source), 10_000);
}

function copyButton(result) {
  const button = make("button", { type: "button" }, "Copy as text");
  button.addEventListener("click", async () => {
    const lines = places(result).map(([place, item]) => `${place}. ${item}`);
    try {
      await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow it";
    }
    setTimeout(() => (button.textContent = "Copy as text"), 3000);
  });
  return button;
}

function search(result) {
  const points = result.trace.map(([seconds, , cost, bound]) => [seconds, cost, bound]);
  if (points.length < 3) return [];
  points.push([Math.max(result.elapsed, points.at(-1)[0]), result.cost, result.lower_bound]);
  const place = make("div", { role: "img" });
  const box = make(
    "details",
    { class: "reading" },
    make("summary", {}, `The course of the search, ${duration(result.elapsed)}`),
    make(
      "figure",
      { class: "chart" },
      place,
      make(
        "figcaption",
        { class: "legend" },
        make("span", { class: "best" }, "Best ranking so far"),
        make("span", { class: "bound" }, "Lower bound"),
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

function pictures(job) {
  if (!job.plots.length) return [];
  const frame = make("div", { class: "picture", "aria-live": "polite" });
  const buttons = job.plots.map((name) => {
    const [title, text] = PICTURES[name] ?? [name, name];
    const button = make("button", { type: "button", "aria-pressed": "false" }, title);
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      const source = address(job.id, `/plots/${name}.png`);
      const image = make("img", { src: source, alt: text });
      // On a phone the picture is too small to read. The link opens it alone, to be enlarged.
      const link = make("a", { href: source, target: "_blank", rel: "noopener" }, image);
      image.addEventListener("load", () => {
        if (button.getAttribute("aria-pressed") === "true") frame.replaceChildren(link);
      });
      image.addEventListener("error", () =>
        frame.replaceChildren("The picture could not be drawn."),
      );
      frame.replaceChildren("Drawing …");
    });
    return button;
  });
  const box = make(
    "section",
    { class: "pictures", "aria-label": "Pictures" },
    make("h3", {}, "Pictures"),
    make("div", { class: "tabs", role: "group", "aria-label": "Which picture" }, ...buttons),
    frame,
  );
  buttons[0].click();
  return [box];
}
