// Elements, and what all parts of the page say in the same way. Text is only ever set as text.

export const find = (id) => document.getElementById(id);

// An element: properties, `class`, `aria-…` and `data-…` attributes, `on` for listeners; children that are null are left out.
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [kind, act] of Object.entries(value)) made.addEventListener(kind, act);
    else if (name === "class") made.className = value;
    else if (name === "own") made.style.setProperty("--own", value);
    else if (name.includes("-") || name === "role" || name === "for") made.setAttribute(name, value === true ? "true" : value);
    else made[name] = value;
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// A button with its keys beside it: [shown, as screen readers want it].
export function button(words, act, { keys = null, kind = "action", label, ...more } = {}) {
  const [shown, spoken] = keys || [];
  return el("button", { type: "button", class: kind, on: { click: act }, "aria-label": label, "aria-keyshortcuts": spoken, ...more },
    el("span", {}, words), shown ? el("kbd", { "aria-hidden": "true" }, shown) : null);
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function breakable(name) { // a name of a column may break after its signs
  return name.split(/(?<=[_./-])/).flatMap((part, at) => at ? [el("wbr"), part] : [part]);
}

export function sentence(words) { // as one: a capital in front, a full stop behind
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.?!…]$/.test(whole) ? whole : `${whole}.`;
}

export const percent = (share) => `${Math.round(100 * share)} %`;

// What is said to screen readers; of results at most one in five seconds, the newest.
let spokenAt = -Infinity, waiting = 0;
export function announce(words, { seldom = false } = {}) {
  clearTimeout(waiting);
  const left = seldom ? 5000 - (performance.now() - spokenAt) : 0;
  if (left > 0) { waiting = setTimeout(() => announce(words, { seldom }), left); return; }
  if (seldom) spokenAt = performance.now();
  find("announcer").textContent = words;
}

export function clock(seconds) {
  const at = new Date(1000 * seconds);
  return at.toDateString() === new Date().toDateString()
    ? at.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false })
    : at.toLocaleDateString("en", { month: "short", day: "numeric" });
}

export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 2000);
}
