/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what web_page.c wrote of a profile, in the order of make_data() there. */

/* As in web_page_stacks.c. */
var KIND_NATIVE = 0, KIND_KERNEL = 1, KIND_PYTHON = 2, KIND_UNKNOWN = 3, KIND_CUT = 4, KIND_SMALL = 5, KIND_STATE = 6, KIND_MASK = 7;
var KIND_INLINED = 8, KIND_RUNS_PYTHON = 16;
/* As in web_page.h. */
var FRAMES_MERGED = 0, FRAMES_ALL = 1, FRAMES_PYTHON = 2, FRAMES_NATIVE = 3;

/* As in web_page_wall.c. */
var RUNNING_STEPS = 8;

/* As in web_page_accesses.c. */
var CELL_TEXT = 0, CELL_NUMBER = 1, CELL_PERCENT = 2;

function readEvent(reader, texts) {
  var event = { name: texts[reader.number()], isTime: reader.number() === 1, unit: 0, tickNs: 0, nSamples: 0, parts: [], n: 0 };
  var at = 0, i, tick, part;
  event.unit = reader.number();
  event.unit /= reader.number();
  event.tickNs = reader.number();
  event.nSamples = reader.number();
  for (i = reader.number(); i > 0; i--) {
    part = { thread: reader.number(), from: event.n, to: 0 };
    part.to = event.n += reader.number();
    event.parts.push(part);
  }
  event.time = new Float64Array(event.n);
  for (i = 0; i < event.parts.length; i++) {
    for (tick = 0; at < event.parts[i].to; at++) event.time[at] = (tick += reader.number()) * event.tickNs;
  }
  event.stack = reader.column(event.n, Uint32Array);
  event.count = reader.column(event.n, Uint32Array);
  event.weight = reader.column(event.n, Float64Array);
  for (event.total = 0, i = 0; i < event.n; i++) event.total += event.weight[i] *= event.unit;
  return event;
}

function readSource(reader, texts) {
  var source = { path: texts[reader.number()], lines: [] }, table = reader.table(["step", "text"]);
  for (var i = 0, line = 0; i < table.n; i++) source.lines.push({ line: line += table.step[i], text: texts[table.text[i]] });
  return source;
}

/* A function with instructions, of which those far from any sample are left out. */
function readCode(reader, texts) {
  var fn = { event: reader.number(), name: texts[reader.number()], module: texts[reader.number()], note: texts[reader.number()], count: reader.number(), weight: reader.number(), points: [] };
  var n = reader.number(), steps = reader.column(n, Float64Array), counts = reader.column(n, Uint32Array), weights = reader.column(n, Float64Array), instructions = reader.column(n, Uint32Array);
  var files = reader.column(n, Uint32Array), lines = reader.column(n, Uint32Array);
  for (var i = 0, address = 0; i < n; i++) {
    fn.points.push({ address: address += steps[i], count: counts[i], weight: weights[i], text: texts[instructions[i]], path: texts[files[i]], line: lines[i] });
  }
  return fn;
}

/* A table of texts, by row. */
function readTable(reader, texts) {
  var table = { columns: [], rows: [] }, nColumns = reader.number(), nRows = reader.number(), i, row;
  for (row = 0; row < nRows; row++) table.rows.push([]);
  for (i = 0; i < nColumns; i++) {
    table.columns.push({ name: texts[reader.number()], meaning: texts[reader.number()], kind: reader.number() });
    for (row = 0; row < nRows; row++) table.rows[row].push(texts[reader.number()]);
  }
  return table;
}

/* The text of a row in the column of that name; undefined if the table has none. */
function cellText(table, row, name) {
  return table.rows[row][table.columns.findIndex(function (column) { return column.name === name; })];
}

/* A way of grouping accesses.  `n` is the number of all rows, and `uses` the users of each shown one, or null. */
function readAccessPart(reader, texts) {
  var part = { title: texts[reader.number()], n: reader.number(), table: readTable(reader, texts), uses: null };
  if (reader.number()) part.uses = part.table.rows.map(function () { return { n: reader.number(), table: readTable(reader, texts) }; });
  return part;
}

function readAccesses(reader, texts) {
  var accesses = { event: reader.number(), samples: reader.number(), loads: reader.number(), stores: reader.number(), leftOut: reader.number(), parts: [] };
  for (var i = reader.number(); i > 0; i--) accesses.parts.push(readAccessPart(reader, texts));
  return accesses;
}

/* The rows of a comparison, in texts.  The page then has two events, B and A. */
function readComparison(reader, texts) {
  var comparison = { event: texts[reader.number()], nA: reader.number(), nB: reader.number(), parts: [] }, part, i, n;
  for (i = reader.number(); i > 0; i--) {
    comparison.parts.push(part = { title: texts[reader.number()], rows: [] });
    for (n = reader.number(); n > 0; n--) {
      part.rows.push({ name: texts[reader.number()], module: texts[reader.number()], a: texts[reader.number()], b: texts[reader.number()],
                       change: texts[reader.number()], interval: texts[reader.number()], verdict: texts[reader.number()], direction: reader.number() });
    }
  }
  return comparison;
}

/* A thread over time, in columns: the number of its state, -1 if it is not known, and its share on a CPU. */
function readStrip(reader, nColumns) {
  var strip = { pid: reader.number() | 0, tid: reader.number() | 0, state: new Int8Array(nColumns), running: new Float32Array(nColumns) }, at = 0, i, end, value;
  for (i = reader.number(); i > 0; i--) {
    end = at + reader.number();
    value = reader.number();
    for (; at < end; at++) {
      strip.state[at] = Math.floor(value / (RUNNING_STEPS + 1)) - 1;
      strip.running[at] = value % (RUNNING_STEPS + 1) / RUNNING_STEPS;
    }
  }
  return strip;
}

/* Wall time by state and by function, in microseconds; null if the session did not record waiting. */
function readWall(reader, texts) {
  var n = reader.number(), wall = { states: [], functions: [] }, i;
  if (!n) return null;
  for (i = 0; i < n; i++) wall.states.push({ word: texts[reader.number()], us: reader.number() });
  wall.elapsedUs = reader.number();
  wall.nThreads = reader.number();
  for (i = reader.number(); i > 0; i--) {
    wall.functions.push({ name: texts[reader.number()], file: texts[reader.number()], line: reader.number(), us: reader.number(), states: reader.column(n, Float64Array) });
  }
  wall.functions.forEach(function (fn) { fn.states = Array.from(fn.states); });
  wall.nColumns = reader.number();
  wall.strips = [];
  for (i = reader.number(); i > 0; i--) wall.strips.push(readStrip(reader, wall.nColumns));
  return wall;
}

/* An instruction of one side; null: this side has none. */
function readSide(reader, texts) {
  if (!reader.number()) return null;
  return { address: reader.number(), count: reader.number(), weight: reader.number(), text: texts[reader.number()], path: texts[reader.number()], line: reader.number(), source: texts[reader.number()] };
}

/* The code of a function in A and in B: blocks, and in each the lines with a side for A and one for B. */
function readSides(reader, texts) {
  var fn = { name: texts[reader.number()], module: texts[reader.number()], sentence: texts[reader.number()], counts: [], weights: [], blocks: [] }, block, n, i;
  for (i = 0; i < 2; i++) {
    fn.counts.push(reader.number());
    fn.weights.push(reader.number());
  }
  for (n = reader.number(); n > 0; n--) {
    fn.blocks.push(block = { title: texts[reader.number()], lines: [] });
    for (i = reader.number(); i > 0; i--) block.lines.push({ mark: String.fromCharCode(reader.number()), sides: [readSide(reader, texts), readSide(reader, texts)] });
  }
  return fn;
}

function readThreads(table, texts) {
  var threads = [];
  for (var i = 0; i < table.n; i++) {
    threads.push({ pid: table.pid[i] | 0, tid: table.tid[i] | 0, name: texts[table.name[i]] || "unknown", process: texts[table.process[i]] });
  }
  return threads;
}

/* The profile.  Stacks count from 1, callers first: `parent` and `frame` by stack; frames have a function, a file and a
   line; functions have a name, a module, a path and a kind. */
function readProfile(reader, texts) {
  var profile = { texts: texts }, i;
  profile.functions = reader.table(["name", "module", "path", "kind"]);
  profile.frames = reader.table(["fn", "file", "line"]);
  profile.stacks = reader.table(["step", "frame"]);
  profile.nStacks = profile.stacks.n + 1;
  profile.parent = new Uint32Array(profile.nStacks);
  profile.frame = new Uint32Array(profile.nStacks);
  for (i = 1; i < profile.nStacks; i++) {
    profile.parent[i] = i - profile.stacks.step[i - 1];
    profile.frame[i] = profile.stacks.frame[i - 1];
  }
  profile.leastSamples = reader.number();
  profile.runNs = reader.number();
  profile.events = [];
  for (i = reader.number(); i > 0; i--) profile.events.push(readEvent(reader, profile.texts));
  profile.threads = readThreads(reader.table(["pid", "tid", "name", "process"]), profile.texts);
  profile.facts = readFacts(reader, profile.texts);
  profile.sources = [];
  for (i = reader.number(); i > 0; i--) profile.sources.push(readSource(reader, profile.texts));
  profile.wall = readWall(reader, profile.texts);
  profile.code = [];
  for (i = reader.number(); i > 0; i--) profile.code.push(readCode(reader, profile.texts));
  profile.accesses = [];
  for (i = reader.number(); i > 0; i--) profile.accesses.push(readAccesses(reader, profile.texts));
  profile.firstFrames = reader.number();
  profile.changes = [];
  for (i = reader.number(); i > 0; i--) profile.changes.push(readComparison(reader, profile.texts));
  profile.isDiff = profile.changes.length > 0;
  profile.sides = [];
  for (i = profile.isDiff ? reader.number() : 0; i > 0; i--) profile.sides.push(readSides(reader, profile.texts));
  profile.nSidesLeftOut = profile.isDiff ? reader.number() : 0;
  return profile;
}

function kindOf(profile, fn) {
  return profile.functions.kind[fn] & KIND_MASK;
}

function nameOf(profile, fn) {
  return profile.texts[profile.functions.name[fn]];
}

function moduleOf(profile, fn) {
  return profile.texts[profile.functions.module[fn]];
}

/* A function that finds the number of a function by name and module, or undefined.  Code without a name is
   `[MODULE+ADDRESS]` in the tree, and its address elsewhere. */
function makeFinder(profile) {
  var byName = new Map();
  for (var i = profile.functions.n - 1; i >= 0; i--) {
    byName.set(nameOf(profile, i), i);
    byName.set(nameOf(profile, i) + "\n" + moduleOf(profile, i), i);
  }
  return function (name, module) {
    var fn = byName.get(module ? name + "\n" + module : name);
    return fn === undefined ? byName.get("[" + module + "+" + name + "]") : fn;
  };
}
