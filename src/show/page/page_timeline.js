/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time, a strip for all threads and one for each.  Dragging selects a time, a click on a name selects a
   thread; both filter everything else on the page. */

var STRIP_HEIGHT = 22, STRIP_BIN = 4, STRIPS_FEW = 4, TIME_STEP = 0.02;

function makeTimeline(app) {
  var strips = [], isAll = false, width = 0;
  var list = make("div", { class: "strips" });
  var all = make("button", { type: "button", class: "more", onclick: function () { isAll = !isAll; build(); } });
  var find = make("input", { type: "search", class: "find-thread", placeholder: "Find threads", title: "Show threads whose names contain this text; Enter selects them",
                             "aria-label": "Find threads by their names", spellcheck: "false", autocomplete: "off", oninput: build, onkeydown: chooseFound });
  var time = makeTimeChoice({
    runNs: app.profile.runNs,
    selection: function () { return app.selection; },
    chooseTime: chooseTime,
    clear: function () { app.choose({ threads: null, from: 0, to: Infinity }); },
    isWhole: function () { return time.isAllTime() && !app.selection.threads; },
    note: function () { return app.selection.threads ? ", " + plural(Object.keys(app.selection.threads).length, "thread") : ""; }
  });
  var element = make("section", { class: "timeline", "aria-label": "Samples over time" }, time.element, list, make("div", { class: "strip-tools" }, all, find),
                     app.profile.wall ? listStates(app.profile.wall, function () { return []; }) : null);

  function chooseTime(start, end) {
    app.choose({ threads: app.selection.threads, from: start, to: end });
  }

  function chooseThread(thread, adds) {
    var chosen = app.selection.threads, next = {};
    if (adds && chosen) Object.keys(chosen).forEach(function (key) { next[key] = true; });
    if (chosen && chosen[thread] && (adds || Object.keys(chosen).length === 1)) delete next[thread];
    else next[thread] = true;
    app.choose({ threads: Object.keys(next).length ? next : null, from: app.selection.from, to: app.selection.to });
  }

  function foundParts() {
    var text = find.value.trim().toLowerCase();
    return text === "" ? app.event.parts.slice() : app.event.parts.filter(function (part) { return threadTitle(app.profile.threads[part.thread]).toLowerCase().indexOf(text) >= 0; });
  }

  function chooseFound(event) {
    var next = {};
    if (event.key !== "Enter") return;
    foundParts().forEach(function (part) { next[part.thread] = true; });
    if (find.value.trim() !== "" && Object.keys(next).length) app.choose({ threads: next, from: app.selection.from, to: app.selection.to });
  }

  /* --- Drawing --- */

  function bins(parts) {
    /* Not narrower than a tick, because then bins would be empty. */
    var event = app.event, n = Math.max(1, Math.floor(Math.min(width / STRIP_BIN, app.profile.runNs / event.tickNs)));
    var values = new Float64Array(n), most = 0, perBin = app.profile.runNs / n || 1;
    parts.forEach(function (part) {
      for (var i = part.from; i < part.to; i++) {
        var bin = Math.min(n - 1, Math.floor(event.time[i] / perBin));
        values[bin] += event.total === 0 ? event.count[i] : event.weight[i];
      }
    });
    for (var i = 0; i < n; i++) most = Math.max(most, values[i]);
    return { values: values, most: most };
  }

  function xOf(time) {
    return app.profile.runNs ? time / app.profile.runNs * width : 0;
  }

  /* Samples, as bars. */
  function drawBars(context, strip) {
    var height = STRIP_HEIGHT - 2, found = strip.found = strip.found && strip.found.width === width ? strip.found : Object.assign(bins(strip.parts), { width: width }), i, level;
    context.fillStyle = cssColor("--strip");
    for (i = 0; i < found.values.length; i++) {
      level = found.most ? found.values[i] / found.most : 0;
      if (level > 0) context.fillRect(i * width / found.values.length, height - Math.max(1, level * height), width / found.values.length + 0.2, Math.max(1, level * height));
    }
  }

  /* States of a thread, and before them its time on a CPU.  Equal columns are one bar, because there is a seam between two. */
  function drawStates(context, strip) {
    var wall = app.profile.wall, states = strip.states, height = STRIP_HEIGHT - 2;

    function drawRuns(values, draw) {
      for (var first = 0, end; first < wall.nColumns; first = end) {
        for (end = first + 1; end < wall.nColumns && values[end] === values[first]; end++);
        draw(values[first], first / wall.nColumns * width, (end - first) / wall.nColumns * width);
      }
    }

    drawRuns(states.state, function (state, x, runWidth) {
      if (state < 0) return;
      context.fillStyle = stateColor(wall.states[state].word);
      context.fillRect(x, height / 4, runWidth, height * 3 / 4);
    });
    context.fillStyle = stateColor("on-cpu");
    drawRuns(states.running, function (running, x, runWidth) { context.fillRect(x, height * (1 - running), runWidth, height * running); });
  }

  function drawStrip(strip) {
    var context = fitCanvas(strip.canvas, width, STRIP_HEIGHT), chosen = app.selection.threads, isOff = strip.thread >= 0 && chosen && !chosen[strip.thread], start, end;
    context.globalAlpha = isOff ? 0.35 : 1;
    if (strip.states) drawStates(context, strip);
    else drawBars(context, strip);
    context.globalAlpha = 1;
    start = xOf(app.selection.from);
    end = app.selection.to === Infinity ? width : xOf(app.selection.to);
    if (start > 0 || end < width) {
      context.fillStyle = cssColor("--shade");
      context.fillRect(0, 0, start, STRIP_HEIGHT);
      context.fillRect(end, 0, width - end, STRIP_HEIGHT);
      context.fillStyle = cssColor("--focus");
      context.fillRect(start, 0, 1, STRIP_HEIGHT);
      context.fillRect(Math.max(end - 1, start), 0, 1, STRIP_HEIGHT);
    }
  }

  function draw() {
    if (!strips.length) return;
    width = strips[0].box.clientWidth;
    if (width < 1) return;
    strips.forEach(drawStrip);
  }

  /* --- Choosing --- */

  function timeAt(x) {
    return Math.max(0, Math.min(1, x / width)) * app.profile.runNs;
  }

  /* Left and right move the selected time, with Shift its end; Home selects all. */
  function moveTime(event) {
    var run = app.profile.runNs, step = run * TIME_STEP * (event.key === "ArrowLeft" ? -1 : 1), start = app.selection.from;
    var end = Math.min(app.selection.to, run);
    if (event.key === "Home" || event.key === "Escape") {
      chooseTime(0, Infinity);
    } else if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") {
      return;
    } else if (event.shiftKey) {
      chooseTime(start, Math.max(start + run * TIME_STEP, Math.min(run, end + step)));
    } else if (time.isAllTime()) {
      chooseTime(0, run / 10);
    } else {
      step = Math.max(-start, Math.min(run - end, step));
      chooseTime(start + step, end + step);
    }
    event.preventDefault();
  }

  function makeStrip(thread, parts) {
    var about = app.profile.threads[thread], name = about ? threadTitle(about) : "All threads", strip = { thread: thread, parts: parts, found: null, states: app.profile.wall && app.event.isTime ? about ? statesOf(about) : statesOfAll() : null };
    var label = about ? make("button", { type: "button", class: "strip-name", "aria-pressed": "false",
                                         title: name + " of " + about.process + " " + about.pid + ": click to show only this thread, with Ctrl to add it",
                                         onclick: function (event) { chooseThread(thread, event.ctrlKey || event.metaKey || event.shiftKey); } }, name) :
      make("span", { class: "strip-name" }, name);
    strip.label = label;
    strip.canvas = make("canvas", { "aria-hidden": "true" });
    strip.box = make("div", { class: "strip", tabindex: about ? null : "0", role: about ? "img" : "application",
                              "aria-label": about ? "samples of " + name + " over time" + (strip.states ? ": " + statesText(strip.states) : "") : "Selected time: left and right arrows move it, with Shift its end, Home selects all" },
                     strip.canvas);
    time.listenTo(strip.box, timeAt, chooseTime);
    if (about && strip.states) strip.box.addEventListener("mousemove", function (event) { tellState(strip, name, event.clientX - strip.box.getBoundingClientRect().left); });
    strip.box.addEventListener("keydown", moveTime);
    return strip;
  }

  function statesOf(thread) {
    return app.profile.wall.strips.find(function (strip) { return strip.tid === thread.tid && strip.pid === thread.pid; }) || null;
  }

  /* How many threads were on a CPU, as shares of the most; null if that is not known. */
  function statesOfAll() {
    var wall = app.profile.wall, sums = new Float32Array(wall.nColumns), most;
    wall.strips.forEach(function (strip) { strip.running.forEach(function (share, i) { sums[i] += share; }); });
    most = sums.reduce(function (a, b) { return Math.max(a, b); }, 0);
    return most > 0 ? { state: new Int8Array(wall.nColumns).fill(-1), running: sums.map(function (sum) { return sum / most; }) } : null;
  }

  /* In words, with the shares of the run. */
  function statesText(states) {
    var wall = app.profile.wall, counts = wall.states.map(function () { return 0; });
    states.state.forEach(function (state) { if (state >= 0) counts[state]++; });
    return wall.states.map(function (state, i) { return { word: state.word, count: counts[i] }; }).filter(function (entry) { return entry.count > 0; })
      .sort(function (a, b) { return b.count - a.count; }).map(function (entry) { return entry.word + " " + Math.round(entry.count / wall.nColumns * 100) + " %"; }).join(", ");
  }

  function tellState(strip, name, x) {
    var column = Math.min(app.profile.wall.nColumns - 1, Math.floor(Math.max(0, x) / width * app.profile.wall.nColumns)), state = strip.states.state[column], running = strip.states.running[column];
    app.say(name, ["at " + (timeAt(x) / 1e9).toFixed(3) + " s", state >= 0 ? app.profile.wall.states[state].word : "", running > 0 ? Math.round(running * 100) + " % on a CPU" : ""]);
  }

  function partWeight(part) {
    var sum = 0;
    for (var i = part.from; i < part.to; i++) sum += app.event.count[i];
    return sum;
  }

  /* Threads with the most samples first. */
  function build() {
    var parts = foundParts().sort(function (a, b) { return partWeight(b) - partWeight(a); }), isFew = parts.length <= STRIPS_FEW + 1, shown;
    shown = isAll || isFew ? parts : parts.slice(0, STRIPS_FEW);
    strips = [makeStrip(-1, app.event.parts)];
    if (app.event.parts.length > 1) strips = strips.concat(shown.map(function (part) { return makeStrip(part.thread, [part]); }));
    empty(list);
    strips.forEach(function (strip) { list.append(strip.label, strip.box); });
    all.hidden = isFew;
    find.hidden = app.event.parts.length <= STRIPS_FEW + 1;
    setText(all, isAll ? "Show fewer threads" : "Show all " + parts.length + " threads");
    element.classList.toggle("open", isAll && !isFew);
    update();
  }

  function update() {
    strips.forEach(function (strip) {
      if (strip.thread >= 0) strip.label.setAttribute("aria-pressed", String(Boolean(app.selection.threads && app.selection.threads[strip.thread])));
    });
    time.update();
    draw();
  }

  if (window.ResizeObserver) new ResizeObserver(draw).observe(list);
  else window.addEventListener("resize", draw);
  return { element: element, build: build, update: update, redraw: draw };
}
