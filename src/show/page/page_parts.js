/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements, texts and colours.  Texts of the profile become text nodes only, never HTML. */

/* make("button", {class: "x", onclick: f}, "text", child, ...).  A value of false or null leaves an attribute out. */
function make(tag, attributes) {
  var element = document.createElement(tag), i;
  Object.keys(attributes || {}).forEach(function (name) {
    var value = attributes[name];
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  });
  for (i = 2; i < arguments.length; i++) {
    if (arguments[i] !== null && arguments[i] !== undefined) element.append(arguments[i]);
  }
  return element;
}

function empty(element) {
  while (element.firstChild) element.removeChild(element.firstChild);
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/* --- Texts --- */

function thousands(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function plural(n, noun) {
  return thousands(n) + " " + noun + (Math.round(n) === 1 ? "" : "s");
}

function percent(part, whole) {
  return (whole > 0 ? part / whole * 100 : 0).toFixed(2) + " %";
}

function seconds(ns) {
  var s = ns / 1e9;
  return s >= 10 ? s.toFixed(1) + " s" : s >= 1 ? s.toFixed(2) + " s" : s >= 0.001 ? (s * 1e3).toFixed(s >= 0.1 ? 0 : 1) + " ms" :
    Math.round(s * 1e6) + " µs";
}

/* A number in at most three digits: 1.23 M. */
function shortNumber(n) {
  var size = Math.abs(n), scale = [[1e12, 1e12, " T"], [1e9, 1e9, " G"], [1e6, 1e6, " M"], [1e4, 1e3, " k"]].find(function (entry) { return size >= entry[0]; });
  if (scale) return Number((n / scale[1]).toPrecision(3)) + scale[2];
  return size >= 1000 ? thousands(n) : String(Number(n.toPrecision(3)));
}

/* A weight in words: seconds of a clock, or a number of events. */
function amount(event, weight) {
  if (event.total === 0) return "";
  return event.isTime ? seconds(weight) : weight < 1e4 ? thousands(weight) : shortNumber(weight);
}

function threadTitle(thread) {
  return thread.name + " " + (thread.tid >= 0 ? thread.tid : "");
}

function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

/* --- Colours --- */

var KIND_CLASSES = ["native", "kernel", "python", "unknown", "unknown", "unknown", "waiting"];
var LEGEND = [["python", "Python"], ["native", "native"], ["inlined", "inlined"], ["kernel", "kernel"], ["waiting", "waiting"], ["unknown", "without a name"]];
/* Hue, saturation and lightness in light and in dark colours; the lightness of a function varies by its name. */
var COLORS = {
  python: [44, 68, 70, 38], native: [21, 66, 72, 40], inlined: [96, 34, 68, 34], kernel: [212, 52, 74, 42], unknown: [220, 8, 78, 36], waiting: [270, 28, 74, 40],
  all: [220, 14, 84, 30]
};

var SYSTEM_DARK = window.matchMedia("(prefers-color-scheme: dark)");

function systemTheme() {
  return SYSTEM_DARK.matches ? "dark" : "light";
}

function isDark() {
  return document.documentElement.getAttribute("data-theme") === "dark";
}

function colorClass(profile, fn) {
  var kind;
  if (fn < 0) return "all";
  kind = profile.functions.kind[fn];
  return kind & KIND_INLINED ? "inlined" : KIND_CLASSES[kind & KIND_MASK];
}

function hashOf(text) {
  var hash = 0;
  for (var i = 0; i < text.length; i++) hash = Math.imul(hash, 31) + text.charCodeAt(i) | 0;
  return (hash ^ hash >>> 15) >>> 0;
}

/* The shade depends only on the name, so that a function has one colour everywhere. */
function fillOf(profile, fn, dark) {
  var color = COLORS[colorClass(profile, fn)], shade = fn < 0 ? 0 : hashOf(nameOf(profile, fn)) % 8 - 4;
  return "hsl(" + (color[0] + shade) + "," + color[1] + "%," + (color[dark ? 3 : 2] + shade * 1.5) + "%)";
}

/* A background by heat, from 0 to 1, on dark and light. */
function heatColor(heat) {
  return "hsla(12,85%,55%," + (0.08 + 0.55 * heat).toFixed(3) + ")";
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* Makes a canvas as large as its box, sharp on any screen; returns its context, in CSS pixels. */
function fitCanvas(canvas, width, height) {
  var ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/* --- Small controls --- */

/* The arrow keys move between the rows of a table that have a button. */
function addRowKeys(table) {
  table.addEventListener("keydown", function (event) {
    var step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    var row = document.activeElement && document.activeElement.closest("tbody tr"), other = step && row && row[step], button = other && other.querySelector("button");
    if (!button) return;
    event.preventDefault();
    button.focus();
  });
}

/* The head of a column by which a table is sorted after a click; `show` says whether and how it is. */
function makeSortHead(text, title, isNumber, onSort) {
  var arrow = make("span", { class: "arrow", "aria-hidden": "true" });
  var element = make("th", { scope: "col", class: isNumber ? "number" : "", "aria-sort": "none" }, make("button", { type: "button", title: "Sort by: " + title, onclick: onSort }, text, arrow));
  return {
    element: element,
    show: function (isSorted, isDescending) {
      element.setAttribute("aria-sort", !isSorted ? "none" : isDescending ? "descending" : "ascending");
      setText(arrow, !isSorted ? "" : isDescending ? " ▾" : " ▴");
    }
  };
}

/* A group of buttons of which one is pressed. */
function makeChoice(label, options, onChoose) {
  var buttons = options.map(function (option) {
    return make("button", { type: "button", title: option.title, "aria-pressed": "false", onclick: function () { onChoose(option.value); } }, option.text);
  });
  var group = make.apply(null, ["div", { class: "choice", role: "group", "aria-label": label }].concat(buttons));
  return {
    element: group,
    show: function (value) {
      options.forEach(function (option, i) { buttons[i].setAttribute("aria-pressed", String(option.value === value)); });
    }
  };
}

/* Tabs by the pattern of ARIA: arrow keys move between them. */
function makeTabs(label, tabs, onChoose) {
  var buttons, list, panels;

  function choose(index, focuses) {
    buttons.forEach(function (button, i) {
      button.setAttribute("aria-selected", String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      panels[i].hidden = i !== index;
    });
    if (focuses) buttons[index].focus();
    onChoose(tabs[index].name);
  }

  buttons = tabs.map(function (tab, i) {
    return make("button", { type: "button", role: "tab", id: "tab-" + tab.name, "aria-controls": "panel-" + tab.name, "aria-selected": "false",
                            onclick: function () { choose(i, false); } }, tab.text);
  });
  panels = tabs.map(function (tab) {
    return make("section", { role: "tabpanel", id: "panel-" + tab.name, "aria-labelledby": "tab-" + tab.name, class: "panel", hidden: true }, tab.element);
  });
  list = make.apply(null, ["div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: function (event) {
    var at = buttons.indexOf(document.activeElement), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    choose((at + step + buttons.length) % buttons.length, true);
  } }].concat(buttons));
  return {
    list: list, panels: panels,
    show: function (name) { choose(tabs.findIndex(function (tab) { return tab.name === name; }), false); }
  };
}
