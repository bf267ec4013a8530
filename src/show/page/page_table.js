/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of functions, and beside it the callers and callees of the selected one. */

var TABLE_ROWS = 200;

var WIDE = window.matchMedia("(min-width: 901px)"); /* as in page_profile.css */

var TABLE_COLUMNS = [
  { key: "self", text: "Self", title: "samples in the function itself", isNumber: true },
  { key: "total", text: "Total", title: "samples in the function or in what it called", isNumber: true },
  { key: "name", text: "Function", title: "name of the function" },
  { key: "module", text: "Module", title: "program or library, or Python file" }
];

function makeTable(app) {
  var sort = "self", isDescending = true, nShown = TABLE_ROWS, rows = [], bodyRows = new Map();
  var filter = make("input", { type: "search", class: "filter", placeholder: "Filter by function or module", "aria-label": "Filter the table by function or module",
                               spellcheck: "false", autocomplete: "off", oninput: function () { nShown = TABLE_ROWS; draw(); } });
  var count = make("span", { class: "hint", role: "status" });
  var heads = TABLE_COLUMNS.map(function (column) {
    return makeSortHead(column.text, column.title, column.isNumber, function () { sortBy(column); });
  });
  var body = make("tbody", {});
  var more = make("button", { type: "button", class: "more", onclick: function () { nShown += TABLE_ROWS * 5; draw(); } });
  var table = make("table", { class: "functions" }, make("caption", { class: "unseen" }, "Functions by their share of the samples"),
                   make("thead", {}, make.apply(null, ["tr", {}].concat(heads.map(function (head) { return head.element; })))), body);
  var callers = makeFlame(app, "Callers of the selected function", true);
  var callees = makeFlame(app, "Callees of the selected function", false);
  var title = make("h2", {}), facts = make("p", { class: "facts" }), actions = make("p", { class: "actions" });
  var detail = make("div", { class: "detail" }, make("div", { class: "detail-head" }, title, facts, actions), callers.element, callees.element);
  var element = make("div", { class: "table-page" },
                     make("div", { class: "table-side" }, make("div", { class: "table-head" }, filter, count),
                          make("div", { class: "table-scroll", tabindex: "-1" }, table, more)), detail);

  function sortBy(column) {
    isDescending = sort === column.key ? !isDescending : column.isNumber === true;
    sort = column.key;
    draw();
  }

  function compare(a, b) {
    var order = sort === "self" ? a.self - b.self || a.total - b.total : sort === "total" ? a.total - b.total || a.self - b.self :
      a[sort] < b[sort] ? -1 : a[sort] > b[sort] ? 1 : 0;
    return (isDescending ? -order : order) || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.fn - b.fn);
  }

  function listRows() {
    var sums = app.sums;
    rows = [];
    for (var fn = 0; fn < app.profile.functions.n; fn++) {
      if (!sums.fnCount[fn] && sums.fnTotal[fn] <= 0) continue;
      rows.push({ fn: fn, name: nameOf(app.profile, fn), module: moduleOf(app.profile, fn), self: sums.fnSelf[fn], total: sums.fnTotal[fn],
                  selfCount: sums.fnSelfCount[fn], totalCount: sums.fnCount[fn] });
    }
  }

  /* Where the page has room for the callers and callees, they are those of the hottest function at first. */
  function chooseFirst() {
    if (app.selected < 0 && rows.length && WIDE.matches) app.selected = rows.slice().sort(compare)[0].fn;
  }

  function shareCell(part, samples) {
    var bar = make("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = (app.sums.total > 0 ? part / app.sums.total * 100 : 0) + "%";
    return make("td", { class: "number", title: app.samplesText(samples, part) }, bar, make("span", { class: "value" }, percent(part, app.sums.total)));
  }

  function rowOf(row) {
    var key = make("span", { class: "key", "aria-hidden": "true" });
    key.style.background = fillOf(app.profile, row.fn, isDark());
    return make("tr", { class: app.isMatch(row.fn) ? "match" : "", "aria-selected": String(app.isSelected(row.fn)) },
                shareCell(row.self, row.selfCount), shareCell(row.total, row.totalCount),
                make("td", { class: "name" }, make("button", { type: "button", title: row.name, onclick: function () { app.select(row.fn); } }, key, row.name)),
                make("td", { class: "module", title: app.profile.texts[app.profile.functions.path[row.fn]] }, row.module));
  }

  /* Space is left below for a row that a key moves to. */
  function draw() {
    var test = makeMatcher(filter.value.trim(), false), shown, hadFocus = body.contains(document.activeElement);
    shown = test ? rows.filter(function (row) { return test(row.name) || test(row.module); }) : rows.slice();
    shown.sort(compare);
    TABLE_COLUMNS.forEach(function (column, i) { heads[i].show(sort === column.key, isDescending); });
    empty(body);
    bodyRows = new Map();
    shown.slice(0, nShown).forEach(function (row) {
      bodyRows.set(row.fn, body.appendChild(rowOf(row)));
    });
    setText(count, test ? thousands(shown.length) + " of " + plural(rows.length, "function") : plural(rows.length, "function"));
    more.hidden = shown.length <= nShown;
    setText(more, "Show more of the " + thousands(shown.length) + " functions");
    if (hadFocus && bodyRows.has(app.selected)) bodyRows.get(app.selected).querySelector("button").focus();
  }

  function drawDetail() {
    var fn = app.selected, profile = app.profile, kind, source, code;
    detail.classList.toggle("none", fn < 0);
    if (fn < 0) return;
    kind = colorClass(profile, fn);
    setText(title, nameOf(profile, fn));
    setText(facts, [profile.texts[profile.functions.path[fn]] || moduleOf(profile, fn), kind === "native" ? "" : kind === "python" ? "Python" : kind,
                    "self " + percent(app.sums.fnSelf[fn], app.sums.total), "total " + percent(app.sums.fnTotal[fn], app.sums.total),
                    app.samplesText(app.sums.fnCount[fn], app.sums.fnTotal[fn])].filter(Boolean).join(" · "));
    empty(actions);
    source = app.sourceOf(fn);
    if (source) actions.append(make("button", { type: "button", onclick: function () { app.showSource(source); } }, "Show " + baseName(source.path) + ":" + source.line));
    code = app.codeOf(fn);
    if (code) actions.append(make("button", { type: "button", onclick: function () { app.showCode(code); } }, "Show instructions"));
    callers.show(treeOfFunction(profile, app.shape, app.sums, fn, true), "who called it");
    callees.show(treeOfFunction(profile, app.shape, app.sums, fn, false), "what it called");
  }

  addRowKeys(table);

  return {
    element: element,
    update: function () {
      listRows();
      chooseFirst();
      draw();
      drawDetail();
    },
    select: function () {
      bodyRows.forEach(function (row, fn) { row.setAttribute("aria-selected", String(app.isSelected(fn))); });
      drawDetail();
    },
    search: function () {
      bodyRows.forEach(function (row, fn) { row.classList.toggle("match", app.isMatch(fn)); });
      callers.redraw();
      callees.redraw();
    },
    refresh: function () {
      callers.refresh();
      callees.refresh();
    },
    redraw: function () {
      draw();
      callers.redraw();
      callees.redraw();
    }
  };
}
