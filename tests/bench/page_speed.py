#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the HTML page of a session: the time of `export`, its size, and the time until Chromium shows the page and can be used.

    tests/bench/page_speed.py WPERF SESSION [--rounds N] [--chromium PROGRAM]

A session of 100,000 samples: `make_profile FILE 100000`.  The goal is 1 MB and 1 s.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from web_browser import Browser  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wperf")
    parser.add_argument("session")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        begin = time.monotonic()
        subprocess.run([args.wperf, "export", "-i", args.session, "-o", page], check=True, stderr=subprocess.DEVNULL)
        print(f"written in  {time.monotonic() - begin:.2f} s")
        print(f"size        {os.path.getsize(page) / 1e6:.2f} MB")
        browser = Browser(args.chromium)
        times = []
        for _ in range(args.rounds):
            browser.open(page)
            times.append(int(browser.run("document.documentElement.dataset.ready")))
        print(f"usable in   {statistics.median(times)} ms (median of {args.rounds}; {min(times)} to {max(times)})")
        print(f"samples     {browser.run('window.wperf.event.nSamples')} in {browser.run('window.wperf.profile.nStacks')} stacks")
        browser.close()


main()
