/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time: one strip for each thread or CPU.  The user can select a time range and a thread; all
 * other pages then show only their samples. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "mem.h"
#include "strip_view.h"
#include "strips.h"
#include "table.h"
#include "text.h"

enum {
        SHARE_COLUMNS = 7,
        NAME_COLUMN = SHARE_COLUMNS + 1,
        NAME_COLUMNS = 22,
        NARROW_COLUMNS = 60, /* a screen with fewer has half of that for names */
        MAX_SECONDS = 100000,
};

struct strip_page {
        struct page page;
        enum strips_by by;
        struct strips *strips;  /* the shown one of `both`; NULL: the samples have no times */
        struct strips *both[2]; /* enum strips_by; as wide as the screen */
        bool *marked;      /* for each node of the stacks: whether the subject is on its path; NULL without a
                              subject */
        char *subject;     /* name of the subject */
        unsigned at, from; /* column of the cursor; column where the time range starts */
        bool has_range;
        uint64_t from_ns, to_ns; /* a time range typed in seconds; to_ns is 0 if there is none */
        unsigned seconds;        /* the number typed so far */
};

static struct strip_page *own(const struct page *page)
{
        return (struct strip_page *)page;
}

static unsigned name_columns(const struct browser *browser)
{
        return browser->cells->columns < NARROW_COLUMNS ? NAME_COLUMNS / 2 : NAME_COLUMNS;
}

/* The column that strips begin at. */
static unsigned strip_column(const struct browser *browser)
{
        return NAME_COLUMN + name_columns(browser) + 1;
}

/* --- what lights up --- */

static bool is_subject(const struct named_stacks *named, const struct named_node *node,
                       const struct browser_subject *subject)
{
        const char *module =
                node->module == NAMED_NONE ? "" : text_base_name(named->modules[node->module].path);

        if (node->is_cut)
                return false;
        for (uint32_t i = 0; i < node->n_frames; i++) {
                const struct named_frame *frame = &named->frames[node->first_frame + i];

                /* Frames have only the name of a Python function; the label has its line too. */
                if (subject->python
                            ? frame->brief &&
                                      !strncmp(subject->name, frame->function, strlen(frame->function)) &&
                                      subject->name[strlen(frame->function)] == ' '
                            : !strcmp(frame->function, subject->name) &&
                                      (!*subject->module || !strcmp(module, subject->module)))
                        return true;
        }
        return false;
}

/* Parents come before their children. */
static bool *mark_nodes(const struct named_stacks *named, const struct browser_subject *subject)
{
        bool *marked = mem_new(named->n_nodes, sizeof(*marked));

        for (size_t i = 0; i < named->n_nodes; i++) {
                uint32_t parent = named->nodes[i].parent;

                marked[i] = (parent != NAMED_NONE && marked[parent]) ||
                            is_subject(named, &named->nodes[i], subject);
        }
        return marked;
}

/* --- strips --- */

static void show_by(struct strip_page *p, enum strips_by by)
{
        p->by = by;
        p->strips = p->both[by];
        p->page.list.n = p->strips ? p->strips->n : 0;
}

static void free_strips(struct strip_page *p)
{
        for (size_t by = 0; by < N_ELEMENTS(p->both); by++)
                strips_free(p->both[by]);
}

/* Makes both, so that the key that changes between them is answered at once. */
static void make_strips(const struct browser *browser, struct strip_page *p)
{
        unsigned columns = browser->cells->columns > strip_column(browser)
                                   ? browser->cells->columns - strip_column(browser)
                                   : 1;
        struct strips_request request = {
                .samples = browser->report->samples,
                .cpu_spans = browser->report->cpu_spans,
                .event = browser->event,
                .n_columns = columns,
                .marked_nodes = p->marked,
        };
        struct strip_state *states = NULL;

        if (p->strips && p->strips->n_columns == columns)
                return;
        free_strips(p);
        if (browser->report->pieces)
                states = wall_pieces_states(browser->report->pieces, false, &request.n_states);
        request.states = states;
        for (size_t by = 0; by < N_ELEMENTS(p->both); by++) {
                request.by = (enum strips_by)by;
                p->both[by] = strips_new(&request);
        }
        free(states);
        show_by(p, p->by);
        p->at = p->at < columns ? p->at : columns - 1;
        p->has_range = false;
}

static const struct strip *selected(const struct strip_page *p)
{
        return p->page.list.n ? &p->strips->items[p->page.list.at] : NULL;
}

/* Returns the selected time range by the session's clock: the typed one, else from the mark to the cursor,
 * else the cursor's column. */
static void get_time_range(const struct strip_page *p, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
        unsigned first = p->has_range && p->from < p->at ? p->from : p->at;
        unsigned last = p->has_range && p->from > p->at ? p->from : p->at;

        *ret_from_ns = p->to_ns ? p->from_ns : strips_column_ns(p->strips, first);
        *ret_to_ns = p->to_ns ? p->to_ns : strips_column_ns(p->strips, last + 1) - 1;
}

static bool is_in_range(const struct strip_page *p, unsigned column)
{
        if (p->to_ns)
                return strips_column_ns(p->strips, column + 1) > p->from_ns &&
                       strips_column_ns(p->strips, column) <= p->to_ns;
        return column == p->at || (p->has_range && (column < p->at) != (column < p->from)) ||
               (p->has_range && column == p->from);
}

/* --- drawing --- */

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct strip_page *p = own(page);

        (void)browser;
        buf_printf(out, "over time, by %s", p->by == STRIPS_BY_CPU ? "CPU" : "thread");
        if (p->subject)
                buf_printf(out, ": %s", p->subject);
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned row)
{
        const struct strip_page *p = own(page);
        const struct strip *strip = &p->strips->items[index];
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) name = {0};
        double percent = browser_percent(strip->weight, p->strips->weight);
        bool is_selected = strip == selected(p);

        buf_printf(&text, "%*.2f", SHARE_COLUMNS, percent);
        cells_put(browser->cells, row, 0, SHARE_COLUMNS, browser_heat(percent), buf_text(&text));
        buf_clear(&text);
        strip_view_add_name(strip, p->by, &name);
        table_add_middle(&text, buf_text(&name), name_columns(browser));
        cells_put(browser->cells, row, NAME_COLUMN, name_columns(browser), (struct cell_style){0},
                  buf_text(&text));
        for (unsigned i = 0; i < p->strips->n_columns; i++) {
                bool is_lit = strip->marked && 2 * strip->marked[i] >= strip->columns[i] && strip->columns[i];
                struct cell_style style = {.text = is_lit ? CELL_RGB | 0xe060e0 : 0,
                                           .attributes = is_lit ? CELL_BOLD : 0};

                if (is_in_range(p, i))
                        style.attributes |= is_selected ? CELL_REVERSE : CELL_UNDERLINE;
                cells_put(browser->cells, row, strip_column(browser) + i, 1, style,
                          strip_view_block(p->strips, strip, i));
        }
}

/* Draws the time range, and how many samples of the selected strip are in it. */
static void draw_time_range(struct browser *browser, const struct strip_page *p, unsigned row)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t from_ns, to_ns, weight = 0, marked = 0;
        const struct strip *strip = selected(p);

        get_time_range(p, &from_ns, &to_ns);
        for (unsigned i = 0; strip && i < p->strips->n_columns; i++) {
                if (!is_in_range(p, i))
                        continue;
                weight += strip->columns[i];
                marked += strip->marked ? strip->marked[i] : 0;
        }
        buf_printf(&text, "%.3f s to %.3f s: %.2f %% of this row", browser_seconds(browser, from_ns),
                   browser_seconds(browser, to_ns), strip ? browser_percent(weight, strip->weight) : 0);
        if (p->subject)
                buf_printf(&text, ", %.2f %% of that in %s", browser_percent(marked, weight), p->subject);
        cells_put(browser->cells, row, 0, browser->cells->columns, (struct cell_style){0}, buf_text(&text));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct strip_page *p = own(page);
        AUTO_RELEASE(buf) head = {0};
        AUTO_RELEASE(buf) states = {0};

        page->columns = strip_column(browser);
        make_strips(browser, p);
        if (!p->strips) {
                browser_head(browser, from, "the samples of this session have no time stamps");
                return;
        }
        buf_printf(&head, " %% all  %-*s %.3f s to %.3f s", (int)name_columns(browser),
                   p->by == STRIPS_BY_CPU ? "CPU" : "thread", browser_seconds(browser, p->strips->from_ns),
                   browser_seconds(browser, p->strips->to_ns));
        browser_head(browser, from, buf_text(&head));
        if (p->strips->n && p->strips->items[0].states && to > from + 3) {
                strip_view_add_states(p->strips, &states);
                cells_put(browser->cells, to - 2, 0, browser->cells->columns,
                          (struct cell_style){.attributes = CELL_DIM}, buf_text(&states));
        }
        page_draw_rows(browser, page, from + 1, to - 1 - (states.len > 0));
        if (to > from + 1)
                draw_time_range(browser, p, to - 1);
}

/* --- keys --- */

static void choose_time(struct browser *browser, const struct strip_page *p)
{
        if (p->has_range || p->to_ns)
                get_time_range(p, &browser->filter.from_ns, &browser->filter.to_ns);
}

/* Filters by the time range, and by the selected thread or its process. */
static void choose(struct browser *browser, const struct strip_page *p, bool with_thread, bool with_process)
{
        const struct strip *strip = selected(p);
        struct browser_filter *filter = &browser->filter;

        if (!strip)
                return;
        choose_time(browser, p);
        if (p->by == STRIPS_BY_THREAD && (with_thread || with_process)) {
                free(filter->thread);
                filter->thread = mem_strdup(strip->name);
                filter->has_pid = true;
                filter->pid = strip->pid;
                filter->has_tid = with_thread;
                filter->tid = strip->tid;
        }
        if (filter->to_ns || filter->has_pid)
                browser_refilter(browser);
        else
                browser_say(browser, "no time range is selected; SPACE starts one at the cursor");
}

static void move_to(struct strip_page *p, unsigned column)
{
        p->at = column < p->strips->n_columns ? column : p->strips->n_columns - 1;
        p->to_ns = 0;
        p->seconds = 0;
}

static void toggle_mark(struct strip_page *p)
{
        p->has_range = !p->has_range;
        p->from = p->at;
        p->to_ns = 0;
}

/* 3 selects the third second; 1 and then 2 select the twelfth. */
static void type_second(struct browser *browser, struct strip_page *p, unsigned digit)
{
        const uint64_t second = 1000000000;

        p->seconds = p->seconds * 10 + digit;
        if (!p->seconds || p->seconds > MAX_SECONDS)
                p->seconds = digit;
        p->to_ns = 0;
        if (!p->seconds)
                return;
        p->from_ns = browser_first_ns(browser) + (p->seconds - 1) * second;
        p->to_ns = p->from_ns + second - 1;
}

static void change_by(struct strip_page *p)
{
        show_by(p, p->by == STRIPS_BY_CPU ? STRIPS_BY_THREAD : STRIPS_BY_CPU);
        p->page.list.at = p->page.list.top = 0;
        p->has_range = false;
}

static bool on_letter(struct browser *browser, struct strip_page *p, uint32_t code)
{
        if (code >= '0' && code <= '9')
                type_second(browser, p, code - '0');
        else if (code == ' ')
                toggle_mark(p);
        else if (code == 'c')
                change_by(p);
        else if (code == 'p')
                choose(browser, p, false, true);
        else if (code == 'w')
                choose(browser, p, false, false);
        else
                return false;
        return true;
}

/* `first` is the column that strips begin at. */
static bool on_mouse(struct strip_page *p, const struct key *key, unsigned first, unsigned first_row)
{
        if (key->column < first || (key->kind != KEY_PRESS && key->kind != KEY_DRAG))
                return false;
        if (key->kind == KEY_PRESS)
                browse_list_key(&p->page.list, key, first_row);
        move_to(p, key->column - first);
        if (key->kind == KEY_PRESS)
                p->from = p->at;
        p->has_range = key->kind == KEY_DRAG;
        return true;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct strip_page *p = own(page);

        if (!p->strips)
                return false;
        switch (key->kind) {
        case KEY_LEFT: move_to(p, p->at ? p->at - 1 : 0); return true;
        case KEY_RIGHT: move_to(p, p->at + 1); return true;
        case KEY_HOME: move_to(p, 0); return true;
        case KEY_END: move_to(p, p->strips->n_columns); return true;
        case KEY_ENTER: choose(browser, p, true, true); return true;
        case KEY_CHAR:
                if (on_letter(browser, p, key->code))
                        return true;
                break;
        default: break;
        }
        return on_mouse(p, key, strip_column(browser), page->first_row) ||
               browse_list_key(&p->page.list, key, page->first_row);
}

static bool matches(const struct browser *browser, const struct page *page, size_t row)
{
        AUTO_RELEASE(buf) name = {0};

        strip_view_add_name(&own(page)->strips->items[row], own(page)->by, &name);
        return browser_matches(browser, buf_text(&name));
}

static void release(struct page *page)
{
        struct strip_page *p = own(page);

        free_strips(p);
        free(p->marked);
        free(p->subject);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter only this thread  SPACE mark  1..9 second  w all threads  p process  c CPUs  "
                "Esc back",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .free = release,
};

struct page *page_strip_new(struct browser *browser, const struct browser_subject *subject)
{
        struct strip_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        p->page.list.takes_j_k = true;
        if (subject && browser->report->named) {
                p->marked = mark_nodes(browser->report->named, subject);
                p->subject = mem_strdup(subject->name);
        }
        return &p->page;
}
