/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of functions in A and in B side by side, with the heat and the source lines of each side. */

var SIDE_NAMES = ["A", "B"];

function makeSides(app) {
  var shown = app.profile.sides[0] || null, list = make("ul", { class: "files", "aria-label": "Functions whose code is compared" });
  var title = make("h2", {}), note = make("p", { class: "facts" }), body = make("tbody", {});
  var scroller = make("div", { class: "code-scroll", tabindex: "0", role: "region", "aria-label": "Code of the function in A and in B" },
                      make("table", { class: "code sides" }, make("caption", { class: "unseen" }, "Instructions of A and of B with their shares of the function's samples"), makeHead(), body));
  var element = make("div", { class: "source-page" }, make("div", { class: "file-side" }, list),
                     make("div", { class: "source-side" }, make("div", { class: "detail-head" }, title, note), scroller));

  function makeHead() {
    var row = make("tr", {});
    SIDE_NAMES.forEach(function (name, side) {
      row.append(make("th", { scope: "col", class: "number" }, "% " + name), make("th", { scope: "col" }, name));
      if (!side) row.append(make("th", { scope: "col", class: "mark", title: "| different, < only in A, > only in B" }, make("span", { class: "unseen" }, "Difference")));
    });
    return make("thead", {}, row);
  }

  function drawList() {
    empty(list);
    app.profile.sides.forEach(function (fn) {
      list.append(make("li", {}, make("button", { type: "button", title: fn.sentence + " (" + fn.module + ")", "aria-current": fn === shown ? "true" : null, onclick: function () { show(fn); } },
                                      make("span", { class: "path" }, fn.name))));
    });
    if (app.profile.nSidesLeftOut) list.append(make("li", { class: "hint" }, plural(app.profile.nSidesLeftOut, "more function") + " would make the page too large."));
  }

  function heatCell(side, weight, most) {
    var cell = make("td", { class: "number heat", title: side && side.count ? plural(side.count, "sample") : null }, side && side.weight ? percent(side.weight, weight) : "");
    if (side && side.weight) cell.style.backgroundColor = heatColor(side.weight / most);
    return cell;
  }

  /* The file and line, and the text if it is on the page, where a side comes to another line. */
  function sourceRow(line, before) {
    var isNew = line.sides.map(function (side, i) { return side !== null && side.line > 0 && (!before[i] || before[i].line !== side.line || before[i].path !== side.path); });
    var row = make("tr", { class: "source-line" });
    if (!isNew[0] && !isNew[1]) return null;
    line.sides.forEach(function (side, i) {
      row.append(make("td", { class: "number" }, isNew[i] ? baseName(side.path) + ":" + side.line : ""), make("td", { class: "text", title: isNew[i] ? side.path : null }, isNew[i] ? side.source : ""));
      if (!i) row.append(make("td", { class: "mark" }));
    });
    return row;
  }

  function lineRow(line, mosts) {
    var row = make("tr", { class: { "|": "differs", "<": "only-a", ">": "only-b" }[line.mark] || "" });
    line.sides.forEach(function (side, i) {
      row.append(heatCell(side, shown.weights[i], mosts[i]), make("td", { class: "text", title: side ? side.address.toString(16) : null }, side ? side.text : ""));
      if (!i) row.append(make("td", { class: "mark" }, line.mark === " " ? "" : line.mark));
    });
    return row;
  }

  function drawBody() {
    var mosts = [1, 1], before = [null, null];
    empty(body);
    setText(title, shown ? shown.name : "");
    setText(note, shown ? shown.sentence + " · of the first run of each side" : "");
    if (!shown) return;
    shown.blocks.forEach(function (block) {
      block.lines.forEach(function (line) {
        line.sides.forEach(function (side, i) { if (side) mosts[i] = Math.max(mosts[i], side.weight); });
      });
    });
    shown.blocks.forEach(function (block) {
      body.append(make("tr", { class: "gap" }, make("td", { colspan: "5" }, block.title)));
      block.lines.forEach(function (line) {
        var source = sourceRow(line, before);
        if (source) body.append(source);
        body.append(lineRow(line, mosts));
        line.sides.forEach(function (side, i) { before[i] = side || before[i]; });
      });
    });
    scroller.scrollTop = 0;
  }

  function show(fn) {
    shown = fn;
    drawList();
    drawBody();
    app.light(element);
  }

  show(shown);
  return { element: element, show: show };
}
