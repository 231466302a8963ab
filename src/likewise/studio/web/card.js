// The card: two rows, a row and groups, or piles; answers, the next card in the same frame, and swipes.
import { act, get, unsent } from "./api.js";
import { fetchPicture, marked, picture, summary, wordsOf, zoomable } from "./items.js";
import { map, pointOf } from "./mapview.js";
import { current, define, open, refresh } from "./panes.js";
import { emit, on, store } from "./store.js";
import { announce, breakable, button, count, el, find, percent, sentence } from "./view.js";

const SWIPE = 24; // pixels
let shownAt = 0, shownNumber = null, marking = false, whole = null; // when a card came; differences marked; full texts
let sorted = null; // piles: { number, piles: [pile of each item or null], at }
let opinion = ""; // what the model thought of the last answer

const question = () => store.questions[0] || null;
const title = (item) => item.id;

// Replies and the stream overtake each other: cards as of an earlier event than those that are here are late.
export function setQuestions({ list, seq, leads }) {
  const sent = new Set(unsent().filter(({ path }) => path === "/api/answer").map(({ body }) => body.question));
  const cards = seq < store.asOf ? store.questions : list.filter(({ number }) => !sent.has(number));
  store.asOf = Math.max(seq, store.asOf);
  const front = (leads ? list[0] : question())?.number; // what is being read stays in front, but for an undo
  store.questions = [...cards.filter(({ number }) => number === front), ...cards.filter(({ number }) => number !== front)];
  if (question()?.number !== shownNumber) refresh("question");
  prefetch();
}

function prefetch() { // pictures of the next card are there before it is
  for (const { items } of store.questions.slice(1)) {
    for (const item of items) if (item.picture) fetchPicture(item, 256);
  }
}

// Answering: the next card is shown at once; the answer is sent until it is kept.
export async function answer(said, words) {
  const now = question();
  if (!now || blocked || current() !== "question") return;
  const ms = Math.round(performance.now() - shownAt);
  store.questions = store.questions.slice(1);
  opinion = "";
  const reply = act("/api/answer", { question: now.number, answer: said, ms });
  markLast(now, said);
  emit("answered");
  refresh("question");
  try {
    const { opinion: thought, conflict, state } = await reply;
    tell(words, thought);
    if (conflict && state.seq === store.state.seq) open("conflict", conflict);
  } catch (reason) {
    emit("problem", reason.message);
    const { questions: list, state: { seq } } = await get("/api/questions");
    emit("questions", { list, seq });
  }
}

function markLast(now, said) { // on the map, once it was answered
  if (!map) return;
  const points = now.rows.map(pointOf);
  map.marks = now.kind === "pair" && said !== "unsure" && Math.min(...points) >= 0 ? [[...points, said === "same"]] : [];
  map.redraw();
  clearTimeout(markLast.timer);
  markLast.timer = setTimeout(() => { map.marks = []; map.redraw(); }, 4000);
}

function tell(words, thought) {
  if (!thought) return;
  const sure = thought.chance === null ? "" : ` (${percent(Math.max(thought.chance, 1 - thought.chance))})`;
  if (thought.predicted === true) opinion = `${words}, as predicted${sure}`;
  else if (thought.predicted === false) opinion = `${words}; predicted was the other answer${sure}`;
  else opinion = thought.chance === null ? `${words}: too early for a prediction` : words;
  const line = find("opinion");
  if (line) { line.textContent = opinion; line.classList.add("fresh"); }
}

let blocked = false;
export function block(on) {
  blocked = on;
  for (const one of document.querySelectorAll("#pane [data-answer]")) one.disabled = on;
}

const SAY = {
  same: () => answer("same", "Same"),
  different: () => answer("different", "Different"),
  unsure: () => answer("unsure", "Can't say"),
};

function answers(...list) {
  return el("div", { class: "answers" }, list.map(([words, keys, say, kind]) => {
    const made = button(words, say, { keys, kind: `answer ${kind}`, "data-answer": kind, disabled: blocked });
    return made;
  }));
}

// Values of all items side by side, one line a column.
function valueTable(items, differs) {
  const names = (items[0].values || []).map(([name]) => name);
  if (!names.length) return null;
  const differing = new Set(differs);
  return el("table", { class: "values" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span", { class: "away" }, "column")), items.map((item) => el("th", { scope: "col" }, title(item))))),
    el("tbody", {}, names.map((name, line) => {
      const values = items.map((item) => item.values[line][1]);
      const unlike = marking && (differing.size ? differing.has(name) : new Set(values).size > 1);
      return el("tr", { class: unlike ? "differs" : "" }, el("th", { scope: "row" }, breakable(name)), values.map((value) => el("td", {}, unlike ? el("mark", {}, value) : value)));
    })));
}

function textOf(item, others) {
  const full = whole?.get(item.row), text = full?.text ?? item.text;
  if (!text) return null;
  const words = marking && others.length ? new Set(others.flatMap((other) => [...wordsOf((whole?.get(other.row) || other).text)])) : null;
  return el("div", { class: `text${full ? " full" : ""}` }, marked(text, words));
}

function shownItem(item, others, side = 256) {
  return el("article", { class: "item", "aria-label": item.id }, el("h3", {}, title(item)), item.picture ? zoomable(item, side) : null, textOf(item, others));
}

const isLong = (item) => item.more || (item.text || "").length > 500; // folded where it is shown

async function more() { // the whole text of what is on the card
  const now = question();
  if (!now || !now.items.some(isLong)) return;
  if (whole) whole = null;
  else {
    const cut = now.items.filter((item) => item.more).map((item) => item.row).slice(0, 4);
    const said = cut.length ? await get(`/api/rows?rows=${cut.join(",")}&full=1`) : { rows: [] };
    if (question() !== now) return;
    whole = new Map([...now.items, ...said.rows].map((item) => [item.row, item]));
  }
  refresh("question");
}

function toggleMarks() {
  marking = !marking;
  refresh("question");
}

function header(now) {
  const wish = store.state.ask || { kind: "pair", size: 4 };
  const choices = [["pair", "Pairs"], ["choice", "Groups"], ["piles", "Piles"]];
  const kinds = el("div", { class: "segments", role: "group", "aria-label": "What to be asked" }, choices.map(([kind, words]) =>
    button(words, () => wishFor(kind, wish.size), { kind: "segment", "aria-pressed": String(wish.kind === kind), "data-focus": `ask-${kind}` })));
  const size = wish.kind === "piles" ? el("label", { class: "small" }, "of ", el("select", { "aria-label": "Rows to sort at a time", on: { change: (event) => wishFor("piles", +event.target.value) } },
    [3, 4, 5, 6].map((number) => el("option", { value: number, selected: number === (wish.size || 4) }, String(number))))) : null;
  const can = now && (now.items.some((item) => item.text) || now.items[0].values?.length);
  return el("div", { class: "card-head" }, kinds, size, el("span", { class: "space" }),
    can ? button("Differences", toggleMarks, { kind: "quiet", keys: ["d", "d"], "aria-pressed": String(marking), "data-focus": "marks" }) : null,
    now?.items.some(isLong) ? button(whole ? "Less" : "More", more, { kind: "quiet", keys: ["Space", "Space"], "data-focus": "more" }) : null);
}

async function wishFor(kind, size) {
  const wish = store.state.ask;
  if (kind === wish?.kind && size === wish?.size) return; // these cards are of that kind
  await act("/api/ask", { kind, size }).catch((reason) => emit("problem", reason.message));
  refresh("question");
  find("pane").focus({ preventScroll: true }); // Enter is the card's again
}

const LAYOUTS = { pair: pairCard, choice: choiceCard, piles: pilesCard };

define("question", () => {
  const now = question();
  if (now?.number !== shownNumber) {
    shownAt = performance.now();
    shownNumber = now?.number ?? null;
    whole = null;
    if (now) announce(spoken(now));
  }
  const { body, keys } = now ? LAYOUTS[now.kind](now) : nothing();
  const node = el("div", { class: "card", role: "region", "aria-label": now ? "Question" : "No question" },
    store.state.answers + pendingAnswers() === 0 ? welcome() : null,
    header(now), body, el("p", { id: "opinion", class: "opinion", role: "status" }, opinion));
  if (now?.kind === "pair") swipes(node.querySelector(".asked"));
  return { title: "Question", node, keys: { d: toggleMarks, " ": more, ...keys } };
});

export const pendingAnswers = () => unsent().filter(({ path }) => path === "/api/answer").length;

function spoken(now) {
  const number = store.state.answers + pendingAnswers() + 1, names = now.items.map((item) => `${item.id}, ${summary(item).slice(0, 120)}`);
  if (now.kind === "pair") return `Question ${number}: left ${names[0]}; right ${names[1]}. ${now.words}`;
  return `Question ${number}: ${names.join("; ")}. ${now.words}`;
}

function pairCard(now) {
  const [left, right] = now.items, hasValues = left.values?.length, others = [[right], [left]];
  const plain = isTable(now);
  const body = el("div", { class: "question" }, el("h2", {}, now.words),
    el("div", { class: `asked pair${plain ? " plain" : ""}` },
      plain ? null : el("div", { class: "two" }, now.items.map((item, at) => shownItem(item, others[at]))),
      hasValues ? valueTable(now.items, now.differs) : null,
      el("span", { class: "trace", "aria-hidden": "true" })),
    answers(["Different", ["←", "ArrowLeft n"], SAY.different, "different"], ["Can't say", ["↓", "ArrowDown u"], SAY.unsure, "unsure"],
      ["Same", ["→", "ArrowRight y"], SAY.same, "same"]));
  return { body, keys: { ArrowRight: SAY.same, y: SAY.same, ArrowLeft: SAY.different, n: SAY.different, ArrowDown: SAY.unsure, u: SAY.unsure } };
}

const isTable = ({ items: [first] }) => !first.text && !first.picture && first.values?.length; // rows that are all columns

function choiceCard(now) {
  const [item, ...others] = now.items, keys = { ArrowDown: SAY.unsure, u: SAY.unsure }, plain = isTable(now);
  const say = (number) => () => answer(number, number ? `Group ${number}` : "None of these");
  const groups = others.map((other, at) => {
    const number = at + 1, group = now.groups[at];
    keys[number] = say(number);
    return el("li", {}, el("button", { type: "button", class: "group", on: { click: say(number) }, "aria-keyshortcuts": String(number), "data-answer": "group", disabled: blocked },
      el("kbd", { "aria-hidden": "true" }, String(number)),
      other.picture ? picture(other, 96) : null,
      el("span", { class: "words" }, el("b", {}, group.name || `with ${other.id}`), plain ? null : el("span", { class: "detail" }, summary(other)),
        group.also?.length ? el("span", { class: "detail" }, `and ${count(group.also.length, "more row")}`) : null)));
  });
  keys[0] = say(0);
  const body = el("div", { class: "question" }, el("h2", {}, now.words),
    el("div", { class: `asked choice${plain ? " plain" : ""}` }, plain ? el("div", { class: "scrolling" }, valueTable(now.items, now.differs)) : shownItem(item, []), el("ol", { class: "groups" }, groups)),
    answers(["None of these", ["0", "0"], say(0), "different"], ["Can't say", ["↓", "ArrowDown u"], SAY.unsure, "unsure"]));
  return { body, keys };
}

// Piles: the first row begins the first; each next one is put by a digit, a tap, or by dragging it.
function pilesCard(now) {
  if (sorted?.number !== now.number) sorted = { number: now.number, piles: now.items.map((item, at) => at ? undefined : 1), at: 1 };
  const { piles } = sorted, used = Math.max(0, ...piles.filter(Boolean)), done = piles.every((pile) => pile !== undefined);
  const put = (at, pile) => {
    sorted.piles[at] = pile;
    const renamed = new Map(); // piles are numbered as they come, without gaps
    sorted.piles = sorted.piles.map((one) => { if (!one) return one; if (!renamed.has(one)) renamed.set(one, renamed.size + 1); return renamed.get(one); });
    const next = sorted.piles.indexOf(undefined);
    sorted.at = next < 0 ? at : next;
    refresh("question");
  };
  const send = () => { if (done) answer(sorted.piles.map((pile) => pile ?? null), "Sorted"); };
  const take = () => { // one step back inside of the card; before that, undo
    const placed = sorted.piles.map((pile, at) => pile !== undefined && at ? at : -1).filter((at) => at > 0);
    if (!placed.length) return false;
    const last = Math.max(...placed);
    sorted.piles[last] = undefined;
    sorted.at = last;
    refresh("question");
    return true;
  };
  const dropped = (pile) => (event) => { event.preventDefault(); const at = +event.dataTransfer.getData("text/plain"); if (at >= 0 && at < now.items.length) put(at, pile); };
  const over = (event) => event.preventDefault();
  const small = (item, at) => el("button", { type: "button", class: `sortable${at === sorted.at && !done ? " current" : ""}`, draggable: true, "data-focus": `sort-${at}`,
    "aria-label": `${item.id}: ${summary(item).slice(0, 120)}`, "aria-pressed": String(at === sorted.at),
    on: { click: () => { sorted.at = at; refresh("question"); }, dragstart: (event) => event.dataTransfer.setData("text/plain", String(at)) } },
    item.picture ? picture(item, 96) : null, el("span", { class: "words" }, el("b", {}, item.id), isTable(now) ? null : el("span", { class: "detail" }, summary(item))));
  const zone = (pile, words, key) => el("li", { class: `pile${pile === null ? " unsure" : ""}`, on: { dragover: over, drop: dropped(pile) } },
    button(words, () => put(sorted.at, pile), { kind: "pile-name", keys: [key, key], "data-answer": "pile", disabled: blocked }),
    el("div", { class: "pile-items" }, now.items.map((item, at) => piles[at] === pile ? small(item, at) : null)));
  const open = now.items.map((item, at) => piles[at] === undefined ? small(item, at) : null).filter(Boolean);
  const zones = [];
  for (let pile = 1; pile <= Math.min(used + 1, now.items.length); pile++) zones.push(zone(pile, pile > used ? "New pile" : `Pile ${pile}`, String(pile)));
  const body = el("div", { class: "question" }, el("h2", {}, now.words),
    el("div", { class: "asked piles" },
      el("div", { class: "to-sort" }, open.length ? open : el("p", { class: "note" }, "All are sorted. Press Enter, or change a pile.")),
      el("ol", { class: "pile-list" }, zones, zone(null, "Can't say", "u")), isTable(now) ? valueTable(now.items, now.differs) : null),
    answers(["Done", ["Enter", "Enter"], send, done ? "same" : "same waiting"]));
  const keys = { Enter: send, u: () => put(sorted.at, null), ArrowDown: () => put(sorted.at, null), Backspace: take };
  for (let pile = 1; pile <= Math.min(used + 1, now.items.length); pile++) keys[pile] = () => put(sorted.at, pile);
  for (const [key, step] of [["ArrowLeft", -1], ["ArrowRight", 1]]) {
    keys[key] = () => { sorted.at = (sorted.at + step + now.items.length) % now.items.length; refresh("question"); };
  }
  return { body, keys };
}

function nothing() {
  const { fit, done } = store.state;
  const words = done ? "Nothing is left to ask." : "The next question is being chosen.";
  const detail = done ? "Every pair that would tell something is answered, or follows from answers. Look at the clusters, name them, or export."
    : fit.status === "starting" ? "The rows are being read." : "";
  return { body: el("div", { class: "question empty" }, el("h2", {}, words), el("p", { class: "note" }, detail)), keys: {} };
}

// The first screen: what was recognized, and what happens.
function welcome() {
  const { session, state } = store, k = state.n_clusters;
  const wish = el("input", { id: "k", type: "number", min: 2, max: 200, placeholder: "auto", inputMode: "numeric", on: {
    change: (event) => {
      const value = event.target.value.trim();
      act("/api/clusters", { n_clusters: value ? +value : null }).catch((reason) => emit("problem", reason.message));
    } } });
  if (k) wish.value = k;
  return el("div", { class: "welcome" },
    el("p", {}, el("b", {}, `${count(session.rows, "row")}`), session.id_column ? `, named by ${session.id_column}` : "", session.hints_given ? `, ${session.hints_given}` : "", ". ", session.description ? sentence(session.description) : ""),
    el("p", {}, "Say of two rows whether they belong together. After a few answers the clusters on the map follow you; every answer is kept at once and can be undone."),
    el("label", { class: "small", for: "k" }, "Number of clusters ", wish));
}

// Swipes on a touch screen: right same, left different, down can't say.
function swipes(place) {
  let from = null;
  const trace = place.querySelector(".trace");
  const way = (event) => {
    const x = event.clientX - from[0], y = event.clientY - from[1];
    if (Math.abs(x) > Math.abs(y) && Math.abs(x) > SWIPE) return x > 0 ? "same" : "different";
    return y > SWIPE && y > Math.abs(x) ? "unsure" : null;
  };
  const rest = () => {
    from = null;
    place.style.transform = "";
    trace.textContent = "";
    delete place.dataset.way;
  };
  requestAnimationFrame(() => { if (place.scrollHeight > place.clientHeight + 1) place.classList.add("scrolls"); });
  place.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch" && event.isPrimary) from = [event.clientX, event.clientY]; });
  place.addEventListener("pointermove", (event) => {
    if (!from || event.pointerType !== "touch") return;
    const found = way(event);
    place.style.transform = `translate(${(event.clientX - from[0]) / 2}px, ${Math.max(event.clientY - from[1], 0) / 3}px)`;
    place.dataset.way = found || "";
    trace.textContent = { same: "Same", different: "Different", unsure: "Can't say" }[found] || "";
  });
  place.addEventListener("pointerup", (event) => {
    if (!from) return;
    const found = way(event);
    rest();
    if (found) SAY[found]();
  });
  place.addEventListener("pointercancel", rest);
}

// A contradiction: the chain, item by item, and one key to resolve it.
define("conflict", (conflict) => conflictPane(conflict));

export function conflictPane(conflict) {
  const { chain, different, items } = conflict, byRow = new Map(items.map((item) => [item.row, item]));
  const remove = (hint) => () => { act("/api/withdraw", { hint: hint.id }).catch((reason) => emit("problem", reason.message)); emit("back"); };
  const later = () => emit("back");
  const keys = { x: remove({ id: conflict.newest }), Escape: later };
  const lines = chain.map((hint, at) => {
    keys[at + 1] = remove(hint);
    return el("li", {}, el("span", { class: "words" }, hint.words), hint.id === conflict.newest ? el("span", { class: "badge" }, "just now") : null,
      button("Take back", remove(hint), { keys: [String(at + 1), String(at + 1)] }));
  });
  keys[chain.length + 1] = remove(different);
  const shown = conflict.rows.filter((row) => byRow.has(row)).map((row) => byRow.get(row));
  const node = el("div", { class: "card turned", role: "region", "aria-label": "Contradiction" },
    el("h2", {}, "These answers cannot all be true"),
    el("p", {}, conflict.words),
    el("div", { class: "chain-items" }, shown.map((item) => el("article", { class: "item" }, el("h3", {}, item.id), item.picture ? picture(item, 96) : null, el("p", { class: "detail" }, summary(item))))),
    el("p", {}, "You said that these are the same:"),
    el("ol", { class: "chain" }, lines),
    el("p", {}, "and that these differ:"),
    el("ul", { class: "chain" }, el("li", {}, el("span", { class: "words" }, different.words), different.id === conflict.newest ? el("span", { class: "badge" }, "just now") : null,
      button("Take back", remove(different), { keys: [String(chain.length + 1), String(chain.length + 1)] }))),
    el("div", { class: "row-of-buttons" }, button("Take back the last answer", remove({ id: conflict.newest }), { keys: ["x", "x"], kind: "action primary" }),
      button("Later", later, { keys: ["Esc", "Escape"] })),
    el("p", { class: "note" }, "Later: all are kept and weighed against each other; the contradiction waits in the review."));
  announce(`Contradiction: ${conflict.words}`);
  return { title: "Contradiction", node, keys };
}

on("questions", setQuestions);
on("state", ({ answers }) => { if (!question() || answers && document.querySelector(".welcome")) refresh("question"); });
