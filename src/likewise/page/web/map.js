// The map: where rows lie, what is shown of them, and how close one looks.
import { Pixels, SHAPES } from "./pixels.js";

export const GRID = 65535; // also "none", where a number of a cluster or level is expected
const RAMP = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
const STEPS = 32; // of the ramp
const FLIGHT = 900; // milliseconds from one layout to the next
const SHAPE_NAMES = Object.keys(SHAPES);

export function color(hex) { // as a pixel holds it: alpha, blue, green, red
  const value = parseInt(hex.slice(1), 16);
  return (0xff000000 | (value & 255) << 16 | value & 0xff00 | value >> 16) >>> 0;
}

function mixed(first, second, share) {
  let found = 0xff000000;
  for (const shift of [0, 8, 16]) {
    const from = first >> shift & 255, to = second >> shift & 255;
    found |= Math.round(from + (to - from) * share) << shift;
  }
  return found >>> 0;
}

function inBands(end) { // points from top to bottom: those drawn one after the other are near each other in memory
  const keys = new Float64Array(end.x.length);
  for (let i = 0; i < keys.length; i++) keys[i] = (end.y[i] >> 7) * 2 ** 32 + i;
  return Uint32Array.from(keys.sort(), (key) => key % 2 ** 32);
}

function ramp(share, start = 0) { // a color between dark and bright, as a pixel
  const at = (start + (1 - start) * share) * (RAMP.length - 1), low = Math.min(Math.floor(at), RAMP.length - 2);
  return mixed(color(RAMP[low]), color(RAMP[low + 1]), at - low);
}

export function css(value) { // a pixel as a color of a style sheet
  return `rgb(${value & 255}, ${value >> 8 & 255}, ${value >> 16 & 255})`;
}

// Points by cells of a square, so that those near a place are found without a look at all.
class Cells {
  constructor(x, y) {
    this.x = x;
    this.y = y;
    this.side = Math.min(Math.max(Math.round(Math.sqrt(x.length / 2)), 1), 256);
    this.size = (GRID + 1) / this.side;
    this.start = new Uint32Array(this.side * this.side + 1);
    const cell = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) {
      cell[i] = this.at(y[i]) * this.side + this.at(x[i]);
      this.start[cell[i] + 1]++;
    }
    for (let c = 1; c < this.start.length; c++) this.start[c] += this.start[c - 1];
    const next = this.start.slice();
    this.points = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) this.points[next[cell[i]]++] = i;
  }

  at(value) { return Math.min(Math.max(Math.floor(value / this.size), 0), this.side - 1); }

  // Every point in the cells that a box touches.
  within(left, top, right, bottom, visit) {
    const first = this.at(left), last = this.at(right);
    for (let row = this.at(top); row <= this.at(bottom); row++) {
      const end = this.start[row * this.side + last + 1];
      for (let at = this.start[row * this.side + first]; at < end; at++) visit(this.points[at]);
    }
  }
}

export class PointMap {
  // `ends` are layouts ({x, y}, in steps of the grid, y downwards); `cluster` is the number of each point's cluster,
  // `names` and `sizes` those of the clusters. What may be left out: `certainty` of each point, as a share of `sure`;
  // `unsupervised`, its cluster without hints; `columns` to color by; `faces`, addresses of a picture of each cluster.
  constructor(canvas, { count, ends, cluster, names, sizes, certainty = null, sure = 10000, unsupervised = null, columns = [], faces = [] }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    Object.assign(this, { count, ends, cluster, names, sizes, certainty, sure, unsupervised, columns });
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.paint = new Uint16Array(count);
    this.shown = new Uint8Array(names.length).fill(1);
    this.faces = faces.map((source) => {
      const picture = new Image();
      picture.onload = () => this.redraw();
      picture.src = source;
      return picture;
    });
    this.marks = []; // pairs that are marked: two points, and whether they are the same
    this.by = "cluster";
    this.shapes = false; // clusters by shape, too
    this.alone = -1; // a cluster to look at: the others are faint
    this.pair = null; // two points to look at: [i, j, same]
    this.chosen = []; // points to look at, with a ring each
    this.selected = null; // a mask of points: the others are faint
    this.lasso = null; // corners of a lasso that is being drawn, as places on the grid
    this.point = -1; // the point that is pointed at
    this.middles = this.ends.map((end) => this.middlesOf(end));
    this.orders = this.ends.map(inBands);
    this.moveTo(1);
    this.resize();
  }

  middlesOf(end) {
    const sums = this.names.map(() => [0, 0, 0]);
    for (let i = 0; i < this.count; i++) {
      const sum = sums[this.cluster[i]];
      if (!sum) continue;
      sum[0] += end.x[i]; sum[1] += end.y[i]; sum[2]++;
    }
    return sums.map(([x, y, size]) => [x / size, y / size]);
  }

  moveTo(share) { // 0: at the first of two layouts, 1: at the second
    this.share = share;
    const from = this.ends[0], to = this.ends[this.ends.length - 1];
    for (let i = 0; i < this.count; i++) {
      this.x[i] = from.x[i] + (to.x[i] - from.x[i]) * share;
      this.y[i] = from.y[i] + (to.y[i] - from.y[i]) * share;
    }
    this.cells = null;
    this.moves();
  }

  // From where points are to a new layout, at once or in a flight; what was in flight goes on from where it is.
  glideTo(end, { still = false } = {}) {
    cancelAnimationFrame(this.flight);
    const here = { x: this.x.slice(), y: this.y.slice() }, order = this.orders[Math.round(this.share) && this.orders.length - 1];
    this.ends = [still ? end : here, end];
    this.middles = this.ends.map((one) => this.middlesOf(one));
    this.orders = [order, inBands(end)];
    if (still) { this.flying = false; this.moveTo(1); return; }
    const start = performance.now();
    this.flying = true;
    const step = (now) => {
      const done = Math.min(Math.max(now - start, 0) / FLIGHT, 1);
      this.moveTo(done * done * (3 - 2 * done));
      this.flying = done < 1;
      if (this.flying) this.flight = requestAnimationFrame(step);
    };
    this.flight = requestAnimationFrame(step);
  }

  // Other clusters of the same points.
  relabel({ cluster = this.cluster, names = this.names, sizes = this.sizes, certainty = this.certainty, unsupervised = this.unsupervised }) {
    const shown = new Uint8Array(names.length).fill(1);
    if (names.length === this.names.length) shown.set(this.shown);
    Object.assign(this, { cluster, names, sizes, certainty, unsupervised, shown });
    if (this.alone >= names.length) this.alone = -1;
    this.middles = this.ends.map((end) => this.middlesOf(end));
    if (this.ink) this.recolor();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, this.count > 50000 ? 1.5 : 2); // finer would be slower, not clearer
    this.width = Math.round(box.width * this.ratio);
    this.height = Math.round(box.height * this.ratio);
    this.canvas.width = this.width;
    this.canvas.height = this.height;
    this.pixels = new Pixels(this.width, this.height);
    if (!this.moved) this.home();
    this.redraw();
  }

  moves() { // while something moves a part of the lines will do; all come back when it rests
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => { this.moving = false; this.redraw(); }, 160);
    this.redraw();
  }

  home() { // the middle half of the grid holds all but a few far-off rows
    this.scale = this.least = Math.min(this.width, this.height) / (0.59 * GRID);
    this.left = this.width / 2 - this.scale * GRID / 2;
    this.top = this.height / 2 - this.scale * GRID / 2;
    this.moved = false;
    this.redraw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(Math.max(this.scale * factor, this.least * 0.6), this.least * 400);
    this.left = x - (x - this.left) * scale / this.scale;
    this.top = y - (y - this.top) * scale / this.scale;
    this.scale = scale;
    this.moved = true;
    this.moves();
  }

  pan(x, y) {
    this.left += x;
    this.top += y;
    this.moved = true;
    this.moves();
  }

  center(points, closeness) { // bring points to the middle
    const xs = points.map((i) => this.x[i]), ys = points.map((i) => this.y[i]);
    const wide = Math.max(...xs) - Math.min(...xs), tall = Math.max(...ys) - Math.min(...ys);
    const room = 0.6 * Math.min(this.width / Math.max(wide, 1), this.height / Math.max(tall, 1));
    this.scale = Math.min(this.least * closeness, Math.max(room, this.least * 0.6));
    this.left = this.width / 2 - this.scale * (Math.max(...xs) + Math.min(...xs)) / 2;
    this.top = this.height / 2 - this.scale * (Math.max(...ys) + Math.min(...ys)) / 2;
    this.moved = true;
    this.redraw();
  }

  screen(i) { // where a point is, in pixels of the picture
    return [this.left + this.scale * this.x[i], this.top + this.scale * this.y[i]];
  }

  place(x, y) { // the place on the grid that a pixel shows
    return [(x - this.left) / this.scale, (y - this.top) / this.scale];
  }

  inCells() {
    this.cells ??= new Cells(this.x, this.y);
    return this.cells;
  }

  nearest(x, y, reach) { // the point that is shown next to a pixel, or −1
    const [px, py] = this.place(x, y), far = reach / this.scale;
    let best = -1, least = far * far;
    this.inCells().within(px - far, py - far, px + far, py + far, (i) => {
      const dx = this.x[i] - px, dy = this.y[i] - py, square = dx * dx + dy * dy;
      if ((square < least || square === least && i < best) && this.shown[this.cluster[i]]) { least = square; best = i; }
    });
    return best;
  }

  // The points that are shown inside of a polygon, by the even–odd rule, as a mask.
  inside(corners) {
    const mask = new Uint8Array(this.count), n = corners.length;
    if (n < 3) return mask;
    const xs = corners.map(([x]) => x), ys = corners.map(([, y]) => y), cells = this.inCells();
    const sides = Array.from({ length: cells.side }, () => []); // of the polygon, that a row of cells may meet
    for (let a = 0, b = n - 1; a < n; b = a++) {
      for (let row = cells.at(Math.min(ys[a], ys[b])); row <= cells.at(Math.max(ys[a], ys[b])); row++) sides[row].push([xs[a], ys[a], xs[b], ys[b]]);
    }
    cells.within(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), (i) => {
      if (!this.shown[this.cluster[i]]) return;
      const x = this.x[i], y = this.y[i];
      let odd = 0;
      for (const [ax, ay, bx, by] of sides[cells.at(y)]) {
        if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax) odd ^= 1;
      }
      mask[i] = odd;
    });
    return mask;
  }

  redraw() {
    if (this.waiting || !this.pixels) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }

  theme(colors) { // names of css colors, read from the page
    this.ink = colors;
    this.back = color(colors.card);
    this.dark = colors.dark;
    this.table = colors.clusters.map(color);
    this.recolor();
  }

  // What colors mean: a list of levels, or a range, for the legend.
  recolor() {
    const k = this.names.length, gray = color(this.ink.soft), none = mixed(gray, this.back, 0.6);
    const n = this.count, paint = this.paint;
    this.meaning = null;
    if (this.by === "cluster" || this.by === "unsupervised") {
      const from = this.by === "cluster" ? this.cluster : this.unsupervised;
      this.paints = [...this.table.slice(0, k), none];
      for (let i = 0; i < n; i++) paint[i] = Math.min(from[i], k);
    } else if (this.by === "moved") {
      this.paints = [...this.table.slice(0, k), mixed(gray, this.back, 0.75)];
      for (let i = 0; i < n; i++) paint[i] = this.unsupervised[i] === this.cluster[i] ? k : this.cluster[i];
      this.meaning = { title: "moved by hints, in the color of the cluster they moved to" };
    } else if (this.by === "certainty") {
      this.byRange(this.certainty, 0.4 * this.sure, this.sure, none, (value) => `${Math.round(100 * value / this.sure)}%`, "certainty");
    } else {
      const column = this.columns[+this.by];
      if (column.kind === "category") {
        const shown = Math.min(column.levels.length, this.table.length);
        this.paints = [...this.table.slice(0, shown), none];
        for (let i = 0; i < n; i++) paint[i] = Math.min(column.values[i], shown);
        const levels = column.levels.slice(0, 14).map((level, number) => [level, css(this.paints[Math.min(number, shown)])]);
        this.meaning = { title: column.name, levels, more: column.levels.length - levels.length };
      } else {
        const known = Float64Array.from(column.values).filter((value) => Number.isFinite(value)).sort();
        const [low, high] = [0.02, 0.98].map((share) => known[Math.round(share * (known.length - 1))]);
        this.byRange(column.values, low, high, none, (value) => shownValue(column, value), column.name);
      }
    }
    this.faintPaints = this.paints.map((value) => mixed(value, this.back, 0.86));
    this.redraw();
  }

  byRange(values, low, high, none, shown, title) {
    this.paints = [...Array(STEPS).keys()].map((step) => ramp(step / (STEPS - 1), this.dark ? 0.18 : 0)).concat(none);
    if (!this.dark) this.paints = this.paints.map((value, step) => step < STEPS ? mixed(value, 0xff000000, 0.12 * step / STEPS) : value);
    const wide = high > low ? high - low : 1;
    for (let i = 0; i < this.count; i++) {
      const share = (values[i] - low) / wide;
      this.paint[i] = Number.isFinite(share) ? Math.round(Math.min(Math.max(share, 0), 1) * (STEPS - 1)) : STEPS;
    }
    this.meaning = { title, ends: [shown(low), shown(high)], colors: this.paints.slice(0, STEPS).map(css) };
  }

  radius() {
    const usual = Math.min(Math.max(4.6 - 1.45 * Math.log10(this.count / 300), 0.9), 4.8);
    const room = Math.min(Math.sqrt(Math.min(this.width, this.height) / this.ratio / 640), 1); // smaller on a phone
    return usual * room * Math.min(Math.max((this.scale / this.least) ** 0.4, 1), 3.2) * this.ratio;
  }

  draw() {
    const start = performance.now();
    this.pixels.values.fill(this.back);
    const apart = this.alone >= 0 || this.pair;
    if (this.selected) {
      this.dots(this.faintPaints, () => true, 0);
      this.dots(this.paints, () => true, 1);
    } else {
      this.dots(apart ? this.faintPaints : this.paints, (number) => number !== this.alone);
      if (this.alone >= 0) this.dots(this.paints, (number) => number === this.alone);
    }
    this.under();
    this.pixels.show(this.context);
    this.over();
    if (this.pair) this.marked(...this.pair);
    for (const [i, j, same] of this.marks) this.marked(i, j, same, same ? this.ink.same : this.ink.different);
    for (const i of this.chosen) this.ring(i, this.ink.accent, 4);
    this.titles();
    if (this.lasso) this.rope();
    if (this.point >= 0) this.ring(this.point, this.ink.ink, 3);
    this.drawMs = performance.now() - start;
    this.firstDrawn ??= performance.now();
  }

  under() {} // what else is written into the pixels, and
  over() {} // what is drawn on top of them, below the marks

  dots(paints, wanted, masked) {
    const { x, y, left, top, scale, cluster: group, paint } = this;
    const order = this.orders[Math.round(this.share) && this.orders.length - 1], strength = this.count > 20000 ? 0.62 : 0.88;
    const shapes = this.shapes ? SHAPE_NAMES : SHAPE_NAMES.slice(0, 1);
    shapes.forEach((shape, turn) => this.pixels.dots({
      order, x, y, left, top, scale, group, paint, paints, mask: masked === undefined ? null : this.selected, wanted: masked,
      shown: this.shown.map((shown, number) => shown && number % shapes.length === turn && wanted(number) ? 1 : 0),
      stamp: this.pixels.stamp(this.radius(), strength, shape),
    }));
  }

  stroke(color, width, dashed, alpha = 1) {
    const context = this.context;
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = width * this.ratio;
    context.setLineDash(dashed ? [6 * this.ratio, 4 * this.ratio] : []);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  marked(i, j, same, ink = this.ink.suspect) {
    if (!this.shown[this.cluster[i]] || !this.shown[this.cluster[j]]) return;
    this.context.beginPath();
    this.context.moveTo(...this.screen(i));
    this.context.lineTo(...this.screen(j));
    this.stroke(ink, this.pair ? 3 : 2, !same);
    for (const end of [i, j]) this.ring(end, ink, this.pair ? 3 : 2);
  }

  ring(i, color, width) {
    const [x, y] = this.screen(i);
    this.context.beginPath();
    this.context.arc(x, y, this.radius() + 2.5 * this.ratio, 0, 7);
    this.stroke(color, width, false);
  }

  rope() { // the lasso
    const context = this.context;
    context.beginPath();
    this.lasso.forEach(([x, y], at) => context[at ? "lineTo" : "moveTo"](this.left + this.scale * x, this.top + this.scale * y));
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = this.ink.accent;
    context.fill("evenodd");
    this.stroke(this.ink.accent, 2, true);
  }

  middle(number) {
    const from = this.middles[0][number], to = this.middles[this.middles.length - 1][number];
    return [0, 1].map((axis) => from[axis] + (to[axis] - from[axis]) * this.share);
  }

  // The title of each cluster at its middle, the largest first; one that would hide another is left out.
  titles() {
    const crowded = this.width / this.ratio < 520 || this.names.length > 20;
    const context = this.context, size = (crowded ? 12 : 14) * this.ratio, taken = [], longest = crowded ? 18 : 30;
    context.font = `650 ${size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    this.placed = [];
    const order = this.sizes.map((rows, number) => number).sort((a, b) => this.sizes[b] - this.sizes[a]);
    for (const number of order) {
      if (!this.shown[number] || !(this.middles[0][number][0] >= 0) || (this.alone >= 0 && number !== this.alone)) continue;
      const [x, y] = this.middle(number);
      const name = shortened(this.names[number], longest);
      const half = context.measureText(name).width / 2 + 3 * this.ratio, edge = half + 2 * this.ratio;
      let left = this.left + this.scale * x;
      const top = this.top + this.scale * y;
      if (left < 0 || top < 0 || left > this.width || top > this.height) continue;
      left = Math.min(Math.max(left, edge), Math.max(this.width - edge, edge)); // a long name stays inside
      const box = [left - half, top - 0.7 * size, left + half, top + 0.7 * size];
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      this.placed.push([name, left, top]);
      this.face(number, left, top - 0.8 * size);
      context.strokeStyle = this.ink.card;
      context.lineWidth = 4.5 * this.ratio;
      context.strokeText(name, left, top);
      context.fillStyle = this.ink.ink;
      context.fillText(name, left, top);
    }
  }

  face(number, x, y) { // a typical picture of a cluster, above its title
    const picture = this.faces[number];
    if (!picture || !picture.complete || !picture.naturalWidth) return;
    const tall = 30 * this.ratio, wide = tall * picture.naturalWidth / picture.naturalHeight;
    this.context.fillStyle = this.ink.card;
    this.context.fillRect(x - wide / 2 - this.ratio, y - tall - this.ratio, wide + 2 * this.ratio, tall + 2 * this.ratio);
    this.context.drawImage(picture, x - wide / 2, y - tall, wide, tall);
  }
}

function shortened(words, longest) { // fewer parts of a list, or a part of the first
  while (words.length > longest && words.includes(", ")) words = words.slice(0, words.lastIndexOf(", "));
  return words.length > longest ? `${words.slice(0, longest - 1).replace(/[\s…]+$/, "")}…` : words;
}

export function shownValue(column, value) {
  if (column.kind === "category") return value === GRID ? "–" : column.levels[value];
  if (!Number.isFinite(value)) return "–";
  if (column.kind === "date") return new Date(1000 * value).toISOString().slice(0, 10);
  return Math.abs(value) >= 1000 || Number.isInteger(value)
    ? value.toLocaleString("en", { maximumFractionDigits: 0 }) : String(+value.toPrecision(4));
}
