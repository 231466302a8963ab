// A picture as plain numbers. A hundred thousand dots and a few thousand lines are written into it in a few
// milliseconds, which no drawing command of a browser does without a graphics card.

export const MARGIN = 24; // pixels around what is seen, so that a dot at the edge needs no test

// How far a pixel is outside of a shape whose area is about that of a circle: below 0 inside.
export const SHAPES = {
  circle: (x, y, radius) => Math.hypot(x, y) - radius,
  square: (x, y, radius) => Math.max(Math.abs(x), Math.abs(y)) - 0.89 * radius,
  diamond: (x, y, radius) => (Math.abs(x) + Math.abs(y) - 1.25 * radius) * 0.71,
  triangle: (x, y, radius) => Math.max(y - 0.7 * radius, 0.87 * Math.abs(x) - 0.5 * y - 0.72 * radius),
};

export class Pixels {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.wide = width + 2 * MARGIN;
    this.image = new ImageData(this.wide, height + 2 * MARGIN);
    this.values = new Uint32Array(this.image.data.buffer);
  }

  show(context) {
    context.putImageData(this.image, -MARGIN, -MARGIN);
  }

  // The pixels of a dot: where they are, from its middle, and how much of each it covers (of 256).
  stamp(radius, strength, shape = "circle") {
    const reach = Math.min(Math.ceil(radius * 1.35), MARGIN - 1), inner = [], where = [], cover = [];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const amount = Math.round(256 * Math.min(Math.max(0.5 - SHAPES[shape](dx, dy, radius), 0), 1) * strength);
        if (amount === 256) inner.push(dy * this.wide + dx);
        else if (amount) { where.push(dy * this.wide + dx); cover.push(amount); }
      }
    }
    return { reach, inner: Int32Array.from(inner), where: Int32Array.from(where), cover: Int32Array.from(cover) };
  }

  // Dots at left + scale · x, top + scale · y, in the given order, where `shown` of their group is not 0 and, where
  // there is a mask, its value is the one wanted.
  dots({ order, x, y, left, top, scale, group, shown, paint, paints, stamp, mask, wanted }) {
    const { values, wide } = this, { reach, inner, where, cover } = stamp;
    const right = this.wide - reach, low = this.height + 2 * MARGIN - reach;
    for (let at = 0; at < order.length; at++) {
      const i = order[at];
      if (!shown[group[i]] || mask && mask[i] !== wanted) continue;
      const px = Math.round(left + scale * x[i]) + MARGIN, py = Math.round(top + scale * y[i]) + MARGIN;
      if (px < reach || py < reach || px >= right || py >= low) continue;
      const value = paints[paint[i]], middle = py * wide + px, outer = value & 0xff00ff, green = value & 0xff00;
      for (let j = 0; j < inner.length; j++) values[middle + inner[j]] = value;
      for (let j = 0; j < where.length; j++) {
        const place = middle + where[j], amount = cover[j], rest = 256 - amount, under = values[place];
        values[place] = 0xff000000
          | (Math.imul(outer, amount) + Math.imul(under & 0xff00ff, rest)) >>> 8 & 0xff00ff
          | (Math.imul(green, amount) + Math.imul(under & 0xff00, rest)) >>> 8 & 0xff00;
      }
    }
  }

  blend(x, y, value, amount) {
    const place = (y + MARGIN) * this.wide + x + MARGIN, rest = 256 - amount, under = this.values[place];
    this.values[place] = 0xff000000
      | (Math.imul(value & 0xff00ff, amount) + Math.imul(under & 0xff00ff, rest)) >>> 8 & 0xff00ff
      | (Math.imul(value & 0xff00, amount) + Math.imul(under & 0xff00, rest)) >>> 8 & 0xff00;
  }

  // A line of some width, soft at its edges; `dash` pixels on, 2/3 as many off, or 0 for a whole line.
  line(x0, y0, x1, y1, value, width, strength, dash) {
    const steep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
    if (steep) [x0, y0, x1, y1] = [y0, x0, y1, x1];
    if (x0 > x1) [x0, y0, x1, y1] = [x1, y1, x0, y0];
    const along = steep ? this.height : this.width, across = steep ? this.width : this.height;
    const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0, stride = Math.hypot(1, slope), period = dash * 5 / 3;
    const half = width * stride / 2, end = Math.min(Math.floor(x1), along - 1);
    for (let x = Math.max(Math.ceil(x0), 0); x <= end; x++) {
      if (dash && (x - x0) * stride % period > dash) continue;
      const y = y0 + (x - x0) * slope, from = y - half, to = y + half;
      for (let at = Math.max(Math.floor(from), 0); at < to && at < across; at++) {
        const amount = Math.round(256 * strength * (Math.min(to, at + 1) - Math.max(from, at)));
        if (amount > 0) steep ? this.blend(at, x, value, amount) : this.blend(x, at, value, amount);
      }
    }
  }
}
