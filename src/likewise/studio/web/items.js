// What a row looks like: its name, text, values, picture. Rows and pictures are asked for when they are needed.
import { get, getBlob } from "./api.js";
import { colorOf, nameOf, on } from "./store.js";
import { button, el, percent } from "./view.js";

const KEPT_ROWS = 500, KEPT_PICTURES = 300, PER_REQUEST = 64;
const rows = new Map(), pictures = new Map();

function keep(cache, key, value, most, gone = () => {}) {
  cache.delete(key);
  cache.set(key, value);
  while (cache.size > most) {
    const [oldest, old] = cache.entries().next().value;
    cache.delete(oldest);
    gone(old);
  }
}

on("stale", () => rows.clear()); // clusters and hints of rows changed

// Rows as the studio tells them, in the order asked for.
export async function rowsOf(wanted) {
  const missing = [...new Set(wanted)].filter((row) => !rows.has(row)), got = new Map();
  for (let at = 0; at < missing.length; at += PER_REQUEST) {
    const said = await get(`/api/rows?rows=${missing.slice(at, at + PER_REQUEST).join(",")}`);
    for (const item of said.rows) { got.set(item.row, item); keep(rows, item.row, item, KEPT_ROWS); }
  }
  return wanted.map((row) => rows.get(row) || got.get(row)).filter(Boolean);
}
export const knownRow = (row) => rows.get(row);

async function addressOf(row, side) {
  const key = `${row} ${side}`;
  if (!pictures.has(key)) {
    const address = getBlob(`/api/pictures/${row}?side=${side}`).then((blob) => URL.createObjectURL(blob));
    keep(pictures, key, address, KEPT_PICTURES, (old) => old.then((url) => URL.revokeObjectURL(url), () => {}));
    address.catch(() => pictures.delete(key));
  }
  return pictures.get(key);
}

export function fetchPicture(item, side) { addressOf(item.row, side).catch(() => {}); } // so that it is there when it is shown

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    load(target);
  }
}, { rootMargin: "80px" });

async function load(image) {
  const { row, side, id } = image.dataset;
  try {
    image.src = await addressOf(row, side);
  } catch (reason) {
    image.replaceWith(el("span", { class: "no-picture", role: "img", "aria-label": reason.message }, el("b", {}, "?"), reason.message || id));
  }
}

export function picture(item, side = 96) {
  const image = el("img", { class: "picture", alt: `Picture of ${item.id}`, width: side, height: side, "data-row": item.row, "data-side": side, "data-id": item.id });
  seen.observe(image);
  return image;
}

// A picture that is seen larger when it is pressed.
export function zoomable(item, side = 256) {
  return el("button", { type: "button", class: "zoomable", "aria-label": `Picture of ${item.id}: see it larger`, on: { click: () => enlarge(item) } }, picture(item, side));
}
function enlarge(item) {
  const dialog = el("dialog", { class: "large", "aria-label": `Picture of ${item.id}` }, picture(item, 512),
    el("p", {}, item.id), button("Close", () => dialog.close(), { keys: ["Esc", "Escape"] }));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

const WORD = /[\p{L}\p{N}]+/gu;
export const wordsOf = (text) => new Set((text || "").toLowerCase().match(WORD));

// A text, with the words that the other one lacks marked.
export function marked(text, others) {
  if (!others) return [text];
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (others.has(match[0].toLowerCase())) continue;
    parts.push(text.slice(end, match.index), el("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

export function chip(number) {
  return el("span", { class: "chip", own: colorOf(number) }, el("span", { class: "title" }, nameOf(number)));
}

// A few words that tell a row from others, for lists.
export function summary(item) {
  if (item.text) return item.text;
  return (item.values || []).slice(0, 4).map(([name, value]) => `${name} ${value}`).join(" · ");
}

export const doubted = (items) => items.filter(({ certainty }) => certainty < 0.99); // the others are all but certain

// One line or tile of a list of rows.
export function tile(item, { act, more = [], showCluster = false, side = 64 } = {}) {
  const inside = [
    item.picture ? picture(item, side) : null,
    el("span", { class: "words" }, el("b", {}, item.id), el("span", { class: "detail" }, summary(item)),
      showCluster && item.cluster !== undefined && item.cluster !== null
        ? el("span", { class: "member" }, chip(item.cluster), item.certainty === null || item.certainty === undefined ? "" : ` ${percent(item.certainty)}`) : null),
  ];
  return el("li", { class: `tile${item.picture ? " pictured" : ""}`, "data-row": item.row },
    act ? el("button", { type: "button", class: "open", on: { click: () => act(item) } }, inside) : inside, more);
}

export function tiles(items, options) {
  return el("ul", { class: `tiles${items.some((item) => item.picture) ? " pictured" : ""}` }, items.map((item) => tile(item, options)));
}

