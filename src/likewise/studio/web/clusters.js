// Clusters: the list, what makes each, and what can be done with them: name, merge, split.
import { act, ask } from "./api.js";
import { chip, doubted, picture, rowsOf, summary, tiles } from "./items.js";
import { hold, map, relabelClusters, takeClusters } from "./mapview.js";
import { back, current, define, home, open, refresh } from "./panes.js";
import { clusterOf, colorOf, emit, nameOf, on, store } from "./store.js";
import { button, count, el, find, percent, sentence } from "./view.js";

export const problem = (reason) => emit("problem", reason.message);

const isPlain = ({ number, shown }) => shown === `Cluster ${number}`; // called by its number alone

// The list. Arrows go from one to the next; one is dragged onto another to merge them.
let chosen = -1;
function list() {
  const place = find("clusters"), { clusters } = store;
  if (!clusters.length) {
    place.replaceChildren(el("p", { class: "note" }, "Clusters come with the first fit, a few seconds after the start. You can answer meanwhile."));
    return;
  }
  const held = document.activeElement?.closest?.("#clusters [data-cluster]")?.dataset.cluster;
  const known = new Map(list.order?.map((number, at) => [number, at])), stays = place.matches(":hover") && known.size === clusters.length;
  const order = [...clusters].sort((a, b) => stays ? known.get(a.number) - known.get(b.number) : b.size - a.size);
  list.order = order.map(({ number }) => number); // what is pointed at stays where it is
  const focusable = order.some(({ number }) => number === chosen) ? chosen : order[0].number;
  const items = order.map((cluster) => el("li", {}, el("button", {
    type: "button", class: "cluster", own: colorOf(cluster.number), draggable: true, tabIndex: cluster.number === focusable ? 0 : -1,
    "data-cluster": cluster.number, "aria-current": cluster.number === chosen ? "true" : null, title: cluster.title,
    on: {
      click: () => open("cluster", cluster.number),
      pointerenter: (event) => { if (event.pointerType === "mouse" && map) { map.alone = cluster.number; map.redraw(); } },
      pointerleave: () => { if (map) { map.alone = chosen; map.redraw(); } },
      dragstart: (event) => { event.dataTransfer.setData("application/x-cluster", String(cluster.number)); event.dataTransfer.effectAllowed = "move"; },
      dragover: (event) => event.preventDefault(),
      drop: (event) => { event.preventDefault(); dropOn(cluster.number, event.dataTransfer); },
    } },
    el("span", { class: "dot", "aria-hidden": "true" }), el("span", { class: "number" }, String(cluster.number)),
    el("span", { class: `name${cluster.name ? "" : " unnamed"}` }, isPlain(cluster) ? "unnamed" : cluster.shown),
    el("span", { class: "size" }, cluster.size.toLocaleString("en")))));
  place.replaceChildren(
    el("div", { class: "list-head" }, el("h2", {}, count(clusters.length, "cluster")), undecided(),
      button("Rows in doubt", () => open("rows", { kind: "doubtful" }), { kind: "quiet" }),
      button("Merge", () => open("merge", { clusters: [] }), { kind: "quiet", keys: ["m", "m"] })),
    el("ul", { on: { keydown: arrows } }, items),
    store.unplaced.length ? el("p", { class: "note" }, `Names whose rows are no longer in one cluster: ${store.unplaced.map(({ name }) => name).join(", ")}. They come back with them.`) : "");
  if (held !== undefined) place.querySelector(`[data-cluster="${held}"]`)?.focus();
}

function undecided() { // whether more answers would still change much
  const share = store.state?.disagreement;
  return share === null || share === undefined ? null : el("span", { class: "note", title: "Pairs of rows that two clusterings of the ensemble disagree about, on average. The fewer, the less more answers would change." },
    share < 0.005 ? "few pairs undecided" : `${percent(share)} of pairs undecided`);
}

function arrows(event) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...find("clusters").querySelectorAll("[data-cluster]")], at = all.indexOf(document.activeElement);
  const next = all[(at + step + all.length) % all.length];
  for (const one of all) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

function dropOn(number, transfer) {
  const cluster = transfer.getData("application/x-cluster"), row = transfer.getData("application/x-row");
  if (cluster !== "" && +cluster !== number) open("merge", { clusters: [+cluster, number] });
  else if (row !== "") move([+row], number);
}

export async function move(rows, to) {
  try {
    await act("/api/move", { rows, to, result: store.result });
    emit("did", `${count(rows.length, "row")} moved to ${nameOf(to)}.`);
  } catch (reason) { problem(reason); }
}

// One cluster.
define("cluster", (number) => {
  const cluster = clusterOf(number);
  if (!cluster) return { title: "Cluster", node: el("div", { class: "card" }, el("p", {}, "This cluster is gone."), button("Back", back, { keys: ["Esc", "Escape"] })) };
  chosen = number;
  if (map) { map.alone = number; map.redraw(); }
  mark();
  const typical = el("div", {}, el("p", { class: "note" }, "…")), doubtful = el("div", {});
  rowsOf(cluster.typical).then((items) => typical.replaceChildren(tiles(items, { act: (item) => emit("open-row", item.row) })), problem);
  if (cluster.doubtful?.length) {
    rowsOf(cluster.doubtful).then(doubted).then((items) => { if (items.length) doubtful.replaceChildren(el("h3", {}, "In doubt"), tiles(items, { act: (item) => emit("open-row", item.row) })); }, problem);
  }
  const rename = () => open("name", number), split = () => open("split", number), merge = () => open("merge", { clusters: [number] });
  const node = el("div", { class: "card opened", own: colorOf(number) },
    paneHead(el("span", {}, el("span", { class: "dot", "aria-hidden": "true" }), isPlain(cluster) ? cluster.shown : `${cluster.number} · ${cluster.shown}`)),
    el("p", { class: "note" }, `${count(cluster.size, "row")}, ${percent(cluster.certainty)} certain, ${count(cluster.hints || 0, "hint")}`),
    el("div", { class: "row-of-buttons" }, button(cluster.name ? "Rename" : "Name", rename, { keys: ["r", "r"], kind: "action primary" }),
      button("Merge with…", merge, { keys: ["m", "m"] }), button("Split", split, { keys: ["p", "p"] }),
      button("Rows in doubt", () => open("rows", { kind: "doubtful", cluster: number }), {})),
    cluster.about?.length ? el("div", {}, el("h3", {}, "What makes it"), el("ul", { class: "about" }, cluster.about.map(({ words }) => el("li", {}, words)))) : null,
    el("h3", {}, "Typical"), typical, doubtful);
  return { title: `Cluster ${cluster.shown}`, node, keys: { r: rename, p: split, m: merge }, leave: () => { chosen = -1; if (map) { map.alone = -1; map.redraw(); } mark(); } };
});

function mark() {
  for (const one of document.querySelectorAll("#clusters [data-cluster]")) {
    if (+one.dataset.cluster === chosen) one.setAttribute("aria-current", "true"); else one.removeAttribute("aria-current");
  }
}

export function paneHead(title) {
  return el("div", { class: "pane-head" }, el("h2", {}, title), button("Back", back, { kind: "quiet", keys: ["Esc", "Escape"] }));
}

define("name", (number) => {
  const cluster = clusterOf(number);
  const field = el("input", { id: "name", type: "text", maxLength: 80, value: cluster?.name || "", autocomplete: "off", "data-autofocus": true, placeholder: cluster?.title });
  const keep = async (event) => {
    event.preventDefault();
    const name = field.value.trim();
    cluster.name = name || null;
    cluster.shown = name || cluster.title;
    relabelClusters();
    back();
    list();
    await act("/api/name", { cluster: number, result: store.result, name }).catch(problem);
    takeClusters().catch(problem);
  };
  const node = el("form", { class: "card", on: { submit: keep } }, paneHead(`Name cluster ${number}`),
    el("label", { for: "name" }, `A name for ${count(cluster.size, "row")}`), field,
    el("div", { class: "row-of-buttons" }, el("button", { type: "submit", class: "action primary" }, el("span", {}, "Keep the name"), el("kbd", { "aria-hidden": "true" }, "Enter")),
      button("Cancel", back, { keys: ["Esc", "Escape"] })),
    el("p", { class: "note" }, "The name stays with the rows it was given to, through all later fits."));
  return { title: "Name a cluster", node };
});

// Merge: which two, then three pairs across them.
define("merge", ({ clusters }) => {
  const keys = {};
  if (clusters.length < 2) {
    const options = [...store.clusters].filter(({ number }) => !clusters.includes(number)).sort((a, b) => b.size - a.size);
    const choose = (number) => () => open("merge", { clusters: [...clusters, number] });
    const items = options.map(({ number, shown, size }, at) => {
      if (at < 9) keys[at + 1] = choose(number);
      return el("li", {}, el("button", { type: "button", class: "cluster", own: colorOf(number), "data-autofocus": at === 0, on: { click: choose(number) }, "aria-keyshortcuts": at < 9 ? String(at + 1) : null },
        el("span", { class: "dot" }), el("span", { class: "name" }, shown), el("span", { class: "size" }, size.toLocaleString("en")), at < 9 ? el("kbd", { "aria-hidden": "true" }, String(at + 1)) : null));
    });
    return { title: "Merge", keys, node: el("div", { class: "card" }, paneHead("Merge"),
      el("p", {}, clusters.length ? el("span", {}, "Merge ", chip(clusters[0]), " with which cluster?") : "Which clusters belong together? Choose the first."), el("ul", { class: "choices" }, items)) };
  }
  return preview("merge", "Merge", { clusters }, (said) => {
    const byRow = new Map(said.items.map((item) => [item.row, item])), ticked = new Set(said.pairs.map((pair, at) => at));
    return {
      words: el("p", {}, sentence(said.words)),
      body: el("ul", { class: "pairs" }, said.pairs.map((pair, at) => el("li", {}, el("label", { class: "tick" }, el("input", { type: "checkbox", checked: true, on: { change: (event) => { event.target.checked ? ticked.add(at) : ticked.delete(at); } } }), "the same"),
        el("div", { class: "two" }, pair.map((row) => small(byRow.get(row))))))),
      send: () => ticked.size && act("/api/merge", { clusters, result: store.result, pairs: said.pairs.filter((pair, at) => ticked.has(at)) }),
      verb: "Merge them", none: "Tick a pair that is the same, or go back.",
      did: `${clusters.map(nameOf).join(" and ")} are merged.`,
    };
  });
});

define("split", (number) => preview("split", `Split ${nameOf(number)}`, { cluster: number }, (said) => {
  const byRow = new Map(said.items.map((item) => [item.row, item])), parts = said.parts.map((part) => new Set(part));
  const tick = (part, row) => el("label", { class: "tick tile" }, el("input", { type: "checkbox", checked: true, on: { change: (event) => { event.target.checked ? parts[part].add(row) : parts[part].delete(row); } } }), small(byRow.get(row)));
  return {
    words: el("p", {}, sentence(said.words)),
    body: el("div", { class: "two parts" }, said.parts.map((part, at) => el("div", {}, el("h3", {}, `Part ${at + 1}: ${count(said.sizes[at], "row")}`), part.map((row) => tick(at, row))))),
    send: () => parts.every(({ size }) => size) && act("/api/split", { cluster: number, result: store.result, parts: parts.map((part) => [...part]) }),
    verb: "Split like this", none: "Keep at least one row ticked in each part, or go back.",
    did: `${nameOf(number)} is split.`,
  };
}));

export function small(item) {
  return el("div", { class: "small-item" }, item.picture ? picture(item, 96) : null, el("span", { class: "words" }, el("b", {}, item.id), el("span", { class: "detail" }, summary(item))));
}

// Ask what a gesture would say, show it, and do it on Enter.
export function preview(kind, title, given, build) {
  const place = el("div", {}, el("p", { class: "note" }, "One moment…")), node = el("div", { class: "card" }, paneHead(title), place);
  let ready = null, gone = false;
  hold(kind, true);
  const confirm = async () => {
    if (!ready) return;
    const doing = ready.send();
    if (!doing) { emit("problem", ready.none); return; }
    const { did } = ready;
    ready = null;
    home();
    try { await doing; emit("did", did); } catch (reason) { problem(reason); }
  };
  ask(`/api/${kind}/preview`, { ...given, result: store.result }).then((said) => {
    if (gone) return;
    ready = build(said);
    place.replaceChildren(ready.words, ready.body, el("div", { class: "row-of-buttons final" }, button(ready.verb, confirm, { keys: ["Enter", "Enter"], kind: "action primary" }), ...(ready.more || []), button("Cancel", back, { keys: ["Esc", "Escape"] })));
  }, (reason) => { place.replaceChildren(el("p", { class: "wrong" }, reason.message)); });
  return { title, node, keys: { Enter: confirm }, leave: () => { gone = true; hold(kind, false); } };
}

on("shown", list);
on("clusters", list);
on("state", (state) => { // a name was undone, or given by somebody else
  if (!list.seen) list.seen = state.seq;
  if (state.seq !== list.seen) { list.seen = state.seq; clearTimeout(list.timer); list.timer = setTimeout(() => takeClusters().catch(() => {}), 150); }
});
on("shown", () => { if (["cluster"].includes(current())) refresh("cluster"); });
list();
