// The table of all rows: search, sort, filter, download; one page of it at a time.

{
const PER_PAGE = 20;
const body = document.querySelector("#row-table tbody"), head = document.querySelector("#row-table thead");
const shownColumns = map.columns.slice(0, 8); // a table wider than that is read in a file
const fields = [
  { name: "row", text: nameOf, value: (i) => data.ids ? data.ids[i] : map.rows ? map.rows[i] : i },
  { name: "cluster", text: (i) => data.names[map.cluster[i]], value: (i) => -data.sizes[map.cluster[i]] + map.cluster[i] / 1e6, chip: map.cluster },
];
if (map.certainty) fields.push({ name: "certainty", text: (i) => percent(map.certainty[i]), value: (i) => map.certainty[i], number: true });
if (map.second) {
  fields.push({ name: "second choice", text: (i) => map.second[i] === GRID ? "–" : data.names[map.second[i]], value: (i) => map.second[i], chip: map.second });
}
if (map.unsupervised && map.unsupervised.some((cluster, i) => cluster !== map.cluster[i])) {
  const before = (i) => map.unsupervised[i] === map.cluster[i] ? "" : data.names[map.unsupervised[i]] || "gone";
  fields.push({ name: "moved from", text: before, value: (i) => before(i) || "\uffff", chip: map.unsupervised });
}
if (data.texts) fields.push({ name: "text", text: (i) => data.texts[i], value: (i) => data.texts[i], long: true });
for (const column of shownColumns) {
  const number = column.kind !== "category";
  fields.push({ name: column.name, text: (i) => shownValue(column, column.values[i]), number,
    value: (i) => number ? column.values[i] : shownValue(column, column.values[i]) });
}

const which = find("row-which");
const doubtful = (i) => map.certainty[i] < UNSURE * SURE;
const FILTERS = {
  doubt: ["in doubt", map.certainty && doubtful],
  moved: ["moved by hints", map.unsupervised && ((i) => map.unsupervised[i] !== map.cluster[i])],
  hinted: ["in a hint that is drawn", (map.lines.same.length || map.lines.different.length) && ((points) => (i) => points.has(i))(
    new Set([...map.lines.same, ...map.lines.different]))],
};
for (const [key, [words, test]] of Object.entries(FILTERS)) if (test) which.add(new Option(words, key));
which.hidden = which.options.length < 2;

let sorted = map.certainty ? fields.findIndex((field) => field.name === "certainty") : 0, upwards = true, page = 0, found = [];
function search() {
  const words = find("row-query").value.trim().toLowerCase(), cluster = find("row-cluster").value, test = which.value && FILTERS[which.value][1];
  found = [];
  for (let i = 0; i < data.count; i++) {
    if (cluster !== "" && map.cluster[i] !== +cluster) continue;
    if (test && !test(i)) continue;
    if (words && !fields.some((field) => field.text(i).toLowerCase().includes(words))) continue;
    found.push(i);
  }
  const value = fields[sorted].value, way = upwards ? 1 : -1;
  const keys = new Map(found.map((i) => [i, value(i)]));
  found.sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (typeof x === "string") return way * x.localeCompare(y, "en", { numeric: true }) || a - b;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b; // unknown ones last
    return way * (x - y) || a - b;
  });
  page = 0;
  showRows();
}
function showHead() {
  const line = element("tr");
  fields.forEach((field, number) => {
    const cellOf = element("th"), button = element("button", field.name);
    button.type = "button";
    cellOf.scope = "col";
    if (field.number) cellOf.className = "number";
    if (number === sorted) cellOf.setAttribute("aria-sort", upwards ? "ascending" : "descending");
    button.addEventListener("click", () => {
      upwards = number === sorted ? !upwards : true;
      sorted = number;
      showHead();
      search();
      head.querySelectorAll("button")[number].focus();
    });
    cellOf.append(button);
    line.append(cellOf);
  });
  const last = element("th");
  last.append(element("span", "mark", "away"));
  line.append(last);
  head.replaceChildren(line);
}
function showRows() {
  const pages = Math.max(Math.ceil(found.length / PER_PAGE), 1);
  page = Math.min(Math.max(page, 0), pages - 1);
  body.replaceChildren(...found.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map((i) => {
    const line = element("tr");
    fields.forEach((field, number) => {
      const cellOf = element(number ? "td" : "th");
      const words = field.text(i);
      if (!number) {
        cellOf.scope = "row";
        const button = element("button", words.length > 60 ? `${words.slice(0, 59)}…` : words, "quiet");
        button.type = "button";
        button.title = "Show on the map";
        button.addEventListener("click", () => { showMap(); goTo(i); });
        cellOf.append(button);
      } else if (field.chip && words && words !== "–") {
        cellOf.append(element("span", words, `chip c${field.chip[i]}`));
      } else {
        cellOf.append(field.long ? element("div", words, "long") : words);
        if (field.number) cellOf.className = "number";
      }
      line.append(cellOf);
    });
    const mark = element("td"), button = element("button", "Mark", "quiet");
    button.type = "button";
    button.setAttribute("aria-label", `Mark ${nameOf(i)} for a pair`);
    button.addEventListener("click", () => markRow(i));
    mark.append(button);
    line.append(mark);
    return line;
  }));
  const count = found.length.toLocaleString("en"), all = data.count.toLocaleString("en");
  find("row-count").textContent = found.length === data.count ? `${all} rows.` : `${count} of ${all} rows.`;
  find("row-page").textContent = `${(page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`;
  find("row-previous").disabled = page === 0;
  find("row-next").disabled = page >= pages - 1;
}
function rowsFile() {
  const columns = ["id", "cluster", "name"];
  if (map.second) columns.push("second", "second_name");
  if (map.certainty) columns.push("certainty");
  const own = map.columns.map((column) => column.name);
  const lines = found.map((i) => {
    const cells = [idOf(i), data.numbers[map.cluster[i]], data.names[map.cluster[i]]];
    if (map.second) cells.push(...map.second[i] === GRID ? ["", ""] : [data.numbers[map.second[i]], data.names[map.second[i]]]);
    if (map.certainty) cells.push((map.certainty[i] / SURE).toFixed(4));
    for (const column of map.columns) {
      const value = column.values[i];
      cells.push(column.kind === "number" ? (Number.isFinite(value) ? +value.toPrecision(7) : "") : shownValue(column, value).replace(/^–$/, ""));
    }
    return cells.map(cell).join(",");
  });
  return `${[...columns, ...own].map(cell).join(",")}\n${lines.join("\n")}\n`;
}
find("row-download").addEventListener("click", () => download(`${fileName}-rows.csv`, rowsFile(), "text/csv"));
find("row-previous").addEventListener("click", () => { page--; showRows(); });
find("row-next").addEventListener("click", () => { page++; showRows(); });
let typing = 0;
find("row-query").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, data.count > 5000 ? 200 : 0); });
find("row-cluster").addEventListener("change", search);
which.addEventListener("change", search);
showHead();
search();
window.likewise.rowsFile = rowsFile;
}
