"use strict";
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
    for (const {rows} of keyed) body.append(...rows);
  }
}
// keyOf is the number of a cell, its text where it has none, and null where it says nothing.
function keyOf(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return text === "" || text.startsWith("-") || text.startsWith("~") ? null : text;
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}
