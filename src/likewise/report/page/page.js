// What the page does: gestures on the map, what is shown of a row, and the controls beside it.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
document.documentElement.classList.add("js");
const canvas = find("map"), tip = find("tip");
const map = new PointMap(canvas, data);
const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function nameOf(i) {
  return data.ids ? data.ids[i] : `row ${map.rows ? map.rows[i] : i}`;
}

function element(kind, text, className) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Colors: those of the style sheet, so that there is one place for them.
function applyTheme() {
  const style = getComputedStyle(document.documentElement), colors = {};
  for (const name of ["card", "ink", "soft", "same", "different", "suspect"]) {
    colors[name] = style.getPropertyValue(`--${name}`).trim();
  }
  colors.clusters = data.colors[dark.matches ? "dark" : "light"];
  map.theme(colors);
}
applyTheme();
dark.addEventListener("change", applyTheme);
new ResizeObserver(() => map.resize()).observe(canvas);

// What is shown of a row.
function showTip(i) {
  map.point = i;
  map.redraw();
  tip.hidden = i < 0;
  if (i < 0) return;
  tip.replaceChildren();
  if (data.pictures) {
    const picture = element("img");
    picture.src = data.pictures[i];
    picture.alt = "";
    tip.append(picture);
  }
  tip.append(element("b", nameOf(i)));
  const own = element("p");
  own.append(element("span", "", `dot c${map.cluster[i]}`), `Cluster ${data.names[map.cluster[i]]}`);
  tip.append(own);
  if (data.texts) tip.append(element("p", data.texts[i], "detail"));
  if (map.unsupervised && map.unsupervised[i] !== map.cluster[i]) {
    const name = data.names[map.unsupervised[i]];
    tip.append(element("p", name === undefined ? "Without hints: in a cluster that is gone" : `Without hints: cluster ${name}`, "detail"));
  }
  if (map.agreement) {
    tip.append(element("p", `${Math.round(map.agreement[i] / 2.55)}% of the clusterings agree`, "detail"));
  }
  const [x, y] = map.screen(i).map((value) => value / map.ratio);
  const box = canvas.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: tall } = tip;
  const left = x + 16 + wide < box.width ? x + 16 : x - 16 - wide;
  const top = Math.min(Math.max(y - tall / 2, 6), box.height - tall - 6);
  tip.style.transform = `translate(${Math.max(Math.min(left, box.width - wide - 6), 6)}px, ${Math.max(top, 6)}px)`;
}

// Gestures.
const fingers = new Map();
let traveled = 0, lastTap = 0;
function place(event) {
  const box = canvas.getBoundingClientRect();
  return [(event.clientX - box.left) * map.ratio, (event.clientY - box.top) * map.ratio];
}
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, place(event));
  traveled = fingers.size > 1 ? 99 : 0;
});
canvas.addEventListener("pointermove", (event) => {
  const now = place(event), before = fingers.get(event.pointerId);
  if (!before) {
    if (event.pointerType === "mouse") showTip(map.nearest(...now, 14 * map.ratio));
    return;
  }
  if (fingers.size === 1) {
    traveled += Math.hypot(now[0] - before[0], now[1] - before[1]) / map.ratio;
    if (traveled < 4) return;
    canvas.classList.add("dragging");
    showTip(-1);
    map.pan(now[0] - before[0], now[1] - before[1]);
  } else if (fingers.size === 2) {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const wide = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
    showTip(-1);
    map.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    map.zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / wide, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }
  fingers.set(event.pointerId, now);
});
function pointerUp(event) {
  if (!fingers.delete(event.pointerId)) return;
  canvas.classList.remove("dragging");
  if (event.type === "pointercancel" || traveled >= 4) return;
  map.pair = null;
  map.alone = -1;
  if (event.timeStamp - lastTap < 320) { map.home(); showTip(-1); lastTap = 0; return; }
  lastTap = event.timeStamp;
  showTip(map.nearest(...place(event), (event.pointerType === "mouse" ? 14 : 26) * map.ratio));
}
canvas.addEventListener("pointerup", pointerUp);
canvas.addEventListener("pointercancel", pointerUp);
canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !fingers.size) showTip(-1); });
canvas.addEventListener("wheel", (event) => {
  // seen as a whole already: a wheel that would zoom out scrolls the page
  if (event.deltaY > 0 && map.scale <= map.least * 1.001 && !event.ctrlKey) return;
  event.preventDefault();
  showTip(-1);
  map.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : event.deltaMode ? 0.05 : 0.0016)), ...place(event));
}, { passive: false });
const KEYS = {
  ArrowLeft: () => map.pan(40, 0), ArrowRight: () => map.pan(-40, 0), ArrowUp: () => map.pan(0, 40), ArrowDown: () => map.pan(0, -40),
  "+": () => map.zoom(1.3), "=": () => map.zoom(1.3), "-": () => map.zoom(1 / 1.3), 0: () => map.home(),
  Escape: () => { map.pair = null; map.alone = -1; },
};
canvas.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  showTip(-1);
  KEYS[event.key]();
});
find("closer").addEventListener("click", () => { showTip(-1); map.zoom(1.5); });
find("farther").addEventListener("click", () => { showTip(-1); map.zoom(1 / 1.5); });
find("home").addEventListener("click", () => { map.pair = null; map.alone = -1; showTip(-1); map.home(); });

// From before to after.
const slider = find("between");
let animation = 0;
function setShare(share) {
  showTip(-1);
  slider.value = 100 * share;
  map.moveTo(share);
  find("to-before").setAttribute("aria-pressed", share === 0);
  find("to-after").setAttribute("aria-pressed", share === 1);
}
function animateTo(end) {
  cancelAnimationFrame(animation);
  if (reducedMotion.matches) return setShare(end);
  const from = map.share, start = performance.now();
  const step = (now) => {
    const done = Math.min(Math.max(now - start, 0) / 900, 1), eased = done * done * (3 - 2 * done);
    setShare(done < 1 ? from + (end - from) * eased : end);
    if (done < 1) animation = requestAnimationFrame(step);
  };
  animation = requestAnimationFrame(step);
}
slider.addEventListener("input", () => { cancelAnimationFrame(animation); setShare(slider.value / 100); });
find("to-before").addEventListener("click", () => animateTo(0));
find("to-after").addEventListener("click", () => animateTo(1));
setShare(1);

// Lines, colors, clusters.
for (const [kind, count] of [
  ["same", map.lines.same.length / 2], ["different", map.lines.different.length / 2], ["suspects", data.suspects.length],
]) {
  const box = find(`show-${kind}`), label = box.closest("label");
  label.hidden = count === 0;
  label.querySelector("span").textContent = count.toLocaleString("en");
  map.show[kind] = box.checked = count > 0 && count <= (kind === "suspects" ? 25 : 60);
  box.addEventListener("change", () => { map.show[kind] = box.checked; map.redraw(); });
}
document.querySelector("fieldset").hidden = data.linesDrawn === 0;
const choice = find("color");
if (map.unsupervised) choice.add(new Option("by cluster without hints", "unsupervised"));
if (map.agreement) choice.add(new Option("by agreement: vivid where low", "agreement"));
choice.closest("label").hidden = choice.length < 2;
choice.addEventListener("change", () => { map.by = choice.value; map.recolor(); });

const chips = [...document.querySelectorAll(".legend .chip")];
function press(chip, on) {
  chip.setAttribute("aria-pressed", on);
  map.shown[chip.dataset.cluster] = on ? 1 : 0;
  showTip(-1);
}
for (const chip of chips) {
  chip.addEventListener("click", () => press(chip, chip.getAttribute("aria-pressed") !== "true"));
  const single = (number) => () => { map.alone = number; map.redraw(); };
  chip.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") single(+chip.dataset.cluster)(); });
  chip.addEventListener("pointerleave", single(-1));
}
find("all").addEventListener("click", () => chips.forEach((chip) => press(chip, true)));
find("none").addEventListener("click", () => chips.forEach((chip) => press(chip, false)));

// Elsewhere on the page: show a cluster, or two rows.
function showMap() { find("map-part").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" }); canvas.focus({ preventScroll: true }); }
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-show], [data-pair]");
  if (!button) return;
  chips.forEach((chip) => press(chip, true));
  map.pair = null;
  map.alone = -1;
  if (button.dataset.show) {
    map.alone = +button.dataset.show; // until the map is tapped
    map.home();
  } else {
    const [i, j] = button.dataset.pair.split(",").map(Number);
    const suspect = data.suspects.find(([first, second]) => first === i && second === j);
    map.pair = [i, j, suspect ? suspect[2] : true];
    map.center([i, j], 6);
  }
  showMap();
});

// Find a row.
const query = find("find"), found = find("found");
query.addEventListener("input", () => {
  const words = query.value.trim().toLowerCase();
  found.replaceChildren();
  if (!words) return;
  for (let i = 0, shown = 0; i < data.count && shown < 6; i++) {
    const text = data.texts ? data.texts[i] : "";
    if (!nameOf(i).toLowerCase().includes(words) && !text.toLowerCase().includes(words)) continue;
    const item = element("li"), button = element("button", `${nameOf(i)} ${text}`.trim().slice(0, 90));
    button.type = "button";
    button.addEventListener("click", () => {
      found.replaceChildren();
      query.value = "";
      const chip = chips[map.cluster[i]];
      if (chip) press(chip, true);
      map.center([i], 5);
      showTip(i);
      canvas.focus({ preventScroll: true });
    });
    item.append(button);
    found.append(item);
    shown++;
  }
  if (!found.children.length) found.append(element("p", "No row matches.", "note"));
});
query.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { query.value = ""; found.replaceChildren(); }
  if (event.key === "Enter" && found.querySelector("button")) found.querySelector("button").click();
});
window.likewise = { map, showTip }; // for the console
