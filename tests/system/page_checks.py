"""What every test of an HTML page asks: the page is ready and silent, its controls have names, and it fits its window."""
import decimal
from typing import Any

from harness import Context, check, need_tool
from web_browser import Browser, Page


def open_page(t: Context, path: str, **options: Any) -> Browser:
    """A browser, which the test closes, with a page that is ready."""
    browser = Browser(need_tool("chromium"), **options)
    browser.open(t.path(path))
    return browser


def percent(part: float, whole: float) -> str:
    """As the script of the page writes it: halves are rounded up."""
    return str(decimal.Decimal(part / whole * 100).quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_UP)) + " %"


def check_clean(browser: Browser, page: str) -> None:
    check(not browser.errors, f"errors on the console: {browser.errors}")
    check(all(url.startswith("file://") and url.endswith("/" + page) for url in browser.requests), f"requests: {browser.requests}")
    check(browser.run("window.hacked") is None, "a name ran")


def check_names(browser: Browser) -> None:
    """Each control has a name for those who do not see it."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "searchbox", "textbox", "spinbutton", "combobox", "tab", "tabpanel", "region", "application", "table", "group", "tablist"}
    seen = 0
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        if node.get("ignored") or role not in roles:
            continue
        seen += 1
        check(node.get("name", {}).get("value", "").strip(), f"no name: {role} {node.get('properties')}")
    check(seen > 10, f"only {seen} controls")


def views_of(browser: Page) -> list[str]:
    """The names of the tabs."""
    return browser.run("Array.from(document.querySelectorAll('[role=tab]'), function (tab) { return tab.id.slice(4); })")


def check_fits(browser: Page, what: str) -> None:
    """Nothing is wider than the window, and no text of a button is cut."""
    check(browser.run("document.documentElement.scrollWidth <= window.innerWidth"), f"{what}: wider than the window")
    cut = browser.run("Array.from(document.querySelectorAll('.head button, .bar-line button, .timeline-head button'))"
                      ".filter(function (button) { return !button.hidden && button.scrollWidth > button.clientWidth + 1; }).map(function (button) { return button.textContent; })")
    check(not cut, f"{what}: cut: {cut}")
    over = browser.run("""(function () {
      var boxes = Array.from(document.querySelectorAll('.head > *, .bar-line > *, .timeline-head > *, footer > *')).filter(function (e) { return e.offsetWidth && !e.classList.contains('unseen'); });
      var found = [];
      boxes.forEach(function (a, i) { boxes.slice(i + 1).forEach(function (b) {
        var x = a.getBoundingClientRect(), y = b.getBoundingClientRect();
        if (x.left + 1 < y.right && y.left + 1 < x.right && x.top + 1 < y.bottom && y.top + 1 < x.bottom) found.push(a.className + ' over ' + b.className);
      }); });
      return found; }())""")
    check(not over, f"{what}: {over}")
