// Requests: the token, actions that are sent until they are kept, and the stream of what happens.
import { emit, setState, store } from "./store.js";

const TOKEN = "likewise.token", PENDING = "likewise.pending";
const channel = new BroadcastChannel("likewise");
let token = sessionStorage.getItem(TOKEN);

export class ApiError extends Error {
  constructor(status, error, message) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

async function request(path, { method = "GET", body, headers = {}, signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method, signal, cache: "no-store", credentials: "omit", redirect: "error",
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }), ...headers },
      body: body && JSON.stringify(body),
    });
  } catch (reason) {
    if (reason.name === "AbortError") throw reason;
    throw new ApiError(0, "offline", "The studio does not answer.");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new ApiError(response.status, said.error || "unknown", said.message || `The studio answered ${response.status}.`);
}

async function entered(path, options) { // a request that waits for a new token where the studio was started again
  for (;;) {
    try {
      return await request(path, options);
    } catch (reason) {
      if (!(reason instanceof ApiError) || reason.status !== 401) throw reason;
      await newToken();
    }
  }
}

export async function get(path) { return (await entered(path)).json(); }
export async function getBytes(path) { return (await entered(path)).arrayBuffer(); }
export async function getBlob(path) { return (await entered(path)).blob(); }
export async function ask(path, body) { return (await entered(path, { method: "POST", body })).json(); } // what changes nothing

// Entering: a code from the link, the token of this tab, or that of another one.
export async function enter() {
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState(null, "", location.pathname);
    const said = await (await request("/api/enter", { method: "POST", body: { code } })).json();
    keepToken(said.token);
    channel.postMessage({ token: said.token, person: said.person });
  }
  return token !== null || await askSisters();
}

function keepToken(given) {
  token = given;
  sessionStorage.setItem(TOKEN, given);
}

const wantToken = () => channel.postMessage({ wanted: true, person: store.session?.person, stale: token });
let sister = null; // called with a token that another tab gave
function askSisters(wait = 400) {
  return new Promise((done) => {
    sister = (given) => { sister = null; keepToken(given); done(true); };
    wantToken();
    setTimeout(() => { if (sister) { sister = null; done(false); } }, wait);
  });
}
channel.addEventListener("message", ({ data }) => {
  const person = store.session?.person;
  if (data.wanted && token && token !== data.stale && !lost && (data.person === undefined || data.person === person)) {
    channel.postMessage({ token, person });
  } else if (data.token && data.token !== token && (person === undefined || data.person === person)) {
    if (sister) sister(data.token);
    else if (lost) { keepToken(data.token); found(); }
  } else if (data.live && data.person === person && !streaming) {
    onMessage(data.live);
  }
});

// The token is of a studio that has ended: wait for a link, or for another tab that has one.
let lost = false, found = () => {}, renewal = null;
function newToken() {
  renewal ??= (async () => {
    if (!await askSisters(200)) {
      lost = true;
      emit("lost", true);
      const again = setInterval(wantToken, 1000); // a tab that has just been opened does not know its person yet
      await new Promise((done) => { found = done; });
      clearInterval(again);
      lost = false;
      emit("lost", false);
    }
    renewal = null;
  })();
  return renewal;
}
window.addEventListener("hashchange", async () => {
  if (!location.hash.slice(1)) return;
  try { await enter(); } catch (reason) { emit("problem", reason.message); return; }
  if (lost) found();
});

// Actions, in order, each until the studio said that it is kept. They outlive a reload and a restart of the studio.
const pending = JSON.parse(sessionStorage.getItem(PENDING) || "[]"), waiting = new Map();
let sending = false;
const LEADING = new Set(["/api/ask", "/api/redo", "/api/undo"]); // the first card of their replies is to be shown
export const unsent = () => pending;

function save() {
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  emit("pending", pending.length);
}

export function act(path, body) {
  const item = { path, body: { key: crypto.randomUUID(), ...body } };
  pending.push(item);
  save();
  const reply = new Promise((done, failed) => waiting.set(item.body.key, [done, failed]));
  send();
  return reply;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export async function send() {
  if (sending) return;
  sending = true;
  for (let attempt = 0; pending.length;) {
    const item = pending[0], [done, failed] = waiting.get(item.body.key) || [() => {}, () => {}];
    try {
      emit("sending", attempt);
      const reply = await (await request(item.path, { method: "POST", body: item.body })).json();
      pending.shift();
      save();
      attempt = 0;
      setState(reply.state);
      if (reply.questions) emit("questions", { list: reply.questions, seq: reply.state.seq, leads: LEADING.has(item.path) });
      done(reply);
    } catch (reason) {
      if (!(reason instanceof ApiError)) throw reason;
      if (reason.status === 401) { await newToken(); continue; }
      if (reason.status === 0 || reason.status >= 500 && (reason.status !== 500 || attempt < 4)) { // a fault may pass, or not
        emit("unkept", reason);
        await pause(Math.min(250 * 2 ** attempt++, 4000));
        continue;
      }
      pending.shift();
      save();
      if (waiting.has(item.body.key)) failed(reason); else emit("problem", reason.message);
      emit("refused", reason);
    }
    waiting.delete(item.body.key);
  }
  sending = false;
  emit("kept");
}

// What happens in the studio. One tab that is seen holds the stream and tells the others: browsers allow few connections.
let streaming = false, lastId = null, abort = null;

function onMessage({ event, data }) {
  if (event === "state") setState(data);
  else if (event === "questions") emit("questions", { list: data.questions, seq: data.seq });
  else if (event === "fit") { if (store.state) { store.state.fit = data; emit("state", store.state); } }
  else emit(event, data);
}

async function stream(signal) {
  const response = await request("/api/live", { signal, headers: lastId === null ? {} : { "Last-Event-ID": lastId } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  emit("connected", true);
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).replace(/\r\n/g, "\n").split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = {};
      for (const line of part.split("\n")) {
        const at = line.indexOf(":");
        if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).trimStart();
      }
      if (fields.id !== undefined) lastId = fields.id;
      if (!fields.data) continue;
      const live = { event: fields.event, data: JSON.parse(fields.data) };
      channel.postMessage({ live, person: store.session?.person });
      onMessage(live);
    }
  }
}

async function whileSeen(signal) {
  for (let attempt = 0; !signal.aborted;) {
    try {
      streaming = true;
      await stream(signal);
      attempt = 0;
    } catch (reason) {
      if (signal.aborted) break;
      if (reason instanceof ApiError && reason.status === 401) { streaming = false; await newToken(); continue; }
    }
    emit("connected", false);
    await pause(Math.min(250 * 2 ** attempt++, 4000));
  }
  streaming = false;
}

export function follow() {
  const turn = () => {
    if (document.visibilityState === "hidden") { abort?.abort(); abort = null; return; }
    if (abort) return;
    abort = new AbortController();
    const { signal } = abort, name = `likewise ${store.session?.person || ""}`;
    if (!navigator.locks) { whileSeen(signal); return; }
    navigator.locks.request(name, { signal }, () => whileSeen(signal)).catch(() => {});
  };
  document.addEventListener("visibilitychange", turn);
  window.addEventListener("pagehide", () => { abort?.abort(); abort = null; });
  turn();
}
