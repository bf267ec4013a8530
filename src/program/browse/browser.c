/* SPDX-License-Identifier: BSD-3-Clause */
/* What browsers of sessions and of comparisons share: the stack of pages, keys, the search, the title, the
 * last line. */
#include "browser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse_read.h"
#include "browser_internal.h"
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

/* --- keys --- */

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
        if (browser->write(path, &text, &err))
                browser_say(browser, "%zu rows written to %s", browser->top->list.n, path);
        else
                browser_say(browser, "%s", err.text);
}

static void on_letter(struct browser *browser, uint32_t code)
{
        switch (code) {
        case 'q': browser->is_ending = true; break;
        case '/':
                browser->is_typing = page_can_find(browser->top);
                buf_clear(&browser->search);
                break;
        case 'n':
        case 'N': search_again(browser, code == 'N'); break;
        case 'P': print_page(browser); break;
        case 'h':
        case '?': browser_push(browser, page_help_new(browser->source->help)); break;
        default: browser->source->letter(browser, code);
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
            browser->source->is_filtered(browser))
                browser->source->drop_filter(browser);
        else if ((key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE) && !browser->top->below)
                browser_say(browser, "this is the first page; press q to quit");
        else if (key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE)
                browser_pop(browser);
        else if (key->kind == KEY_TAB)
                browser->source->next_event(browser);
        else if (key->kind == KEY_F1)
                browser_push(browser, page_help_new(browser->source->help));
        else if (key->kind == KEY_CHAR)
                on_letter(browser, key->code);
}

/* --- drawing --- */

/* Adds the session's part of the title and the page's.  If both do not fit, a filter comes before the page,
 * and the page before a session that is not filtered. */
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
        } else if (room < NARROW_COLUMNS || (page_width <= room && page_width + 2 + least > room)) {
                table_add_cut(out, buf_text(page), room);
        } else {
                page_width = page_width > room - least - 2 ? room - least - 2 : page_width;
                table_add_cut(out, buf_text(session), room - page_width - 2);
                buf_add_str(out, "  ");
                table_add_cut(out, buf_text(page), page_width);
        }
}

/* The warning that fits beside a title of `width` columns, or "". */
static const char *choose_warning(const struct browser *browser, size_t width)
{
        const struct browser_warning *warning = browser->source->warning(browser);
        unsigned columns = browser->cells->columns;
        const char *text;

        if (!warning)
                return "";
        text = width + strlen(warning->text) > columns ? warning->brief : warning->text;
        return columns <= 2 * strlen(text) ? "" : text;
}

static void draw_title(struct browser *browser)
{
        unsigned columns = browser->cells->columns;
        const char *warning;
        AUTO_RELEASE(buf) raw = {0};
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) page = {0};
        AUTO_RELEASE(buf) text = {0};

        browser->source->add_title(browser, &raw);
        text_add_printable(&session, buf_text(&raw));
        buf_clear(&raw);
        browser->top->kind->add_title(browser, browser->top, &raw);
        text_add_printable(&page, buf_text(&raw));
        warning = choose_warning(browser, text_width(buf_text(&session)) + 2 + text_width(buf_text(&page)));
        columns -= (unsigned)strlen(warning);
        join_title(&session, &page, browser->source->is_filtered(browser), columns, &text);
        cells_fill(browser->cells, 0, 0, browser->cells->columns,
                   (struct cell_style){.attributes = CELL_REVERSE});
        cells_put(browser->cells, 0, 0, columns, (struct cell_style){.attributes = CELL_REVERSE},
                  buf_text(&text));
        cells_put(browser->cells, 0, columns, browser->cells->columns,
                  (struct cell_style){.text = CELL_RGB | 0xd04040, .attributes = CELL_REVERSE | CELL_BOLD},
                  warning);
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

void browser_draw(struct browser *browser)
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

bool browser_take_keys(struct browser *browser)
{
        struct key key;
        enum screen_event event = next_key(browser, -1, &key);

        for (; event == SCREEN_KEY; event = next_key(browser, 0, &key)) {
                on_key(browser, &key);
                if (browser->is_ending || browser->is_to_read || browser->is_new_page)
                        return false;
        }
        browser->is_closed |= event == SCREEN_CLOSED;
        browser->is_ending |= browser->is_closed;
        return true;
}

static void release(struct browser *browser)
{
        browser_pop_all(browser);
        buf_release(&browser->search);
        buf_release(&browser->message);
        screen_free(browser->screen);
}

bool browser_open_screen(struct browser *browser, enum cell_colors colors,
                         bool (*run)(struct browser *browser), bool *ret_left, struct err *err)
{
        bool ok;

        *ret_left = false;
        browser->screen = screen_open(colors, err);
        if (!browser->screen)
                return false;
        ok = run(browser);
        *ret_left = browser->has_left;
        if (browser->has_left) {
                screen_leave(browser->screen);
                return true;
        }
        if (!ok)
                *err = browser->err;
        release(browser);
        return ok;
}

bool browser_can(void)
{
        return os_is_terminal(OS_STDOUT) && os_stdin_is_terminal();
}
