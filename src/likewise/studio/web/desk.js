// What stands around the work: history, export, people, keys.
import { act, ask, get, getBlob, unsent } from "./api.js";
import { paneHead, problem } from "./clusters.js";
import { current, define, refresh } from "./panes.js";
import { emit, on, store } from "./store.js";
import { button, clock, count, download, el, percent } from "./view.js";

export async function undo(event) {
  if (!event && !store.state.undo && !unsent().length) { emit("did", "There is nothing to undo."); return; }
  try {
    const { undone } = await act("/api/undo", event ? { event } : {});
    emit("did", `Undone: ${undone.words}.`);
    refresh("history");
  } catch (reason) { problem(reason); }
}

export async function redo() {
  if (!store.state.redo && !unsent().length) { emit("did", "There is nothing to redo."); return; }
  try {
    const { redone } = await act("/api/redo", {});
    emit("did", `Done again: ${redone.words}.`);
    refresh("history");
  } catch (reason) { problem(reason); }
}

define("history", () => {
  const list = el("ol", { class: "plain events" }), foot = el("div", {});
  const more = async (before) => {
    const said = await get(`/api/history?n=50${before ? `&before=${before}` : ""}`);
    list.append(...said.events.map((event) => el("li", { class: event.counts ? "" : "undone" },
      el("time", {}, clock(event.at)), el("span", { class: "words" }, event.who ? el("b", {}, `${event.who}: `) : null, event.words),
      event.counts && event.own ? button("Undo", () => undo(event.seq), { kind: "quiet", label: `Undo: ${event.words}` }) : event.counts ? null : el("span", { class: "note" }, "undone"))));
    foot.replaceChildren(...(said.more ? [button("Earlier", () => more(said.events[said.events.length - 1].seq))] : []));
  };
  more().catch(problem);
  return { title: "History", node: el("div", { class: "card" }, paneHead("History"), el("p", { class: "note" }, "Everything is kept, undone or not. Any of your own steps can be undone."), list, foot) };
});

// Export: a fresh fit from the hints, so that the command line gives the same.
let exported = null;
const ABOUT = {
  "hints.csv": "your hints, for the command line and for Python", "labels.csv": "the cluster of each row, with certainty and second choice", "names.csv": "the names of clusters",
  "model.likewise": "the model, for new rows", "report.html": "the report: one page that works offline",
};
define("export", () => {
  const start = async () => {
    try { exported = (await act("/api/exports", {})).export; refresh("export"); } catch (reason) { problem(reason); }
  };
  const fetchFile = (name) => async () => {
    try { download(name, await getBlob(`/api/exports/${exported.number}/${name}`)); } catch (reason) { problem(reason); }
  };
  const busy = exported && !["done", "failed"].includes(exported.status);
  const parts = [el("p", {}, "Hints, labels, names, model and report, as they are now. The model is fitted again from the hints alone, so that the same command gives the same clusters.")];
  if (busy) parts.push(el("p", { role: "status" }, { waiting: "Waiting for the fit that runs…", fitting: "Fitting from the hints…", writing: "Writing…" }[exported.status] || "Working…"), el("progress", { "aria-label": "Export" }));
  if (exported?.status === "failed") parts.push(el("p", { class: "wrong" }, exported.message));
  if (exported?.status === "done") {
    parts.push(el("p", { role: "status" }, "Written to ", el("code", {}, exported.folder)),
      el("ul", { class: "files" }, exported.files.map(({ name, bytes }) => el("li", {}, button(name, fetchFile(name), { label: `Download ${name}` }), el("span", { class: "detail" }, `${ABOUT[name] || ""}, ${size(bytes)}`)))),
      el("p", {}, "The same from a terminal:"), el("pre", {}, el("code", {}, exported.command.split(" ").flatMap((word, at) => [at ? " " : "", el("span", { class: "whole" }, word)]))));
  }
  parts.push(el("div", { class: "row-of-buttons" }, button(exported?.status === "done" ? "Export again" : "Export", start, { keys: ["Enter", "Enter"], kind: "action primary", disabled: busy, "data-focus": "start-export" })));
  return { title: "Export", node: el("div", { class: "card" }, paneHead("Export"), parts), keys: { Enter: () => { if (!busy) start(); } } };
});
function size(bytes) {
  return bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
on("export", (said) => { if (!exported || said.number >= exported.number) { exported = said; if (current() === "export") refresh("export"); } });

define("people", () => {
  const place = el("div", {}), links = el("div", { role: "status" });
  const invite = (name) => async () => {
    try {
      const { link } = await ask("/api/link", { name });
      links.replaceChildren(el("p", {}, `For ${name}, once, within ten minutes:`), el("pre", {}, el("code", {}, link)));
    } catch (reason) { problem(reason); }
  };
  const about = ({ answers, repeated, error }) => [count(answers, "answer"), repeated.of ? `${repeated.confirmed} of ${repeated.of} confirmed when asked again` : "", error === null ? "" : `about ${percent(error)} wrong`].filter(Boolean).join(", ");
  get("/api/people").then(({ people, agreement }) => place.replaceChildren(...[
    el("ul", { class: "plain persons" }, people.map((one) => el("li", {}, el("span", { class: "words" }, el("span", {}, el("b", {}, one.name), one.here ? el("span", { class: "badge" }, "here") : null), el("span", { class: "detail" }, about(one))),
      button("Make a link", invite(one.name), { kind: "quiet", label: `Make a link for ${one.name}` })))),
    agreement.length ? el("div", {}, el("h3", {}, "Agreement on pairs that both answered"), el("ul", { class: "plain" }, agreement.map(({ left, right, common, same_answer: same, kappa }) => el("li", {}, `${left} and ${right}: ${same} of ${common} the same`, kappa === null || common < 5 ? "" : `, Cohen's κ ${kappa.toFixed(2)}`)))) : null,
  ].filter(Boolean)), problem);
  return { title: "People", node: el("div", { class: "card" }, paneHead("People"), place, links) };
});
on("people", ({ people }) => { store.people = people; refresh("people"); });

define("keys", () => {
  const lines = [
    ["→ or y", "same; in the review: still true"], ["← or n", "different; in the review: I was wrong"], ["↓ or u", "can't say; later"], ["1 – 9", "group, pile, cluster to move to, or hint to take back"], ["0", "none of these"],
    ["Enter", "what is highlighted; sorted piles"], ["Space", "more of the text"], ["d", "mark differences"], ["Backspace or z", "undo, everything, one step at a time"], ["Shift z", "redo"],
    ["l", "lasso on the map"], ["m", "merge clusters"], ["p", "split the open cluster"], ["r", "name the open cluster"], ["c", "review"], ["h", "history"], ["/", "find"], ["e", "export"], ["g", "go to the map: arrows, + − 0"], ["?", "these keys"], ["Esc", "back"],
  ];
  return { title: "Keys", node: el("div", { class: "card" }, paneHead("Keys"), el("dl", { class: "keys" }, lines.map(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)])),
    el("p", { class: "note" }, "Keys do nothing while you type in a field.")) };
});
