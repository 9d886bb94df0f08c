// All words that the scripts of the page show. The sentences about a result come from the server.
// In a phrase, {name} stands for a value that the page fills in.

import { counted, duration, number, percent, size } from "./dom.js";

// -- reading ------------------------------------------------------------------------------------

export const ROLES = {
  voter: "Voter",
  item: "Item",
  rank: "Place (1 is best)",
  score: "Score (highest is best)",
  weight: "Weight",
  count: "Count",
  winner: "Winner",
  loser: "Loser",
  left: "First side",
  right: "Second side",
  ranking: "Ranking",
  ignored: "Not used",
  reversed: "Item, the other way round",
};
export const ROLE_UNKNOWN = "Choose …";
export const roleOf = (column) => `Role of column ${column}`;
export const recognisedAs = (role) => `${role} (recognised)`;


export const QUESTION = "A question before this can be solved";
export const HELPS = "What would help";
export const LOOK = "What to know about it";
export const CHOOSE_COLUMN = "Choose a column …";
export const PREVIEW = "The first rows, and what each column means";
export const FIRST_RANKINGS = "So the first rankings are";
export const ORIENTATION = "Swap rows and columns";
export const BEST = "Which number is best?";
export const LOWEST = "1 is best";
export const HIGHEST = "Highest is best";
export const ROW = "Row";
export const leaveOut = (row) => `Leave out row ${row}`;
export const LEFT_OUT = "Rows left out:";
export const putBack = (row) => `Put back ${/^\d+$/.test(row) ? `row ${row}` : row}`;
export const YOURS = "Set by you:";
export const RESET = "Undo all";
export const moreColumns = (count) => `and ${count} more ${count === 1 ? "column" : "columns"}`;
export const noName = (number) => `column ${number}`;
export const openQuestions = (count) =>
  count === 1 ? "one question to answer first" : `${count} questions to answer first`;
export const NO_NAME = "file";
export const seeReading = (title) => `${title}: see “How to read it”.`;
export const undo = (title, value) => `Undo ${title}: ${value}`;
export const READING = "Reading …";
export const tooLarge = (bytes) =>
  `Too large: this server accepts at most ${size(bytes)}. Use the command line for larger files.`;
export const MATRIX = "a matrix";
export const TIES = "with ties";
export const NO_TIES = "no ties";
export const unranked = (meaning) =>
  `unranked items count as ${meaning === "last" ? "tied last" : "no opinion"}`;
export const atLine = (line, text) => `Line ${number(line)}: ${text}`;
export const chosenFiles = (count, bytes) => `${counted(count, "file")}, one for each voter, ${size(bytes)}`;
export const chosenFile = (name, bytes) => `${name}, ${size(bytes)}`;
export const DOWNLOAD_SAMPLE = "Download";
export const TRY_SAMPLE = "Try it";
export const sampleOf = (what, title) => `${what}: ${title}`;

// -- the server ---------------------------------------------------------------------------------

export const NO_ANSWER = "The server does not answer. Is it still running?";
export const answered = (status) => `The server answered ${status}.`;
export const FILE_GONE = "The file was changed or removed after it was chosen. Choose it again.";
export const TRYING_AGAIN = "The server does not answer. Trying again …";
export const version = (text) => `version ${text}`;

// -- the search ---------------------------------------------------------------------------------

export const PHASES = {
  starting: "The server is starting; on a new machine this may take a minute",
  reading: "Reading",
  compiling: "Compiling, once on each machine",
  searching: "Searching",
  resampling: "Resampling the voters",
};
export const QUEUED = "Waiting in the queue";
export const PROVING = "Proving";
export const STOPPING = "Stopping";
export const CANCEL = "Cancel";
export const BEGUN = "The search has begun.";
export const FAILED = "It failed.";
export const CANCELLED = "Cancelled before there was a result.";
export const turn = (place, count) => `, number ${number(place)} of ${number(count)}`;
export const going = (phase) => `${phase} …`;
export const bar = (phase, isResampling) => `${phase}: ${isResampling ? "samples done" : "time used"}`;
export const progress = (seconds, best, bound, gap) =>
  `After ${Math.round(seconds)} seconds: best ${number(best)}, lower bound ${number(bound)}, gap ${percent(gap)}.`;
export const notCancelled = (why) => `The search was not cancelled. ${why}`;
export const samples = (count) => `Resamples the voters ${counted(count, "time")} (bootstrap).`;
export const timeLimit = (seconds) =>
  seconds < 60 ? counted(seconds, "second") : counted(seconds / 60, "minute");
export const chart = (seconds, best, bound) =>
  `Best cost and lower bound over time. After ${seconds.toFixed(1)} seconds the best cost is ` +
  `${number(best)} and the lower bound ${number(bound)}.`;
export const BEST_SO_FAR = "Best ranking so far";
export const LOWER_BOUND = "Lower bound";
export const courseOf = (seconds) => `The course of the search, ${duration(seconds)}`;

// -- the result ---------------------------------------------------------------------------------

export const DISAGREEMENT = "A disagreement is one voter who ranks two items in the opposite order.";
export const HOW_COUNTED = "How the counting works";
export const COUNTING = [
  "For every two items, the votes for each order are counted. A ranking disagrees with each voter who orders two items the other way round.",
  "Of all possible rankings, the one with the fewest disagreements in sum is the answer (the Kemeny rule). A proof shows that no other ranking has fewer.",
  "A tie on a ballot, or an item that a voter leaves out, counts as no opinion unless you choose otherwise.",
];
export const fewest = (bound) => `No order has fewer than ${number(bound)}.`;
export const FIRM = "How firm it is";
export const bootstrapFailed = (why) => `The bootstrap failed: ${why}`;
export const fewerSamples = (found, asked, interrupted) =>
  `The bootstrap has ${number(found)} of ${number(asked)} samples, because ` +
  `${interrupted ? "it was cancelled" : "the time limit was reached"}.`;
export const NO_SAMPLES = "There is no bootstrap, because the job was cancelled before its first sample.";
export const leftOut = (items) => `Left out: ${items.join(", ")}.`;
export const CIRCLE = "The majorities go round in a circle, so no order can follow all of them:";
export const OVERRULED =
  "{last} beats {first} {agree} to {against} in direct comparison, but is placed behind, because {why}.";
export const BEATS = "{one} beats {other}";
export const samplesShown = (count, level, isTiers) =>
  `The voters were resampled ${number(count)} times (bootstrap). Each row shows the places of ` +
  (isTiers
    ? `each item in ${percent(level)} of the samples.`
    : `the item in ${percent(level)} of the samples, and the share of samples that rank it above the next item.`);
export const RANKING = "The consensus, best first";
export const TIERS = "The tiers, best first";
export const showAll = (count) => `Show all ${number(count)}`;
export const TIED = "tied for first";
export const interval = (low, high) => (low === high ? `place ${low}` : `places ${low} to ${high}`);
export const NO_VOTES = "no voter compares it with the next";
export const SUPPORT = "{agree} to {against} over {next}";
export const ofSamples = (share) => ` · ${percent(share)} of samples`;
export const seeBattles = (name) => `${name}: see its battles and its voters`;
export const DETAILS = "Details of the computation";
export const foundBy = (method) => `Found by ${method}.`;

// -- one item -----------------------------------------------------------------------------------

export const EXPLORE = "Item by item";
export const EXPLORE_HELP = "Point at an item, or move to it with the Tab key, to see its battles and its voters.";
export const WHICH_ITEM = "Which item";
export const battlesOf = (won, lost, even) =>
  `wins ${number(won)}, loses ${number(lost)}` + (even ? `, ${number(even)} even` : "") + " in direct comparison";
export const BATTLES = "Against each other item";
export const BATTLE = { won: "beats", lost: "loses to", even: "is even with", none: "is not compared with" };
export const scored = (agree, against) => `${number(agree)} to ${number(against)}`;
export const PLACES = "Places on the ballots";
export const placeOf = (place, count) => `place ${number(place)}: ${counted(count, "voter")}`;
export const unplaced = (count) => `not ranked by ${counted(count, "voter")}`;
export const whoPlaces = (place, names) => `${number(place)}: ${names}`;

// -- voters and other rules ---------------------------------------------------------------------

export const VOTERS = "The voters";
export const VOTERS_HELP = "Each voter's agreement with the consensus; those who disagree most come first.";
export const agrees = (agree, pairs) => (pairs ? `agrees on ${number(agree)} of ${counted(pairs, "pair")}` : "orders no pair");
export const rankingNumber = (k) => `Ranking ${number(k)}`;
export const times = (weight) => `${number(weight)} × `;
export const moreVoters = (count) => `and ${number(count)} more, who agree more`;
export const leaveOutVoter = (name) => `What if ${name} had not voted?`;
export const LEAVE_OUT = "Leave out";
export const RULES = "Other voting rules";
export const RULES_HELP = "What other rules make of the same votes. They may differ, because they ask another question.";
export const SAME_ORDER = "the same order";
export const SAME_FIRST = "the same winner, another order below";
export const TIED_FIRST = "tied for first: {names}";
export const OTHER_FIRST = "another winner: {names}";

// -- what if ------------------------------------------------------------------------------------

export const WHAT_IF = "What if …";
export const WHAT_IF_HELP = "Change something, and see beside the result what moves. The result itself stays.";
export const CHANGE = "Suppose that";
export const CHANGES = {
  without_items: "an item is left out",
  without_voters: "a voter is left out",
  first: "an item must be first",
  last: "an item must be last",
  before: "one item must be before another",
  unranked: "unranked items count differently",
  ties: "ties are allowed",
};
export const WHICH = "Which one";
export const BEFORE_WHICH = "before";
export const ADD = "Show it";
export const UNDO_ALL = "Undo all";
export const changeOf = (kind, names) =>
  ({
    without_items: `without ${names[0]}`,
    without_voters: `without the votes of ${names[0]}`,
    first: `${names[0]} first`,
    last: `${names[0]} last`,
    before: `${names[0]} before ${names[1]}`,
    unranked: names[0] === "last" ? "unranked items count as last" : "unranked items count as no opinion",
    ties: "with ties",
  })[kind];
export const TAKE_BACK = (what) => `Take back: ${what}`;
export const WORKING = "Working it out …";
export const NOTHING_MOVES = "Nothing moves.";
export const moves = (count) => (count === 1 ? "One item moves." : `${number(count)} items move.`);
export const MOVED = { up: "up {by}", down: "down {by}", same: "stays", new: "" };
export const OPEN_ALONE = "Open as a result of its own";
export const constraintCost = (text) => `The rules ${text}.`;

// -- to take away -------------------------------------------------------------------------------

export const TAKE_AWAY = "To take away";
export const REPORT = "Download the report";
export const REPORT_TITLE = "Title of the report";
export const REPORT_DATE = "Date";
export const AS_CSV = "Download as CSV";
export const AS_XLSX = "Download as XLSX";
export const AS_TEXT = "Copy as text";
export const AS_JSON = "Download as JSON";
export const PROOF = "Download the proof";
export const RANKINGS = "Download the rankings";
export const PRINT = "Print or save as PDF";
export const CHECK = "Anyone can check it with {command}";
export const COPIED = "Copied";
export const NOT_COPIED = "The browser does not allow it";
export const PICTURES = "Pictures";
export const WHICH_PICTURE = "Which picture";
export const DRAWING = "Drawing …";
export const NOT_DRAWN = "The picture could not be drawn.";
export const pictureAs = (kind) => `Save as ${kind.toUpperCase()}`;
export const PLOTS = {
  positions: ["Positions", "The places that the voters give each item, sorted by the consensus"],
  pairwise: ["Pairs", "Share of the voters who prefer each item to each other item"],
  agreement: ["Voters", "How closely each voter agrees with the consensus"],
  bump: ["Side by side", "The rankings of the voters next to the consensus"],
  bootstrap: ["How firm", "The interval of places of each item over the bootstrap samples"],
};
