// The right side shows one thing at a time: the question, or what was opened on top of it. Esc goes back.
import { emit } from "./store.js";
import { find } from "./view.js";

const makers = new Map(), stack = [{ name: "question" }];
export let pane = null; // { name, node, keys, leave }

// `make(arguments)` returns { title, node, keys: { key: act }, leave, busy }.
export function define(name, make) { makers.set(name, make); }

function show() {
  pane?.leave?.();
  const { name, given } = stack[stack.length - 1], made = makers.get(name)(given);
  pane = { name, keys: {}, ...made };
  const place = find("pane");
  place.setAttribute("aria-label", pane.title);
  place.dataset.pane = name;
  place.replaceChildren(pane.node);
  place.scrollTop = 0;
  document.body.dataset.view = document.body.dataset.view === "clusters" || name !== "question" ? "pane" : document.body.dataset.view;
}

function focus() {
  const first = find("pane").querySelector("[data-autofocus]") || find("pane");
  first.focus({ preventScroll: true });
}

export function open(name, given) {
  if (stack[stack.length - 1].name === name) stack.pop();
  stack.push({ name, given });
  if (stack.length > 12) stack.splice(1, 1);
  turn();
}

function turn() {
  show();
  focus();
  emit("pane", stack[stack.length - 1].name);
}

export function back() {
  if (stack.length === 1) return false;
  stack.pop();
  turn();
  return true;
}

export function home() {
  stack.length = 1;
  turn();
}

export function refresh(...names) { // made again where it is one of these, the focus staying
  if (!names.includes(stack[stack.length - 1].name)) return;
  const held = document.activeElement, inside = find("pane").contains(held);
  const label = inside && (held.dataset.focus || held.id);
  show();
  if (!inside) return;
  const again = label && find("pane").querySelector(`[data-focus="${CSS.escape(label)}"], #${CSS.escape(label)}`);
  (again || find("pane")).focus({ preventScroll: true });
}

export const current = () => stack[stack.length - 1].name;
