/* SPDX-License-Identifier: BSD-3-Clause */
/* The browser of a session: its first page, the keys of all its pages, the filter. */
#include <inttypes.h>
#include <stdlib.h>

#include "browse_read.h"
#include "browser_internal.h"
#include "page_text.h"
#include "sample_view.h"

/* --- the filter --- */

static bool has_filter(const struct browser *browser)
{
        const struct browser_filter *f = &browser->filter;

        return f->module || f->comm || f->has_pid || f->has_tid || f->to_ns;
}

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

static void add_why_none(const struct browser *browser, struct buf *out)
{
        if (!has_filter(browser)) {
                sample_view_add_no_samples(browser->report, out);
                return;
        }
        buf_add_str(out, "no sample is left");
        add_filter(browser, out);
        buf_add_str(out, "; press Esc to show all samples again\n");
}

/* --- the first page --- */

static bool has_samples(const struct browser *browser)
{
        return browser->report->events[browser->event].n_samples;
}

/* Without samples, the first page says why there are none. */
static void show_table(struct browser *browser)
{
        if (!has_samples(browser)) {
                browser_push(browser, page_wrapped_new("no samples", add_why_none));
                return;
        }
        browser_push(browser, page_table_new(browser));
        if (browser->request->start == BROWSER_FUNCTIONS && browser_wait_whole(browser))
                browser_push(browser, page_functions_new(browser));
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

/* Without a name, the function in the first row of the page on which `report` opens.  A name is one of a
 * Python file, or of a Python or native function. */
static void show_code(struct browser *browser)
{
        const struct python_rows *python = browser->report->python;
        const char *name = browser->request->symbol;
        struct browser_subject subject = {name, "", NULL};
        struct page *code;

        if (!python || !python->n) {
                browser_push(browser, page_code_new(browser, &subject));
                return;
        }
        browser_push(browser, page_functions_new(browser));
        if (!name) {
                if (browser->top->kind->subjects(browser->top, &subject, 1))
                        browser_show_code(browser, &subject);
                return;
        }
        code = page_python_source_new(browser, name);
        if (!code) {
                buf_clear(&browser->message); /* no Python function, but maybe a native one */
                code = page_code_new(browser, &subject);
        }
        browser_push(browser, code);
}

static void show_first(struct browser *browser)
{
        show_table(browser);
        if (!has_samples(browser))
                return;
        if (browser->request->start == BROWSER_TREE || browser->request->start == BROWSER_CALLERS)
                show_whole_tree(browser, browser->request->start == BROWSER_CALLERS);
        else if (browser->request->start == BROWSER_CODE && browser_wait_whole(browser))
                show_code(browser);
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

static void on_letter(struct browser *browser, uint32_t code)
{
        if (!has_samples(browser) && code != 'i') {
                browser_say(browser, "there are no samples");
                return;
        }
        switch (code) {
        case 't': browser_show_times(browser, NULL); break;
        case 'p': show_python(browser); break;
        case 'A': show_accesses(browser); break;
        case 'g':
        case 'G': show_whole_tree(browser, code == 'G'); break;
        case 'f': show_flame(browser); break;
        case 'M': next_python_mode(browser); break;
        case 'i': browser_push(browser, page_info_new()); break;
        default: break;
        }
}

/* --- the title --- */

static void add_title(const struct browser *browser, struct buf *out)
{
        const struct report_event *event = &browser->report->events[browser->event];
        struct profile_totals totals = profile_get_totals(browser->report->profile, browser->event);

        buf_printf(out, "%s  %" PRIu64, event->name, event->n_samples);
        if (totals.n_filtered && !event->is_wall)
                buf_printf(out, " of %" PRIu64, totals.n_samples + totals.n_filtered);
        buf_add_str(out, " samples");
        add_filter(browser, out);
}

static const struct browser_warning *warning_of(const struct browser *browser)
{
        static const struct browser_warning poor = {" poor quality: press i ", " poor "};

        return quality_is_poor(&browser->report->quality) ? &poor : NULL;
}

static const struct browser_source source = {
        .add_title = add_title,
        .warning = warning_of,
        .is_filtered = has_filter,
        .drop_filter = browser_drop_filter,
        .next_event = next_event,
        .letter = on_letter,
        .help = BROWSER_HELP_SESSION,
};

/* --- the loop --- */

static void open_page(struct browser *browser)
{
        const struct browser_opening *o = &browser->request->opening;
        const struct browser_subject subject = {.name = o->name,
                                                .module = o->module ? o->module : "",
                                                .python = o->python,
                                                .comm = o->comm,
                                                .has_pid = o->has_pid,
                                                .has_tid = o->has_tid,
                                                .pid = o->pid,
                                                .tid = o->tid};
        const struct key key = {.kind = KEY_CHAR, .code = o->key};

        if (!o->key || !browser->top)
                return;
        if (!o->name && !o->comm)
                on_letter(browser, o->key);
        else
                browser_subject_key(browser, &subject, 1, &key);
}

/* Returns false if reading failed (browser->err) or if the user quit while the session was being read. */
static bool run(struct browser *browser)
{
        if (!browser_read_session(browser))
                return false;
        show_first(browser);
        open_page(browser);
        while (!browser->is_ending) {
                browser_draw(browser);
                if (browser_take_keys(browser) && browser->reading && browse_read_is_done(browser->reading))
                        browser_wait_whole(browser);
                if (browser->is_to_read && !browser->is_ending) {
                        if (!browser_read_session(browser))
                                return false;
                        show_table(browser);
                }
        }
        browser->has_left |= browser->reading != NULL;
        return !browser->err.code;
}

bool browser_run(const struct browser_request *request, browser_write_fn *write, bool *ret_left,
                 struct err *err)
{
        struct browser browser = {
                .source = &source, .write = write, .request = request, .python = request->report->python};
        bool ok = browser_open_screen(&browser, request->colors, run, ret_left, err);

        /* The threads that it left still read the session. */
        if (*ret_left)
                return true;
        free(browser.filter.module);
        free(browser.filter.comm);
        free(browser.filter.thread);
        browse_session_free(browser.session);
        browse_session_free(browser.sorted);
        return ok;
}
