// Tables whose rows have names. A row stays the same element while its name is there.

// set changes the text of an element, if it is another one.
export function set(element, text, className) {
  if (element.textContent !== text) element.textContent = text;
  if (className !== undefined && element.className !== className) element.className = className;
}

export class Table {
  // make fills a new row; it returns what change needs to fill the row with an item.
  constructor(table, make, change) {
    this.table = table;
    this.body = table.tBodies[0];
    this.make = make;
    this.change = change;
    this.rows = new Map();
  }

  // show shows items, each with a name, in their order.
  show(items) {
    const names = new Set(items.map((item) => item.name));
    for (const [name, row] of this.rows) {
      if (!names.has(name)) {
        row.element.remove();
        this.rows.delete(name);
      }
    }
    items.forEach((item, i) => {
      let row = this.rows.get(item.name);
      if (!row) {
        const element = document.createElement("tr");
        row = { element, parts: this.make(element, item) };
        this.rows.set(item.name, row);
      }
      if (this.body.children[i] !== row.element) this.body.insertBefore(row.element, this.body.children[i] ?? null);
      this.change(row.parts, item);
    });
    this.table.hidden = items.length === 0;
  }
}

// head and cell append a cell to a row.
export function head(row, text) {
  const th = document.createElement("th");
  th.scope = "row";
  th.textContent = text;
  row.append(th);
  return th;
}

export function cell(row, className, name) {
  const td = document.createElement("td");
  td.className = className;
  if (name) td.dataset.name = name;
  row.append(td);
  return td;
}

// list shows pairs in a <dl>: a term, its text, and whether it is bad.
export function list(dl, pairs) {
  while (dl.children.length > 2 * pairs.length) dl.lastChild.remove();
  while (dl.children.length < 2 * pairs.length) dl.append(document.createElement("dt"), document.createElement("dd"));
  pairs.forEach(([term, text, bad], i) => {
    set(dl.children[2 * i], term);
    set(dl.children[2 * i + 1], text, bad ? "bad" : "");
  });
}
