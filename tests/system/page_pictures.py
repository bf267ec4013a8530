"""Pictures of HTML pages, for the documents.  Each has in itself what it shows, as text without figures: a page of another version says something
else, while fonts and the run do not matter."""
import os
import re
import struct
import zlib

from web_browser import Browser

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"wperf-shows"
WIDTH, HEIGHT = 1300, 860
# What is in sight: of each element its kind, colours and size of letters, and its own text.  Not all runs have the same quality, and all kinds of code.
SHOWN = """Array.from(document.querySelectorAll('body *')).filter(function (e) {
  var box = e.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < window.innerHeight && !e.closest('option, .quality, .legend > :nth-child(n+3)');
}).map(function (e) {
  var style = getComputedStyle(e), text = Array.from(e.childNodes).filter(function (n) { return n.nodeType === 3; }).map(function (n) { return n.data; }).join('').trim();
  return [e.tagName.toLowerCase() + Array.from(e.classList, function (c) { return '.' + c; }).join('') + ' ' +
          [style.color, style.backgroundColor, style.borderTopColor, style.fontSize, style.fontWeight].join(' '), text]; })"""


def what_it_shows(browser: Browser) -> str:
    """An element a line; without figures and their units."""
    return "\n".join(f"{kind} {re.sub(r'[0-9][0-9,.]*(?: (?:[kMGT]|[mµ]?s)(?![a-z]))?', 'N', text)}" for kind, text in browser.run(SHOWN))


def with_text(png: bytes, text: str) -> bytes:
    """The picture with a chunk zTXt behind its header (PNG specification, 11.3.4.4)."""
    data = KEYWORD + b"\0\0" + zlib.compress(text.encode(), 9)
    chunk = struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    end = len(SIGNATURE) + 25
    return png[:end] + chunk + png[end:]


def text_of(png: bytes) -> str:
    at = len(SIGNATURE)
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        data = png[at + 8:at + 8 + size]
        if kind == b"zTXt" and data.startswith(KEYWORD + b"\0"):
            return zlib.decompress(data[len(KEYWORD) + 2:]).decode()
        at += 12 + size
    return ""


def show(browser: Browser, page: str, view: str) -> str:
    browser.resize(WIDTH, HEIGHT)
    browser.open(page)
    browser.click("#tab-" + view)
    browser.mouse("mouseMoved", 1, 1)
    browser.settle()
    return what_it_shows(browser)


def take(browser: Browser, page: str, view: str, path: str) -> None:
    text = show(browser, page, view)
    browser.picture(path)
    with open(path, "rb") as file:
        png = file.read()
    with open(path + ".new", "wb") as file:
        file.write(with_text(png, text))
    os.replace(path + ".new", path)
