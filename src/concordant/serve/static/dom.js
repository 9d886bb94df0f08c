// Elements and numbers. Text is only ever set as text, because names of items may hold markup.

export const find = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A phrase with elements in it: {name} stands for a value.
export const phrase = (text, values) =>
  text
    .split(/\{(\w+)\}/)
    .flatMap((part, index) => (index % 2 ? values[part] : part))
    .filter((part) => part !== "");

// The name of an item, in its own direction of writing.
export const named = (item) => make("bdi", {}, String(item));

// Names with commas between them.
export const listed = (items) => items.flatMap((item, place) => [place ? ", " : "", named(item)]);

export function show(element, visible = true) {
  element.hidden = !visible;
}

// -- values in the style of the command line ---------------------------------------------------

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 4 });

export const number = (value) => (value === null || value === undefined ? "–" : whole.format(value));

export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  // A no-break space keeps the sign next to its number.
  if (share === 0) return "0\u00a0%";
  if (share < 1e-7) return "below 0.00001\u00a0%";
  return `${Number((100 * share).toPrecision(3))}\u00a0%`;
}

export function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.floor(seconds % 60)} s`;
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${Number((bytes / 1e6).toFixed(1))} MB`;
}

export const counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;

export const sentence = (words) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : "."}`;
