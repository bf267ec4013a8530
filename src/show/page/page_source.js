/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files by their share of the samples, and the lines of one with their shares. */

function makeSource(app) {
  var spots = null, files = [], shown = -1, wantedLine = 0;
  var list = make("ul", { class: "files", "aria-label": "Source files, by their share" });
  var title = make("h2", {}), note = make("p", { class: "facts" });
  var body = make("tbody", {});
  var code = make("div", { class: "code-scroll", tabindex: "0", role: "region", "aria-label": "Lines of the file" },
                  make("table", { class: "code" }, make("caption", { class: "unseen" }, "Lines with their shares of the samples"),
                       make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "number", title: "samples in the line itself" }, "Self"),
                                              make("th", { scope: "col", class: "number", title: "samples in the line or in what it called" }, "Total"),
                                              make("th", { scope: "col", class: "number" }, "Line"), make("th", { scope: "col" }, "Text"))), body));
  var element = make("div", { class: "source-page" }, make("div", { class: "file-side" }, list),
                     make("div", { class: "source-side" }, make("div", { class: "detail-head" }, title, note), code));

  /* The files with samples.  `lines` has the numbers of the lines with samples. */
  function listFiles() {
    var sums, byFile = new Map();
    spots = spots || findSpots(app.profile);
    sums = sumLines(app.profile, app.shape, app.sums, spots);
    for (var spot = 1; spot < spots.n; spot++) {
      var file = byFile.get(spots.file[spot]);
      if (sums.total[spot] <= 0) continue;
      if (!file) byFile.set(spots.file[spot], file = { file: spots.file[spot], path: app.profile.texts[spots.file[spot]], self: 0, lines: new Map() });
      file.self += sums.self[spot];
      file.lines.set(spots.line[spot], { self: sums.self[spot], total: sums.total[spot] });
    }
    files = Array.from(byFile.values());
    files.forEach(function (entry) {
      entry.source = app.profile.sources.find(function (source) { return source.path === entry.path; });
      entry.most = 0;
      entry.lines.forEach(function (line) { entry.most = Math.max(entry.most, line.total); });
    });
    files.sort(function (a, b) { return b.self - a.self || b.most - a.most || (a.path < b.path ? -1 : 1); });
  }

  /* The name of a file; with its folder if another file has the same name. */
  function titleOf(file, byName) {
    var parts = file.path.split("/");
    return byName.get(baseName(file.path)) > 1 ? parts.slice(-2).join("/") : baseName(file.path);
  }

  function drawFiles() {
    var byName = new Map();
    files.forEach(function (file) { byName.set(baseName(file.path), (byName.get(baseName(file.path)) || 0) + 1); });
    empty(list);
    files.slice(0, 300).forEach(function (file) {
      list.append(make("li", {}, make("button", { type: "button", title: file.path + (file.source ? "" : " (its text is not in this page)"),
                                                  class: file.source ? "" : "bare", "aria-current": file.file === shown ? "true" : null,
                                                  onclick: function () { show(file.file, 0); } },
                                      make("span", { class: "value" }, percent(file.self, app.sums.total)), make("span", { class: "path" }, titleOf(file, byName)))));
    });
    if (!files.length) list.append(make("li", { class: "hint" }, "No sample here has a source line."));
  }

  function heatCell(part, most) {
    var cell = make("td", { class: "number heat" }, part > 0 ? percent(part, app.sums.total) : "");
    if (part > 0 && most > 0) cell.style.backgroundColor = heatColor(part / most);
    return cell;
  }

  function lineRow(file, line, text, mostSelf) {
    var sums = file.lines.get(line) || { self: 0, total: 0 };
    return make("tr", { "data-line": line, class: line === wantedLine ? "wanted" : "" }, heatCell(sums.self, mostSelf), heatCell(sums.total, file.most),
                make("td", { class: "number line" }, String(line)), make("td", { class: "text" }, text));
  }

  /* Files without text: only the lines with samples. */
  function linesOf(file) {
    if (file.source) return file.source.lines;
    return Array.from(file.lines.keys()).sort(function (a, b) { return a - b; }).map(function (line) { return { line: line, text: "" }; });
  }

  function drawCode() {
    var file = files.find(function (entry) { return entry.file === shown; }), mostSelf = 0, before = 0, wanted;
    empty(body);
    setText(title, file ? baseName(file.path) : "");
    setText(note, !file ? "" : file.path + (file.source ? "" : " · the text of this file is not in the page"));
    if (!file) return;
    file.lines.forEach(function (line) { mostSelf = Math.max(mostSelf, line.self); });
    linesOf(file).forEach(function (line) {
      if (before && line.line > before + 1) body.append(make("tr", { class: "gap" }, make("td", { colspan: "4" }, "⋯")));
      body.append(lineRow(file, line.line, line.text, mostSelf));
      before = line.line;
    });
    wanted = body.querySelector(".wanted");
    code.scrollTop = wanted ? wanted.offsetTop - code.clientHeight / 2 : 0;
  }

  function show(file, line) {
    shown = file;
    wantedLine = line || hottestLine(file);
    drawFiles();
    drawCode();
    app.light(element);
  }

  function hottestLine(file) {
    var entry = files.find(function (other) { return other.file === file; }), best = { self: -1, total: -1 }, hottest = 0;
    if (!entry) return 0;
    entry.lines.forEach(function (line, number) {
      if (line.self > best.self || (line.self === best.self && line.total > best.total)) {
        best = line;
        hottest = number;
      }
    });
    return hottest;
  }

  return {
    element: element,
    update: function () {
      listFiles();
      if (!files.some(function (file) { return file.file === shown; })) {
        shown = files.length ? (files.find(function (file) { return file.source; }) || files[0]).file : -1;
        wantedLine = hottestLine(shown);
      }
      drawFiles();
      drawCode();
      app.light(element);
    },
    show: show
  };
}
