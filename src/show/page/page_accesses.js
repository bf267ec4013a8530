/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory: the tables of `report --mem` by function, level, cache line and latency, and who uses the selected
   cache line.  They are those of the whole session: a selection of time does not change them. */

function makeAccesses(app) {
  var part = null, selected = -1, sort = -1, isDescending = true, choice = null;
  var title = make("h2", {}), note = make("p", { class: "hint" }), choiceSide = make("div", {});
  var table = make("table", { class: "accesses" }), detailTable = make("table", { class: "accesses" });
  var detailTitle = make("h2", {}), detailNote = make("p", { class: "facts" });
  var detail = make("div", { class: "detail" }, make("div", { class: "detail-head" }, detailTitle, detailNote),
                    make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Functions that use the cache line" }, detailTable));
  var page = make("div", { class: "table-page" }, make("div", { class: "table-side" }, make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Accesses to memory" }, table)), detail);
  var element = make("div", { class: "accesses-page" }, make("div", { class: "table-head" }, title, choiceSide, note), page);

  function ofEvent() {
    return app.profile.accesses.find(function (accesses) { return app.profile.events[accesses.event] === app.event; });
  }

  function cellOf(column, text) {
    if (column.kind === CELL_TEXT) return make("td", { class: column.name === "module" ? "module" : "name", title: text }, text);
    return make("td", { class: text !== "" && !Number(text) ? "number zero" : "number" }, text === "" ? "" : column.kind === CELL_PERCENT ? text + " %" : thousands(Number(text)));
  }

  /* The numbers of the columns as they are shown: what a row is about follows its share of the latency. */
  function columnsOf(table_) {
    var numbers = table_.columns.map(function (column, i) { return i; });
    function rank(i) { return table_.columns[i].name === "latency" ? 0 : table_.columns[i].kind === CELL_TEXT ? 1 : 2; }
    return numbers.sort(function (a, b) { return rank(a) - rank(b) || a - b; });
  }

  /* The share of the latency as a bar. */
  function shareCell(column, text) {
    var bar = make("span", { class: "bar", "aria-hidden": "true" }), cell = cellOf(column, text);
    bar.style.width = Number(text) + "%";
    cell.insertBefore(bar, cell.firstChild);
    return cell;
  }

  /* What a click on a row opens: the users of a cache line, or a function; null for nothing. */
  function actionOf(number) {
    var fn;
    if (part.uses) {
      return function () {
        selected = number;
        draw();
      };
    }
    if (cellText(part.table, number, "symbol") === undefined) return null;
    fn = app.findFunction(cellText(part.table, number, "symbol"), cellText(part.table, number, "module"));
    return fn === undefined ? null : function () { app.showFunction(fn); };
  }

  function isMatch(number) {
    return part.table.rows[number].some(function (text, i) { return part.table.columns[i].kind === CELL_TEXT && app.isTextMatch(text); });
  }

  function rowOf(number) {
    var row = make("tr", { class: isMatch(number) ? "match" : "", "aria-selected": part.uses ? String(number === selected) : null }), action = actionOf(number);
    columnsOf(part.table).forEach(function (i) {
      var column = part.table.columns[i], text = part.table.rows[number][i], cell = column.name === "latency" ? shareCell(column, text) : cellOf(column, text);
      if (action && (column.name === "symbol" || column.name === "line")) empty(cell).append(make("button", { type: "button", title: text, onclick: action }, text));
      row.append(cell);
    });
    return row;
  }

  function headOf(i) {
    var column = part.table.columns[i], head = makeSortHead(column.name, column.meaning || column.name, column.kind !== CELL_TEXT, function () {
      isDescending = sort === i ? !isDescending : column.kind !== CELL_TEXT;
      sort = i;
      draw();
    });
    head.show(i === sort, isDescending);
    return head.element;
  }

  /* The numbers of the rows; as `report --mem` has them until the reader sorts them. */
  function order() {
    var rows = part.table.rows, numbers = rows.map(function (row, i) { return i; }), isText;
    if (sort < 0) return numbers;
    isText = part.table.columns[sort].kind === CELL_TEXT;
    return numbers.sort(function (a, b) {
      var x = rows[a][sort], y = rows[b][sort], difference = isText ? (x < y ? -1 : x > y ? 1 : 0) : (x === "" ? -1 : Number(x)) - (y === "" ? -1 : Number(y));
      return (isDescending ? -difference : difference) || a - b;
    });
  }

  function draw() {
    var focused = table.contains(document.activeElement) && document.activeElement, wasHead = Boolean(focused && focused.closest("thead")), body = make("tbody", {}), wanted;
    empty(table).append(make("caption", { class: "unseen" }, part.title), make("thead", {}, make.apply(null, ["tr", {}].concat(columnsOf(part.table).map(headOf)))), body);
    order().forEach(function (number) { body.append(rowOf(number)); });
    wanted = focused && table.querySelector(wasHead ? "th:not([aria-sort=none]) button" : "tr[aria-selected=true] button");
    if (wanted) wanted.focus();
    drawDetail();
  }

  function drawDetail() {
    var uses = part.uses && part.uses[selected], body = make("tbody", {});
    detail.hidden = !part.uses;
    page.classList.toggle("wide", !part.uses);
    if (!uses) return;
    setText(detailTitle, "Cache line " + cellText(part.table, selected, "line"));
    setText(detailNote, [cellText(part.table, selected, "sharing"), uses.n > uses.table.rows.length ? "the first " + uses.table.rows.length + " of " + plural(uses.n, "function") + " and offsets" : ""].filter(Boolean).join(" · "));
    empty(detailTable).append(make("caption", { class: "unseen" }, "Functions that use the cache line"),
                              make("thead", {}, make.apply(null, ["tr", {}].concat(columnsOf(uses.table).map(function (i) {
                                var column = uses.table.columns[i];
                                return make("th", { scope: "col", class: column.kind === CELL_TEXT ? "" : "number", title: column.meaning || null }, column.name);
                              })))), body);
    uses.table.rows.forEach(function (row) {
      body.append(make.apply(null, ["tr", {}].concat(columnsOf(uses.table).map(function (i) { return cellOf(uses.table.columns[i], row[i]); }))));
    });
  }

  function show(index) {
    var accesses = ofEvent();
    part = accesses.parts[index];
    selected = part.uses && part.table.rows.length ? 0 : -1;
    sort = -1;
    choice.show(index);
    setText(note, ["Of the whole session, whatever time and threads are selected.", part.n > part.table.rows.length ? "The first " + thousands(part.table.rows.length) + " of " + thousands(part.n) + " rows." : "",
                   accesses.leftOut ? plural(accesses.leftOut, "access") + " are in no row, because the limit of memory was reached." : ""].filter(Boolean).join(" "));
    draw();
  }

  function update() {
    var accesses = ofEvent();
    setText(title, accesses ? plural(accesses.loads, "load") + " and " + plural(accesses.stores, "store") + " in " + plural(accesses.samples, "sample") : "The samples of this event do not say what they did to memory.");
    page.hidden = choiceSide.hidden = note.hidden = !accesses;
    if (!accesses || accesses.parts.indexOf(part) >= 0) {
      if (accesses) draw();
      return;
    }
    choice = makeChoice("Accesses by", accesses.parts.map(function (entry, i) { return { value: i, text: entry.title, title: "Accesses to memory, by " + entry.title.toLowerCase() }; }), show);
    empty(choiceSide).append(choice.element);
    show(0);
  }

  addRowKeys(table);
  return { element: element, update: update };
}
