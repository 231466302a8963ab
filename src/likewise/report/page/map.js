// The map: where rows lie before and after, what is shown of them, and how close one looks.

const GRID = 65535;

function unpack(text, Kind) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Kind(bytes.buffer);
}

function color(hex) { // as a pixel holds it: alpha, blue, green, red
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

class PointMap {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.data = data;
    this.count = data.count;
    const places = unpack(data.places, Uint16Array), n = this.count;
    this.ends = [0, 1].map((end) => ({
      x: places.subarray(2 * end * n, (2 * end + 1) * n),
      y: places.subarray((2 * end + 1) * n, (2 * end + 2) * n).map((value) => GRID - value), // upwards, as on paper
    }));
    this.cluster = unpack(data.cluster, Uint16Array);
    this.unsupervised = data.unsupervised ? unpack(data.unsupervised, Uint16Array) : null;
    this.agreement = data.agreement ? unpack(data.agreement, Uint8Array) : null;
    this.rows = data.rows ? unpack(data.rows, Uint32Array) : null;
    this.lines = {};
    for (const kind of ["same", "different"]) this.lines[kind] = unpack(data.lines[kind].pairs, Uint32Array);
    this.x = new Float32Array(n);
    this.y = new Float32Array(n);
    this.paint = new Uint16Array(n);
    this.shown = new Uint8Array(data.names.length).fill(1);
    this.show = { same: false, different: false, suspects: false };
    this.by = "cluster";
    this.alone = -1; // a cluster to look at: the others are faint
    this.pair = null; // two points to look at
    this.point = -1; // the point that is pointed at
    this.middles = this.ends.map((end) => this.middlesOf(end));
    this.orders = this.ends.map(inBands);
    this.moveTo(1);
    this.resize();
  }

  middlesOf(end) {
    const sums = this.data.names.map(() => [0, 0, 0]);
    for (let i = 0; i < this.count; i++) {
      const sum = sums[this.cluster[i]];
      sum[0] += end.x[i]; sum[1] += end.y[i]; sum[2]++;
    }
    return sums.map(([x, y, size]) => [x / size, y / size]);
  }

  moveTo(share) { // 0: before, 1: after
    this.share = share;
    const [from, to] = this.ends;
    for (let i = 0; i < this.count; i++) {
      this.x[i] = from.x[i] + (to.x[i] - from.x[i]) * share;
      this.y[i] = from.y[i] + (to.y[i] - from.y[i]) * share;
    }
    this.moves();
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

  nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    for (let i = 0; i < this.count; i++) {
      const dx = this.left + this.scale * this.x[i] - x, dy = this.top + this.scale * this.y[i] - y;
      const far = dx * dx + dy * dy;
      if (far < least && this.shown[this.cluster[i]]) { least = far; best = i; }
    }
    return best;
  }

  redraw() {
    if (this.waiting || !this.pixels) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }

  theme(colors) { // names of css colors, read from the page
    this.ink = colors;
    this.back = color(colors.card);
    this.table = colors.clusters.map(color);
    this.recolor();
  }

  recolor() {
    const k = this.data.names.length, gray = color(this.ink.soft);
    const faint = (value, share) => mixed(value, this.back, share);
    if (this.by === "agreement") {
      // four steps from vivid (few clusterings agree) to faint (all do)
      this.paints = [0.86, 0.72, 0.4, 0].flatMap((share) => this.table.map((value) => faint(value, share)));
      for (let i = 0; i < this.count; i++) {
        const share = this.agreement[i];
        this.paint[i] = this.cluster[i] + k * (share > 242 ? 0 : share > 204 ? 1 : share > 128 ? 2 : 3);
      }
    } else {
      const from = this.by === "unsupervised" ? this.unsupervised : this.cluster;
      this.paints = [...this.table, gray];
      for (let i = 0; i < this.count; i++) this.paint[i] = Math.min(from[i], k);
    }
    this.faintPaints = this.paints.map((value) => faint(value, 0.86));
    this.redraw();
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
    this.dots(apart ? this.faintPaints : this.paints, (number) => number !== this.alone);
    if (this.alone >= 0) this.dots(this.paints, (number) => number === this.alone);
    for (const kind of ["same", "different"]) if (this.show[kind] && !this.pair) this.lined(kind);
    this.pixels.show(this.context);
    if (this.show.suspects && !this.pair) for (const [i, j, same] of this.data.suspects) this.marked(i, j, same);
    if (this.pair) this.marked(...this.pair);
    this.numbers();
    if (this.point >= 0) this.ring(this.point, this.ink.ink, 3);
    this.drawMs = performance.now() - start;
  }

  dots(paints, wanted) {
    const { x, y, left, top, scale, cluster: group, paint } = this;
    this.pixels.dots({
      order: this.orders[Math.round(this.share)], x, y, left, top, scale, group, paint, paints,
      shown: this.shown.map((shown, number) => shown && wanted(number) ? 1 : 0),
      stamp: this.pixels.stamp(this.radius(), this.count > 20000 ? 0.62 : 0.88),
    });
  }

  lined(kind) { // broken hints come first in the list, and are drawn last and stronger
    const pairs = this.lines[kind], broken = this.data.lines[kind].broken, value = color(this.ink[kind]);
    const dash = kind === "different" ? 6 * this.ratio : 0;
    for (let at = Math.min(pairs.length / 2, this.moving ? 200 : Infinity) - 1; at >= 0; at--) {
      const i = pairs[2 * at], j = pairs[2 * at + 1];
      if (!this.shown[this.cluster[i]] || !this.shown[this.cluster[j]]) continue;
      const [width, strength] = at < broken ? [2, 0.95] : [1, 0.5];
      this.pixels.line(...this.screen(i), ...this.screen(j), value, width * this.ratio, strength, dash);
    }
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

  marked(i, j, same) {
    if (!this.shown[this.cluster[i]] || !this.shown[this.cluster[j]]) return;
    this.context.beginPath();
    this.context.moveTo(...this.screen(i));
    this.context.lineTo(...this.screen(j));
    this.stroke(this.ink.suspect, this.pair ? 3 : 2, !same);
    for (const end of [i, j]) this.ring(end, this.ink.suspect, this.pair ? 3 : 2);
  }

  ring(i, color, width) {
    const [x, y] = this.screen(i);
    this.context.beginPath();
    this.context.arc(x, y, this.radius() + 2.5 * this.ratio, 0, 7);
    this.stroke(color, width, false);
  }

  numbers() { // the name of each cluster at its middle
    if (this.data.names.length > 60) return;
    const context = this.context, [from, to] = this.middles;
    context.font = `650 ${15 * this.ratio}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    this.data.names.forEach((name, number) => {
      if (!this.shown[number] || !(from[number][0] >= 0)) return;
      const [x, y] = [0, 1].map((axis) => from[number][axis] + (to[number][axis] - from[number][axis]) * this.share);
      const at = [name, this.left + this.scale * x, this.top + this.scale * y];
      context.strokeStyle = this.ink.card;
      context.lineWidth = 4.5 * this.ratio;
      context.strokeText(...at);
      context.fillStyle = this.ink.ink;
      context.fillText(...at);
    });
  }
}
