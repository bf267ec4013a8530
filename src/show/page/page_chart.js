/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart over time: a line for each place that was counted.  Only charts in sight have a picture. */

var CHART_HEIGHT = 190, CHART_LEFT = 62, CHART_RIGHT = 10, CHART_TOP = 8, CHART_BOTTOM = 22, CHART_MARKS = 4, CHART_DOTS_EVERY = 8;

/* The least of 1, 2, 2.5 and 5 times a power of ten that is not below. */
function roundUp(value) {
  var power = Math.pow(10, Math.floor(Math.log10(value)));
  return power * [1, 2, 2.5, 5, 10].find(function (step) { return step * power >= value * (1 - 1e-9); });
}

function lineColor(number, dark) {
  return "hsl(" + Math.round((212 + number * 137.508) % 360) + "," + (dark ? "62%,66%" : "62%,42%") + ")";
}

/* `app` tells what is shown: range() of time and spans, isShown(chart, line), middle(span), describe(chart, line, span), and
   `time` takes a selection. */
function makeChart(app, chart) {
  var canvas = make("canvas", { "aria-hidden": "true" }), marks = make("canvas", { class: "marks", "aria-hidden": "true" });
  var box = make("div", { class: "chart", tabindex: "0", role: "application", "aria-roledescription": "chart", "aria-label": chart.title + ", " + chart.unit + ", over time" }, canvas, marks);
  var element = make("section", { class: "chart-box", "aria-label": chart.title }, make("h2", {}, chart.title + " ", make("span", { class: "hint" }, chart.unit)), box);
  var width = 0, low = 0, high = 1, at = null, dragged = null;

  function shownLines() {
    return chart.lines.filter(function (line) { return app.isShown(chart, line); });
  }

  /* --- Scales --- */

  function plotWidth() {
    return Math.max(1, width - CHART_LEFT - CHART_RIGHT);
  }

  function xOf(time) {
    var range = app.range();
    return CHART_LEFT + (time - range.from) / (range.to - range.from || 1) * plotWidth();
  }

  function timeAt(x) {
    var range = app.range(), part = (x - CHART_LEFT) / plotWidth();
    return range.from + Math.max(0, Math.min(1, part)) * (range.to - range.from);
  }

  function yOf(value) {
    return CHART_TOP + (CHART_HEIGHT - CHART_TOP - CHART_BOTTOM) * (1 - (value - low) / (high - low));
  }

  function findScale() {
    var range = app.range(), step;
    low = high = 0;
    shownLines().forEach(function (line) {
      for (var i = range.first; i < range.end; i++) {
        if (line.values[i] < low) low = line.values[i];
        if (line.values[i] > high) high = line.values[i];
      }
    });
    step = roundUp((high - low || 1) / CHART_MARKS);
    low = Math.floor(low / step) * step;
    high = Math.max(Math.ceil(high / step) * step, low + step);
    return step;
  }

  /* --- Drawing --- */

  function drawAxes(context, step) {
    var range = app.range(), wide = roundUp((range.to - range.from || 1) / 1e9 / Math.max(2, Math.floor(plotWidth() / 90))), n, value;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (n = 0; low + n * step <= high + step / 2; n++) {
      value = low + n * step;
      context.fillStyle = cssColor("--line");
      context.fillRect(CHART_LEFT, Math.round(yOf(value)), plotWidth(), 1);
      context.fillStyle = cssColor("--quiet");
      context.fillText(shortNumber(value), CHART_LEFT - 6, yOf(value));
    }
    context.textAlign = "center";
    for (n = Math.ceil(range.from / 1e9 / wide); n * wide <= range.to / 1e9 + 1e-9; n++) {
      context.fillText(Number((n * wide).toPrecision(9)) + " s", Math.min(xOf(n * wide * 1e9), width - 14), CHART_HEIGHT - CHART_BOTTOM / 2 + 2);
    }
    context.textAlign = "left";
  }

  /* Of many points in one column of the picture, the first, the least, the most and the last. */
  function drawLine(context, line) {
    var range = app.range(), column = null, isOpen = false;

    function go(x, y) {
      if (isOpen) context.lineTo(x, y);
      else context.moveTo(x, y);
      isOpen = true;
    }

    function finish() {
      if (!column) return;
      [column.first, column.least, column.most, column.last].forEach(function (y, i, all) { if (!i || y !== all[i - 1]) go(column.x, y); });
      column = null;
    }

    context.beginPath();
    for (var i = range.first; i < range.end; i++) {
      var x = xOf(app.middle(i)), y = yOf(line.values[i]);
      if (isNaN(y)) {
        finish();
        isOpen = false;
      } else if (column && Math.floor(x) === Math.floor(column.x)) {
        column.least = Math.min(column.least, y);
        column.most = Math.max(column.most, y);
        column.last = y;
      } else {
        finish();
        column = { x: x, first: y, least: y, most: y, last: y };
      }
    }
    finish();
    context.stroke();
  }

  function drawDot(context, line, i, radius) {
    if (isNaN(line.values[i])) return;
    context.beginPath();
    context.arc(xOf(app.middle(i)), yOf(line.values[i]), radius, 0, 2 * Math.PI);
    context.fill();
  }

  function drawLines(context) {
    var range = app.range(), hasDots = (range.end - range.first) * CHART_DOTS_EVERY < plotWidth();
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    shownLines().forEach(function (line) {
      context.strokeStyle = context.fillStyle = lineColor(line.number, isDark());
      drawLine(context, line);
      for (var i = range.first; hasDots && i < range.end; i++) drawDot(context, line, i, 2.5);
    });
  }

  /* The point that is described, and the time that is being selected; on a canvas of their own, because there may be many lines. */
  function drawMarks() {
    var context = fitCanvas(marks, width, CHART_HEIGHT);
    if (dragged) {
      context.fillStyle = cssColor("--shade");
      context.fillRect(xOf(dragged.from), CHART_TOP, xOf(dragged.to) - xOf(dragged.from), CHART_HEIGHT - CHART_TOP - CHART_BOTTOM);
    }
    if (!at || !app.isShown(chart, at.line) || at.span < app.range().first || at.span >= app.range().end) return;
    context.fillStyle = cssColor("--quiet");
    context.fillRect(xOf(app.middle(at.span)), CHART_TOP, 1, CHART_HEIGHT - CHART_TOP - CHART_BOTTOM);
    context.fillStyle = lineColor(at.line.number, isDark());
    drawDot(context, at.line, at.span, 4.5);
  }

  function isInSight() {
    var area = box.getBoundingClientRect();
    return area.width > 0 && area.bottom > 0 && area.top < window.innerHeight;
  }

  function draw() {
    var context, step;
    width = box.clientWidth;
    element.hidden = shownLines().length === 0;
    if (element.hidden || !isInSight()) {
      canvas.width = canvas.height = marks.width = marks.height = 1;
      return;
    }
    context = fitCanvas(canvas, width, CHART_HEIGHT);
    context.font = "12px " + getComputedStyle(document.body).fontFamily;
    step = findScale();
    drawAxes(context, step);
    drawLines(context);
    drawMarks();
  }

  /* --- Choosing --- */

  function show(line, span) {
    at = { line: line, span: span };
    app.describe(chart, line, span);
    drawMarks();
  }

  /* The line that is nearest to the pointer at the nearest span. */
  function hover(event) {
    var area = box.getBoundingClientRect(), time = timeAt(event.clientX - area.left), range = app.range(), span = app.spanAt(time), y = event.clientY - area.top, best = null;
    if (span < range.first || span >= range.end) return;
    shownLines().forEach(function (line) {
      var distance = isNaN(line.values[span]) ? Infinity : Math.abs(yOf(line.values[span]) - y);
      if (best === null || distance < best.distance) best = { line: line, distance: distance };
    });
    if (best && (!at || at.line !== best.line || at.span !== span)) show(best.line, span);
  }

  /* Left and right go to other spans, up and down to other lines. */
  function move(key) {
    var range = app.range(), lines = shownLines(), n = Math.max(0, lines.indexOf(at && at.line)), span = at ? at.span : range.first - 1;
    if (!lines.length || range.end <= range.first) return false;
    if (key === "ArrowLeft") span--;
    else if (key === "ArrowRight") span++;
    else if (key === "Home") span = range.first;
    else if (key === "End") span = range.end - 1;
    else if (key === "ArrowUp") n += lines.length - 1;
    else if (key === "ArrowDown") n++;
    else if (key === "Escape") app.chooseTime(0, Infinity);
    else return false;
    show(lines[n % lines.length], Math.max(range.first, Math.min(range.end - 1, span)));
    return true;
  }

  box.addEventListener("mousemove", function (event) { if (!dragged) hover(event); });
  box.addEventListener("mouseleave", function () {
    at = null;
    app.describe(null);
    drawMarks();
  });
  box.addEventListener("keydown", function (event) {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && move(event.key)) event.preventDefault();
  });
  app.time.listenTo(box, timeAt, function (from, to) {
    dragged = { from: from, to: to };
    drawMarks();
  }, function () {
    dragged = null;
    drawMarks();
  });

  return { element: element, draw: draw, focus: function () { box.focus(); } };
}
