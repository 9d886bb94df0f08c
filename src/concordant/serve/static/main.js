// The page: its input, the progress of the search, and the result.

import * as api from "./api.js";
import { Chart } from "./chart.js";
import { counted, duration, find, listed, make, number, percent, sentence, show } from "./dom.js";
import { questionsOf, showFindings } from "./findings.js";
import { showPreview } from "./preview.js";
import * as reading from "./reading.js";
import { showResult } from "./result.js";
import * as words from "./words.js";

const TIMES = [1, 5, 10, 30, 60, 300, 600];
const MOST_SAMPLES = 500;
// Text up to this size can be edited in the page. Longer text is treated as a file.
const EDITED = 20_000;
let limits = {
  upload_bytes: 10e6,
  default_seconds: 10,
  seconds: 600,
  samples: MOST_SAMPLES,
  keep_seconds: 1800,
  reading: [],
};
// The chosen files; none while the input is text.
let files = [];
let name = "";
// The text at its last change.
let before = "";
let asking = null;
let waiting = 0;
// Whether the input as it is now has been read, and can be solved.
let isRead = false;
let isReadable = false;
let current = null;
let isRunning = false;
// Whether the user has gone back to the input since the search began.
let isEditing = false;
let unfollow = () => {};
let chart = null;
let spokenAt = 0;

// -- the input ----------------------------------------------------------------------------------

function input() {
  const [file, ...more] = files;
  const blob = file ?? new Blob([find("text").value], { type: "text/plain" });
  return { blob, more, name: file?.name || name, reading: reading.values() };
}

const bytes = (given) => [given.blob, ...given.more].reduce((sum, each) => sum + each.size, 0);

const samples = () => Math.min(MOST_SAMPLES, limits.samples);

const isEmpty = () => !files.length && !find("text").value.trim();

// Several files have one ranking each.
function setFiles(chosen) {
  find("about-example").textContent = "";
  // What was chosen for one file may be wrong for the next.
  if (!isEmpty()) reading.clear();
  files = chosen;
  name = "";
  const [file] = chosen;
  show(find("text"), !file);
  show(find("chosen"), Boolean(file));
  if (chosen.length > 1) find("chosen-name").textContent = words.chosenFiles(chosen.length, bytes(input()));
  else if (file) find("chosen-name").textContent = words.chosenFile(file.name || words.NO_NAME, file.size);
  else find("file").value = "";
  recogniseSoon(0);
}

function setText(text, called) {
  if (text.length > EDITED) {
    setFiles([new File([text], called)]);
    return;
  }
  setFiles([]);
  before = find("text").value = text;
  name = called;
  recogniseSoon(0);
}

// Whether one text replaced another. What was chosen for the first may be wrong for the second.
function isAnother(old, text) {
  const lines = (all) => all.trim().split(/\r?\n/);
  const [was, is] = [lines(old), lines(text)];
  return Boolean(old.trim()) && was[0] !== is[0] && was.at(-1) !== is.at(-1);
}

function seen(kind, ...children) {
  find("seen").className = `seen ${kind}`;
  find("seen").replaceChildren(...children);
}

function forgetTable() {
  find("asked").replaceChildren();
  find("preview").replaceChildren();
}

function recogniseSoon(delay = 350) {
  clearTimeout(waiting);
  asking?.abort();
  find("refused").textContent = "";
  find("go").disabled = isEmpty();
  isRead = false;
  markChanged();
  if (isEmpty()) {
    seen("");
    forgetTable();
    return;
  }
  waiting = setTimeout(recognise, delay);
}

async function recognise() {
  const given = input();
  if (bytes(given) > limits.upload_bytes) {
    seen("bad", words.tooLarge(limits.upload_bytes));
    find("go").disabled = true;
    [isRead, isReadable] = [true, false];
    forgetTable();
    return;
  }
  asking = new AbortController();
  const slow = setTimeout(() => seen("wait", words.READING), 250);
  try {
    const found = await api.recognise(given, asking.signal);
    [isRead, isReadable] = [true, found.readable];
    showRecognised(found);
  } catch (error) {
    if (error.name === "AbortError") return;
    seen("bad", error.message);
    forgetTable();
  } finally {
    clearTimeout(slow);
  }
}

// Reads the input now if that has not been done; returns whether it can be solved.
async function isSolvable() {
  if (!isRead) {
    clearTimeout(waiting);
    asking?.abort();
    await recognise();
  }
  return isRead && isReadable;
}

function showRecognised(found) {
  find("go").disabled = !found.readable;
  const focused = focusOf();
  showSummary(found);
  showFindings(find("asked"), found);
  showPreview(find("preview"), found);
  if (focused) restore(focused);
}

// The control that has the focus among those that are about to be replaced.
function focusOf() {
  const active = document.activeElement?.closest("#asked, #preview");
  return active ? document.activeElement.dataset.focus ?? "none" : null;
}

// After an answer, the focus moves to the same control, else to the next question, else to the summary.
function restore(key) {
  const same = document.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  (same ?? document.querySelector(".question p") ?? find("seen")).focus({ preventScroll: Boolean(same) });
}

function showSummary(found) {
  const layout = found.layout ? `${found.format}, ${found.layout}` : found.format;
  const questions = questionsOf(found).length;
  if (questions) {
    seen("ask", make("strong", {}, [layout, words.openQuestions(questions)].filter(Boolean).join(" · ")));
    return;
  }
  if (!found.readable) {
    seen("bad", ...found.problems.map((problem) => make("span", {}, told(problem))));
    // The fields that would help are in there.
    if (found.problems.some((problem) => problem.hints.length)) find("reading").open = true;
    return;
  }
  const parts = [layout, counted(found.n_items, "item")];
  if (found.n_rankings === null) parts.push(words.MATRIX);
  else {
    parts.push(counted(found.n_rankings, "ranking"));
    parts.push(found.has_ties ? words.TIES : words.NO_TIES);
    if (!found.is_complete) {
      parts.push(words.unranked(found.unranked));
    }
  }
  const more = found.n_items > found.items.length ? ", …" : "";
  seen(
    "good",
    make("strong", {}, parts.join(" · ")),
    make("span", { class: "names" }, ...listed(found.items), more),
  );
}

function told({ line, message, detail }) {
  const text = message ? sentence(message) : detail;
  return line === null ? text : words.atLine(line, text);
}

// -- the search ---------------------------------------------------------------------------------

async function start(event) {
  event.preventDefault();
  if (isEmpty() || find("go").disabled) return;
  find("refused").textContent = "";
  find("go").disabled = true;
  if (!(await isSolvable())) {
    find("go").disabled = isRead;
    document.querySelector(".question p")?.focus();
    return;
  }
  isEditing = false;
  const previous = isRunning ? current : null;
  try {
    const job = await api.submit(input(), {
      time_limit: find("seconds").value,
      bootstrap: find("firm").checked ? samples() : 0,
      ...(find("ties").checked ? tieSettings() : {}),
    });
    // The page no longer shows the previous search, so it must not keep other jobs waiting.
    if (previous) api.cancel(previous).catch(() => {});
    watch(job);
  } catch (error) {
    find("refused").textContent = error.message;
  } finally {
    find("go").disabled = isEmpty();
  }
}

const tieSettings = () => ({
  ties: true,
  ...Object.fromEntries(
    ["tiers", "tie_penalty", "vote_tie_penalty"].map((id) => [id, find(id).value.replaceAll(" ", "")]),
  ),
});

function offerTies() {
  show(find("tie-fields"), find("ties").checked);
}

// A result that belongs to another input, or to other options, than the page shows.
function markOld(isOld) {
  find("output").classList.toggle("old", isOld);
  show(find("outdated"), isOld);
}

function markChanged() {
  if (!find("result").hidden) markOld(true);
}

// On a phone the output is below the input.
function bringIntoView() {
  if (find("output").getBoundingClientRect().top > innerHeight * 0.6) {
    find("output").scrollIntoView({ block: "start" });
  }
}

function say(text) {
  find("spoken").textContent = text;
}

// Moves the keyboard focus, except while the user edits the input.
function focusOn(id) {
  if (!isEditing) find(id).focus({ preventScroll: true });
}

function only(id) {
  for (const each of ["nothing", "running", "failed", "result"]) show(find(each), each === id);
}

function watch(job, points = []) {
  unfollow();
  chart?.destroy();
  current = job.id;
  isRunning = true;
  spokenAt = 0;
  history.replaceState(null, "", `#job=${job.id}`);
  markOld(false);
  only("running");
  bringIntoView();
  chart = new Chart(find("live"));
  chart.set(points);
  say(words.BEGUN);
  offerCancel();
  update(job);
  if (["done", "cancelled", "failed"].includes(job.state)) return;
  unfollow = api.follow(job.id, update, () => openJob(job.id), () => waitForServer(job.id));
}

function offerCancel(trouble = "") {
  find("trouble").textContent = trouble;
  find("cancel").disabled = false;
  find("cancel").textContent = words.CANCEL;
}

function update(job) {
  if (job.id !== current) return;
  if (job.has_result) {
    finish(job);
  } else if (job.state === "failed") {
    fail(told(job.problem ?? { detail: words.FAILED, line: null }));
  } else if (job.state === "cancelled") {
    fail(job.problem ? sentence(job.problem.detail) : words.CANCELLED);
  } else {
    showProgress(job);
  }
}

function fail(why) {
  isRunning = false;
  find("failure").textContent = why;
  only("failed");
  say(why);
  focusOn("failure");
}

// The browser tries again by itself until the server answers.
function waitForServer(id) {
  if (id !== current || !isRunning) return;
  find("phase").textContent = words.TRYING_AGAIN;
  say(words.TRYING_AGAIN);
}

function showProgress(job) {
  const { elapsed, cost, lower_bound: bound, gap, share } = job.progress;
  let phase = words.PHASES[job.phase] ?? words.QUEUED;
  if (job.phase === "searching" && gap === 0) phase = words.PROVING;
  if (job.state === "queued" && job.waiting > 1) phase += words.turn(job.ahead + 1, job.waiting);
  if (job.cancelling) phase = words.STOPPING;
  const isResampling = job.phase === "resampling";
  find("phase").textContent = words.going(phase);
  find("bar").value = isResampling ? share ?? 0 : Math.min(1, elapsed / job.time_limit);
  find("bar").setAttribute("aria-label", words.bar(phase, isResampling));
  find("best").textContent = number(cost);
  find("bound").textContent = number(bound);
  find("gap").textContent = percent(gap);
  find("time").textContent = duration(elapsed);
  if (cost !== null && bound !== null) {
    chart.add(elapsed, cost, bound);
    // A screen reader announces the progress every 5 seconds, not at every event.
    if (elapsed - spokenAt >= 5) {
      spokenAt = elapsed;
      say(words.progress(elapsed, cost, bound, gap));
    }
  }
}

async function finish(job) {
  isRunning = false;
  try {
    const result = await api.result(job.id);
    if (job.id !== current) return;
    only("result");
    showResult(find("result"), job, result);
    say(`${result.words.headline} ${result.words.proof}`);
    focusOn("output-title");
  } catch (error) {
    if (job.id === current) fail(error.message);
  }
}

// Shows a job by its id: one that the address names, or one whose events have ended early.
async function openJob(id) {
  unfollow();
  current = id;
  try {
    const job = await api.status(id);
    if (id === current) watch(job, job.points);
  } catch (error) {
    if (id === current) fail(sentence(error.message));
  }
}

async function cancel() {
  const id = current;
  find("trouble").textContent = "";
  find("cancel").disabled = true;
  find("cancel").textContent = words.going(words.STOPPING);
  try {
    await api.cancel(id);
  } catch (error) {
    if (id === current) offerCancel(words.notCancelled(error.message));
  }
}

// -- setting up ---------------------------------------------------------------------------------

function listen() {
  find("text").addEventListener("input", () => {
    // Text that was edited is not the example file any more.
    name = "";
    find("about-example").textContent = "";
    const text = find("text").value;
    if (isAnother(before, text)) reading.clear();
    before = text;
    recogniseSoon();
  });
  for (const event of ["input", "focusin"]) {
    find("input").addEventListener(event, () => {
      isEditing = true;
    });
  }
  find("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("start").requestSubmit();
  });
  find("file").addEventListener("change", (event) => {
    if (event.target.files.length) setFiles([...event.target.files]);
    // Without this, choosing the same file again after a change would have no effect.
    event.target.value = "";
  });
  find("chosen-remove").addEventListener("click", () => {
    setFiles([]);
    find("text").focus();
  });
  find("start").addEventListener("submit", start);
  find("ties").addEventListener("change", () => {
    offerTies();
    markChanged();
  });
  find("tie-fields").addEventListener("input", markChanged);
  addEventListener("hashchange", openAddress);
  find("cancel").addEventListener("click", cancel);
  find("logout").addEventListener("click", async () => {
    await api.logOut();
    location.reload();
  });

  let depth = 0;
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => {
    if (hasFile(event) && ++depth) find("drop").classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (hasFile(event) && --depth <= 0) find("drop").classList.remove("dropping");
  });
  addEventListener("dragover", (event) => {
    if (hasFile(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    depth = 0;
    find("drop").classList.remove("dropping");
    if (event.dataTransfer.files.length) setFiles([...event.dataTransfer.files]);
  });
}

async function tryExample(example) {
  try {
    setText(await api.example(example.id), example.name);
    find("about-example").textContent = example.description;
  } catch (error) {
    seen("bad", error.message);
  }
}

// A sample of one layout: to try here, or to save and fill in.
function sample(example) {
  const { id, title, description, name: called } = example;
  return make(
    "li",
    {},
    make("strong", {}, title),
    make("span", { class: "help" }, description),
    make(
      "span",
      { class: "row" },
      make(
        "a",
        {
          href: api.exampleAddress(id),
          download: called,
          "aria-label": words.sampleOf(words.DOWNLOAD_SAMPLE, title),
        },
        words.DOWNLOAD_SAMPLE,
      ),
      make(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": words.sampleOf(words.TRY_SAMPLE, title),
          onclick: () => tryExample(example),
        },
        words.TRY_SAMPLE,
      ),
    ),
  );
}

async function loadChoices() {
  try {
    limits = await api.about();
    find("version").textContent = words.version(limits.version);
    show(find("logout"), limits.login);
    reading.setUp(limits.reading, () => recogniseSoon(0));
    const examples = await api.examples();
    find("samples-list").append(...examples.filter(({ is_sample: isSample }) => isSample).map(sample));
    for (const example of examples.filter(({ is_sample: isSample }) => !isSample)) {
      const about = `about-${example.id}`;
      const button = make(
        "button",
        { type: "button", class: "quiet", title: example.description, "aria-describedby": about },
        example.title,
      );
      button.addEventListener("click", () => tryExample(example));
      find("examples").append(button, make("span", { id: about, hidden: true }, example.description));
    }
  } catch (error) {
    seen("bad", error.message);
  }
  offerTies();
  find("samples").textContent = words.samples(samples());
  show(find("firm").closest("label"), samples() > 0);
  const times = new Set([...TIMES, limits.default_seconds, limits.seconds]);
  for (const seconds of [...times].filter((each) => each <= limits.seconds).sort((a, b) => a - b)) {
    const isUsual = seconds === limits.default_seconds;
    find("seconds").append(make("option", { value: seconds, selected: isUsual }, words.timeLimit(seconds)));
  }
}

// Shows the job that the address names, also when the user edits the address of the page.
async function openAddress() {
  const id = new URLSearchParams(location.hash.slice(1)).get("job");
  if (id && id !== current) await openJob(id);
}

listen();
find("go").disabled = isEmpty();
await loadChoices();
if (!isEmpty()) recogniseSoon(0);
await openAddress();
document.documentElement.dataset.ready = "";
