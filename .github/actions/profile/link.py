#!/usr/bin/python3
"""link.py   Writes into the job summary where the flame graph is (FLAMEGRAPH_URL) and how to read the session.  Summaries show
neither SVG elements nor images that are part of the page, so that the graph is a link."""
import os

from summary import append, escape

URL = os.environ["FLAMEGRAPH_URL"]
NAME = os.environ.get("INPUT_NAME") or "wperf"

append(f"[Flame graph of {escape(NAME)}](<{URL}>) opens in the browser, with zoom and search. "
       f"The artifact {escape(NAME)} has the session: <code>wperf report -g -i {escape(NAME)}.data</code>\n")
