"use strict";
const alphabet = new Intl.Collator();
// A click on the head of a column sorts a table by it: numbers by their value, what is missing last, lines that go on with
// the one above with that. A second click turns the order round.
for (const table of document.querySelectorAll(".wide > table")) {
  const body = table.tBodies[0];
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("more") && groups.length) groups.at(-1).push(row);
    else groups.push([row]);
  }
  if (groups.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head, column));
    head.append(button);
  });
  function sort(head, column) {
    const down = head.ariaSort === "ascending";
    for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
    head.ariaSort = down ? "descending" : "ascending";
    const keyed = groups.map(rows => ({rows, key: keyOf(rows[0].cells[column])}));
    keyed.sort((a, b) => (a.key === null) - (b.key === null) || (down ? -1 : 1) * compare(a.key, b.key));
    body.append(...keyed.flatMap(({rows}) => rows));
  }
}
// A browser lays a table out whole, which takes it long for a thousand lines, each time they are sorted. So where a table of many lines has found its
// widths, its lines become grids of these widths: those out of sight are not laid out. What it is to who hears it stays: roles say so.
for (const table of document.querySelectorAll(".filter > table")) {
  const rows = [...table.rows];
  table.role = "table";
  for (const part of [table.tHead, table.tBodies[0]]) part.role = "rowgroup";
  for (const row of rows) {
    row.role = "row";
    for (const cell of row.cells) cell.role = cell.tagName === "TH" ? "columnheader" : "cell";
  }
  const fix = () => {
    table.classList.remove("grid");
    const box = table.getBoundingClientRect(), heights = rows.map(row => row.getBoundingClientRect().height);
    if (box.width === 0 || !matchMedia("screen").matches) return;
    table.style.setProperty("--width", box.width + "px");
    table.style.setProperty("--columns", [...rows[0].cells].map(cell => cell.getBoundingClientRect().width + "px").join(" "));
    rows.forEach((row, i) => { if (heights[i]) row.style.containIntrinsicHeight = heights[i] + "px"; });
    table.classList.add("grid");
  };
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; fix(); } });
  fix();
}
// A table of many lines has a field above it: lines without all of the words that stand there are hidden.
for (const region of document.querySelectorAll(".filter")) {
  const rows = [...region.querySelectorAll("tbody tr")].map(row => ({row, text: row.textContent.toLowerCase()}));
  const label = document.createElement("label"), field = document.createElement("input"), count = document.createElement("output");
  field.type = "search";
  label.append("Only lines with ", field);
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const {row, text} of rows) {
      row.hidden = !words.every(word => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = ` ${shown} of ${rows.length}`;
  };
  field.addEventListener("input", show);
  const line = document.createElement("p");
  line.className = "filter-line";
  line.append(label, count);
  region.before(line);
  show();
}
// keyOf is the number of a cell, its text where it has none, and null where it says nothing.
function keyOf(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return text === "" || text.startsWith("-") || text.startsWith("~") ? null : text;
}
function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : alphabet.compare(a, b);
}
