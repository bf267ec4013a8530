/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of `stat --plot`: charts of counts over time, and a table of their means in the selected time. */

var COUNTS_COLUMNS = [
  { key: "title", text: "Event", title: "event or metric" },
  { key: "name", text: "Where", title: "process, CPU or unit that was counted" },
  { key: "mean", text: "Mean", title: "mean of the selected time", isNumber: true },
  { key: "least", text: "Least", title: "least value of the selected time", isNumber: true },
  { key: "most", text: "Most", title: "greatest value of the selected time", isNumber: true },
  { key: "unit", text: "Unit", title: "unit" }
];
var COUNTS_KEYS = [
  ["arrows", "in a chart: other times and other lines; in the table: rows"],
  ["Home, End", "in a chart: the first and the last count"],
  ["Esc", "in a chart: show the whole time again"]
];

/* As web_page_charts.c writes it: spans of time, and for each line its value in each span. */
function readCounts(reader, texts) {
  var counts = { nMerged: reader.number(), n: reader.number(), charts: [], places: [] }, charts = new Map(), places = new Map(), at = 0, gaps, lengths, i, title, unit, name;
  gaps = reader.column(counts.n, Float64Array);
  lengths = reader.column(counts.n, Float64Array);
  counts.start = new Float64Array(counts.n);
  counts.end = new Float64Array(counts.n);
  for (i = 0; i < counts.n; i++) {
    counts.start[i] = at += gaps[i];
    counts.end[i] = at += lengths[i];
  }
  counts.runNs = at;
  counts.facts = readFacts(reader, texts);
  for (i = reader.number(); i > 0; i--) {
    title = texts[reader.number()];
    unit = texts[reader.number()];
    name = texts[reader.number()];
    if (!charts.has(title)) charts.set(title, counts.charts[counts.charts.length] = { title: title, unit: unit, lines: [] });
    if (!places.has(name)) places.set(name, counts.places.push(name) - 1);
    charts.get(title).lines.push({ name: name, number: places.get(name), values: reader.fractions(counts.n) });
  }
  return counts;
}

/* An amount as exactly as it was measured. */
function exactNumber(n) {
  return Math.abs(n) >= 1000 ? thousands(n) : String(Number(n.toPrecision(5)));
}

function makeCountsTable(app) {
  var sort = "", isDescending = false, body = make("tbody", {}), heads = COUNTS_COLUMNS.map(function (column) {
    return makeSortHead(column.text, column.title, column.isNumber, function () {
      isDescending = sort === column.key ? !isDescending : column.isNumber === true;
      sort = column.key;
      draw();
    });
  });
  var table = make("table", { class: "counts" }, make("caption", { class: "unseen" }, "Means of the selected time"),
                   make("thead", {}, make.apply(null, ["tr", {}].concat(heads.map(function (head) { return head.element; })))), body);

  /* Long spans count for more. */
  function rowOf(chart, line) {
    var range = app.range(), row = { chart: chart, title: chart.title, name: line.name, unit: chart.unit, number: line.number, mean: NaN, least: Infinity, most: -Infinity }, sum = 0, whole = 0, i, length;
    for (i = range.first; i < range.end; i++) {
      if (isNaN(line.values[i])) continue;
      length = app.counts.end[i] - app.counts.start[i];
      sum += line.values[i] * length;
      whole += length;
      row.least = Math.min(row.least, line.values[i]);
      row.most = Math.max(row.most, line.values[i]);
    }
    row.mean = sum / whole;
    row.hasSpans = range.end > range.first;
    return row;
  }

  function compare(a, b) {
    var isLess = a[sort] < b[sort] || !(a[sort] === a[sort]), order = a[sort] === b[sort] ? 0 : isLess ? -1 : 1;
    return isDescending ? -order : order;
  }

  function elementOf(row) {
    var key = make("span", { class: "key", "aria-hidden": "true" }), element = make("tr", {});
    key.style.background = lineColor(row.number, isDark());
    element.append(make("td", { class: "name" }, make("button", { type: "button", title: "Show the chart of " + row.title, onclick: function () { app.showChart(row.chart); } }, row.title)),
                   make("td", { class: "place" }, key, row.name));
    ["mean", "least", "most"].forEach(function (what) { element.append(make("td", { class: "number" }, row.mean === row.mean ? exactNumber(row[what]) : row.hasSpans ? "not counted" : "–")); });
    element.append(make("td", { class: "module" }, row.unit));
    return element;
  }

  function draw() {
    var rows = [];
    app.counts.charts.forEach(function (chart) {
      chart.lines.forEach(function (line) { if (app.isShown(chart, line)) rows.push(rowOf(chart, line)); });
    });
    if (sort) rows.sort(compare);
    COUNTS_COLUMNS.forEach(function (column, i) { heads[i].show(sort === column.key, isDescending); });
    empty(body);
    rows.forEach(function (row) { body.append(elementOf(row)); });
  }

  addRowKeys(table);
  return { element: make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Means of the selected time" }, table), draw: draw };
}

function makeCountsApp(counts) {
  var app = { counts: counts, selection: { from: 0, to: Infinity }, place: null, matcher: null, tab: "charts" }, known = null, isPlanned = false;
  var status = make("div", { class: "status", role: "status", "aria-live": "polite" });
  var charts, table, search, tabs, views, places, scroller;

  /* --- What parts ask --- */

  /* The visible time, and the spans whose middle is in it. */
  app.range = function () {
    var from = app.selection.from, to = Math.min(app.selection.to, counts.runNs), first = 0, end = counts.n;
    if (known) return known;
    while (first < end && app.middle(first) < from) first++;
    while (end > first && app.middle(end - 1) > to) end--;
    return known = { from: from, to: to, first: first, end: end };
  };

  app.middle = function (span) { return (counts.start[span] + counts.end[span]) / 2; };

  app.spanAt = function (time) {
    var low = 0, high = counts.n - 1, middle;
    while (low < high) {
      middle = low + high >> 1;
      if (counts.end[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  app.isShown = function (chart, line) {
    return (app.place === null || line.name === app.place) && (!app.matcher || app.matcher(chart.title) || app.matcher(line.name));
  };

  app.describe = function (chart, line, span) {
    var value;
    empty(status);
    if (!chart) return;
    value = line.values[span];
    status.append(make("b", {}, chart.title), " " + [line.name, "from " + (counts.start[span] / 1e9).toFixed(3) + " to " + (counts.end[span] / 1e9).toFixed(3) + " s",
                                                     isNaN(value) ? "not counted" : exactNumber(value) + " " + chart.unit].join(" · "));
  };

  app.showChart = function (chart) {
    var shown = charts[counts.charts.indexOf(chart)];
    tabs.show("charts");
    shown.element.scrollIntoView({ block: "nearest" });
    shown.focus();
  };

  /* --- Changes --- */

  function draw() {
    isPlanned = false;
    if (app.tab === "charts") charts.forEach(function (chart) { chart.draw(); });
    else if (app.tab === "table") table.draw();
  }

  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    window.requestAnimationFrame(draw);
  }

  app.chooseTime = function (from, to) {
    app.selection = { from: from, to: to };
    known = null;
    update();
  };

  function choosePlace(name) {
    app.place = app.place === name ? null : name;
    update();
  }

  function update() {
    app.time.update();
    Array.from(places.children).forEach(function (button, i) { button.setAttribute("aria-pressed", String(counts.places[i] === app.place)); });
    plan();
  }

  function find(matcher) {
    var n = 0, all = 0;
    app.matcher = matcher;
    counts.charts.forEach(function (chart) {
      all += chart.lines.length;
      n += chart.lines.filter(function (line) { return !matcher || matcher(chart.title) || matcher(line.name); }).length;
    });
    return matcher ? thousands(n) + " of " + plural(all, "line") : "";
  }

  /* --- The page --- */

  function makePlaces() {
    var list = make("div", { class: "places", role: "group", "aria-label": "CPUs and units", hidden: counts.places.length < 2 });
    counts.places.forEach(function (name) {
      var key = make("i", { class: "key", "aria-hidden": "true" });
      list.append(make("button", { type: "button", "aria-pressed": "false", title: "Show only " + name, onclick: function () { choosePlace(name); } }, key, name));
    });
    return list;
  }

  function colorPlaces() {
    Array.from(places.children).forEach(function (button, i) { button.firstChild.style.background = lineColor(i, isDark()); });
    plan();
  }

  app.time = makeTimeChoice({
    runNs: counts.runNs,
    selection: function () { return app.selection; },
    chooseTime: app.chooseTime,
    clear: function () {
      app.place = null;
      app.chooseTime(0, Infinity);
    },
    isWhole: function () { return app.time.isAllTime() && app.place === null; },
    note: function () { return app.place === null ? "" : ", " + app.place; }
  });
  places = makePlaces();
  charts = counts.charts.map(function (chart) { return makeChart(app, chart); });
  table = makeCountsTable(app);
  scroller = make.apply(null, ["div", { class: "charts", onscroll: plan }].concat(charts.map(function (chart) { return chart.element; })));
  views = [{ name: "charts", text: "Charts", element: scroller }, { name: "table", text: "Table", element: table.element },
           { name: "about", text: "About", element: makeAbout(counts.facts, COUNTS_KEYS) }];
  tabs = makeTabs("Views", views, function (name) {
    app.tab = name;
    plan();
  });
  search = makeSearch("events and CPUs", find, plan);
  document.title = "stat " + factOf(counts.facts, "Measured") + " – wperf";
  app.element = [
    make("header", { class: "head" }, make("h1", { title: factOf(counts.facts, "Measured") }, "wperf stat: " + factOf(counts.facts, "Measured")), makeThemeButton(colorPlaces)),
    make("section", { class: "bar-line", "aria-label": "Views and search" }, tabs.list, search.element),
    make("section", { class: "timeline", "aria-label": "Selected time" }, app.time.element, places,
         make("p", { class: "note", hidden: counts.nMerged < 2 }, "Values are means of " + thousands(counts.nMerged) + " counts each, so that the page is small.")),
    make.apply(null, ["main", {}].concat(tabs.panels)),
    make("footer", {}, status, make("span", { class: "quality", title: factOf(counts.facts, "Quality") }, factOf(counts.facts, "Quality")))
  ];
  app.start = function () {
    tabs.show("charts");
    colorPlaces();
    update();
    listenToKeys(search, tabs, views, function () { return false; });
    if (window.ResizeObserver) new ResizeObserver(plan).observe(scroller);
    else window.addEventListener("resize", plan);
  };
  return app;
}

startPage(readCounts, makeCountsApp);
