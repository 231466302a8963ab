// Rows: one of them, its neighbors, those that match words, those in doubt, those inside of a lasso.
import { act, ask, get } from "./api.js";
import { chip, doubted, rowsOf, tiles, zoomable } from "./items.js";
import { move, paneHead, preview, problem, small } from "./clusters.js";
import { goTo, map, rope, select } from "./mapview.js";
import { back, define, open } from "./panes.js";
import { clusterOf, colorOf, emit, nameOf, on, store } from "./store.js";
import { breakable, button, count, download, el, find, percent, sentence } from "./view.js";

const opens = (item) => emit("open-row", item.row);

define("row", (row) => {
  const place = el("div", {}, el("p", { class: "note" }, "One moment…")), keys = {};
  const node = el("div", { class: "card" }, place), found = { title: "A row", node, keys };
  const neighbors = el("div", {});
  get(`/api/rows?rows=${row}&full=1`).then(({ rows: [item] }) => {
    const targets = [...store.clusters].filter(({ number }) => number !== item.cluster).sort((a, b) => b.size - a.size).slice(0, 40);
    const go = (to) => () => { move([row], to); back(); };
    targets.slice(0, 9).forEach(({ number }, at) => { keys[at + 1] = go(number); });
    keys.g = () => goTo(row);
    const certain = item.certainty === null || item.certainty === undefined ? "" : `${percent(item.certainty)} certain`;
    place.replaceChildren(
      paneHead(el("span", { draggable: true, on: { dragstart: (event) => event.dataTransfer.setData("application/x-row", String(row)) } }, item.id)),
      el("p", {}, item.cluster === null || item.cluster === undefined ? "In no cluster yet" : chip(item.cluster), " ", certain,
        item.second !== null && item.second !== undefined && item.second >= 0 && clusterOf(item.second) ? `, else ${nameOf(item.second)}` : ""),
      item.picture ? zoomable(item, 256) : "",
      item.text ? el("div", { class: "text full" }, item.text) : "",
      item.values?.length ? el("table", { class: "values" }, el("tbody", {}, item.values.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, breakable(name)), el("td", {}, value))))) : "",
      targets.length ? el("div", {}, el("h3", {}, "Move it to"), el("ul", { class: "choices inline" }, targets.map(({ number, shown }, at) => el("li", {}, el("button", {
        type: "button", class: "cluster", own: colorOf(number), "aria-label": `Move to ${shown}`, "aria-keyshortcuts": at < 9 ? String(at + 1) : null, on: { click: go(number) } },
        el("span", { class: "dot" }), el("span", { class: "name" }, shown), at < 9 ? el("kbd", { "aria-hidden": "true" }, String(at + 1)) : null))))) : "",
      item.hints?.length ? el("div", {}, el("h3", {}, "Hints about it"), el("ul", { class: "plain" }, item.hints.map((hint) => el("li", {}, hint.words)))) : "",
      el("div", { class: "row-of-buttons" }, button("Show on the map", () => goTo(row), { keys: ["g", "g"] })),
      neighbors);
    get(`/api/neighbors/${row}?n=12`).then(({ items }) => neighbors.replaceChildren(el("h3", {}, "Most alike"), tiles(items, { act: opens, showCluster: true })), (reason) => {
      if (reason.error !== "wait") problem(reason);
    });
  }, (reason) => place.replaceChildren(paneHead("A row"), el("p", { class: "wrong" }, reason.message)));
  if (map) { map.chosen = [row]; map.redraw(); }
  return { ...found, leave: () => { if (map) { map.chosen = []; map.redraw(); } } };
});

// A list: rows in doubt, or those that are given.
define("rows", ({ kind, cluster, rows }) => {
  const place = el("div", {}, el("p", { class: "note" }, "One moment…"));
  const title = kind === "doubtful" ? cluster === undefined ? "Rows in doubt" : `In doubt in ${nameOf(cluster)}` : count(rows.length, "row");
  const asked = kind === "doubtful" ? get(`/api/doubtful?n=50${cluster === undefined ? "" : `&cluster=${cluster}`}`).then((said) => rowsOf(said.rows)).then(doubted) : rowsOf(rows.slice(0, 50));
  asked.then((items) => place.replaceChildren(
    items.length ? tiles(items, { act: opens, showCluster: true }) : el("p", { class: "note" }, "None: all are at least 99 % certain."),
    rows && rows.length > 50 ? el("p", { class: "note" }, `The first 50 of ${rows.length.toLocaleString("en")}.`) : ""),
  (reason) => place.replaceChildren(el("p", { class: "note" }, reason.error === "wait" ? "There is no result yet." : reason.message)));
  return { title, node: el("div", { class: "card" }, paneHead(title), kind === "doubtful" ? el("p", { class: "note" }, "Least certain first. Moving one of these to its cluster teaches the most.") : "", place) };
});

// Find.
define("find", () => {
  const found = el("div", { "aria-live": "polite" });
  let timer = 0, last = "";
  const search = async () => {
    const words = field.value.trim();
    if (words === last) return;
    last = words;
    if (!words) { found.replaceChildren(); return; }
    try {
      const said = await get(`/api/find?words=${encodeURIComponent(words)}`);
      if (words !== field.value.trim()) return;
      found.replaceChildren(el("p", { class: "note" }, said.total > said.rows.length ? `${said.rows.length} of ${count(said.total, "row")}` : count(said.total, "row")), tiles(said.items, { act: opens }));
    } catch (reason) { problem(reason); }
  };
  const field = el("input", { id: "find", type: "search", "data-autofocus": true, autocomplete: "off", placeholder: "a name, or words", "aria-label": "Find rows", on: {
    input: () => { clearTimeout(timer); timer = setTimeout(search, 120); },
    keydown: (event) => { if (event.key === "Enter") { event.preventDefault(); found.querySelector("button")?.click(); } },
  } });
  return { title: "Find", node: el("div", { class: "card" }, paneHead("Find"), field, found) };
});

// A lasso is confirmed by exemplars: what is ticked belongs together, what is not is different.
define("group", (lasso) => {
  const { rows, bits, size, result, polygon } = lasso;
  let all = false;
  select(lasso.mask);
  return preview("group", `${count(size, "row")} in the lasso`, { rows: { bits } }, (said) => {
    const ticked = new Set(said.exemplars.map(({ row }) => row)), byRow = new Map(said.items.map((item) => [item.row, item]));
    const unticked = () => said.exemplars.map(({ row }) => row).filter((row) => !ticked.has(row));
    return {
      words: el("div", {}, el("p", {}, el("b", {}, "Do these belong together?"), " Untick those that do not."),
        el("p", { class: "note" }, `${sentence(said.words)} Hints are made of the rows shown here; the others follow if they are like them.`)),
      body: el("div", {}, el("div", { class: "exemplars" }, said.exemplars.map(({ row, role }) => el("label", { class: "tick tile" }, el("input", { type: "checkbox", checked: true, "data-row": row, on: { change: (event) => { event.target.checked ? ticked.add(row) : ticked.delete(row); } } }),
        small(byRow.get(row)), el("span", { class: "role" }, { typical: "typical", doubtful: "in doubt", rim: "at the rim" }[role])))),
        el("label", { class: "tick" }, el("input", { type: "checkbox", on: { change: (event) => { all = event.target.checked; } } }), `I looked at all ${size.toLocaleString("en")}: they all belong together`)),
      send: () => (ticked.size > 1 || all) && act("/api/group", { rows: { bits }, result, ticked: [...ticked], unticked: unticked(), all, polygon }),
      verb: "These belong together", none: "Tick at least two rows, or cancel.",
      did: `${count(ticked.size, "row")} belong together.`,
      more: [button("Apart from the rest", () => open("apart", lasso), {}), button("List the rows", () => open("rows", { rows }), {}),
        button("Save ids", () => saveIds(bits), {})],
    };
  });
});

async function saveIds(bits) {
  try {
    const { ids } = await ask("/api/ids", { rows: { bits } });
    download("selection.txt", new Blob(ids.map((id) => `${id}\n`), { type: "text/plain" }));
  } catch (reason) { problem(reason); }
}

define("apart", ({ bits, size, result, polygon, mask }) => {
  select(mask);
  return preview("apart", `Apart from the rest: ${count(size, "row")}`, { rows: { bits } }, (said) => {
    const byRow = new Map([...said.items, ...(said.other_items || [])].map((item) => [item.row, item]));
    const sides = [new Set(said.exemplars.map(({ row }) => row)), new Set(said.others)];
    const tick = (side, row) => el("label", { class: "tick tile" }, el("input", { type: "checkbox", checked: true, on: { change: (event) => { event.target.checked ? sides[side].add(row) : sides[side].delete(row); } } }), small(byRow.get(row)));
    return {
      words: el("p", {}, sentence(said.words), " Rows of the left are said to be different from those of the right."),
      body: el("div", { class: "two parts" }, [["Inside", said.exemplars.map(({ row }) => row)], ["Outside", said.others]].map(([words, rows], side) => el("div", {}, el("h3", {}, words), rows.map((row) => tick(side, row))))),
      send: () => sides.every((side) => side.size) && act("/api/apart", { rows: { bits }, result, ticked: [...sides[0]], others: [...sides[1]], polygon }),
      verb: "Keep them apart", none: "Keep at least one row ticked on each side, or cancel.", did: `${count(size, "row")} are apart from the rest.`,
    };
  });
});

on("lassoed", (lasso) => { find("sentence").hidden = true; open("group", lasso); });
on("pane", (name) => { // the selection is seen while something is done with it
  if (["group", "apart", "rows", "row"].includes(name) || !map) return;
  select(null);
  rope(false);
});
on("open-row", (row) => open("row", row));
