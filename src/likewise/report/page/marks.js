// Answer back: pairs of rows that the reader says are the same or different, kept as lines of hints.csv.

const bar = find("mark-bar"), list = find("marked");
const hints = []; // { left, right, same, question, chance }: chance is that of "same" when it was asked
let first = -1, second = -1, choosing = false, saved = true, listed = false;

function marking() { return choosing; }
function startMarking(i) {
  choosing = true;
  first = i;
  second = -1;
  showBar();
}
function stopMarking() {
  choosing = false;
  first = second = -1;
  showBar();
}
function markRow(i) { // the next row of the pair
  if (!choosing || first < 0) { startMarking(i); return; }
  if (i === first) return;
  second = i;
  showTip(-1);
  showBar();
}
function showBar() {
  map.chosen = [first, second].filter((i) => i >= 0);
  map.redraw();
  bar.replaceChildren();
  bar.hidden = !choosing && (!hints.length || listed);
  const button = (words, act, kind = "action") => {
    const made = element("button", words, kind);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };
  if (choosing && second >= 0) {
    const answer = (same) => () => { addHint(first, second, same); stopMarking(); };
    bar.append(element("span", `${nameOf(first)} and ${nameOf(second)} are`),
      button("the same", answer(true), "action primary"), button("different", answer(false), "action primary"), button("Cancel", stopMarking, "quiet"));
  } else if (choosing) {
    bar.append(element("span", `${nameOf(first)} and …? Choose another row on the map or in the table.`), button("Cancel", stopMarking, "quiet"));
  } else if (hints.length) {
    bar.append(element("span", `${hints.length} ${hints.length === 1 ? "hint" : "hints"} marked`),
      button("Download hints.csv", saveHints, "action primary"), button("See them", () => find("marked").scrollIntoView({ block: "center" }), "quiet"));
  }
}

new IntersectionObserver(([seen]) => { // where the list itself is read, the bar would only hide it
  listed = seen.isIntersecting;
  showBar();
}, { threshold: 0.3 }).observe(document.querySelector(".your-hints"));

function addHint(left, right, same, question = -1, chance = "") {
  const before = hints.findIndex((hint) => (hint.left === left && hint.right === right) || (hint.left === right && hint.right === left));
  if (before >= 0) hints.splice(before, 1); // said again: the last word counts
  hints.push({ left, right, same, question, chance });
  saved = false;
  showHints();
}
function showHints() {
  list.replaceChildren();
  for (const hint of hints) {
    const item = element("li"), remove = element("button", "Remove", "quiet");
    remove.type = "button";
    remove.addEventListener("click", () => { hints.splice(hints.indexOf(hint), 1); showHints(); });
    item.append(element("b", nameOf(hint.left)), hint.same ? " is the same as " : " is different from ", element("b", nameOf(hint.right)), " ", remove);
    list.append(item);
  }
  find("marked-none").hidden = hints.length > 0;
  find("marked-tools").hidden = hints.length === 0;
  map.marks = hints.map(({ left, right, same }) => [left, right, same]);
  showBar();
}

// A cell of a CSV file, quoted where it must be.
function cell(value) {
  const text = String(value);
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
function idOf(i) { return data.ids ? data.ids[i] : map.rows ? map.rows[i] : i; }
function hintsFile() {
  const lines = hints.map(({ left, right, same, question, chance }) =>
    [cell(idOf(left)), cell(idOf(right)), same ? "same" : "different", chance, question < 0 ? "" : question].join(","));
  return `left,right,kind,chance,question\n${lines.join("\n")}\n`;
}
function saveHints() { saved = true; download("hints.csv", hintsFile(), "text/csv"); }
find("marked-download").addEventListener("click", saveHints);
find("marked-copy").addEventListener("click", (event) => { saved = true; copy(hintsFile(), event.target); });
find("marked-clear").addEventListener("click", () => {
  hints.length = 0;
  saved = true;
  for (const question of document.querySelectorAll("[data-question]")) {
    delete question.dataset.done;
    for (const button of question.querySelectorAll("[data-answer]")) button.setAttribute("aria-pressed", false);
  }
  showHints();
});
find("tip-mark").addEventListener("click", () => {
  if (map.point < 0) return;
  startMarking(map.point);
  showTip(-1);
  canvas.focus({ preventScroll: true });
});
window.addEventListener("beforeunload", (event) => { if (!saved && hints.length) event.preventDefault(); });

// Questions that are ready: a row, and typical rows of the groups that it may belong to.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-answer]");
  if (!button) return;
  const [number, answer] = button.dataset.answer.split(","), [row, ...ends] = data.questions[+number];
  const question = button.closest("[data-question]"), buttons = [...question.querySelectorAll("[data-answer]")];
  const isEnd = (one) => /,\d+$/.test(one.dataset.answer), pressed = (one) => one.getAttribute("aria-pressed") === "true";
  const press = (one, on) => one.setAttribute("aria-pressed", on);
  const several = buttons.find((one) => one.dataset.answer.endsWith(",several"));
  const many = several && pressed(several);
  if (button === several) { press(several, !many); return; } // several may be pressed from now on
  for (const one of buttons) if (one !== several && !(many && isEnd(one) && isEnd(button))) press(one, false);
  press(button, !(many && pressed(button)));
  if (several && !isEnd(button)) press(several, false);
  for (let at = hints.length - 1; at >= 0; at--) if (hints[at].question === +number) hints.splice(at, 1);
  const same = buttons.filter(isEnd).map(pressed);
  if (answer === "none" || same.some(Boolean)) {
    same.forEach((is, end) => addHint(row, ends[end], is, +number, data.chances[+number][end]));
    question.dataset.done = "answered";
  } else {
    showHints();
    question.dataset.done = "skip";
  }
});
window.likewise.hintsFile = hintsFile;
