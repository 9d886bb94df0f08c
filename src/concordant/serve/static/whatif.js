// What if: the same rankings with a change, solved again, beside the result.

import * as api from "./api.js";
import { make, named, phrase, sentence } from "./dom.js";
import * as words from "./words.js";

const LISTS = ["without_items", "without_voters", "first", "last"];

// The part of the page, and a function that adds a change to it.
export function whatIf(job, result) {
  if (result.n_rankings === null || result.ranking.length < 2) return null;
  // Each change is a kind and its names.
  let changes = [];
  let turn = 0;
  let running = null;
  const chips = make("div", { class: "yours" });
  const answer = make("div", { class: "changed", "aria-live": "polite" });
  const form = controls(job, result, (change) => add(change));

  function add([kind, names]) {
    const isSame = ([k, n]) => k === kind && String(n) === String(names);
    if (changes.some(isSame)) return;
    // One answer to these questions replaces the other.
    if (kind === "unranked" || kind === "ties") changes = changes.filter(([k]) => k !== kind);
    set([...changes, [kind, names]]);
  }

  async function set(next) {
    changes = next;
    const own = ++turn;
    // A search that nobody waits for must not keep other jobs waiting.
    if (running) api.cancel(running).catch(() => {});
    running = null;
    chips.replaceChildren(...chipsOf(changes, set));
    if (!changes.length) {
      answer.replaceChildren();
      return;
    }
    answer.replaceChildren(make("p", { class: "help" }, words.WORKING));
    try {
      const begun = await api.again(job.id, request(changes));
      if (own !== turn) {
        api.cancel(begun.id).catch(() => {});
        return;
      }
      running = begun.id;
      const ended = await solved(begun);
      if (own !== turn) return;
      running = null;
      const found = await api.result(ended.id);
      if (own === turn) answer.replaceChildren(...compared(result, found, ended));
    } catch (error) {
      if (own === turn) answer.replaceChildren(make("p", { class: "problem" }, sentence(error.message)));
    }
  }

  const element = make(
    "section",
    { class: "part screen", "aria-label": words.WHAT_IF },
    make("h3", { tabindex: "-1" }, words.WHAT_IF),
    make("p", { class: "help" }, words.WHAT_IF_HELP),
    form,
    chips,
    answer,
  );
  const open = (change) => {
    element.scrollIntoView({ block: "nearest" });
    add(change);
    element.querySelector("h3").focus({ preventScroll: true });
  };
  return { element, open };
}

// Waits until a job has ended; fails if it has no result.
function solved(job) {
  return new Promise((done, failed) => {
    const end = (status) => {
      if (status.has_result) done(status);
      else if (["failed", "cancelled"].includes(status.state)) {
        failed(new Error(status.problem?.detail ?? words.FAILED));
      }
    };
    end(job);
    api.follow(job.id, end, () => failed(new Error(words.NO_ANSWER)), () => {});
  });
}

// The fields of the request. The server keeps what the result itself leaves out, and its rules.
function request(changes) {
  const found = {};
  for (const [kind, names] of changes) {
    if (LISTS.includes(kind)) found[kind] = [...(found[kind] ?? []), names[0]];
    else if (kind === "before") found.before = [...(found.before ?? []), names];
    else found[kind] = kind === "ties" ? true : names[0];
  }
  return found;
}

function controls(job, result, add) {
  const items = result.ranking.map(String);
  const voters = [...new Set((result.voters?.shown ?? []).map(({ name }) => name).filter((name) => name !== null))];
  const kinds = Object.keys(words.CHANGES).filter(
    (kind) =>
      (kind !== "without_voters" || voters.length > 1) &&
      (kind !== "without_items" || items.length > 2) &&
      (kind !== "unranked" || job.source?.is_complete === false) &&
      (kind !== "ties" || !result.tiers),
  );
  const kind = menu(words.CHANGE, kinds, (each) => words.CHANGES[each]);
  const one = menu(words.WHICH, items);
  const two = menu(words.BEFORE_WHICH, items);
  const fit = () => {
    const names = kind.box.value === "without_voters" ? voters : items;
    const alone = ["unranked", "ties"].includes(kind.box.value);
    one.box.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    one.element.hidden = alone;
    two.element.hidden = kind.box.value !== "before";
    if (items.length > 1) two.box.selectedIndex = 1;
  };
  kind.box.addEventListener("change", fit);
  fit();
  const chosen = () => {
    if (kind.box.value === "unranked") return [job.source?.unranked === "last" ? "unknown" : "last"];
    if (kind.box.value === "ties") return [];
    return kind.box.value === "before" ? [one.box.value, two.box.value] : [one.box.value];
  };
  return make(
    "form",
    {
      class: "change",
      onsubmit: (event) => {
        event.preventDefault();
        add([kind.box.value, chosen()]);
      },
    },
    kind.element,
    one.element,
    two.element,
    make("button", { type: "submit" }, words.ADD),
  );
}

function menu(label, values, text = (value) => value) {
  const box = make("select", {}, ...values.map((value) => make("option", { value }, text(value))));
  return { box, element: make("label", {}, make("span", {}, label), box) };
}

function chipsOf(changes, set) {
  const chips = changes.map((change) => {
    const text = words.changeOf(...change);
    return make(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-label": words.TAKE_BACK(text),
        onclick: () => set(changes.filter((each) => each !== change)),
      },
      make("span", {}, text),
      make("span", { "aria-hidden": "true" }, " ×"),
    );
  });
  if (chips.length > 1) {
    chips.push(make("button", { type: "button", class: "quiet", onclick: () => set([]) }, words.UNDO_ALL));
  }
  return chips;
}

// -- the other answer ---------------------------------------------------------------------------

function compared(before, after, job) {
  const places = new Map(common(before, after).map((item, place) => [item, place]));
  const now = common(after, before);
  const moved = now.map((item, place) => places.get(item) - place);
  const count = moved.filter(Boolean).length;
  const rows = after.ranking.map((item, k) => {
    const by = moved[now.indexOf(item)] ?? 0;
    const kind = by > 0 ? "up" : by < 0 ? "down" : "same";
    return make(
      "li",
      {},
      make("span", { class: "place" }, String(after.places[k])),
      make("span", { class: "item" }, named(item)),
      make("span", { class: `move ${kind}` }, ...phrase(words.MOVED[kind], { by: String(Math.abs(by)) })),
    );
  });
  return [
    make("p", { class: "headline" }, after.words.headline),
    make(
      "p",
      {},
      `${count ? words.moves(count) : words.NOTHING_MOVES} ${after.words.proof.replaceAll(" %", "\u00a0%")}`,
      after.words.constraints ? ` ${words.constraintCost(after.words.constraints)}` : "",
    ),
    make("ol", { class: "ranking moved" }, ...rows),
    make("p", {}, make("a", { href: `#job=${job.id}` }, words.OPEN_ALONE)),
  ];
}

// The items of one ranking that the other has too, in its order.
const common = (one, other) => one.ranking.filter((item) => other.ranking.includes(item));
