/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of keys. */
#include "mem.h"
#include "page_text.h"

static const char help[] =
        "On every page\n"
        "  arrows, PgUp, PgDn, Home, End, mouse   move\n"
        "  Enter or m         menu of actions for the selected function\n"
        "  Esc                go back; on the first page show all samples again\n"
        "  /                  search; n next match, N previous match\n"
        "  TAB                next event\n"
        "  p                  table of Python functions\n"
        "  A                  accesses to memory: latency by function or cache line\n"
        "  g, G               call tree, inverted call tree (callers)\n"
        "  f                  flame graph\n"
        "  t                  samples over time; marks the selected function\n"
        "  M                  frames of Python programs: merged, Python only, native only, all\n"
        "  P                  write the rows of this page to wperf.hist.1, .2, ...\n"
        "  i                  profile quality, and how the session was recorded\n"
        "  h, ?, F1           this help\n"
        "  q, Ctrl-C          quit\n"
        "\n"
        "With a function selected\n"
        "  x                  callers, callees and source lines\n"
        "  a                  annotate: instructions and source lines\n"
        "  r                  callers as a tree\n"
        "  d                  show only samples in its module; again: all modules\n"
        "  y                  copy its name to the clipboard\n"
        "\n"
        "In a table\n"
        "  s                  sort by the next column\n"
        "\n"
        "In a tree\n"
        "  right, left        expand, collapse\n"
        "  e or +             expand or collapse\n"
        "  c or -             collapse\n"
        "  E, C               expand all, collapse all\n"
        "  *                  expand the hot path: the callees with the most samples\n"
        "  f                  flame graph of the selected row\n"
        "\n"
        "In code\n"
        "  H                  go to the hottest line\n"
        "  TAB, shift-TAB     go to the next hottest line, to the hotter one before it\n"
        "  Enter              go to the target of a jump or a call; Esc returns from a call\n"
        "  s                  toggle source lines; for Python: toggle native functions\n"
        "  l                  toggle instructions\n"
        "  o                  toggle plain disassembly\n"
        "  right, left        scroll sideways\n"
        "\n"
        "In the flame graph\n"
        "  up, down           caller, callee\n"
        "  right, left        next function of the same caller\n"
        "  Enter, -, Home     zoom in, zoom out, show all\n"
        "  I                  inverted flame graph: callers below each function\n"
        "\n"
        "In accesses to memory\n"
        "  c                  toggle between functions and cache lines\n"
        "  Enter              actions for the function; functions and threads that use the cache line\n"
        "\n"
        "In samples over time\n"
        "  right, left        move the cursor; SPACE starts a time range at the cursor\n"
        "  1, 2, ...          select that second\n"
        "  Enter              show only the selected thread, in the time range\n"
        "  p                  show only its process, in the time range\n"
        "  w                  show all threads, in the time range\n"
        "  c                  toggle between threads and CPUs\n";

static const char help_diff[] =
        "On every page\n"
        "  arrows, PgUp, PgDn, Home, End, mouse   move\n"
        "  Esc                go back; on the first page show all rows again\n"
        "  /                  search; n next match, N previous match\n"
        "  TAB                next event\n"
        "  i                  notes: what else differs, totals, smallest changes\n"
        "  P                  write the rows of this page to wperf.hist.1, .2, ...\n"
        "  h, ?, F1           this help\n"
        "  q, Ctrl-C          quit\n"
        "\n"
        "In the table\n"
        "  Enter or c         compare the machine code of the function in A and B\n"
        "  s                  sort by difference, change, A, B, verdict, name in turn\n"
        "  v                  rows: all, those that differ, only in A, only in B\n"
        "  d                  show only rows of its module; again: all modules\n"
        "\n"
        "In machine code\n"
        "  TAB, shift-TAB     next block, previous block\n"
        "  H                  go to the hottest line\n"
        "  right, left        scroll sideways\n"
        "  |                  marks instructions that differ; < only in A, > only in B\n";

static const char help_live[] =
        "On the table\n"
        "  arrows, PgUp, PgDn, Home, End, mouse   move\n"
        "  F                  freeze the table, and go on\n"
        "  z                  set the sums to zero\n"
        "  W                  keep what was sampled as wperf.data\n"
        "  p                  Python functions only, or all\n"
        "  t                  by threads, processes, containers, functions\n"
        "  s                  sort by total time now, self time now, total time since the start\n"
        "  /                  show only rows with a text; Esc shows all again\n"
        "  P                  write the rows to wperf.hist.1, .2, ...\n"
        "  h, ?, F1           this help\n"
        "  q, Ctrl-C          quit; if wperf started the program, it asks first\n"
        "\n"
        "Pages of what was sampled until then; q returns to the table\n"
        "  Enter or m         menu of actions for the selected row\n"
        "  r                  callers of the function as a tree\n"
        "  a                  its source lines and instructions\n"
        "  x                  its callers, callees and source lines\n"
        "  g, G               call tree, inverted call tree\n"
        "  f                  flame graph\n"
        "  i                  profile quality\n";

static const struct page_kind kind = {
        .keys = "q quit  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = page_draw_rows,
        .draw_row = text_page_draw_row,
        .key = text_page_key,
        .matches = text_page_matches,
        .free = text_page_free,
};

struct page *page_help_new(enum browser_help of)
{
        struct text_page *p = mem_new(1, sizeof(*p));

        text_page_begin(p, &kind, "help");
        buf_add_str(&p->text, of == BROWSER_HELP_DIFF   ? help_diff
                              : of == BROWSER_HELP_LIVE ? help_live
                                                        : help);
        text_page_split(p);
        return &p->page;
}
