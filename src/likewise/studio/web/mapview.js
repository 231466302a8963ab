// The map of the studio: results as they come, but never under the pointer; the tip; the lasso.
import { Gestures } from "./gestures.js";
import { GRID, PointMap } from "./map.js";
import { get, getBytes } from "./api.js";
import { rowsOf, knownRow, picture, chip, summary } from "./items.js";
import { colorOf, emit, nameOf, on, store } from "./store.js";
import { announce, button, count, el, find, percent } from "./view.js";

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
const darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
const SURE = 255;

export let map = null, gestures = null;
let rowNumbers = null, pointNumbers = null; // of points, where not every row is drawn; the reverse
let second = null, holds = new Set(), wanted = -1, next = null;

export const rowAt = (point) => rowNumbers ? rowNumbers[point] : point;
export const pointOf = (row) => pointNumbers ? pointNumbers.get(row) ?? -1 : row < map?.count ? row : -1;

// While somebody holds the map points stay where they are.
export function hold(name, held) {
  if (held) holds.add(name); else holds.delete(name);
}

// GET /api/map: a header of 24 bytes, then arrays.
export function unpack(bytes) {
  const head = new Uint32Array(bytes, 0, 6), [, flags, m, n, result, k] = head;
  if (head[0] !== 0x314d574c) throw new Error("This is no map of the studio.");
  let at = 24;
  const take = (Kind) => { const size = m * Kind.BYTES_PER_ELEMENT, part = bytes.slice(at, at + size); at += size; return new Kind(part); };
  const numbers = flags & 2 ? take(Uint32Array) : null, x = take(Uint16Array), y = take(Uint16Array).map((value) => GRID - value);
  const Kind = flags & 1 ? Uint16Array : Uint8Array, none = flags & 1 ? 65535 : 255;
  const groups = () => Uint16Array.from(take(Kind), (value) => value === none ? k : value);
  return { m, n, k, result, numbers, layout: { x, y }, cluster: groups(), second: groups(), certainty: take(Uint8Array) };
}

function colors() {
  const style = getComputedStyle(document.documentElement), found = { dark: darkScheme.matches };
  for (const name of ["card", "ink", "soft", "same", "different", "suspect", "accent"]) found[name] = style.getPropertyValue(`--${name}`).trim();
  found.clusters = [...store.clusters.map((cluster) => colorOf(cluster.number)), found.soft];
  return found;
}

function paint() {
  map.theme(colors());
  showScale();
}

function showScale() {
  const { meaning } = map, scale = find("scale");
  scale.hidden = !meaning;
  if (!meaning) return;
  const ramp = el("div", { class: "ramp" });
  ramp.style.background = `linear-gradient(to right, ${meaning.colors.join(", ")})`;
  scale.replaceChildren(el("b", {}, meaning.title), ramp, el("div", { class: "ends" }, meaning.ends.map((end) => el("span", {}, end))));
}

function show(data, clusters) {
  const names = [...clusters.map((cluster) => cluster.shown), ""], sizes = [...clusters.map((cluster) => cluster.size), 0];
  second = data.second;
  rowNumbers = data.numbers;
  pointNumbers = data.numbers && new Map([...data.numbers].map((row, point) => [row, point]));
  store.clusters = clusters;
  const first = store.result === null;
  store.result = data.result;
  const certainty = clusters.length ? data.certainty : null;
  if (!map) {
    map = new PointMap(find("map"), { count: data.m, ends: [data.layout], cluster: data.cluster, names, sizes, certainty, sure: SURE });
    listen();
  } else {
    map.relabel({ cluster: data.cluster, names, sizes, certainty });
    map.glideTo(data.layout, { still: reducedMotion.matches });
  }
  if (!clusters.length && map.by !== "cluster") map.by = "cluster";
  paint();
  find("map").setAttribute("aria-label", `Map of ${count(data.m, "row")} in ${count(clusters.length, "cluster")}`);
  emit("stale");
  emit("shown", { first });
}

export function relabelClusters() { // names changed: the same result with other words
  if (!map) return;
  map.relabel({ names: [...store.clusters.map((cluster) => cluster.shown), ""] });
  map.redraw();
}

export async function takeClusters() { // again, after a name was given or taken back
  if (!store.result) return;
  let said;
  try { said = await get(`/api/clusters/${store.result}`); } catch (reason) { if (reason.error === "gone") return; throw reason; } // a newer one comes
  if (said.result !== store.result) return;
  store.clusters = said.clusters;
  store.unplaced = said.unplaced;
  relabelClusters();
  paint();
  emit("clusters");
}

// The newest result: fetched at once, shown when nobody points.
export async function take(result) {
  if (result === wanted || result === null && store.result !== null) return;
  wanted = result;
  let data, said;
  try {
    [data, said] = await Promise.all([getBytes(`/api/map/${result ?? 0}`), result ? get(`/api/clusters/${result}`) : { clusters: [], unplaced: [] }]);
  } catch (reason) {
    if (reason.error === "gone" || reason.error === "wait") { wanted = -1; return; }
    throw reason;
  }
  if (wanted !== result) return; // a newer one came meanwhile
  next = () => {
    next = null;
    find("pill").hidden = true;
    const news = store.news?.result === result ? store.news : null;
    store.unplaced = said.unplaced;
    show(unpack(data), said.clusters);
    if (news?.moved) say(news);
  };
  if (!map) next();
  else {
    const pill = find("pill"), moved = store.news?.result === result ? store.news.moved : 0;
    if (gestures.busy) {
      pill.textContent = moved ? `${count(moved, "row")} will move` : "A new result waits";
      pill.hidden = false;
    }
    gestures.whenCalm(() => next?.());
  }
}

function say(news) {
  const words = [news.words, ...(news.moves || []).slice(0, 2).map((move) => move.words)].filter(Boolean).join(". ");
  const sentence = find("sentence");
  sentence.textContent = words;
  sentence.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { sentence.hidden = true; }, 7000);
  announce(words, { seldom: true });
}

// What is shown of a row that is pointed at.
let pinned = -1;
export function showTip(point, stay = false) {
  const tip = find("tip");
  map.point = point;
  pinned = stay && point >= 0 ? point : -1;
  tip.classList.toggle("pinned", pinned >= 0);
  map.redraw();
  tip.hidden = point < 0;
  if (point < 0) return;
  fillTip(point);
  const row = rowAt(point);
  if (!knownRow(row)) {
    clearTimeout(showTip.timer);
    showTip.timer = setTimeout(async () => {
      await rowsOf([row]).catch(() => []);
      if (map.point === point && !tip.hidden) fillTip(point);
    }, 60);
  }
}

function fillTip(point) {
  const tip = find("tip"), row = rowAt(point), item = knownRow(row), number = map.cluster[point];
  const parts = [item?.picture ? picture(item, 96) : null, el("b", {}, item ? item.id : `row ${row}`)];
  if (number < store.clusters.length) parts.push(el("p", {}, chip(number)));
  if (item) parts.push(el("p", { class: "detail" }, summary(item).slice(0, 200)));
  if (map.certainty) {
    const other = second[point] < store.clusters.length ? `, else ${nameOf(second[point])}` : "";
    parts.push(el("p", { class: "detail" }, `${percent(map.certainty[point] / SURE)} certain${other}`));
  }
  if (pinned >= 0) parts.push(button("Open", () => { showTip(-1); emit("open-row", row); }));
  tip.replaceChildren(...parts.filter(Boolean));
  const [x, y] = map.screen(point).map((value) => value / map.ratio), box = map.canvas.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: tall } = tip;
  const left = x + 16 + wide < box.width ? x + 16 : x - 16 - wide, top = Math.min(Math.max(y - tall / 2, 6), box.height - tall - 6);
  tip.style.transform = `translate(${Math.max(Math.min(left, box.width - wide - 6), 6)}px, ${Math.max(top, 6)}px)`;
}

export function goTo(row) {
  const point = pointOf(row);
  if (point < 0) return;
  map.shown.fill(1);
  map.center([point], 5);
  showTip(point, true);
}

// The lasso: drawn with the pointer, and given as rows and as the corners in the studio's own places.
export function rope(on) {
  gestures.roping = on;
  map.canvas.classList.toggle("roping", on);
  hold("rope", on);
  emit("rope", on);
}

export function select(mask) {
  map.selected = mask;
  map.redraw();
}

function lassoed(drawn) {
  const corners = thinned(drawn), mask = map.inside(corners), size = mask.reduce((sum, one) => sum + one, 0);
  if (!size) { emit("problem", "No row is inside of this lasso. Draw around some, or press Esc."); return; }
  const bits = new Uint8Array(Math.ceil(store.session.rows / 8)), rows = [];
  for (let point = 0; point < mask.length; point++) {
    if (!mask[point]) continue;
    const row = rowAt(point);
    bits[row >> 3] |= 1 << (row & 7);
    rows.push(row);
  }
  let letters = "";
  for (const byte of bits) letters += String.fromCharCode(byte);
  const polygon = corners.map(([x, y]) => [x, GRID - y]);
  emit("lassoed", { mask, rows, bits: btoa(letters), size, result: store.result, polygon });
}

function thinned(corners, most = 500) { // tenths of a step of the grid; of a long lasso every few of its corners
  const step = Math.ceil(corners.length / most);
  return corners.filter((corner, at) => at % step === 0).map((corner) => corner.map((value) => Math.round(10 * value) / 10));
}

export function colorBy(what) {
  map.by = what;
  map.recolor();
  showScale();
}

export function shapes(on) {
  map.shapes = on;
  map.redraw();
}

function listen() {
  gestures = new Gestures(map, {
    hover: (point) => { if (pinned < 0) showTip(point); },
    moved: () => showTip(-1),
    touched: () => {},
    tap: (point) => showTip(point, true),
    lassoed,
    escaped: () => emit("escape"),
    held: () => holds.size > 0,
  });
  new ResizeObserver(() => map.resize()).observe(map.canvas);
  darkScheme.addEventListener("change", () => { paint(); emit("clusters"); });
  find("closer").addEventListener("click", () => { showTip(-1); map.zoom(1.5); });
  find("farther").addEventListener("click", () => { showTip(-1); map.zoom(1 / 1.5); });
  find("home").addEventListener("click", () => { showTip(-1); map.home(); });
  find("pill").addEventListener("click", () => next?.());
}

on("result", (news) => { store.news = news; take(news.result); });
on("state", (state) => { if (state.result !== store.result) take(state.result); });
