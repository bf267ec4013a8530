/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of actions for a function, one for each row. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "browser_internal.h"
#include "mem.h"

enum action { ABOUT, CODE, CALLERS, CALLEES, TIMES, MODULE, TASK };

struct menu_item {
        enum action action;
        struct browser_subject subject;
        bool is_first; /* whether it is an action for the function that keys act on */
};

struct menu_page {
        struct page page;
        struct menu_item *items;
        size_t cap_items;
        struct arena texts;
};

static struct menu_page *own(const struct page *page)
{
        return (struct menu_page *)page;
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct browser_subject *subject = &own(page)->items[0].subject;

        (void)browser;
        buf_printf(out, "actions for %s", subject->name ? subject->name : "the selected row");
}

static void add_task(const struct browser_subject *subject, struct buf *out)
{
        buf_printf(out, "show only samples of %s",
                   subject->has_tid   ? "thread"
                   : subject->has_pid ? "process"
                                      : "threads named");
        if (subject->comm)
                buf_printf(out, " %s", subject->comm);
        if (subject->has_tid || subject->has_pid)
                buf_printf(out, " %" PRId32, subject->has_tid ? subject->tid : subject->pid);
}

/* The letter that does the same on the page below the menu; a blank for none. */
static char letter_of(const struct menu_item *item)
{
        static const char letters[] = {[ABOUT] = 'x', [CODE] = 'a',   [CALLERS] = 'r', [CALLEES] = ' ',
                                       [TIMES] = 't', [MODULE] = 'd', [TASK] = ' '};

        return item->is_first ? letters[item->action] : ' ';
}

static void add_text(const struct menu_item *item, struct buf *out)
{
        const struct browser_subject *subject = &item->subject;

        buf_printf(out, "%c  ", letter_of(item));
        switch (item->action) {
        case ABOUT: buf_printf(out, "show callers, callees and source lines of %s", subject->name); break;
        case CODE:
                buf_printf(out, "annotate %s: %s", subject->name,
                           subject->python ? "source lines" : "instructions and source lines");
                break;
        case CALLERS: buf_printf(out, "show callers of %s as a tree", subject->name); break;
        case CALLEES: buf_printf(out, "show call paths through %s as a tree", subject->name); break;
        case TIMES: buf_printf(out, "show samples of %s over time, by thread", subject->name); break;
        case MODULE: buf_printf(out, "show only samples in module %s", subject->module); break;
        case TASK: add_task(subject, out); break;
        }
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        AUTO_RELEASE(buf) text = {0};

        add_text(&own(page)->items[index], &text);
        cells_put(browser->cells, at, 2, browser->cells->columns, (struct cell_style){0}, buf_text(&text));
}

/* Closes the menu before it opens the next page, so that Esc returns to the page below the menu. */
static void act(struct browser *browser, struct page *page)
{
        struct menu_page *p = own(page);
        const struct menu_item *item = &p->items[p->page.list.at];

        browser->top = page->below;
        switch (item->action) {
        case ABOUT: browser_show_function(browser, &item->subject); break;
        case CODE: browser_show_code(browser, &item->subject); break;
        case CALLERS: browser_show_callers(browser, &item->subject); break;
        case CALLEES: browser_show_callees(browser, &item->subject); break;
        case TIMES: browser_show_times(browser, &item->subject); break;
        case MODULE: browser_only_module(browser, &item->subject); break;
        case TASK: browser_only_task(browser, &item->subject); break;
        }
        page->kind->free(page);
}

static bool on_letter(struct browser *browser, struct page *page, uint32_t code)
{
        struct menu_page *p = own(page);

        for (size_t i = 0; code != ' ' && i < p->page.list.n; i++) {
                if (code != (uint32_t)letter_of(&p->items[i]))
                        continue;
                p->page.list.at = i;
                act(browser, page);
                return true;
        }
        return false;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct menu_page *p = own(page);

        if (key->kind == KEY_CHAR && on_letter(browser, page, key->code))
                return true;
        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind != KEY_ENTER && key->kind != KEY_RIGHT && key->kind != KEY_LEFT)
                return false;
        if (key->kind == KEY_LEFT)
                browser_pop(browser);
        else
                act(browser, page);
        return true;
}

static void release(struct page *page)
{
        struct menu_page *p = own(page);

        arena_release(&p->texts);
        free(p->items);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  Enter or letter select  Esc back  q quit",
        .add_title = add_title,
        .draw = page_draw_rows,
        .draw_row = draw_row,
        .key = on_key,
        .free = release,
};

static void add(struct menu_page *p, enum action action, const struct browser_subject *of, bool is_first)
{
        const struct menu_item item = {action, browser_subject_copy(of, &p->texts), is_first};

        ARRAY_PUSH(p->items, p->page.list.n, p->cap_items, item);
}

struct page *page_menu_new(struct browser *browser, const struct browser_subject *subjects, size_t n)
{
        struct menu_page *p = mem_new(1, sizeof(*p));

        assert(n);
        p->page.kind = &kind;
        p->page.list.takes_j_k = true;
        for (enum action action = ABOUT; subjects->name && action <= TIMES; action++)
                add(p, action, subjects, true);
        if (*subjects->module)
                add(p, MODULE, subjects, true);
        if (subjects->comm || subjects->has_pid || subjects->has_tid)
                add(p, TASK, subjects, true);
        for (size_t i = 1; i < n; i++)
                add(p, CODE, &subjects[i], false);
        if (p->page.list.n)
                return &p->page;
        release(&p->page);
        browser_say(browser, "there are no actions for this row");
        return NULL;
}
