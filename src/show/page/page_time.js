/* SPDX-License-Identifier: BSD-3-Clause */
/* The selected time of a page: the line with its two fields, and dragging over a picture of it. */

/* `owner` has runNs, selection (from, to: Infinity for the end), chooseTime(from, to), clear(), isWhole() and note(), what
   else is selected. */
function makeTimeChoice(owner) {
  var from = timeField("From second"), to = timeField("to second"), dragFrom = null;
  var clear = make("button", { type: "button", class: "back", onclick: owner.clear }, "Clear selection");
  var title = make("span", { class: "hint", role: "status" });

  function timeField(text) {
    var id = "time-" + text.split(" ")[0].toLowerCase();
    var input = make("input", { type: "number", id: id, min: "0", step: "any", onchange: takeFields });
    return { label: make("label", { for: id }, text.split(" ")[0]), input: input };
  }

  function takeFields() {
    var start = Number(from.input.value) * 1e9, end = to.input.value === "" ? Infinity : Number(to.input.value) * 1e9;
    if (start > end) end = Infinity;
    owner.chooseTime(start || 0, end >= owner.runNs ? Infinity : end);
  }

  function isAllTime() {
    return owner.selection().from === 0 && owner.selection().to === Infinity;
  }

  /* Dragging over `box` selects a time, a click selects all.  `timeAt` has the time at an x within the box; `onMove` gets
     the time while the pointer is still moved, `onEnd` comes after that. */
  function listenTo(box, timeAt, onMove, onEnd) {
    function xOf(event) {
      return event.clientX - box.getBoundingClientRect().left;
    }

    function tell(event, listener) {
      listener(timeAt(Math.min(dragFrom, xOf(event))), timeAt(Math.max(dragFrom, xOf(event))));
    }

    function isFar(event) {
      return Math.abs(xOf(event) - dragFrom) >= 3;
    }

    function end() {
      if (onEnd) onEnd();
      dragFrom = null;
    }

    box.addEventListener("pointerdown", function (event) {
      dragFrom = xOf(event);
      box.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    box.addEventListener("pointermove", function (event) { if (dragFrom !== null && isFar(event)) tell(event, onMove); });
    box.addEventListener("pointerup", function (event) {
      if (dragFrom === null) return;
      if (isFar(event)) tell(event, owner.chooseTime);
      else if (!isAllTime()) owner.chooseTime(0, Infinity);
      end();
    });
    box.addEventListener("pointercancel", end);
  }

  return {
    element: make("div", { class: "timeline-head" }, make("h2", {}, "Time"), title, make("span", { class: "times" }, from.label, from.input, to.label, to.input, "s"), clear),
    listenTo: listenTo,
    isAllTime: isAllTime,
    update: function () {
      var start = owner.selection().from, end = Math.min(owner.selection().to, owner.runNs);
      from.input.value = (start / 1e9).toFixed(3);
      to.input.value = (end / 1e9).toFixed(3);
      setText(title, (isAllTime() ? "" : seconds(end - start) + " of ") + seconds(owner.runNs) + owner.note() + (isAllTime() ? ": drag to select a time" : ""));
      clear.hidden = owner.isWhole();
    }
  };
}
