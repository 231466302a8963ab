// Gestures on a map: point, tap, drag, pinch, wheel, keys, a lasso; and when nothing under the pointer would be disturbed.

const CALM = 400; // milliseconds without a gesture before points may move

export class Gestures {
  // `hover(i)` and `tap(i)` get a point or −1; `touched` comes before a tap, `moved` with each change of the view,
  // `lassoed(corners)` when a lasso is closed, `escaped` with Esc; `held` says whether points must stay for another reason.
  constructor(map, { hover, tap, touched = () => {}, moved = () => {}, lassoed = null, escaped = () => {}, held = () => false }) {
    Object.assign(this, { map, hover, tap, touched, moved, lassoed, escaped, held });
    this.fingers = new Map();
    this.traveled = 0;
    this.lastTap = 0;
    this.lastPlace = [0, 0];
    this.roping = false; // whether a drag draws a lasso
    this.active = -Infinity; // when something was last done
    const { canvas } = map;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.up(event));
    canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !this.fingers.size) this.hover(-1); });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  at(event) {
    const box = this.map.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * this.map.ratio, (event.clientY - box.top) * this.map.ratio];
  }

  down(event) {
    const { map } = this, here = this.at(event);
    this.active = performance.now();
    map.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, here);
    this.traveled = this.fingers.size > 1 ? 99 : 0;
    if (this.fingers.size > 1) this.drop(); // two fingers look closer
    else if (this.lassoed && (this.roping || event.shiftKey)) { map.lasso = [map.place(...here)]; this.moved(); }
  }

  move(event) {
    const { map, fingers } = this, now = this.at(event), before = fingers.get(event.pointerId);
    this.active = performance.now();
    if (!before) {
      if (event.pointerType === "mouse") this.hover(map.nearest(...now, 14 * map.ratio));
      return;
    }
    if (fingers.size === 1) {
      this.traveled += Math.hypot(now[0] - before[0], now[1] - before[1]) / map.ratio;
      if (this.traveled < 4) return;
      if (map.lasso) {
        map.lasso.push(map.place(...now));
        map.redraw();
      } else {
        map.canvas.classList.add("dragging");
        this.moved();
        map.pan(now[0] - before[0], now[1] - before[1]);
      }
    } else if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const wide = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
      this.moved();
      map.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
      map.zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / wide, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    }
    fingers.set(event.pointerId, now);
  }

  up(event) {
    const { map } = this;
    this.active = performance.now();
    if (!this.fingers.delete(event.pointerId)) return;
    map.canvas.classList.remove("dragging");
    const rope = map.lasso;
    if (rope) {
      this.drop();
      if (event.type !== "pointercancel" && rope.length > 2 && this.traveled >= 4) { setTimeout(() => this.lassoed(rope)); return; } // once the finger is off
    }
    if (event.type === "pointercancel" || this.traveled >= 4) return;
    this.touched();
    const here = this.at(event), near = Math.hypot(here[0] - this.lastPlace[0], here[1] - this.lastPlace[1]) < 30 * map.ratio;
    if (near && event.timeStamp - this.lastTap < 320) { map.home(); this.moved(); this.lastTap = 0; return; }
    this.lastTap = event.timeStamp;
    this.lastPlace = here;
    this.tap(map.nearest(...here, (event.pointerType === "mouse" ? 14 : 26) * map.ratio));
  }

  drop() { // the lasso
    if (!this.map.lasso) return false;
    this.map.lasso = null;
    this.map.redraw();
    return true;
  }

  wheel(event) {
    const { map } = this;
    // seen as a whole already: a wheel that would zoom out scrolls the page
    if (event.deltaY > 0 && map.scale <= map.least * 1.001 && !event.ctrlKey) return;
    event.preventDefault();
    this.active = performance.now();
    this.moved();
    map.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : event.deltaMode ? 0.05 : 0.0016)), ...this.at(event));
  }

  key(event) {
    const { map } = this, act = {
      ArrowLeft: () => map.pan(40, 0), ArrowRight: () => map.pan(-40, 0), ArrowUp: () => map.pan(0, 40), ArrowDown: () => map.pan(0, -40),
      "+": () => map.zoom(1.3), "=": () => map.zoom(1.3), "-": () => map.zoom(1 / 1.3), 0: () => map.home(),
      Escape: () => { if (!this.drop()) this.escaped(); },
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.active = performance.now();
    this.moved();
    act();
  }

  get busy() { return this.fingers.size > 0 || this.map.lasso !== null || this.held(); }

  // Do something that moves points as soon as nobody points: the newest such thing only.
  whenCalm(act) {
    this.pending = act;
    this.settle();
  }

  settle() {
    clearTimeout(this.waiting);
    if (!this.pending) return;
    const left = CALM - (performance.now() - this.active);
    if (this.busy || left > 0) { this.waiting = setTimeout(() => this.settle(), Math.max(left, 50)); return; }
    const act = this.pending;
    this.pending = null;
    act();
  }
}
