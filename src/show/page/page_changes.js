/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison: the verdicts on its rows, and the colours of what has more and less in B. */

/* For each node of the tree its share in B less that in A, and the largest of these differences. */
function makeDifference(profile, shape) {
  var all = { threads: null, from: 0, to: Infinity };
  var b = makeSums(profile, shape, profile.events[0], all), a = makeSums(profile, shape, profile.events[1], all);
  var most = 0, node;
  for (node = 1; node < shape.n; node++) most = Math.max(most, Math.abs(b.weight[node] - a.weight[node]));
  return { a: a, b: b, most: most };
}

/* What A and B have in a branch: by its nodes where these are callees, by its function elsewhere. */
function compareBranch(difference, branch) {
  var sums = { a: 0, b: 0 };
  if (!branch.nodes || branch.tree.isInverted) {
    if (branch.fn < 0) return { a: difference.a.total, b: difference.b.total };
    return { a: difference.a.fnTotal[branch.fn], b: difference.b.fnTotal[branch.fn] };
  }
  branch.nodes.forEach(function (node) {
    sums.a += difference.a.weight[node];
    sums.b += difference.b.weight[node];
  });
  return sums;
}

/* Red for more and blue for less, which most colour-blind people tell apart. */
function differenceFill(difference, branch, dark) {
  var sums = compareBranch(difference, branch), part = difference.most ? (sums.b - sums.a) / difference.most : 0, heat = Math.min(1, Math.abs(part));
  if (branch.fn < 0 || heat < 0.02) return dark ? "hsl(220,6%,30%)" : "hsl(220,8%,88%)";
  return "hsl(" + (part > 0 ? 4 : 214) + "," + Math.round(40 + 35 * heat) + "%," + Math.round(dark ? 26 + 16 * heat : 88 - 24 * heat) + "%)";
}

function changeText(sums) {
  return sums.a > 0 ? (sums.b / sums.a * 100 - 100 >= 0 ? "+" : "") + (sums.b / sums.a * 100 - 100).toFixed(1) + " %" : "only in B";
}

function makeChanges(app) {
  var element = make("div", { class: "changes-page", tabindex: "0", role: "region", "aria-label": "Verdicts on the rows of the comparison" });

  /* Whole runs have no function to show. */
  function nameCell(row) {
    var fn = app.findFunction(row.name, row.module), sides = app.sidesOf(row.name, row.module), cell = make("td", { class: "name" });
    cell.append(fn === undefined ? row.name : make("button", { type: "button", title: row.name, onclick: function () { app.showFunction(fn); } }, row.name));
    if (sides) cell.append(make("button", { type: "button", class: "to-code", "aria-label": "Code of " + row.name, title: "Code of A and of B", onclick: function () { app.showSides(sides); } }, "code"));
    return cell;
  }

  function rowOf(row) {
    return make("tr", { class: ["", "more-in-b", "less-in-b"][row.direction] }, make("td", { class: "verdict" }, row.verdict), make("td", { class: "number" }, row.a), make("td", { class: "number" }, row.b),
                make("td", { class: "number" }, row.change), make("td", { class: "number" }, row.interval),
                nameCell(row), make("td", { class: "module" }, row.module));
  }

  function tableOf(part) {
    var body = make("tbody", {});
    part.rows.forEach(function (row) { body.append(rowOf(row)); });
    return make("table", { class: "changes" }, make("caption", {}, part.title + ": " + part.rows.length), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Verdict"),
                make("th", { scope: "col", class: "number" }, "A"), make("th", { scope: "col", class: "number" }, "B"), make("th", { scope: "col", class: "number" }, "Change"),
                make("th", { scope: "col", class: "number", title: "95 % confidence interval of the change" }, "95 % interval"), make("th", { scope: "col" }, "Name"), make("th", { scope: "col" }, "Module"))), body);
  }

  app.profile.changes.forEach(function (comparison) {
    element.append(make("h2", {}, comparison.event), make("p", { class: "hint" }, plural(comparison.nA, "run") + " of A, " + plural(comparison.nB, "run") + " of B; amounts are those of a run"));
    comparison.parts.forEach(function (part) { if (part.rows.length) element.append(tableOf(part)); });
  });
  return { element: element };
}
