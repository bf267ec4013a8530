/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages of all kinds have around their views: colours, search, keys, what was measured, and the start. */

/* The button that changes between dark and light.  `redraw` draws again what has colours of its own. */
function makeThemeButton(redraw) {
  var isChosen = false;

  function set(theme) {
    document.documentElement.setAttribute("data-theme", theme);
    redraw();
  }

  SYSTEM_DARK.addListener(function () { if (!isChosen) set(systemTheme()); });
  return make("button", { type: "button", class: "theme", title: "Dark or light colours", "aria-label": "Switch between dark and light colours", onclick: function () {
    isChosen = true;
    set(isDark() ? "light" : "dark");
  } }, "◐");
}

/* A test for names, or null if there is nothing to search for; throws if `text` is no regular expression. */
function makeMatcher(text, isRegular) {
  var pattern, low;
  if (!text) return null;
  if (isRegular) {
    pattern = new RegExp(text, "i");
    return function (name) { return pattern.test(name); };
  }
  low = text.toLowerCase();
  return function (name) { return name.toLowerCase().indexOf(low) >= 0; };
}

/* The field for a text or, with the button, for a regular expression.  `find` gets the matcher, or null, and returns what was
   found as a text; `onSearch` is called after what was searched for has changed. */
function makeSearch(noun, find, onSearch) {
  var field = make("input", { type: "search", id: "search", placeholder: "Search (/)", title: "Search " + noun, "aria-label": "Search " + noun, spellcheck: "false", autocomplete: "off", oninput: search });
  var found = make("span", { class: "found", role: "status" });
  var regular = make("button", { type: "button", class: "regular", "aria-pressed": "false", title: "Search by a regular expression", "aria-label": "Regular expression",
                                 onclick: function () {
                                   regular.setAttribute("aria-pressed", String(!isRegular()));
                                   search();
                                 } }, ".*");

  function isRegular() {
    return regular.getAttribute("aria-pressed") === "true";
  }

  function run() {
    var matcher = null, error = "";
    try {
      matcher = makeMatcher(field.value.trim(), isRegular());
    } catch (exception) {
      error = "not a regular expression";
    }
    field.setCustomValidity(error);
    setText(found, find(matcher) || error);
    found.classList.toggle("bad", error !== "");
  }

  function search() {
    run();
    onSearch();
  }

  return {
    element: make("span", { class: "search" }, field, regular, found),
    run: run,
    focus: function () { field.focus(); },
    clearAt: function (target) {
      if (target !== field) return;
      field.value = "";
      search();
    }
  };
}

/* `/`, Esc, the numbers of the views, and by `onKey` what else a page understands. */
function listenToKeys(search, tabs, views, onKey) {
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") search.clearAt(event.target);
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") search.focus();
    else if (views[event.key - 1]) tabs.show(views[event.key - 1].name);
    else if (!onKey(event.key)) return;
    event.preventDefault();
  });
}

function factOf(facts, label) {
  return facts.filter(function (entry) { return entry.label === label; }).map(function (entry) { return entry.text; }).join("; ");
}

/* `keys` has the name of each key, or keys, and what it does on this page. */
function makeAbout(facts, keys) {
  var list = make("dl", { class: "about" }), keyList = make("dl", { class: "about" });
  facts.forEach(function (fact, i) {
    if (!i || facts[i - 1].label !== fact.label) list.append(make("dt", {}, fact.label));
    list.append(make("dd", {}, fact.text));
  });
  [["/", "search"], ["1 2 3 …", "the views from left to right"]].concat(keys).forEach(function (key) { keyList.append(make("dt", {}, key[0]), make("dd", {}, key[1])); });
  return make("div", { class: "about-page", tabindex: "0", role: "region", "aria-label": "About" }, make("h2", {}, "What was measured"), list, make("h2", {}, "Keys"), keyList);
}

/* Reads the data of the page by `read` and shows what `makeApp` makes of it. */
function startPage(read, makeApp) {
  var place = document.getElementById("page"), data = document.getElementById("data"), bytes, reader, app;
  document.documentElement.setAttribute("data-theme", systemTheme());
  try {
    bytes = base64Bytes(data.textContent);
    reader = new Reader(data.getAttribute("data-packing") === "gzip" ? gunzip(bytes) : bytes);
    if (reader.number() !== 3) throw new Error("the data of this page is of another version");
    app = makeApp(read(reader, reader.texts()));
    empty(place).append.apply(place, app.element);
    app.start();
    window.wperf = app; /* for the browser's console */
    document.documentElement.setAttribute("data-ready", String(Math.round(performance.now())));
  } catch (error) {
    empty(place).append(make("p", { class: "wait" }, "This page cannot show its data: " + error.message));
    throw error;
  }
}
