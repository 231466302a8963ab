// The studio: enter, show what there is, and hear keys.
import { ApiError, enter, follow, get, send, unsent } from "./api.js";
import { block, pendingAnswers } from "./card.js";
import { clusterOf, emit, on, setState, store } from "./store.js";
import { colorBy, gestures, map, rope, shapes, showTip } from "./mapview.js";
import { back, current, home, open, pane } from "./panes.js";
import { redo, undo } from "./desk.js";
import { announce, button, count, el, find, percent } from "./view.js";
import "./clusters.js";
import "./rows.js";
import "./review.js";

// The bar on top.
function tools() {
  const bar = find("tools"), { state } = store, { conflicts, suspects, missing, disagreements } = state.review;
  const waiting = conflicts + suspects + missing + disagreements;
  bar.replaceChildren(
    button("Undo", () => undo(), { keys: ["z", "z Backspace"], kind: "tool", disabled: !state.undo, title: state.undo?.words || "", "data-focus": "undo" }),
    button("Redo", redo, { keys: ["⇧z", "Shift+Z"], kind: "tool", disabled: !state.redo, title: state.redo?.words || "", "data-focus": "redo" }),
    button("Find", () => open("find"), { keys: ["/", "/"], kind: "tool" }),
    button(waiting ? `Review ${waiting}` : "Review", () => open("review"), { keys: ["c", "c"], kind: `tool${waiting ? " wanted" : ""}` }),
    button("History", () => open("history"), { keys: ["h", "h"], kind: "tool" }),
    button("Export", () => open("export"), { keys: ["e", "e"], kind: "tool" }),
    ...(store.session.person ? [button("People", () => open("people"), { kind: "tool" })] : []),
    button("Keys", () => open("keys"), { keys: ["?", "?"], kind: "tool for-keys" }));
}

const STAGES = { starting: "starting", fitting: "learning", restarting: "starting again", failed: "the fit failed" };
function bar() {
  const { state } = store, { fit, control } = state, total = state.answers + pendingAnswers();
  find("answers").textContent = count(total, "answer");
  find("predicted").replaceChildren(...(control.of ? [el("span", { class: "long" }, "it "), `predicted ${control.predicted} of `, el("span", { class: "long" }, "your last "), String(control.of)] : []));
  find("predicted").title = "Of control questions, which are drawn at random: the one honest measure of how well the clusters follow you.";
  const busy = ["starting", "fitting", "restarting"].includes(fit.status);
  const share = fit.total ? fit.done / fit.total : null;
  find("fit").textContent = fit.status === "idle" ? (state.waiting ? `${count(state.waiting, "hint")} to learn from` : "") : `${STAGES[fit.status]}${share === null ? "" : ` ${percent(share)}`}`;
  find("fit").title = fit.message || fit.stage || "";
  find("fit").classList.toggle("wrong", fit.status === "failed");
  const line = find("fit-bar");
  line.hidden = !busy;
  if (share === null) line.removeAttribute("value"); else line.value = share;
  tools();
}

function light(kind, words) {
  const kept = find("kept");
  if (kept.dataset.state === kind && kept.textContent === words) return;
  kept.dataset.state = kind;
  kept.textContent = words;
}
let slow = 0;
on("sending", (attempt) => { clearTimeout(slow); if (!attempt) slow = setTimeout(() => light("sending", "sending"), 250); });
on("kept", () => { clearTimeout(slow); light("kept", "kept"); block(false); banner("unkept", ""); });
on("pending", () => { if (store.state) bar(); });
on("unkept", (reason) => {
  clearTimeout(slow);
  const n = unsent().length;
  if (reason.status === 507) { light("lost", "not kept"); block(true); banner("unkept", `Not kept: ${reason.message} Answers wait until there is room; ${count(n, "answer")} to be sent.`); return; }
  light("lost", `not kept yet: ${n}`);
  banner("unkept", `The studio does not answer. ${count(n, "step")} will be sent as soon as it does; do not close this tab.`);
});
on("lost", (is) => {
  if (!is) { again(); return; }
  banner("lost", "The studio was started again. Open the new link that it printed in the terminal; what waits here is sent then.");
});
on("closing", ({ message }) => banner("closing", message || "The studio ends."));
on("connected", (is) => { if (is) { banner("closing", ""); } });

const banners = new Map();
function banner(kind, words) {
  if (words) banners.set(kind, words); else banners.delete(kind);
  const shown = [...banners.values()].pop();
  find("banner").hidden = !shown;
  if (shown && find("banner").textContent !== shown) find("banner").textContent = shown;
}

// A few words about what was done, or what went wrong, for a moment.
function toast(words, kind) {
  const made = el("p", { class: `toast ${kind}`, role: kind === "wrong" ? "alert" : "status" }, words);
  document.querySelector(".toast")?.remove();
  document.body.append(made);
  setTimeout(() => made.remove(), kind === "wrong" ? 6000 : 2500);
}
on("problem", (words) => toast(words, "wrong"));
on("did", (words) => { toast(words, "done"); announce(words); });
on("back", () => { if (!back()) home(); });
on("escape", escape);
on("state", bar);
on("answered", bar);
on("rope", (is) => {
  find("lasso")?.setAttribute("aria-pressed", String(is));
  const hint = find("sentence");
  if (is) { hint.textContent = "Draw around rows that belong together. Esc cancels."; hint.hidden = false; } else hint.hidden = true;
});
on("shown", () => { if (!find("map-tools").children.length) mapTools(); const by = find("color-by"); by.hidden = !store.clusters.length; });

function mapTools() {
  find("map-tools").append(
    button("Lasso", () => rope(!gestures.roping), { keys: ["l", "l"], kind: "tool", id: "lasso", "aria-pressed": "false" }),
    el("select", { id: "color-by", "aria-label": "Color by", on: { change: (event) => { const [by, shaped] = event.target.value.split(" "); shapes(shaped === "shapes"); colorBy(by); } } },
      el("option", { value: "cluster" }, "Color: clusters"), el("option", { value: "cluster shapes" }, "Color and shape: clusters"), el("option", { value: "certainty" }, "Color: certainty")));
}

// Keys: none while somebody types; those of the open pane first.
function escape() {
  if (gestures?.roping && current() === "question") { rope(false); return; }
  if (map) showTip(-1);
  if (!back()) home();
}
const KEYS = {
  z: () => undo(), Backspace: () => undo(), Z: redo, "/": () => open("find"), c: () => open("review"), h: () => open("history"), e: () => open("export"), "?": () => open("keys"),
  l: () => { view("map"); if (map) rope(!gestures.roping); }, g: () => { view("map"); find("map").focus({ preventScroll: true }); },
  m: () => { if (store.clusters.length > 1) open("merge", { clusters: [] }); }, p: () => forCluster("split"), r: () => forCluster("name"), Escape: escape,
};
function forCluster(what) { // that of the list which has the focus
  const number = document.activeElement?.closest?.("[data-cluster]")?.dataset.cluster;
  if (number !== undefined && clusterOf(+number)) open(what, +number);
  else if (store.clusters.length) { find("clusters").querySelector("[data-cluster]")?.focus(); emit("did", "Choose a cluster first: arrows, then the key again."); }
}
const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable]";
document.addEventListener("keydown", (event) => {
  if (!store.session || document.querySelector("dialog[open]")) return;
  const field = event.target.closest?.(FIELDS);
  if (field) { if (event.key === "Escape") { event.preventDefault(); field.blur(); escape(); } return; }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") { event.preventDefault(); if (event.shiftKey) redo(); else undo(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const pressed = event.target.closest?.("button, a, summary, label");
  if (pressed && (event.key === "Enter" || event.key === " ")) return; // what has the focus is pressed
  const name = event.key.length === 1 && event.key !== "Z" ? event.key.toLowerCase() : event.key;
  const own = pane?.keys?.[name] || pane?.keys?.[event.key];
  if (own) { event.preventDefault(); if (own() === false) KEYS[name]?.(); return; }
  const act = KEYS[event.key] || KEYS[name];
  if (act && !event.repeat) { event.preventDefault(); act(); }
});

// On a narrow screen one part is seen at a time.
function view(name) {
  document.body.dataset.view = name;
  for (const one of find("views").children) one.setAttribute("aria-pressed", String(one.dataset.for === name));
  if (name === "map" && map) requestAnimationFrame(() => map.resize());
}
function views() {
  const parts = [["pane", "Question", () => { home(); view("pane"); }], ["map", "Map", () => view("map")], ["clusters", "Clusters", () => view("clusters")]];
  find("views").replaceChildren(...parts.map(([name, words, go]) => button(words, go, { kind: "view", "data-for": name, "aria-pressed": String(name === "pane") })));
}
new MutationObserver(() => { for (const one of find("views").children) one.setAttribute("aria-pressed", String(one.dataset.for === document.body.dataset.view)); })
  .observe(document.body, { attributes: true, attributeFilter: ["data-view"] });

// The beginning.
function stranger(words) {
  find("banner").hidden = true;
  document.body.dataset.view = "pane";
  document.body.classList.add("outside");
  find("pane").replaceChildren(el("div", { class: "card" }, el("h2", {}, "Open the studio with its link"),
    el("p", {}, words || "This page needs the link that the studio printed in the terminal. Press Enter there for a fresh one."),
    el("p", {}, "No studio is running? Start one on a file, or on handwritten digits:"),
    el("pre", {}, el("code", {}, "likewise studio data.csv\nlikewise demo --studio"))));
}

async function take() {
  store.session = await get("/api/session");
  store.people = store.session.people;
  document.title = `${store.session.name} · likewise studio`;
  find("data-name").textContent = store.session.person ? `${store.session.name} · ${store.session.person}` : store.session.name;
  setState(store.session.state);
  emit("questions", { list: store.session.questions, seq: store.session.state.seq });
}

async function again() { // the studio was started again
  banners.delete("lost");
  banner("lost", "");
  store.state = null;
  store.asOf = -1;
  store.result = null;
  try { await take(); } catch (reason) { emit("problem", reason.message); }
}

async function begin() {
  views();
  try {
    if (!await enter()) { stranger(); return; }
    await take();
  } catch (reason) {
    if (!(reason instanceof ApiError)) throw reason;
    stranger(reason.status === 401 ? reason.message : `${reason.message} Is it still running?`);
    return;
  }
  document.body.classList.add("inside");
  home();
  const { changed, notes } = store.session;
  if (changed && (changed.rows_new || changed.rows_gone)) {
    emit("did", `The data has changed: ${count(changed.rows_new, "new row")}, ${count(changed.rows_gone, "row")} gone, ${count(changed.hints_about_gone, "hint")} about rows that are gone. They are kept.`);
  }
  for (const note of notes || []) emit("did", note);
  send();
  follow();
}
window.likewise = { store, unsent, get map() { return map; }, get gestures() { return gestures; } }; // for the console
begin();
