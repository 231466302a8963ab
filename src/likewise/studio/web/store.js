// What the page knows, and who wants to hear of a change.

const listeners = new Map();

export const store = {
  session: null, // what GET /api/session says
  state: null, // counts, fit, undo: newest
  questions: [], // the first is on the card
  asOf: -1, // the event up to which the questions are known
  clusters: [], // of the result that is shown
  unplaced: [], // names whose rows are all over them
  result: null, // the number of the result that is shown
  news: null, // what the newest result changed
  people: [],
};

export function on(topic, act) {
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(act);
}

export function emit(topic, value) {
  for (const act of listeners.get(topic) || []) {
    try { act(value); } catch (reason) { reportError(reason); } // the others hear of it all the same
  }
}

export function setState(state) {
  if (!state || store.state && state.seq < store.state.seq) return; // an older one that came late
  store.state = state;
  emit("state", state);
}

export const clusterOf = (number) => store.clusters.find((cluster) => cluster.number === number) || null;
export const nameOf = (number) => clusterOf(number)?.shown ?? "no cluster";

export function colorOf(number) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches, cluster = clusterOf(number);
  return cluster ? store.session.colors[dark ? "dark" : "light"][cluster.color] : "#888888";
}
