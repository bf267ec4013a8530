/* SPDX-License-Identifier: BSD-3-Clause */
/* The main loop of the browser: the stack of pages, the search, the last line. */
#include "browser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse_read.h"
#include "browser_internal.h"
#include "cmd_output.h"
#include "heat.h"
#include "mem.h"
#include "os.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"

enum { NARROW_COLUMNS = 50, MIN_TITLE_COLUMNS = 8 };

/* --- what pages use --- */

void browser_push(struct browser *browser, struct page *page)
{
        if (!page)
                return;
        page->below = browser->top;
        browser->top = page;
        browser->is_new_page = true;
}

void browser_pop(struct browser *browser)
{
        struct page *page = browser->top;

        if (!page)
                return;
        browser->top = page->below;
        page->kind->free(page);
        browser->is_ending |= !browser->top;
}

void browser_pop_all(struct browser *browser)
{
        while (browser->top)
                browser_pop(browser);
        browser->is_ending = false;
}

void browser_say(struct browser *browser, const char *fmt, ...)
{
        char text[512];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        buf_clear(&browser->message);
        buf_add_str(&browser->message, text);
}

void browser_say_now(struct browser *browser, const char *text)
{
        struct cells *cells = browser->cells;

        if (!cells || !cells->rows)
                return;
        cells_fill(cells, cells->rows - 1, 0, cells->columns, (struct cell_style){0});
        cells_put(cells, cells->rows - 1, 0, cells->columns, (struct cell_style){.attributes = CELL_BOLD},
                  text);
        screen_show(browser->screen);
}

struct cell_style browser_heat(double percent)
{
        static const struct cell_style styles[] = {
                [HEAT_LOW] = {0},
                [HEAT_MEDIUM] = {.text = CELL_RGB | 0x40a040},
                [HEAT_HIGH] = {.text = CELL_RGB | 0xd04040, .attributes = CELL_BOLD},
        };

        return styles[heat_of(percent)];
}

void browser_head(struct browser *browser, unsigned row, const char *text)
{
        cells_put(browser->cells, row, 0, browser->cells->columns,
                  (struct cell_style){.attributes = CELL_BOLD}, text);
}

/* --- the first page --- */

static void show_table(struct browser *browser)
{
        browser_push(browser, page_table_new(browser));
}

static void show_whole_tree(struct browser *browser, bool is_inverted)
{
        if (!browser_wait_whole(browser))
                return;
        browser_push(browser,
                     page_tree_new(browser,
                                   is_inverted ? browse_session_callers(browser->session, browser->event)
                                               : browser_tree(browser),
                                   NULL, is_inverted ? "inverted call tree" : "call tree", is_inverted));
}

static void show_first(struct browser *browser)
{
        show_table(browser);
        if (browser->request->start == BROWSER_TREE || browser->request->start == BROWSER_CALLERS)
                show_whole_tree(browser, browser->request->start == BROWSER_CALLERS);
        else if (browser->request->start == BROWSER_CODE && browser_wait_whole(browser))
                browser_push(browser, page_code_new(browser, &(struct browser_subject){
                                                                     browser->request->symbol, "", NULL}));
}

/* --- keys --- */

static void next_event(struct browser *browser)
{
        for (size_t i = 1; i < browser->report->n_events; i++) {
                uint32_t event = (uint32_t)((browser->event + i) % browser->report->n_events);

                if (!browser->report->events[event].n_samples)
                        continue;
                browser->event = event;
                browser_pop_all(browser);
                show_table(browser);
                return;
        }
        browser_say(browser, "the session has samples of only one event");
}

static void next_python_mode(struct browser *browser)
{
        static const enum stacks_python next[] = {
                [STACKS_PYTHON_ALL] = STACKS_PYTHON_MERGED,
                [STACKS_PYTHON_MERGED] = STACKS_PYTHON_ONLY,
                [STACKS_PYTHON_ONLY] = STACKS_PYTHON_NATIVE,
                [STACKS_PYTHON_NATIVE] = STACKS_PYTHON_ALL,
        };
        static const char *const names[] = {
                [STACKS_PYTHON_ALL] = "all frames",
                [STACKS_PYTHON_MERGED] = "Python and native frames merged",
                [STACKS_PYTHON_ONLY] = "Python frames only",
                [STACKS_PYTHON_NATIVE] = "native frames only",
        };

        if (!browser_wait_whole(browser))
                return;
        if (!browser->report->python || !browser->report->python->n) {
                browser_say(browser, "the session has no Python frames");
                return;
        }
        browser->python = next[browser->python];
        browser->is_to_read = true;
        browser_say(browser, "%s", names[browser->python]);
}

static bool has_filter(const struct browser *browser)
{
        const struct browser_filter *f = &browser->filter;

        return f->module || f->comm || f->has_pid || f->has_tid || f->to_ns;
}

/* Shows the text first, because a search through many rows takes longer than a key may. */
static void find(struct browser *browser, bool again, bool back)
{
        AUTO_RELEASE(buf) shown = {0};

        buf_printf(&shown, "/%s", buf_text(&browser->search));
        browser_say_now(browser, buf_text(&shown));
        if (!page_find(browser, browser->top, again, back))
                browser_say(browser, "no match for '%s'", buf_text(&browser->search));
}

static void search_again(struct browser *browser, bool back)
{
        if (!browser->search.len)
                browser_say(browser, "no previous search; type / and a text");
        else if (page_can_find(browser->top))
                find(browser, true, back);
}

static void show_flame(struct browser *browser)
{
        if (browser_wait_whole(browser))
                browser_push(browser,
                             page_flame_new(browser, browser_tree(browser), "flame graph", CALLTREE_ROOT));
}

static void show_python(struct browser *browser)
{
        if (browser_wait_whole(browser))
                browser_push(browser, page_python_new(browser));
}

static void show_accesses(struct browser *browser)
{
        struct page *page = browser_wait_whole(browser) ? page_access_new(browser) : NULL;

        if (page)
                browser_push(browser, page);
}

/* Like P in perf: writes to the first wperf.hist.N that does not exist. */
static void print_page(struct browser *browser)
{
        AUTO_RELEASE(buf) text = {0};
        char path[32];
        struct os_stat there;
        struct err err = {0};

        if (!browser->top->kind->draw_row) {
                browser_say(browser, "this page has no rows to write to a file");
                return;
        }
        for (unsigned i = 1; snprintf(path, sizeof(path), "wperf.hist.%u", i) && os_stat(path, &there);)
                i++;
        page_add_text(browser, browser->top, &text);
        if (cmd_write_file(path, &text, &err))
                browser_say(browser, "%zu rows written to %s", browser->top->list.n, path);
        else
                browser_say(browser, "%s", err.text);
}

static bool on_letter(struct browser *browser, uint32_t code)
{
        switch (code) {
        case 'q': browser->is_ending = true; return true;
        case '/':
                browser->is_typing = page_can_find(browser->top);
                buf_clear(&browser->search);
                return true;
        case 'n':
        case 'N': search_again(browser, code == 'N'); return true;
        case 't': browser_show_times(browser, NULL); return true;
        case 'p': show_python(browser); return true;
        case 'A': show_accesses(browser); return true;
        case 'g':
        case 'G': show_whole_tree(browser, code == 'G'); return true;
        case 'f': show_flame(browser); return true;
        case 'M': next_python_mode(browser); return true;
        case 'P': print_page(browser); return true;
        case 'i': browser_push(browser, page_info_new()); return true;
        case 'h':
        case '?': browser_push(browser, page_help_new()); return true;
        default: return false;
        }
}

static void on_typing(struct browser *browser, const struct key *key)
{
        struct buf *search = &browser->search;
        size_t len = search->len;

        switch (key->kind) {
        case KEY_ENTER: browser->is_typing = false; break;
        case KEY_ESCAPE:
                browser->is_typing = false;
                buf_clear(search);
                return;
        case KEY_BACKSPACE:
                while (len && ((unsigned char)search->data[len - 1] & 0xc0) == 0x80)
                        len--;
                buf_truncate(search, len ? len - 1 : 0);
                break;
        case KEY_CHAR:
                if (len < 200)
                        text_add_utf8(search, key->code);
                break;
        default: return;
        }
        if (search->len)
                find(browser, false, false);
}

static bool on_subject(struct browser *browser, const struct key *key)
{
        struct browser_subject subjects[BROWSER_MAX_SUBJECTS];
        size_t n = browser->top->kind->subjects
                           ? browser->top->kind->subjects(browser->top, subjects, BROWSER_MAX_SUBJECTS)
                           : 0;

        return n && browser_subject_key(browser, subjects, n, key);
}

static void on_key(struct browser *browser, const struct key *key)
{
        buf_clear(&browser->message);
        if (key->kind == KEY_CONTROL && key->code == 'c') {
                browser->is_ending = true;
                return;
        }
        if (browser->is_typing) {
                on_typing(browser, key);
                return;
        }
        if (key->is_pasted || browser->top->kind->key(browser, browser->top, key) || on_subject(browser, key))
                return;
        if ((key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE) && !browser->top->below &&
            has_filter(browser))
                browser_drop_filter(browser);
        else if ((key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE) && !browser->top->below)
                browser_say(browser, "this is the first page; press q to quit");
        else if (key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE)
                browser_pop(browser);
        else if (key->kind == KEY_TAB)
                next_event(browser);
        else if (key->kind == KEY_F1)
                browser_push(browser, page_help_new());
        else if (key->kind == KEY_CHAR)
                on_letter(browser, key->code);
}

/* --- drawing --- */

static void add_filter(const struct browser *browser, struct buf *out)
{
        const struct browser_filter *f = &browser->filter;

        if (f->module)
                buf_printf(out, " in %s", f->module);
        if (f->comm)
                buf_printf(out, " of threads named %s", f->comm);
        if (f->has_tid)
                buf_printf(out, " of thread %s%s%" PRId32, f->thread ? f->thread : "", f->thread ? " " : "",
                           f->tid);
        else if (f->has_pid)
                buf_printf(out, " of process %" PRId32, f->pid);
        if (f->to_ns)
                buf_printf(out, " from %.3f s to %.3f s", browser_seconds(browser, f->from_ns),
                           browser_seconds(browser, f->to_ns));
}

/* Adds the session's part of the title and the page's.  If both do not fit, a filter comes before the page, and the page before a session
 * that is not filtered. */
static void join_title(const struct buf *session, const struct buf *page, bool is_filtered, unsigned room,
                       struct buf *out)
{
        unsigned session_width = (unsigned)text_width(buf_text(session));
        unsigned page_width = (unsigned)text_width(buf_text(page)), least = room / 4;

        if (session_width + 2 + page_width <= room) {
                buf_printf(out, "%s  %s", buf_text(session), buf_text(page));
        } else if (is_filtered) {
                table_add_cut(out, buf_text(session), room);
                buf_add_str(out, "  ");
                if (session_width + 2 + MIN_TITLE_COLUMNS <= room)
                        table_add_cut(out, buf_text(page), room - session_width - 2);
        } else if (room < NARROW_COLUMNS) {
                table_add_cut(out, buf_text(page), room);
        } else {
                page_width = page_width > room - least - 2 ? room - least - 2 : page_width;
                table_add_cut(out, buf_text(session), room - page_width - 2);
                buf_add_str(out, "  ");
                table_add_cut(out, buf_text(page), page_width);
        }
}

static void draw_title(struct browser *browser)
{
        const char *const poor_texts[] = {" poor quality: press i ", " poor "};
        const struct report_event *event = &browser->report->events[browser->event];
        unsigned columns = browser->cells->columns;
        const char *poor;
        AUTO_RELEASE(buf) raw = {0};
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) page = {0};
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&raw, "%s  %" PRIu64 " samples", event->name, event->n_samples);
        add_filter(browser, &raw);
        text_add_printable(&session, buf_text(&raw));
        buf_clear(&raw);
        browser->top->kind->add_title(browser, browser->top, &raw);
        text_add_printable(&page, buf_text(&raw));
        poor = poor_texts[text_width(buf_text(&session)) + 2 + text_width(buf_text(&page)) +
                                  strlen(poor_texts[0]) >
                          columns];
        if (!quality_is_poor(&browser->report->quality) || columns <= 2 * strlen(poor))
                poor = "";
        columns -= (unsigned)strlen(poor);
        join_title(&session, &page, has_filter(browser), columns, &text);
        cells_fill(browser->cells, 0, 0, browser->cells->columns,
                   (struct cell_style){.attributes = CELL_REVERSE});
        cells_put(browser->cells, 0, 0, columns, (struct cell_style){.attributes = CELL_REVERSE},
                  buf_text(&text));
        cells_put(browser->cells, 0, columns, browser->cells->columns,
                  (struct cell_style){.text = CELL_RGB | 0xd04040, .attributes = CELL_REVERSE | CELL_BOLD},
                  poor);
}

/* Draws as many keys as fit; `keys` separates them by two blanks. */
static void draw_keys(struct browser *browser, const char *keys)
{
        struct cells *cells = browser->cells;
        unsigned column = 0;

        while (*keys) {
                const char *end = strstr(keys, "  ");
                AUTO_RELEASE(buf) item = {0};

                buf_add(&item, keys, end ? (size_t)(end - keys) : strlen(keys));
                if (column + item.len > cells->columns)
                        return;
                column += 2 + cells_put(cells, cells->rows - 1, column, cells->columns,
                                        (struct cell_style){.attributes = CELL_DIM}, buf_text(&item));
                keys = end ? end + 2 : "";
        }
}

static void draw_last_line(struct browser *browser)
{
        struct cells *cells = browser->cells;
        unsigned row = cells->rows - 1, column = 0;

        if (browser->is_typing) {
                column = cells_put(cells, row, 0, 1, (struct cell_style){0}, "/");
                column += cells_put(cells, row, column, cells->columns, (struct cell_style){0},
                                    buf_text(&browser->search));
                column += cells_put(cells, row, column, 2, (struct cell_style){.attributes = CELL_REVERSE},
                                    " ");
                column += 1;
        }
        if (browser->message.len)
                cells_put(cells, row, column, cells->columns, (struct cell_style){.attributes = CELL_BOLD},
                          buf_text(&browser->message));
        else if (!browser->is_typing)
                draw_keys(browser, browser->top->kind->keys);
}

static void draw(struct browser *browser)
{
        browser->is_new_page = false;
        browser->cells = screen_cells(browser->screen);
        cells_clear(browser->cells);
        if (browser->cells->rows >= 3) {
                browser->top->kind->draw(browser, browser->top, 1, browser->cells->rows - 1);
                draw_title(browser);
                draw_last_line(browser);
        }
        screen_show(browser->screen);
}

/* --- the loop --- */

static enum screen_event next_key(struct browser *browser, int timeout_ms, struct key *ret)
{
        return browser_take_typed(browser, ret) ? SCREEN_KEY : screen_wait(browser->screen, timeout_ms, ret);
}

/* Takes all keys that wait before the next drawing, so that a held key does not run ahead of the screen; but draws a new page before
 * its first key, because pages lay out their rows when they are drawn. */
static void take_keys(struct browser *browser)
{
        struct key key;
        enum screen_event event = next_key(browser, -1, &key);

        for (; event == SCREEN_KEY; event = next_key(browser, 0, &key)) {
                on_key(browser, &key);
                if (browser->is_ending || browser->is_to_read || browser->is_new_page)
                        return;
        }
        browser->is_ending |= event == SCREEN_CLOSED;
        if (browser->reading && browse_read_is_done(browser->reading))
                browser_wait_whole(browser);
}

/* Returns false if reading failed (browser->err) or if the user quit while the session was being read. */
static bool run(struct browser *browser)
{
        if (!browser_read_session(browser))
                return false;
        show_first(browser);
        while (!browser->is_ending) {
                draw(browser);
                take_keys(browser);
                if (browser->is_to_read && !browser->is_ending) {
                        if (!browser_read_session(browser))
                                return false;
                        show_table(browser);
                }
        }
        browser->has_left |= browser->reading != NULL;
        return !browser->err.code;
}

bool browser_can(void)
{
        return os_is_terminal(OS_STDOUT) && os_stdin_is_terminal();
}

bool browser_run(const struct browser_request *request, bool *ret_left, struct err *err)
{
        struct browser browser = {.request = request, .python = request->report->python};
        bool ok;

        *ret_left = false;
        browser.screen = screen_open(request->colors, err);
        if (!browser.screen)
                return false;
        ok = run(&browser);
        if (!ok)
                *err = browser.err;
        *ret_left = browser.has_left;
        if (browser.has_left) {
                screen_leave(browser.screen);
                return true;
        }
        browser_pop_all(&browser);
        buf_release(&browser.search);
        buf_release(&browser.message);
        free(browser.filter.module);
        free(browser.filter.comm);
        free(browser.filter.thread);
        screen_free(browser.screen);
        browse_session_free(browser.session);
        browse_session_free(browser.sorted);
        return ok;
}
