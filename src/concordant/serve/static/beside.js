// Beside the result: the voters by how far they agree, and what other voting rules say.

import { listed, make, named, phrase, sentence } from "./dom.js";
import * as words from "./words.js";

const SHOWN = 8;
const BEGINNING = 3;

export function voters({ voters: found, ranking, words: said }, leaveOut) {
  if (!found || found.count < 2) return [];
  const list = make("ol", { class: "voters", "aria-label": words.VOTERS_HELP });
  const add = (from, to) => found.shown.slice(from, to).forEach((voter) => list.append(row(voter, ranking, leaveOut)));
  add(0, SHOWN);
  const more = make("button", { type: "button" }, words.showAll(found.shown.length));
  more.addEventListener("click", () => {
    add(SHOWN, found.shown.length);
    more.remove();
    list.children[SHOWN].tabIndex = -1;
    list.children[SHOWN].focus({ preventScroll: true });
  });
  const rest = found.count - found.shown.length;
  return [
    make(
      "section",
      { class: "part", "aria-label": words.VOTERS },
      make("h3", {}, words.VOTERS),
      said.voters ? make("p", {}, said.voters) : null,
      make("p", { class: "help" }, words.VOTERS_HELP),
      list,
      found.shown.length > SHOWN ? more : null,
      rest > 0 ? make("p", { class: "help" }, words.moreVoters(rest)) : null,
    ),
  ];
}

// The first items on a ballot whose voter has no name.
function beginning({ places }, ranking) {
  if (!places) return [];
  const order = ranking.filter((_, k) => places[k] !== null);
  order.sort((a, b) => places[ranking.indexOf(a)] - places[ranking.indexOf(b)]);
  return [make("small", {}, ...listed(order.slice(0, BEGINNING)), order.length > BEGINNING ? ", …" : "")];
}

function row(voter, ranking, leaveOut) {
  const { name, number, weight, against, pairs } = voter;
  const share = make("span");
  share.style.setProperty("--share", pairs ? (100 * (pairs - against)) / pairs : 0);
  const who = name === null ? words.rankingNumber(number) : named(name);
  const button =
    name === null || !leaveOut
      ? null
      : make(
          "button",
          {
            type: "button",
            class: "quiet",
            title: words.leaveOutVoter(name),
            "aria-label": words.leaveOutVoter(name),
            onclick: () => leaveOut(name),
          },
          words.LEAVE_OUT,
        );
  return make(
    "li",
    {},
    make(
      "span",
      { class: "item" },
      weight === 1 ? "" : words.times(weight),
      who,
      ...(name === null ? beginning(voter, ranking) : []),
    ),
    make(
      "span",
      { class: "support" },
      make("span", { class: "track", "aria-hidden": "true" }, share),
      make("span", {}, words.agrees(pairs - against, pairs)),
    ),
    button ?? make("span"),
  );
}

// -- other rules --------------------------------------------------------------------------------

export function rules(result) {
  if (!result.rules || result.ranking.length < 2) return [];
  const rows = result.rules.map((rule) => {
    const [verdict, differs] = compared(result, rule);
    return make(
      "li",
      { class: differs ? "differs" : "agrees" },
      make("strong", {}, sentence(rule.name).replace(/\.$/, "")),
      make("span", {}, ...verdict),
      differs ? make("small", {}, rule.why) : null,
    );
  });
  return [
    make(
      "section",
      { class: "part", "aria-label": words.RULES },
      make("h3", {}, words.RULES),
      make("p", { class: "help" }, words.RULES_HELP),
      make("ul", { class: "rules" }, ...rows),
    ),
  ];
}

const sameSet = (one, other) => one.length === other.length && one.every((item) => other.includes(item));

// What a rule says in words, and whether it differs from the consensus.
function compared({ first, ranking, places }, rule) {
  const own = [...new Set(places)].map((place) => ranking.filter((_, k) => places[k] === place));
  if (own.length === rule.tiers.length && own.every((tier, k) => sameSet(tier, rule.tiers[k]))) {
    return [[words.SAME_ORDER], false];
  }
  const best = rule.tiers[0];
  if (sameSet(first, best)) return [[words.SAME_FIRST], true];
  return [phrase(best.length > 1 ? words.TIED_FIRST : words.OTHER_FIRST, { names: listed(best) }), true];
}
