/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of a session that recorded waiting: all of it by state, and functions by state.  It is that of the whole
   session: a selection of time does not change it. */

/* By the words of wall_states.c, so that a state has one colour on all pages. */
var STATE_COLORS = {
  "on-cpu": "hsl(21,50%,58%)", gc: "hsl(95,40%,48%)", runnable: "hsl(130,40%,55%)", idle: "hsl(220,8%,66%)", lock: "hsl(280,40%,58%)", gil: "hsl(310,45%,60%)", sleep: "hsl(180,40%,55%)",
  disk: "hsl(340,45%,58%)", pipe: "hsl(212,45%,58%)", network: "hsl(240,45%,64%)", child: "hsl(60,40%,50%)", fault: "hsl(0,55%,58%)", terminal: "hsl(44,55%,58%)",
  wperf: "hsl(250,20%,74%)", unknown: "hsl(220,10%,42%)"
};
var STATE_OTHER = "hsl(30,12%,55%)";
var WALL_ROWS = 300;

function stateColor(word) {
  return STATE_COLORS[word] || STATE_OTHER;
}

/* The colours of states; `tell` has what is said behind the name of one. */
function listStates(wall, tell) {
  var list = make("ul", { class: "wall-states" });
  wall.states.forEach(function (state, i) {
    var key = make("i", { class: "key", "aria-hidden": "true" });
    key.style.background = stateColor(state.word);
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
      part.style.background = stateColor(state.word);
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
