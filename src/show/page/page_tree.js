/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees of functions.  A shape is the tree without numbers, for one choice of frames; sums are the numbers for one
   event and selection; a branch is a frame of a picture: a function and where it is in the tree. */

/* For each stack the stack that it counts for, and that one's callers; the rules of stacks_python_fold(). */
function foldStacks(profile, frames) {
  var n = profile.nStacks, to = new Uint32Array(n), parent = new Uint32Array(n), i, outer, isPython, outerIsPython, isLeftOut, kind;

  function isOfPython(stack) {
    return kindOf(profile, profile.frames.fn[profile.frame[stack]]) === KIND_PYTHON;
  }

  for (i = 1; i < n; i++) {
    to[i] = i;
    if (!profile.parent[i]) continue;
    outer = parent[i] = to[profile.parent[i]];
    kind = profile.functions.kind[profile.frames.fn[profile.frame[i]]];
    isPython = (kind & KIND_MASK) === KIND_PYTHON;
    outerIsPython = isOfPython(outer);
    isLeftOut = (kind & KIND_MASK) === KIND_STATE ? false : frames === FRAMES_NATIVE ? isPython : frames === FRAMES_PYTHON ? outerIsPython && !isPython :
      frames === FRAMES_MERGED && outerIsPython && !isPython && (kind & KIND_RUNS_PYTHON) !== 0;
    if (isLeftOut) to[i] = outer;
    else if (frames === FRAMES_PYTHON && isPython && !outerIsPython) parent[i] = 0;
  }
  return { to: to, parent: parent };
}

/* Lists of children: the first child of a node, and the next one of the same parent. */
function linkChildren(parent, isWanted) {
  var n = parent.length, first = new Uint32Array(n), next = new Uint32Array(n);
  for (var i = n - 1; i > 0; i--) {
    if (isWanted && !isWanted(i)) continue;
    next[i] = first[parent[i]];
    first[parent[i]] = i;
  }
  return { first: first, next: next };
}

/* For each node 1 if no node above it has the same key. */
function findOutermost(parent, links, keyOf, nKeys) {
  var n = parent.length, outermost = new Uint8Array(n), depth = new Uint32Array(nKeys), at = links.first[0];

  function leave(node) {
    depth[keyOf(node)]--;
  }

  while (at) {
    outermost[at] = depth[keyOf(at)]++ === 0 ? 1 : 0;
    if (links.first[at]) {
      at = links.first[at];
      continue;
    }
    leave(at);
    while (at && !links.next[at]) {
      at = parent[at];
      if (at) leave(at);
    }
    at = at && links.next[at];
  }
  return outermost;
}

/* Node 0 is the root.  `nodeOf` has the node of each stack that is left, and 0 for others. */
function makeShape(profile, frames) {
  var folded = foldStacks(profile, frames), known = new Map(), nFunctions = profile.functions.n, parents = [0], fns = [0];
  var nodeOf = new Uint32Array(profile.nStacks), i, above, fn, key, node, shape;
  for (i = 1; i < profile.nStacks; i++) {
    if (folded.to[i] !== i) continue;
    above = nodeOf[folded.parent[i]];
    fn = profile.frames.fn[profile.frame[i]];
    key = above * nFunctions + fn;
    node = known.get(key);
    if (node === undefined) {
      known.set(key, node = parents.length);
      parents.push(above);
      fns.push(fn);
    }
    nodeOf[i] = node;
  }
  shape = { frames: frames, to: folded.to, stackParent: folded.parent, nodeOf: nodeOf, parent: Uint32Array.from(parents),
            fn: Uint32Array.from(fns), n: parents.length };
  shape.links = linkChildren(shape.parent);
  shape.outermost = findOutermost(shape.parent, shape.links, function (at) { return shape.fn[at]; }, nFunctions);
  return shape;
}

/* The rows of samples that are selected: `threads` is null for all, else an object with the selected numbers. */
function eachSelected(event, selection, visit) {
  event.parts.forEach(function (part) {
    if (selection.threads && !selection.threads[part.thread]) return;
    for (var i = part.from; i < part.to; i++) {
      if (event.time[i] >= selection.from && event.time[i] <= selection.to) visit(i);
    }
  });
}

function addToParents(values, parent) {
  for (var i = values.length - 1; i > 0; i--) values[parent[i]] += values[i];
}

/* Numbers by stack, by node and by function.  Weights are numbers of samples if the event has no weights. */
function makeSums(profile, shape, event, selection) {
  var isCounted = event.total === 0, sums = { isCounted: isCounted, event: event, nSamples: 0 }, i, fn, node;
  var stackWeight = new Float64Array(profile.nStacks), stackCount = new Float64Array(profile.nStacks);
  sums.selfWeight = new Float64Array(shape.n);
  sums.selfCount = new Float64Array(shape.n);
  eachSelected(event, selection, function (row) {
    var stack = shape.to[event.stack[row]];
    stackCount[stack] += event.count[row];
    stackWeight[stack] += isCounted ? event.count[row] : event.weight[row];
  });
  for (i = 1; i < profile.nStacks; i++) {
    sums.selfWeight[shape.nodeOf[i]] += stackWeight[i];
    sums.selfCount[shape.nodeOf[i]] += stackCount[i];
  }
  sums.stackSelf = stackWeight;
  sums.weight = sums.selfWeight.slice();
  sums.count = sums.selfCount.slice();
  addToParents(sums.weight, shape.parent);
  addToParents(sums.count, shape.parent);
  sums.total = sums.weight[0];
  sums.nSamples = sums.count[0];
  sums.fnSelf = new Float64Array(profile.functions.n);
  sums.fnSelfCount = new Float64Array(profile.functions.n);
  sums.fnTotal = new Float64Array(profile.functions.n);
  sums.fnCount = new Float64Array(profile.functions.n);
  for (node = 1; node < shape.n; node++) {
    fn = shape.fn[node];
    sums.fnSelf[fn] += sums.selfWeight[node];
    sums.fnSelfCount[fn] += sums.selfCount[node];
    if (!shape.outermost[node]) continue;
    sums.fnTotal[fn] += sums.weight[node];
    sums.fnCount[fn] += sums.count[node];
  }
  return sums;
}

/* --- Branches --- */

/* `nodes` with the weight and the number of samples that each contributes. */
function Branch(tree, fn, parent) {
  this.tree = tree;
  this.fn = fn; /* -1: all */
  this.parent = parent;
  this.nodes = [];
  this.weights = [];
  this.counts = [];
  this.weight = 0;
  this.count = 0;
  this.known = null;
}

Branch.prototype.add = function (node, weight, count) {
  this.nodes.push(node);
  this.weights.push(weight);
  this.counts.push(count);
  this.weight += weight;
  this.count += count;
};

/* Sorted by weight, then by name; made at the first call, because most branches are too narrow to be drawn. */
Branch.prototype.children = function () {
  var byFn = new Map(), tree = this.tree, self = this;

  function add(node, weight, count) {
    var fn = tree.shape.fn[node], child = byFn.get(fn);
    if (weight <= 0) return;
    if (!child) byFn.set(fn, child = new Branch(tree, fn, self));
    child.add(node, weight, count);
  }

  if (this.known) return this.known;
  tree.grow(this, add);
  this.known = Array.from(byFn.values()).sort(function (a, b) {
    return b.weight - a.weight || (nameOf(tree.profile, a.fn) < nameOf(tree.profile, b.fn) ? -1 : 1);
  });
  return this.known;
};

function growCallees(branch, add) {
  var tree = branch.tree, links = tree.shape.links, sums = tree.sums;
  branch.nodes.forEach(function (node) {
    for (var child = links.first[node]; child; child = links.next[child]) add(child, sums.weight[child], sums.count[child]);
  });
}

function growCallers(branch, add) {
  var parent = branch.tree.shape.parent;
  branch.nodes.forEach(function (node, i) {
    if (parent[node]) add(parent[node], branch.weights[i], branch.counts[i]);
  });
}

/* From the outermost functions down to their callees. */
function treeOfCallees(profile, shape, sums) {
  var root = new Branch({ profile: profile, shape: shape, sums: sums, grow: growCallees }, -1, null);
  root.add(0, sums.total, sums.nSamples);
  return root;
}

/* From the functions where samples were taken to their callers. */
function treeOfCallers(profile, shape, sums) {
  var tree = { profile: profile, shape: shape, sums: sums, isInverted: true }, root = new Branch(tree, -1, null);
  tree.grow = function (branch, add) {
    if (branch !== root) {
      growCallers(branch, add);
      return;
    }
    for (var node = 1; node < shape.n; node++) add(node, sums.selfWeight[node], sums.selfCount[node]);
  };
  root.add(0, sums.total, sums.nSamples);
  return root;
}

/* Both trees of one function: each sample counts once, at the function's outermost call. */
function treeOfFunction(profile, shape, sums, fn, isInverted) {
  var grow = isInverted ? growCallers : growCallees;
  var branch = new Branch({ profile: profile, shape: shape, sums: sums, grow: grow, isInverted: isInverted }, fn, null);
  for (var node = 1; node < shape.n; node++) {
    if (shape.fn[node] === fn && shape.outermost[node] && sums.weight[node] > 0) branch.add(node, sums.weight[node], sums.count[node]);
  }
  return branch;
}

/* --- Search --- */

/* Which functions match, by name or by module, and the weight of the samples with one of them on the stack. */
function findMatches(profile, shape, sums, matcher) {
  var found = { matcher: matcher, isMatch: new Uint8Array(profile.functions.n), nFunctions: 0, weight: 0, count: 0 }, fn, node;
  var isBelow = new Uint8Array(shape.n);
  for (fn = 0; fn < profile.functions.n; fn++) {
    if (!matcher(nameOf(profile, fn)) && !matcher(moduleOf(profile, fn))) continue;
    found.isMatch[fn] = 1;
    if (sums.fnCount[fn] || sums.fnTotal[fn] > 0) found.nFunctions++;
  }
  for (node = 1; node < shape.n; node++) {
    isBelow[node] = isBelow[shape.parent[node]] | found.isMatch[shape.fn[node]];
    if (!isBelow[node]) continue;
    found.weight += sums.selfWeight[node];
    found.count += sums.selfCount[node];
  }
  return found;
}

/* --- Lines --- */

/* The spots of a profile: lines of files.  `ofFrame` has the spot of each frame; spot 0 is no line. */
function findSpots(profile) {
  var known = new Map(), spots = { ofFrame: new Uint32Array(profile.frames.n), file: [0], line: [0] }, i, file, line, key, spot;
  for (i = 0; i < profile.frames.n; i++) {
    file = profile.frames.file[i];
    line = profile.frames.line[i];
    if (!file || !line) continue;
    key = file * 0x100000000 + line;
    spot = known.get(key);
    if (spot === undefined) {
      known.set(key, spot = spots.file.length);
      spots.file.push(file);
      spots.line.push(line);
    }
    spots.ofFrame[i] = spot;
  }
  spots.n = spots.file.length;
  return spots;
}

/* By spot: the weight of samples in the line, and of those with the line anywhere on the stack. */
function sumLines(profile, shape, sums, spots) {
  var total = sums.stackSelf.slice(), result = { self: new Float64Array(spots.n), total: new Float64Array(spots.n) }, i, spot;

  function spotOf(stack) {
    return spots.ofFrame[profile.frame[stack]];
  }

  if (!shape.outermostLine) {
    shape.outermostLine = findOutermost(shape.stackParent, linkChildren(shape.stackParent, function (stack) {
      return shape.to[stack] === stack;
    }), spotOf, spots.n);
  }
  addToParents(total, shape.stackParent);
  for (i = 1; i < profile.nStacks; i++) {
    spot = spotOf(i);
    if (shape.to[i] !== i || !spot) continue;
    result.self[spot] += sums.stackSelf[i];
    if (shape.outermostLine[i]) result.total[spot] += total[i];
  }
  return result;
}
