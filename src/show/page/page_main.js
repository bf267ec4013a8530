/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as a whole: what is shown of the profile, and which parts are drawn again when that changes. */

var FRAME_CHOICES = [
  { value: FRAMES_MERGED, text: "Python + native", title: "Python frames replace the frames of the interpreter's loop" },
  { value: FRAMES_PYTHON, text: "Python", title: "only Python frames, where a stack has them" },
  { value: FRAMES_NATIVE, text: "Native", title: "no Python frames" },
  { value: FRAMES_ALL, text: "All", title: "Python frames and all native frames" }
];

var KEYS = [
  ["arrows", "in a flame graph: caller, callee and neighbours; in the table: rows; on the strip of all threads: the selected time"],
  ["Enter, Esc", "in a flame graph: zoom to a function, reset zoom"],
  ["i", "turn the flame graph over: callees or callers"]
];

function makeApp(profile) {
  var app = {
    profile: profile, event: profile.events[0], frames: profile.firstFrames, shape: null, sums: null, selected: -1, matches: null,
    selection: { threads: null, from: 0, to: Infinity }, isInverted: false, tab: "flame"
  };
  var shapes = [], hasPython = false, difference = null, i;
  var status = make("div", { class: "status", role: "status", "aria-live": "polite" });
  var flame = makeFlame(app, "Flame graph", false), table, timeline, source, code, accesses, sides, tabs, views, frameChoice, directionChoice, search, noteLine;

  for (i = 0; i < profile.functions.n && !profile.isDiff; i++) hasPython = hasPython || kindOf(profile, i) === KIND_PYTHON;

  /* --- What parts ask --- */

  app.isSelected = function (fn) { return fn >= 0 && fn === app.selected; };
  app.isSearching = function () { return app.matches !== null; };
  app.isTextMatch = function (text) { return app.matches !== null && app.matches.matcher(text); };

  /* Lights the names and lines in an element that match the search. */
  app.light = function (element) {
    element.querySelectorAll("td.name, .files .path, .code .text").forEach(function (text) { text.classList.toggle("lit", app.isTextMatch(text.textContent)); });
  };

  app.findFunction = makeFinder(profile);
  app.isMatch = function (fn) { return app.matches !== null && fn >= 0 && app.matches.isMatch[fn] === 1; };

  app.fillOfBranch = function (branch, dark) {
    return profile.isDiff ? differenceFill(difference, branch, dark) : fillOf(profile, branch.fn, dark);
  };

  /* Numbers of samples; of a comparison, the amount of a run. */
  app.samplesText = function (count, weight) {
    return profile.isDiff ? amount(app.event, weight) : plural(count, "sample");
  };

  app.titleOfAll = function () {
    if (profile.isDiff) return app.event.name + ": " + amount(app.event, app.sums.total) + " in a run";
    return "all: " + plural(app.sums.nSamples, "sample") + (app.event.total ? ", " + amount(app.event, app.sums.total) : "");
  };

  /* A and B of a function or branch, if the page is a comparison. */
  function comparedText(branch) {
    var sums;
    if (!profile.isDiff) return "";
    sums = compareBranch(difference, branch);
    return "A " + amount(app.event, sums.a) + ", B " + amount(app.event, sums.b) + ", " + changeText(sums);
  }

  /* The line of a function with the most samples, its own or those of what it called: its number in the texts. */
  function hottestFrame(fn) {
    var totals = new Map(), best = null;
    for (var stack = 1; stack < profile.nStacks; stack++) {
      var frame = profile.frame[stack];
      if (app.shape.to[stack] !== stack || profile.frames.fn[frame] !== fn || !profile.frames.line[frame]) continue;
      totals.set(frame, (totals.get(frame) || 0) + app.stackTotals()[stack]);
    }
    totals.forEach(function (weight, frame) {
      if (best === null || weight > best.weight) best = { frame: frame, weight: weight };
    });
    return best && { file: profile.frames.file[best.frame], path: profile.texts[profile.frames.file[best.frame]], line: profile.frames.line[best.frame] };
  }

  var hottestKnown = new Map();

  app.stackTotals = function () {
    if (!app.sums.stackTotal) {
      app.sums.stackTotal = app.sums.stackSelf.slice();
      addToParents(app.sums.stackTotal, app.shape.stackParent);
    }
    return app.sums.stackTotal;
  };

  app.sourceOf = function (fn) {
    if (profile.isDiff) return null; /* a comparison has no lines */
    if (!hottestKnown.has(fn)) hottestKnown.set(fn, hottestFrame(fn));
    return hottestKnown.get(fn);
  };

  /* The status line: full name, module, line and share. */
  app.describe = function (branch, root) {
    var fn = branch.fn, where, parts;
    empty(status);
    if (fn < 0) {
      status.append(make("b", {}, app.titleOfAll()), " " + comparedText(branch));
      return;
    }
    where = app.sourceOf(fn);
    parts = [profile.texts[profile.functions.path[fn]] || moduleOf(profile, fn), where ? baseName(where.path) + ":" + where.line : "",
             profile.functions.kind[fn] & KIND_INLINED ? "inlined" : "", app.samplesText(branch.count, branch.weight), comparedText(branch),
             percent(branch.weight, app.sums.total) + " of all" + (root && root.fn >= 0 && root.weight ? ", " + percent(branch.weight, root.weight) + " of the function" : "")];
    app.say(nameOf(profile, fn), parts);
  };

  app.say = function (name, parts) {
    empty(status).append(make("b", {}, name), " " + parts.filter(Boolean).join(" · "));
  };

  /* --- Changes --- */

  function shapeOf(frames) {
    return shapes[frames] = shapes[frames] || makeShape(profile, frames);
  }

  function showFlame() {
    var make_ = app.isInverted ? treeOfCallers : treeOfCallees;
    flame.show(make_(profile, app.shape, app.sums), app.isInverted ? "from where samples were taken, up to the callers" : "from the outermost functions down to the callees");
  }

  /* Only what is visible is drawn; other tabs when they are shown. */
  function drawTab() {
    if (app.tab === "flame") showFlame();
    else if (app.tab === "functions") table.update();
    else if (app.tab === "source") source.update();
    else if (app.tab === "code") code.update();
    else if (app.tab === "accesses") accesses.update();
    else lightTab();
  }

  /* Other tabs have names that a search lights. */
  function lightTab() {
    app.light(views.find(function (view) { return view.name === app.tab; }).element);
  }

  function compute() {
    app.shape = shapeOf(app.frames);
    app.sums = makeSums(profile, app.shape, app.event, app.selection);
    hottestKnown = new Map();
    search.run();
    frameChoice.show(app.frames);
    directionChoice.show(app.isInverted);
    drawNote();
    drawTab();
  }

  app.choose = function (selection) {
    app.selection = selection;
    compute();
    timeline.update();
  };

  app.select = function (fn) {
    app.selected = fn;
    app.describe({ fn: fn, weight: app.sums.fnTotal[fn], count: app.sums.fnCount[fn] });
    if (app.tab === "functions") table.select();
    flame.redraw();
  };

  app.showFunction = function (fn) {
    app.selected = fn;
    tabs.show("functions");
    app.select(fn);
  };

  app.showSource = function (where) {
    tabs.show("source");
    source.show(where.file, where.line);
  };

  /* The instructions of a function; undefined if they are not on the page. */
  app.codeOf = function (fn) {
    var name = nameOf(profile, fn), module = moduleOf(profile, fn);
    return profile.code.find(function (entry) { return (entry.name === name || "[" + module + "+" + entry.name + "]" === name) && entry.module === module && profile.events[entry.event] === app.event; });
  };

  /* The code of a function in A and in B; undefined if it is not on the page. */
  app.sidesOf = function (name, module) {
    return profile.sides.find(function (fn) { return fn.name === name && fn.module === module; });
  };

  app.showSides = function (fn) {
    tabs.show("sides");
    sides.show(fn);
  };

  app.showCode = function (entry) {
    tabs.show("code");
    code.show(entry);
  };

  function chooseEvent(index) {
    app.event = profile.events[index];
    compute();
    timeline.build();
  }

  function find(matcher) {
    app.matches = matcher ? findMatches(profile, app.shape, app.sums, matcher) : null;
    return app.matches ? plural(app.matches.nFunctions, "function") + ", " + percent(app.matches.weight, app.sums.total) : "";
  }

  function showMatches() {
    if (app.tab === "flame") flame.redraw();
    else if (app.tab === "functions") table.search();
    else if (app.tab === "accesses") accesses.update();
    else lightTab();
  }

  /* --- What is not exact --- */

  function drawNote() {
    var texts = [], small = 0, fn, all = app.event;
    if (!all.nSamples && !profile.isDiff) texts.push(factOf(profile.facts, "Samples") || "No sample is in the selected part of the session.");
    for (fn = 0; fn < profile.functions.n; fn++) if (kindOf(profile, fn) === KIND_SMALL) small += app.sums.fnTotal[fn];
    if (profile.leastSamples > 1) texts.push("Stacks with fewer than " + plural(profile.leastSamples, "sample") + " (" + percent(small, app.sums.total) + " here) are merged into [small stacks].");
    if (all.n < all.nSamples) texts.push("Samples of one thread with the same stack within " + seconds(all.tickNs) + " are merged.");
    setText(noteLine, texts.join(" "));
    noteLine.hidden = texts.length === 0;
  }

  /* --- The page --- */

  function makeLegend() {
    if (profile.isDiff) return make("span", { class: "legend", "aria-label": "Colours" }, make("span", {}, make("i", { class: "key key-more" }), "more in B"), make("span", {}, make("i", { class: "key key-less" }), "less in B"));
    return makeKinds();
  }

  function makeKinds() {
    var legend = make("span", { class: "legend", "aria-label": "Colours" }), kinds = {};
    for (var fn = 0; fn < profile.functions.n; fn++) kinds[colorClass(profile, fn)] = true;
    LEGEND.forEach(function (entry) {
      if (kinds[entry[0]]) legend.append(make("span", {}, make("i", { class: "key " + entry[0] }), entry[1]));
    });
    return legend;
  }

  function redrawAll() {
    flame.redraw();
    timeline.redraw();
    if (app.tab === "functions") table.redraw();
  }

  function makeHeader() {
    var events = make("select", { id: "event", onchange: function () { chooseEvent(Number(events.value)); } }), command = factOf(profile.facts, "Command") || factOf(profile.facts, "Compared") || "profile";
    profile.events.forEach(function (event, index) { events.append(make("option", { value: index }, profile.isDiff ? event.name : event.name + ": " + plural(event.nSamples, "sample"))); });
    document.title = command + " – wperf";
    return make("header", { class: "head" }, make("h1", { title: command }, command),
                make("label", { for: "event", class: "unseen" }, "Event"), events,
                makeThemeButton(redrawAll));
  }

  function makeBar() {
    search = makeSearch("functions and modules", find, showMatches);
    frameChoice = makeChoice("Frames", FRAME_CHOICES, function (value) {
      app.frames = value;
      compute();
    });
    frameChoice.element.hidden = !hasPython;
    directionChoice = makeChoice("Direction of the flame graph", [
      { value: false, text: "Callees", title: "from the outermost functions down" },
      { value: true, text: "Callers", title: "from where samples were taken up to the callers" }
    ], function (value) {
      app.isInverted = value;
      compute();
    });
    return make("section", { class: "bar-line", "aria-label": "Views and search" }, tabs.list, frameChoice.element, directionChoice.element,
                search.element);
  }

  function onKey(key) {
    if (key !== "i") return false;
    app.isInverted = !app.isInverted;
    compute();
    return true;
  }

  table = makeTable(app);
  timeline = makeTimeline(app);
  source = makeSource(app);
  code = makeInstructions(app);
  accesses = makeAccesses(app);
  noteLine = make("p", { class: "note", hidden: true });
  timeline.element.append(noteLine);
  if (profile.isDiff) timeline.element.hidden = true;
  views = [
    { name: "flame", text: "Flame graph", element: flame.element }, { name: "functions", text: "Functions", element: table.element },
    { name: "source", text: "Source", element: source.element }
  ];
  if (profile.isDiff) views.splice(0, 3, { name: "changes", text: "Changes", element: makeChanges(app).element }, views[0], views[1]);
  if (profile.sides.length) {
    sides = makeSides(app);
    views.splice(1, 0, { name: "sides", text: "Code", element: sides.element });
  }
  if (profile.code.length) views.push({ name: "code", text: "Instructions", element: code.element });
  if (profile.accesses.length) views.push({ name: "accesses", text: "Accesses", element: accesses.element });
  if (profile.wall) views.push({ name: "waiting", text: "Waiting", element: makeWall(app).element });
  views.push({ name: "about", text: "About", element: makeAbout(profile.facts, KEYS) });
  tabs = makeTabs("Views", views, function (name) {
    app.tab = name;
    directionChoice.element.hidden = name !== "flame";
    drawTab();
  });
  app.element = [makeHeader(), makeBar(), timeline.element, make.apply(null, ["main", {}].concat(tabs.panels)),
                 make("footer", {}, status, makeLegend(), make("span", { class: "quality", title: factOf(profile.facts, "Quality") }, factOf(profile.facts, "Quality")))];
  app.start = function () {
    app.shape = shapeOf(app.frames);
    app.sums = makeSums(profile, app.shape, app.event, app.selection);
    if (profile.isDiff) difference = makeDifference(profile, app.shape);
    frameChoice.show(app.frames);
    directionChoice.show(app.isInverted);
    drawNote();
    tabs.show(views[0].name);
    timeline.build();
    app.describe({ fn: -1 });
    listenToKeys(search, tabs, views, onKey);
  };
  return app;
}

startPage(readProfile, makeApp);
