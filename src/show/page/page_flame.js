/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture of a branch and the branches below it: each as wide as its share.  Only what can be seen is laid out. */

var FLAME_ROW = 19, FLAME_NARROWEST = 0.6, FLAME_MAX_BOXES = 60000;

/* `app` tells about functions: select(fn), describe(branch), isMatch(fn), isSelected(fn). */
function makeFlame(app, label, isUpwards) {
  var canvas = make("canvas", { "aria-hidden": "true" });
  var spacer = make("div", { class: "flame-spacer" });
  var scroller = make("div", { class: "flame", tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-label": label },
                      canvas, spacer);
  var back = make("button", { type: "button", class: "back", onclick: function () { zoom(root); scroller.focus(); } }, "Reset zoom");
  var hint = make("span", { class: "hint" });
  var element = make("div", { class: "flame-box" }, make("div", { class: "flame-head" }, make("h2", {}, label), hint, back), scroller);
  var root = null, zoomed = null, rows = [], focused = null, hovered = null, width = 0, height = 0, isPlanned = false;

  /* --- Layout --- */

  function addBox(branch, x, boxWidth, depth) {
    var box = { branch: branch, x: x, width: boxWidth, depth: depth };
    (rows[depth] = rows[depth] || []).push(box);
    return box;
  }

  /* The zoomed branch and those above it are as wide as the picture. */
  function layOut() {
    var above = [], branch, waiting, box, n = 0, i, x, children, childWidth;
    rows = [];
    width = scroller.clientWidth;
    if (!root || width < 1) return;
    for (branch = zoomed; branch; branch = branch === root ? null : branch.parent) above.unshift(branch);
    for (i = 0; i < above.length; i++) waiting = [addBox(above[i], 0, width, i)];
    while (waiting.length && n++ < FLAME_MAX_BOXES) {
      box = waiting.pop();
      x = box.x;
      children = box.branch.children();
      for (i = 0; i < children.length; i++) {
        childWidth = box.branch.weight > 0 ? children[i].weight / box.branch.weight * box.width : 0;
        if (childWidth < FLAME_NARROWEST) break; /* the others are narrower still */
        waiting.push(addBox(children[i], x, childWidth, box.depth + 1));
        x += childWidth;
      }
    }
    rows.forEach(function (row) { row.sort(function (a, b) { return a.x - b.x; }); });
    spacer.style.height = rows.length * FLAME_ROW + 2 + "px";
  }

  function yOf(depth) {
    return (isUpwards ? rows.length - 1 - depth : depth) * FLAME_ROW;
  }

  function boxOf(branch) {
    for (var depth = 0; branch && depth < rows.length; depth++) {
      for (var i = 0; i < rows[depth].length; i++) if (rows[depth][i].branch === branch) return rows[depth][i];
    }
    return null;
  }

  /* --- Drawing --- */

  /* As much of the name as fits. */
  function label_(context, name, room) {
    var letter = context.measureText("m").width, n = Math.floor(room / letter);
    if (name.length <= n) return name;
    return n > 3 ? name.slice(0, n - 1) + "…" : "";
  }

  function drawBox(context, box, y, colors) {
    var isAbove = box.branch !== zoomed && box.depth < boxOfZoomed.depth, fn = box.branch.fn, isLit = app.isMatch(fn), text;
    context.globalAlpha = isAbove || app.isSearching() && !isLit ? 0.45 : 1;
    context.fillStyle = isLit ? colors.match : app.fillOfBranch(box.branch, colors.dark);
    context.fillRect(box.x, y, Math.max(box.width - 0.6, 0.5), FLAME_ROW - 1);
    context.globalAlpha = 1;
    if (box.width > 24) {
      context.fillStyle = isLit ? colors.matchText : colors.text;
      text = label_(context, fn < 0 ? app.titleOfAll() : nameOf(app.profile, fn), box.width - 8);
      if (text) context.fillText(text, box.x + 4, y + FLAME_ROW / 2);
    }
    if (box.branch === focused || box.branch === hovered || (app.isSelected(fn) && box.width > 6)) {
      context.strokeStyle = box.branch === focused && document.activeElement === scroller ? colors.focus : colors.text;
      context.lineWidth = box.branch === focused ? 2 : 1;
      context.strokeRect(box.x + 0.5, y + 0.5, Math.max(box.width - 1.6, 0.5), FLAME_ROW - 2);
    }
  }

  var boxOfZoomed = { depth: 0 };

  function draw() {
    var top = scroller.scrollTop, context, depth, y, colors;
    isPlanned = false;
    height = scroller.clientHeight;
    if (!root || width < 1 || height < 1) return;
    context = fitCanvas(canvas, width, height);
    context.font = "12px " + cssColor("--mono");
    context.textBaseline = "middle";
    colors = { dark: isDark(), text: cssColor("--frame-text"), match: cssColor("--match"), matchText: cssColor("--match-text"), focus: cssColor("--focus") };
    boxOfZoomed = boxOf(zoomed) || { depth: 0 };
    for (depth = 0; depth < rows.length; depth++) {
      y = yOf(depth) - top;
      if (y < -FLAME_ROW || y > height) continue;
      for (var i = 0; i < rows[depth].length; i++) drawBox(context, rows[depth][i], y, colors);
    }
    back.hidden = zoomed === root;
  }

  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    window.requestAnimationFrame(draw);
  }

  function refresh() {
    layOut();
    plan();
  }

  /* --- Choosing --- */

  function zoom(branch) {
    zoomed = branch;
    focused = branch;
    refresh();
    reveal(boxOf(branch));
    app.describe(branch, root);
  }

  function reveal(box) {
    var y;
    if (!box) return;
    y = yOf(box.depth);
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    else if (y + FLAME_ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + FLAME_ROW - scroller.clientHeight;
  }

  function hit(event) {
    var area = scroller.getBoundingClientRect(), x = event.clientX - area.left - scroller.clientLeft, row, depth;
    depth = Math.floor((event.clientY - area.top - scroller.clientTop + scroller.scrollTop) / FLAME_ROW);
    row = rows[isUpwards ? rows.length - 1 - depth : depth] || [];
    for (var i = 0; i < row.length; i++) if (x >= row[i].x && x < row[i].x + row[i].width) return row[i].branch;
    return null;
  }

  function focus(box) {
    if (!box) return;
    focused = box.branch;
    reveal(box);
    app.describe(focused, root);
    plan();
  }

  function sideways(box, step) {
    var row = rows[box.depth];
    return row[row.indexOf(box) + step];
  }

  function childOf(box) {
    return (rows[box.depth + 1] || []).find(function (other) { return other.branch.parent === box.branch; });
  }

  function move(key) {
    var box = boxOf(focused) || boxOf(zoomed), outwards = isUpwards ? "ArrowDown" : "ArrowUp";
    if (!box) return false;
    if (key === "ArrowLeft" || key === "ArrowRight") focus(sideways(box, key === "ArrowLeft" ? -1 : 1));
    else if (key === "ArrowUp" || key === "ArrowDown") focus(key === outwards ? box.branch !== root && boxOf(box.branch.parent) : childOf(box));
    else if (key === "Home") focus(boxOf(zoomed));
    else if (key === "Enter" || key === " ") choose(box.branch);
    else if (key === "Escape" && zoomed !== root) zoom(root);
    else return false;
    return true;
  }

  function choose(branch) {
    zoom(branch);
    if (branch.fn >= 0) app.select(branch.fn);
  }

  scroller.addEventListener("scroll", plan);
  scroller.addEventListener("mousemove", function (event) {
    var branch = hit(event);
    if (branch === hovered) return;
    hovered = branch;
    scroller.style.cursor = branch ? "pointer" : "";
    app.describe(branch || focused || zoomed, root);
    plan();
  });
  scroller.addEventListener("mouseleave", function () {
    hovered = null;
    app.describe(focused || zoomed, root);
    plan();
  });
  scroller.addEventListener("click", function (event) {
    var branch = hit(event);
    if (branch) choose(branch);
  });
  scroller.addEventListener("keydown", function (event) {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && move(event.key)) event.preventDefault();
  });
  scroller.addEventListener("focus", function () {
    app.describe(focused || zoomed, root);
    plan();
  });
  scroller.addEventListener("blur", plan);
  if (window.ResizeObserver) new ResizeObserver(function () { if (scroller.clientWidth !== width || scroller.clientHeight !== height) refresh(); }).observe(scroller);
  else window.addEventListener("resize", refresh);

  return {
    element: element,
    redraw: plan,
    refresh: refresh,
    boxes: function () { return [].concat.apply([], rows); },
    yOf: yOf,
    /* Shows another branch, if possible zoomed to the same path of functions. */
    show: function (branch, note) {
      var path = [], at;
      for (at = zoomed; at && at !== root; at = at.parent) path.unshift(at.fn);
      root = zoomed = branch;
      path.every(function (fn) {
        var child = zoomed.children().find(function (other) { return other.fn === fn; });
        zoomed = child || zoomed;
        return child;
      });
      focused = zoomed;
      hovered = null;
      setText(hint, note || "");
      refresh();
      scroller.scrollTop = isUpwards ? rows.length * FLAME_ROW : Math.min(scroller.scrollTop, rows.length * FLAME_ROW);
    }
  };
}
