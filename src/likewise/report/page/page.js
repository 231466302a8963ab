// What the page does: gestures on the map, what is shown of a row, and the controls beside it.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
document.documentElement.classList.add("js");
const canvas = find("map"), tip = find("tip");
const map = new ReportMap(canvas, data);
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
  for (const name of ["card", "ink", "soft", "same", "different", "suspect", "accent"]) {
    colors[name] = style.getPropertyValue(`--${name}`).trim();
  }
  colors.dark = dark.matches;
  colors.clusters = data.colors[dark.matches ? "dark" : "light"];
  map.theme(colors);
  showScale();
}

// What colors mean: a range, or levels, in a corner of the map; clusters have their legend beside it.
function showScale() {
  const scale = find("scale"), meaning = map.meaning;
  scale.hidden = !meaning;
  scale.replaceChildren();
  if (!meaning) return;
  scale.append(element("b", meaning.title));
  if (meaning.colors) {
    const bar = element("div", undefined, "ramp"), ends = element("div", undefined, "ends");
    bar.style.background = `linear-gradient(to right, ${meaning.colors.join(", ")})`;
    ends.append(...meaning.ends.map((end) => element("span", end)));
    scale.append(bar, ends);
  }
  for (const [level, paint] of meaning.levels || []) {
    const item = element("div", undefined, "level"), dot = element("span", undefined, "dot");
    dot.style.background = paint;
    item.append(dot, level);
    scale.append(item);
  }
  if (meaning.more > 0) scale.append(element("div", `and ${meaning.more.toLocaleString("en")} more`, "level"));
}
applyTheme();
dark.addEventListener("change", applyTheme);
new ResizeObserver(() => map.resize()).observe(canvas);

// What is shown of a row. A tip that was clicked stays, and its buttons can be pressed.
const tipText = find("tip-text");
let pinned = false;
function showTip(i, stay = false) {
  map.point = i;
  pinned = stay && i >= 0;
  tip.classList.toggle("pinned", pinned);
  map.redraw();
  tip.hidden = i < 0;
  if (i < 0) return;
  tipText.replaceChildren();
  if (data.pictures) {
    const picture = element("img");
    picture.src = data.pictures[i];
    picture.alt = "";
    tipText.append(picture);
  }
  tipText.append(element("b", nameOf(i)));
  const own = element("p");
  own.append(element("span", "", `dot c${map.cluster[i]}`), clusterName(map.cluster[i]));
  tipText.append(own);
  if (data.texts && data.texts[i]) tipText.append(element("p", data.texts[i], "detail"));
  const colored = map.columns[+map.by];
  if (colored) tipText.append(element("p", `${colored.name}: ${shownValue(colored, colored.values[i])}`));
  if (map.certainty) {
    const second = map.second && map.second[i] !== GRID ? `; second choice: ${data.names[map.second[i]]}` : "";
    tipText.append(element("p", `${percent(map.certainty[i])} certain${second}`, "detail"));
  }
  if (map.unsupervised && map.unsupervised[i] !== map.cluster[i]) {
    const name = data.names[map.unsupervised[i]];
    tipText.append(element("p", name === undefined ? "Moved by hints, from a cluster that no longer exists" : `Moved by hints, from ${name}`, "detail"));
  }
  const [x, y] = map.screen(i).map((value) => value / map.ratio);
  const box = canvas.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: tall } = tip;
  const left = x + 16 + wide < box.width ? x + 16 : x - 16 - wide;
  const top = Math.min(Math.max(y - tall / 2, 6), box.height - tall - 6);
  tip.style.transform = `translate(${Math.max(Math.min(left, box.width - wide - 6), 6)}px, ${Math.max(top, 6)}px)`;
}
function clusterName(number) {
  const name = data.names[number], plain = `cluster ${data.numbers[number]}`;
  return name.toLowerCase() === plain ? name : `${name} (${plain})`;
}
function percent(certainty) { return `${Math.round(100 * certainty / SURE)}%`; }

// Gestures.
new Gestures(map, {
  hover: (i) => { if (!pinned) showTip(i); },
  moved: () => showTip(-1),
  touched: () => { map.pair = null; map.alone = -1; },
  tap: (i) => { if (i >= 0 && marking()) markRow(i); else showTip(i, true); },
  escaped: () => { map.pair = null; map.alone = -1; stopMarking(); },
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

// Lines, colors, clusters. At first only lines that need a look are drawn: broken hints, and those to check.
const broken = data.lines.same.broken + data.lines.different.broken;
for (const [kind, count, shown] of [
  ["broken", broken, broken <= 400],
  ["suspects", data.suspects.length, data.suspects.length <= 50],
  ["same", map.lines.same.length / 2 - data.lines.same.broken, false],
  ["different", map.lines.different.length / 2 - data.lines.different.broken, false],
  ["links", map.links.length / 2, false],
]) {
  const box = find(`show-${kind}`), label = box.closest("label");
  label.hidden = count === 0;
  label.querySelector("span").textContent = count.toLocaleString("en");
  map.show[kind] = box.checked = count > 0 && shown;
  box.addEventListener("change", () => { map.show[kind] = box.checked; map.redraw(); });
}
document.querySelector("fieldset").hidden = data.linesDrawn === 0 && map.links.length === 0;
const choice = find("color");
if (map.unsupervised) {
  choice.add(new Option("cluster without hints", "unsupervised"));
  choice.add(new Option("what hints moved", "moved"));
}
if (map.certainty) choice.add(new Option("certainty", "certainty"));
if (map.columns.length) {
  const group = element("optgroup");
  group.label = "column";
  map.columns.forEach((column, number) => group.append(new Option(column.name, number)));
  choice.append(group);
}
choice.closest("label").hidden = choice.options.length < 2;
function colorBy(what) {
  choice.value = what;
  map.by = what;
  map.recolor();
  showScale();
}
choice.addEventListener("change", () => colorBy(choice.value));

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
  const button = event.target.closest("[data-show], [data-pair], [data-color]");
  if (!button) return;
  chips.forEach((chip) => press(chip, true));
  map.pair = null;
  map.alone = -1;
  if (button.dataset.color) {
    colorBy(button.dataset.color);
    map.home();
  } else if (button.dataset.show) {
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

function goTo(i) { // show one row on the map
  const chip = chips.find((one) => +one.dataset.cluster === map.cluster[i]);
  if (chip) press(chip, true);
  map.center([i], 5);
  showTip(i, true);
  canvas.focus({ preventScroll: true });
}

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
      goTo(i);
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

// Files that the page makes, and what is copied.
function download(name, content, type) {
  const link = element("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
async function copy(text, button) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch { // a page that was opened as a file may not be allowed to
    const area = element("textarea", text, "away");
    document.body.append(area);
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  const words = button.textContent;
  button.textContent = copied ? "Copied" : "Select and copy";
  setTimeout(() => { button.textContent = words; }, 1500);
}
const fileName = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "clusters";
find("save-png").addEventListener("click", () => {
  map.draw();
  canvas.toBlob((blob) => download(`${fileName}-map.png`, blob));
});
find("save-svg").addEventListener("click", () => { map.draw(); download(`${fileName}-map.svg`, map.svg(), "image/svg+xml"); });
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-fold]");
  if (!button) return;
  if ("copy" in button.dataset) copy(button.parentElement.querySelector("code").textContent, button);
  else for (const card of document.querySelectorAll(".cards details")) card.open = button.dataset.fold === "open";
});

// On a phone, more than a few open cards are a long way to scroll.
const cards = document.querySelectorAll(".cards details");
if (window.innerWidth < 820 && cards.length > 4) for (const card of cards) card.open = false;

// A link to a card opens it.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}
window.addEventListener("hashchange", openTarget);
openTarget();
document.addEventListener("click", (event) => { // the same address again changes nothing, but opens it, too
  const link = event.target.closest('a[href^="#cluster-"]');
  if (link) find(link.getAttribute("href").slice(1)).open = true;
});

// When the file was written: the page itself is the same whenever it is made.
find("written").textContent = ` on ${new Date(document.lastModified).toLocaleDateString("en", { dateStyle: "long" })}`;

// Which part is being read, in the navigation.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.getAttribute("href").slice(1), link]));
const reading = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    const link = links.get(target.id);
    if (isIntersecting) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "-20% 0px -70% 0px" });
for (const section of document.querySelectorAll("main > section")) reading.observe(section);
window.likewise = { map, showTip }; // for the console
