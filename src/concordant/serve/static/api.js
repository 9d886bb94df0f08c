// The HTTP API. Addresses are relative, so that the page also works below a path of a proxy.

import * as words from "./words.js";

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail);
    this.status = status;
    this.line = problem.line ?? null;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`api/${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { detail: words.NO_ANSWER });
  }
  if (answer.ok) return answer;
  let problem = { detail: words.answered(answer.status) };
  try {
    problem = await answer.json();
  } catch {
    // The answer does not come from the application: only its status is known.
  }
  // The session has ended: the same address now shows the login page.
  if (answer.status === 401) location.reload();
  throw new Refused(answer.status, problem);
}

function form(input, more = {}) {
  const fields = new FormData();
  fields.append("file", input.blob, input.name || "pasted.txt");
  for (const other of input.more ?? []) fields.append("more", other, other.name);
  for (const [name, value] of Object.entries({ ...input.reading, ...more })) {
    if (value !== "" && value !== null) fields.append(name, String(value));
  }
  return fields;
}

// When the browser cannot read the file, its error only says that the request failed.
async function send(path, input, more, signal) {
  try {
    return await ask(path, { method: "POST", body: form(input, more), signal });
  } catch (error) {
    if (error.status === 0) await check(input.blob);
    throw error;
  }
}

async function check(blob) {
  try {
    await blob.slice(0, 1).arrayBuffer();
  } catch {
    throw new Refused(0, { detail: words.FILE_GONE });
  }
}

export const logOut = () => fetch("logout", { method: "POST" });

export const about = async () => (await ask("about")).json();

export const examples = async () => (await ask("examples")).json();

export const example = async (id) => (await ask(`examples/${encodeURIComponent(id)}`)).text();

export const recognise = async (input, signal) =>
  (await send("recognise/upload", input, {}, signal)).json();

export const submit = async (input, more) =>
  (await send("jobs/upload", input, more)).json();

const job = (id, part = "") => `jobs/${encodeURIComponent(id)}${part}`;

export const status = async (id) => (await ask(job(id))).json();

export const cancel = (id) => ask(job(id, "/cancel"), { method: "POST" });

// The same rankings with changes, as a new job.
export const again = async (id, changes) =>
  (
    await ask(job(id, "/again"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(changes),
    })
  ).json();

export const exampleAddress = (id) => `api/examples/${encodeURIComponent(id)}`;

export const result = async (id) => (await ask(job(id, "/result"))).json();

export const address = (id, part) => `api/${job(id, part)}`;

// Calls `onStatus` at every event until the job has ended. Returns a function that stops following.
export function follow(id, onStatus, onLost, onSilence) {
  const source = new EventSource(address(id, "/events"));
  source.addEventListener("progress", (event) => onStatus(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    onStatus(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    // The browser tries again by itself, except when the server answers that there is no such job.
    if (source.readyState === EventSource.CLOSED) onLost();
    else onSilence();
  });
  return () => source.close();
}
