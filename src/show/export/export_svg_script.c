/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviour of the picture in a browser: it fills the window's width, describes the frame under the
 * pointer, zooms and searches. The script reads everything from the picture, so names are never part of the
 * script: the first line of a frame's title is its name, its rectangle is its position.  If the SVG file is
 * opened itself, the root element fills the page; embedded in another page it keeps its size. */
#include "export_svg_script.h"

#include <stddef.h>

const char *const export_svg_script[] = {
        "<script><![CDATA[\n"
        "(function () {\n"
        "\"use strict\";\n"
        "var svg = document.currentScript.ownerSVGElement, svgNames = svg.namespaceURI;\n"
        "var xhtml = 'http://www.w3.org/1999/xhtml';\n"
        "var isPage = document.documentElement === svg, isUpwards = svg.getAttribute('class') === 'up';\n"
        "var margin = 10, drawn = 1180, row = 17, labelMargin = 3, top = 66;\n"
        "var width = 1200, character = 7.23, zoomed, hovered, status, head, field, info, reset;\n"
        "var graph = svg.querySelector('.f');\n"
        "var frames = Array.prototype.map.call(graph.querySelectorAll('g'), function (g) {\n"
        "  var rect = g.querySelector('rect'), lines = g.querySelector('title').textContent.split('\\n');\n"
        "  return {\n"
        "    g: g, rect: rect, text: g.querySelector('text'), name: lines[0], facts: lines[1],\n"
        "    x: (parseFloat(rect.getAttribute('x')) - margin) / drawn, w: parseFloat(rect.getAttribute('width')) / drawn,\n"
        "    y: parseFloat(rect.getAttribute('y'))\n"
        "  };\n"
        "});\n"
        "var root = frames[0], nRows = 1;\n"

        "frames.forEach(function (f) {\n"
        "  f.row = Math.round(Math.abs(f.y - root.y) / row);\n"
        "  nRows = Math.max(nRows, f.row + 1);\n"
        "});\n",

        /* --- Elements --- */

        "function element(name, parent, className, text) {\n"
        "  var made = parent.appendChild(document.createElementNS(xhtml, name));\n"
        "  if (className) made.setAttribute('class', className);\n"
        "  if (text) made.textContent = text;\n"
        "  return made;\n"
        "}\n"

        "function panel(className) {\n"
        "  var box = svg.appendChild(document.createElementNS(svgNames, 'foreignObject'));\n"
        "  box.setAttribute('height', 1);\n"
        "  box.setAttribute('class', className + '-box');\n"
        "  return {box: box, body: element('div', box, className)};\n"
        "}\n"

        "function textOf(selector) {\n"
        "  var found = svg.querySelector(selector);\n"
        "  return found ? found.textContent : '';\n"
        "}\n"

        /* Draws the head for any width. */
        "function makeHead() {\n"
        "  var words, bar, legend;\n"
        "  head = panel('head');\n"
        "  words = element('div', head.body, 'words');\n"
        "  element('div', words, 'line t', textOf('svg > title'));\n"
        "  element('div', words, 'line', textOf('svg > desc')).title = textOf('svg > desc');\n"
        "  legend = element('div', words);\n"
        "  Array.prototype.forEach.call(svg.querySelectorAll('.l rect'), function (rect) {\n"
        "    var kind = element('span', legend, 'kind');\n"
        "    element('span', kind, 'key').style.background = getComputedStyle(rect).fill;\n"
        "    element('span', kind, '', rect.nextElementSibling.textContent);\n"
        "  });\n"
        "  bar = element('div', head.body, 'bar');\n"
        "  field = element('input', bar);\n"
        "  field.setAttribute('type', 'search');\n"
        "  field.setAttribute('placeholder', 'search: name or pattern (key /)');\n"
        "  info = element('output', bar);\n"
        "  reset = element('button', bar, '', 'reset (Esc)');\n"
        "}\n",

        /* --- Layout --- */

        /* Measures the width of the browser's font; a font that is not monospaced counts by its widest
         * letter. */
        "function measure() {\n"
        "  var probe = graph.appendChild(document.createElementNS(svgNames, 'text'));\n"
        "  character = ['M', 'W', 'm', '@'].reduce(function (widest, letter) {\n"
        "    probe.textContent = letter.repeat(50);\n"
        "    return Math.max(widest, probe.getComputedTextLength() / 50);\n"
        "  }, 1);\n"
        "  graph.removeChild(probe);\n"
        "}\n"

        "function cut(name, w) {\n"
        "  var room = Math.floor((w - 2 * labelMargin) / character), used = 0, kept = '', all = Array.from(name);\n"
        "  for (var i = 0; i < all.length; i++) {\n"
        "    used += all[i].codePointAt(0) < 0x800 ? 1 : 2;\n"
        "    if (used > room) return kept ? kept + '..' : '';\n"
        "    if (used + 2 <= room) kept += all[i];\n"
        "  }\n"
        "  return name;\n"
        "}\n"

        "function place(f, x, w) {\n"
        "  var label = w < 3 * character ? '' : cut(f.name, w);\n"
        "  f.rect.setAttribute('x', (margin + x).toFixed(2));\n"
        "  f.rect.setAttribute('width', w.toFixed(2));\n"
        "  if (!f.text && label) {\n"
        "    f.text = f.g.appendChild(document.createElementNS(svgNames, 'text'));\n"
        "    f.text.setAttribute('y', f.y + 12);\n"
        "  }\n"
        "  if (f.text) {\n"
        "    f.text.setAttribute('x', (margin + x + labelMargin).toFixed(2));\n"
        "    f.text.textContent = label;\n"
        "  }\n"
        "}\n"

        "function placeFrames() {\n"
        "  var room = Math.max(width - 2 * margin, 1), near = 1e-6;\n"
        "  frames.forEach(function (f) {\n"
        "    var isInside = f.x >= zoomed.x - near && f.x + f.w <= zoomed.x + zoomed.w + near;\n"
        "    var isOver = f.row < zoomed.row && f.x <= zoomed.x + near && f.x + f.w >= zoomed.x + zoomed.w - near;\n"
        "    f.g.style.display = isOver || isInside ? '' : 'none';\n"
        "    f.g.classList.toggle('o', isOver);\n"
        "    if (isOver) place(f, 0, room);\n"
        "    else if (isInside) place(f, (f.x - zoomed.x) / zoomed.w * room, f.w / zoomed.w * room);\n"
        "  });\n"
        "}\n"

        "function setBox(box, y, height) {\n"
        "  box.setAttribute('y', y);\n"
        "  box.setAttribute('width', width);\n"
        "  box.setAttribute('height', height);\n"
        "}\n"

        /* Keeps the head and the status line visible. */
        "function follow() {\n"
        "  var height = isPage ? window.innerHeight : parseFloat(svg.getAttribute('height'));\n"
        "  var own = status.body.offsetHeight;\n"
        "  setBox(head.box, isPage ? window.scrollY : 0, head.body.offsetHeight);\n"
        "  setBox(status.box, (isPage ? window.scrollY : 0) + height - own, own);\n"
        "}\n"

        /* If the picture is shorter than the window, it is made as high as the window; with the root at the
         * bottom, the root is moved to the bottom of the window. */
        "function layout() {\n"
        "  var own, room, height;\n"
        "  if (isPage) width = svg.getBoundingClientRect().width;\n"
        "  measure();\n"
        "  head.body.style.width = note.body.style.width = status.body.style.width = width + 'px';\n"
        "  own = head.body.offsetHeight + nRows * row + note.body.offsetHeight + status.body.offsetHeight + 6;\n"
        "  height = isPage ? Math.max(own, window.innerHeight) : own;\n"
        "  room = isUpwards ? height - own : 0;\n"
        "  svg.setAttribute('height', height);\n"
        "  if (!isPage) svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);\n"
        "  backdrop.setAttribute('width', width);\n"
        "  backdrop.setAttribute('height', height);\n"
        "  graph.setAttribute('transform', 'translate(0,' + (head.body.offsetHeight + 3 + room - top) + ')');\n"
        "  setBox(note.box, head.body.offsetHeight + 6 + room + nRows * row, note.body.offsetHeight);\n"
        "  placeFrames();\n"
        "  follow();\n"
        "}\n",

        /* --- Zoom, status and search --- */

        "function showStatus() {\n"
        "  var f = hovered || zoomed;\n"
        "  status.name.textContent = f.name;\n"
        "  status.facts.textContent = f.facts;\n"
        "  follow();\n"
        "}\n"

        "function zoom(to) {\n"
        "  zoomed = to;\n"
        "  reset.disabled = zoomed === root && !field.value;\n"
        "  placeFrames();\n"
        "  showStatus();\n"
        "}\n"

        "function matcher(text) {\n"
        "  try {\n"
        "    return new RegExp(text, 'i');\n"
        "  } catch (e) {\n"
        "    return new RegExp(text.replace(/[^A-Za-z0-9_]/g, '\\\\$&'), 'i');\n"
        "  }\n"
        "}\n"

        /* A match inside another match adds nothing to the share. */
        "function search(text) {\n"
        "  var wanted = text && matcher(text), end = 0, height = 0, sum = 0, n = 0;\n"
        "  frames.forEach(function (f) {\n"
        "    var isMatch = !!wanted && f !== root && wanted.test(f.name);\n"
        "    f.g.classList.toggle('m', isMatch);\n"
        "    if (!isMatch) return;\n"
        "    n++;\n"
        "    if (f.row > height && f.x < end - 1e-6) return;\n"
        "    end = f.x + f.w;\n"
        "    height = f.row;\n"
        "    sum += f.w;\n"
        "  });\n"
        "  info.textContent = wanted ? n + (n === 1 ? ' frame' : ' frames') + ', ' + (sum * 100).toFixed(2) + ' %' : '';\n"
        "  reset.disabled = zoomed === root && !text;\n"
        "}\n"

        "function resetAll() {\n"
        "  field.value = '';\n"
        "  search('');\n"
        "  zoom(root);\n"
        "}\n"

        "function onKey(event) {\n"
        "  if (event.key === 'Escape') {\n"
        "    resetAll();\n"
        "    field.blur();\n"
        "  } else if (event.key === '/' && document.activeElement !== field) {\n"
        "    event.preventDefault();\n"
        "    field.focus();\n"
        "    field.select();\n"
        "  }\n"
        "}\n",

        /* --- Start --- */

        "var backdrop = svg.querySelector('rect'), note = panel('note');\n"

        "frames.forEach(function (f) {\n"
        "  f.g.style.cursor = 'pointer';\n"
        "  f.g.addEventListener('click', function () { zoom(f); });\n"
        "  f.g.addEventListener('mouseenter', function () { hovered = f; showStatus(); });\n"
        "  f.g.addEventListener('mouseleave', function () { hovered = null; showStatus(); });\n"
        "});\n"
        "note.body.textContent = textOf('.n');\n"
        "makeHead();\n"
        "status = panel('status');\n"
        "status.name = element('b', status.body);\n"
        "status.facts = element('span', status.body);\n"
        "Array.prototype.forEach.call(svg.querySelectorAll('.s'), function (g) { g.style.display = 'none'; });\n"
        "field.addEventListener('input', function () { search(field.value); });\n"
        "reset.addEventListener('click', resetAll);\n"
        "document.addEventListener('keydown', onKey);\n"
        "zoomed = root;\n"
        "if (isPage) {\n"
        "  svg.removeAttribute('viewBox');\n"
        "  svg.setAttribute('width', '100%');\n"
        "  window.addEventListener('scroll', follow);\n"
        "  window.addEventListener('resize', layout);\n"
        "}\n"
        "if (location.hash.indexOf('#s=') === 0) field.value = decodeURIComponent(location.hash.slice(3));\n"
        "search(field.value);\n"
        "showStatus();\n"
        "layout();\n"
        /* Scrolls to the root, unless the page is rendered without a window, as for a screenshot: then only
         * the top is painted. */
        "if (isPage && isUpwards && window.outerHeight) {\n"
        "  window.addEventListener('load', function () {\n"
        "    window.scrollTo(0, svg.getBoundingClientRect().height);\n"
        "    follow();\n"
        "  });\n"
        "}\n"
        "})();\n"
        "]]></script>\n",
        NULL,
};
