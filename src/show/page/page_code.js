/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of the hottest functions, with the source line before the first of each line.  Their numbers are
   those of the whole session: a selection of time does not change them. */

function makeInstructions(app) {
  var shown = null, lineTexts = new Map();
  var list = make("ul", { class: "files", "aria-label": "Functions, by their own samples" });
  var title = make("h2", {}), note = make("p", { class: "facts" }), body = make("tbody", {});
  var scroller = make("div", { class: "code-scroll", tabindex: "0", role: "region", "aria-label": "Instructions of the function" },
                      make("table", { class: "code" }, make("caption", { class: "unseen" }, "Instructions with their shares of the samples"),
                           make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "number" }, "Self"), make("th", { scope: "col", class: "number" }, "Address"),
                                                  make("th", { scope: "col" }, "Instruction"))), body));
  var element = make("div", { class: "source-page" }, make("div", { class: "file-side" }, list),
                     make("div", { class: "source-side" }, make("div", { class: "detail-head" }, title, note), scroller));

  app.profile.sources.forEach(function (source) {
    source.lines.forEach(function (line) { lineTexts.set(source.path + ":" + line.line, line.text); });
  });

  /* Of the event's weight, or of its samples if it has none. */
  function share(part) {
    return app.event.total ? percent(part.weight, app.event.total) : percent(part.count, app.event.nSamples);
  }

  function heatOf(point) {
    return app.event.total ? point.weight : point.count;
  }

  function functions() {
    return app.profile.code.filter(function (fn) { return app.profile.events[fn.event] === app.event; });
  }

  function drawList() {
    empty(list);
    functions().forEach(function (fn) {
      list.append(make("li", {}, make("button", { type: "button", title: fn.name + " (" + fn.module + ")", "aria-current": fn === shown ? "true" : null, onclick: function () { show(fn); } },
                                      make("span", { class: "value" }, share(fn)), make("span", { class: "path" }, fn.name))));
    });
    if (!list.firstChild) list.append(make("li", { class: "hint" }, "The page has no instructions of this event."));
  }

  /* The line of source, where it is another one than before. */
  function lineRow(point) {
    var text = lineTexts.get(point.path + ":" + point.line);
    return make("tr", { class: "source-line" }, make("td", { colspan: "2", class: "number" }, baseName(point.path) + ":" + point.line),
                make("td", { class: "text" }, text === undefined ? "" : text));
  }

  function pointRow(point, most) {
    var cell = make("td", { class: "number heat", title: point.count ? plural(point.count, "sample") : null }, point.count ? share(point) : "");
    if (point.count) cell.style.backgroundColor = heatColor(heatOf(point) / most);
    return make("tr", { class: heatOf(point) === most ? "wanted" : "" }, cell, make("td", { class: "number line" }, point.address.toString(16)), make("td", { class: "text" }, point.text));
  }

  function drawBody() {
    var most = 1, before = null, wanted;
    empty(body);
    setText(title, shown ? shown.name : "");
    setText(note, shown ? [shown.module, plural(shown.count, "sample") + ", " + share(shown) + " of the whole session", shown.note].filter(Boolean).join(" · ") : "");
    if (!shown) return;
    shown.points.forEach(function (point) { most = Math.max(most, heatOf(point)); });
    shown.points.forEach(function (point) {
      if (before && point.address > before.address + 16) body.append(make("tr", { class: "gap" }, make("td", { colspan: "3" }, "⋯")));
      if (point.line && (!before || before.line !== point.line || before.path !== point.path)) body.append(lineRow(point));
      body.append(pointRow(point, most));
      before = point;
    });
    wanted = body.querySelector(".wanted");
    scroller.scrollTop = wanted ? wanted.offsetTop - scroller.clientHeight / 2 : 0;
  }

  function show(fn) {
    shown = fn;
    drawList();
    drawBody();
    app.light(element);
  }

  return {
    element: element,
    show: show,
    update: function () {
      var all = functions();
      if (all.indexOf(shown) < 0) shown = all[0] || null;
      drawList();
      drawBody();
      app.light(element);
    }
  };
}
