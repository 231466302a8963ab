// The map of the report: points before and after, hints and links as lines, and the map as a drawing.

const SURE = 10000; // a certainty of 1
const UNSURE = 0.7; // rows of a smaller certainty are in doubt

function unpack(text, Kind) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Kind(bytes.buffer);
}

class ReportMap extends PointMap {
  constructor(canvas, data) {
    const places = unpack(data.places, Uint16Array), n = data.count, numbers = (text) => text ? unpack(text, Uint16Array) : null;
    super(canvas, {
      count: n, names: data.names, sizes: data.sizes, faces: data.faces, cluster: numbers(data.cluster),
      certainty: numbers(data.certainty), sure: SURE, unsupervised: numbers(data.unsupervised),
      ends: [0, 1].map((end) => ({
        x: places.subarray(2 * end * n, (2 * end + 1) * n),
        y: places.subarray((2 * end + 1) * n, (2 * end + 2) * n).map((value) => GRID - value), // upwards, as on paper
      })),
      columns: data.columns.map(({ name, kind, values, levels }) => ({
        name, kind, levels, values: unpack(values, kind === "category" ? Uint16Array : kind === "date" ? Float64Array : Float32Array),
      })),
    });
    this.data = data;
    this.second = numbers(data.second);
    this.rows = data.rows ? unpack(data.rows, Uint32Array) : null;
    this.lines = {};
    for (const kind of ["same", "different"]) this.lines[kind] = unpack(data.lines[kind].pairs, Uint32Array);
    this.links = data.links ? unpack(data.links, Uint32Array) : [];
    this.show = { broken: false, same: false, different: false, suspects: false, links: false };
  }

  under() {
    if (this.pair) return;
    if (this.show.links) this.linked();
    for (const kind of ["same", "different"]) if (this.show[kind]) this.lined(kind, false);
    if (this.show.broken) for (const kind of ["same", "different"]) this.lined(kind, true);
  }

  over() {
    if (this.show.suspects && !this.pair) for (const [i, j, same] of this.data.suspects) this.marked(i, j, same);
  }

  lined(kind, broken) { // broken hints come first in the list, and are drawn stronger
    const pairs = this.lines[kind], first = this.data.lines[kind].broken, value = color(this.ink[kind]);
    const dash = kind === "different" ? 6 * this.ratio : 0, [width, strength] = broken ? [2, 0.95] : [1, 0.45];
    const start = broken ? 0 : first, end = broken ? first : pairs.length / 2;
    for (let at = Math.min(end, this.moving ? start + 200 : Infinity) - 1; at >= start; at--) {
      const i = pairs[2 * at], j = pairs[2 * at + 1];
      if (!this.shown[this.cluster[i]] || !this.shown[this.cluster[j]]) continue;
      this.pixels.line(...this.screen(i), ...this.screen(j), value, width * this.ratio, strength, dash);
    }
  }

  linked() {
    const value = color(this.ink.soft);
    for (let at = 0; at < Math.min(this.links.length / 2, this.moving ? 400 : Infinity); at++) {
      const i = this.links[2 * at], j = this.links[2 * at + 1];
      if (!this.shown[this.cluster[i]] || !this.shown[this.cluster[j]]) continue;
      this.pixels.line(...this.screen(i), ...this.screen(j), value, this.ratio, 0.25, 0);
    }
  }

  // The map as it is seen, as a drawing that scales.
  svg() {
    const round = (value) => (value / this.ratio).toFixed(1), escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    const wide = round(this.width), tall = round(this.height), radius = round(this.radius()), dots = new Map();
    for (let i = 0; i < this.count; i++) {
      const [x, y] = this.screen(i);
      if (!this.shown[this.cluster[i]] || x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const paint = css(this.paints[this.paint[i]]);
      if (!dots.has(paint)) dots.set(paint, []);
      dots.get(paint).push(`<circle cx="${round(x)}" cy="${round(y)}" r="${radius}"/>`);
    }
    const groups = [...dots].map(([paint, circles]) => `<g fill="${paint}" fill-opacity=".88">${circles.join("")}</g>`);
    const names = this.placed.map(([name, x, y]) => `<text x="${round(x)}" y="${round(y)}">${escape(name)}</text>`);
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${tall}" width="${wide}" height="${tall}">`
      + `<rect width="100%" height="100%" fill="${this.ink.card}"/>${groups.join("")}`
      + `<g fill="${this.ink.ink}" stroke="${this.ink.card}" stroke-width="4" paint-order="stroke" stroke-linejoin="round" `
      + `font-family="system-ui, sans-serif" font-weight="650" font-size="14" text-anchor="middle" dominant-baseline="central">${names.join("")}</g></svg>`;
  }
}
