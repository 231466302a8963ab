// What does not fit together: contradictions with their chains, hints that look wrong, people who disagree.
import { act, get } from "./api.js";

import { paneHead, problem, small } from "./clusters.js";
import { define, open, refresh } from "./panes.js";

import { on, store } from "./store.js";
import { button, count, el, percent } from "./view.js";

let at = 0; // the one that keys are about

define("review", () => {
  const place = el("div", {}, el("p", { class: "note" }, "One moment…")), keys = {};
  get("/api/review").then((said) => {
    const cards = [
      ...said.conflicts.map((conflict) => ({ kind: "conflict", conflict })),
      ...said.suspects.map((suspect) => ({ kind: "suspect", ...suspect })),
      ...said.broken.map((broken) => ({ kind: "broken", ...broken })),
    ];
    at = Math.min(at, Math.max(cards.length - 1, 0));
    const step = (by) => () => { at = Math.min(Math.max(at + by, 0), cards.length - 1); mark(); };
    const mark = () => [...place.querySelectorAll(".to-review")].forEach((one, number) => {
      one.classList.toggle("current", number === at);
      one.setAttribute("aria-current", number === at ? "true" : "false");
      if (number === at) one.scrollIntoView({ block: "nearest" });
    });
    const settle = (path, hint) => async () => {
      try { await act(path, { hint: hint.id }); refresh("review"); } catch (reason) { problem(reason); }
    };
    const now = (name) => () => { cards[at]?.[name]?.(); };
    for (const card of cards) {
      if (card.kind === "conflict") card.open = () => open("conflict", card.conflict);
      else Object.assign(card, { keep: settle("/api/confirm", card.hint), remove: settle("/api/withdraw", card.hint) });
    }
    Object.assign(keys, { y: now("keep"), ArrowRight: now("keep"), n: now("remove"), ArrowLeft: now("remove"), u: step(1), ArrowDown: step(1), ArrowUp: step(-1), Enter: now("open") });
    const parts = cards.map((card, number) => {
      const focus = { focusin: () => { at = number; mark(); } };
      if (card.kind === "conflict") {
        return el("li", { class: "to-review bad", on: focus }, el("p", {}, el("b", {}, "Contradiction. "), card.conflict.words), button("See the chain", card.open, { keys: ["Enter", "Enter"] }));
      }
      const why = card.kind === "suspect" ? `${percent(card.wrong)} likely to be wrong${card.wrong > 0.5 ? ": the other hints say otherwise" : ""}.` : "The clusters do not follow it.";
      const { person } = store.session, { who, from } = card.hint, other = from === "file" ? "a file" : who !== person ? who : "";
      return el("li", { class: "to-review", on: focus }, el("p", {}, other ? `From ${other}: ` : "", el("b", {}, card.hint.words, ". "), why), el("div", { class: "two" }, card.items.map(small)),
        el("div", { class: "row-of-buttons" }, button(other ? "It is wrong" : "I was wrong", card.remove, { keys: ["←", "ArrowLeft n"] }), button("Later", step(1), { keys: ["↓", "ArrowDown u"] }),
          button("Still true", card.keep, { keys: ["→", "ArrowRight y"] })));
    });
    const disagreements = said.disagreements.map(({ items, said: words, counts }) => el("li", { class: "to-review still" },
      el("p", {}, el("b", {}, Object.entries(words).map(([who, what]) => `${who}: ${what}`).join(", "), ". "), counts ? `It counts as ${counts}.` : "Undecided: neither counts."), el("div", { class: "two" }, items.map(small))));
    place.replaceChildren(...[
      cards.length ? el("ol", { class: "plain" }, parts) : el("p", {}, "Nothing to look at: no contradiction, no hint that looks wrong."),
      disagreements.length ? el("div", {}, el("h3", {}, "People disagree"), el("ul", { class: "plain" }, disagreements)) : null,
      said.missing.length ? el("div", {}, el("h3", {}, `${count(said.missing.length, "hint")} about rows that are not in the data any more`), el("p", { class: "note" }, "They are kept, and count again when the rows come back."),
        el("ul", { class: "plain" }, said.missing.map((hint) => el("li", {}, hint.words)))) : null,
    ].filter(Boolean));
    mark();
  }, (reason) => place.replaceChildren(el("p", { class: "wrong" }, reason.message)));
  return { title: "Review", node: el("div", { class: "card" }, paneHead("Review"), place), keys };
});

let counted = "";
on("state", ({ review }) => { // there is more to look at, or less
  const now = JSON.stringify(review);
  if (now !== counted) { counted = now; refresh("review"); }
});
