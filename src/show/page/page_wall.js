/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of a session that recorded waiting: all of it by state, and functions by state.  It is that of the whole
   session: a selection of time does not change it. */

var STATE_HUES = [21, 44, 280, 340, 212, 180, 96, 130, 250, 310, 60, 0];
var WALL_ROWS = 300;

var STATE_GREYS = { idle: "hsl(220,8%,66%)", unknown: "hsl(220,10%,42%)" };

function stateColor(wall, index) {
  return STATE_GREYS[wall.states[index].word] || "hsl(" + STATE_HUES[index % STATE_HUES.length] + ",40%,58%)";
}

/* The colours of states; `tell` has what is said behind the name of one. */
function listStates(wall, tell) {
  var list = make("ul", { class: "wall-states" });
  wall.states.forEach(function (state, i) {
    var key = make("i", { class: "key", "aria-hidden": "true" });
    key.style.background = stateColor(wall, i);
    list.append(make.apply(null, ["li", {}, key, state.word].concat(tell(state))));
  });
  return list;
}

function makeWall(app) {
  var wall = app.profile.wall, states = wall.states, total = 0, sort = -1, body = make("tbody", {}), heads, idle, bar, list, element;

  states.forEach(function (state) { total += state.us; });

  function share(us) {
    return percent(us, total);
  }

  function makeBar() {
    var line = make("div", { class: "wall-bar", role: "img", "aria-label": states.map(function (state) { return state.word + " " + share(state.us); }).join(", ") });
    states.forEach(function (state, i) {
      var part = make("span", { title: state.word + ": " + seconds(state.us * 1e3) + ", " + share(state.us) });
      part.style.width = (total ? state.us / total * 100 : 0) + "%";
      part.style.background = stateColor(wall, i);
      line.append(part);
    });
    return line;
  }

  function usOf(fn) {
    return sort < 0 ? fn.us : fn.states[sort];
  }

  function draw() {
    empty(body);
    heads.forEach(function (head, i) { head.show(i - 1 === sort, true); });
    wall.functions.slice().sort(function (a, b) { return usOf(b) - usOf(a); }).slice(0, WALL_ROWS).forEach(function (fn) {
      var row = make("tr", {}, make("td", { class: "number" }, seconds(fn.us * 1e3)));
      fn.states.forEach(function (us) { row.append(make("td", { class: "number" }, us ? seconds(us * 1e3) : "")); });
      row.append(make("td", { class: "name", title: fn.name }, fn.name), make("td", { class: "module", title: fn.file }, baseName(fn.file) + (fn.line ? ":" + fn.line : "")));
      body.append(row);
    });
    app.light(body);
  }

  function makeHead(text, index, title) {
    return makeSortHead(text, title, true, function () {
      sort = index;
      draw();
    });
  }

  idle = states.findIndex(function (state) { return state.word === "idle"; });
  heads = [makeHead("Total", -1, "the sum of all states" + (idle < 0 ? "" : " but idle"))].concat(states.map(function (state, i) { return makeHead(state.word, i, state.word); }));
  bar = makeBar();
  list = listStates(wall, function (state) { return [" ", make("b", {}, seconds(state.us * 1e3)), " " + share(state.us)]; });
  element = make("div", { class: "wall-page" },
                 make("h2", {}, "Wall time of " + plural(wall.nThreads, "thread") + " in " + seconds(wall.elapsedUs * 1e3)),
                 make("p", { class: "hint" }, "Of the whole session, whatever time and threads are selected."), bar, list,
                 make("div", { class: "wall-scroll", tabindex: "0", role: "region", "aria-label": "Functions by state" },
                      make("table", { class: "wall" }, make("caption", { class: "unseen" }, "Functions by the time that they ran and waited"),
                           make("thead", {}, make.apply(null, ["tr", {}].concat(heads.map(function (head) { return head.element; }), [make("th", { scope: "col" }, "Function"), make("th", { scope: "col" }, "Module")]))), body)));
  draw();
  return { element: element };
}
