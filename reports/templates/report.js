// Search, sort and filter the tables of the annexes. It reads the page and moves or hides what is there: it
// loads nothing, keeps nothing, and sets text only. Without it the page is whole.
(() => {
  "use strict";
  const tables = [...document.querySelectorAll(".annexes .scroll:not(.grid) > table")];
  const place = document.getElementById("contents") || document.getElementById("list");
  if (!tables.length || !place) return;
  const make = (tag, text, props) => {
    const made = Object.assign(document.createElement(tag), props);
    made.textContent = text;
    return made;
  };
  const title = (cell) => (cell.querySelector("bdi") || cell).textContent.trim();
  const heads = (table) => [...table.tHead.rows[0].cells];
  const replicas = [...new Set(JSON.parse(document.querySelector(".annexes").dataset.replicas))];

  const number = (text) => {
    const found = text.replaceAll(",", "").replaceAll("\u2212", "-").match(/-?\d+(\.\d+)?(e[-+]?\d+)?/i);
    return found ? Number(found[0]) - (text.includes("<") ? 1e-9 : 0) : null;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" ? a - b : a.localeCompare(b);
  };
  const sort = (table, head, place) => {
    const falls = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads(table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const key = (row) => {
      const text = row.cells[place].textContent.trim();
      return head.classList.contains("number") ? number(text) : text || null;
    };
    const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
    const turn = (a, b) => (a[0] !== null && b[0] !== null && falls ? -1 : 1) * compare(a[0], b[0]);
    table.tBodies[0].append(...rows.sort(turn).map((one) => one[1]));
  };
  for (const table of tables.filter((one) => one.tBodies[0].rows.length > 7)) {
    heads(table).forEach((head, i) => {
      const button = make("button", "\u21C5", { type: "button", className: "sort" });
      button.setAttribute("aria-label", `Sort by ${title(head)}`);
      button.addEventListener("click", () => sort(table, head, i));
      head.append(button);
    });
  }

  const box = make("div", "", { className: "find" });
  box.setAttribute("role", "search");
  const search = make("input", "", { type: "search", id: "find-text" });
  const select = make("select", "", { id: "find-replica" });
  select.append(make("option", "all", { value: "" }), ...replicas.map((name) => make("option", name, { value: name })));
  const said = make("span", "", {});
  said.setAttribute("role", "status");
  const named = (text, field) => {
    const both = make("span", "", { className: "field" });
    both.append(make("label", text, { htmlFor: field.id }), field);
    return both;
  };
  box.append(named("Find in the annexes", search));
  if (replicas.length > 1) box.append(named("Replica", select));
  box.append(said);
  place.append(box);

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = select.value;
    let shown = 0;
    let total = 0;
    for (const table of tables) {
      const names = heads(table).map(title);
      const of = names.indexOf("Replica");
      names.forEach((name, i) => {
        const off = chosen !== "" && name !== chosen && replicas.includes(name);
        for (const row of table.rows) row.cells[i].classList.toggle("off", off);
      });
      let here = 0;
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        const other = chosen !== "" && of >= 0 && title(row.cells[of]) !== chosen;
        const off = other || !words.every((word) => text.includes(word));
        row.classList.toggle("off", off);
        here += off ? 0 : 1;
        total += 1;
      }
      shown += here;
      const folded = table.closest("details");
      if (words.length && here && folded) folded.open = true;
    }
    said.textContent = words.length || chosen ? `${shown} of ${total} rows` : "";
  };
  search.addEventListener("input", apply);
  select.addEventListener("change", apply);
})();
