/* SPDX-License-Identifier: BSD-3-Clause */
/* The browser of a comparison: compares while keys are answered, and the keys of all its pages. */
#include "diff_browser.h"

#include <stdlib.h>

#include "diff_browser_internal.h"
#include "diff_columns.h"
#include "mem.h"
#include "os.h"

struct cell_style diff_browser_style(enum compared_verdict verdict)
{
        switch (verdict) {
        case COMPARED_MORE: return (struct cell_style){.text = CELL_RGB | 0xd04040, .attributes = CELL_BOLD};
        case COMPARED_LESS: return (struct cell_style){.text = CELL_RGB | 0x40a040, .attributes = CELL_BOLD};
        default: return (struct cell_style){0};
        }
}

void diff_browser_add_change(const struct compared_total *total, bool has_interval, struct buf *out)
{
        size_t before = out->len;
        AUTO_RELEASE(buf) interval = {0};

        diff_columns_add_change(&total->value, out);
        if (has_interval)
                diff_columns_add_interval(&total->value, &interval);
        if (interval.len)
                buf_printf(out, "%s(%s)", out->len > before ? " " : "", buf_text(&interval));
        buf_add_str(out, out->len > before ? ", " : "");
        diff_columns_add_verdict(&total->value, total->unit == COMPARED_NS, out);
}

/* --- Work of another thread --- */

/* Runs `run` with `ctx`, and wakes the screen at its end. */
struct diff_task {
        void (*run)(void *ctx);
        void *ctx;
        struct screen *screen;
        double (*share)(const void *ctx);
        const void *share_ctx;
        const char *doing;
        bool is_done;
};

static void run_task(void *ctx)
{
        struct diff_task *task = ctx;

        task->run(task->ctx);
        __atomic_store_n(&task->is_done, true, __ATOMIC_RELEASE);
        screen_wake(task->screen);
}

static bool is_done(const void *ctx)
{
        return __atomic_load_n(&((const struct diff_task *)ctx)->is_done, __ATOMIC_ACQUIRE);
}

static double share_of(const void *ctx, const char **ret_doing)
{
        const struct diff_task *task = ctx;

        *ret_doing = task->doing;
        return task->share ? task->share(task->share_ctx) : 0;
}

/* Returns false if the user quit: then the thread still uses `task` and its `ctx`, which must stay until
 * the process ends: on the heap, because functions return first. */
static bool work(struct browser *browser, struct diff_task *task, const char *text)
{
        struct os_task *thread;

        task->screen = browser->screen;
        thread = os_task_start(run_task, task);
        if (!browser_wait(browser, &(struct browser_work){text, is_done, share_of, task}))
                return false;
        os_task_join(thread);
        return true;
}

/* --- Comparing --- */

struct diff_comparing {
        struct diff_task task;
        const struct diff_browser_request *request;
        struct diff_view view;
        struct err err;
        bool is_ok;
};

static void run_compare(void *ctx)
{
        struct diff_comparing *c = ctx;

        c->is_ok = c->request->compare(c->request->ctx, &c->view, &c->err);
}

static bool compare(struct browser *browser)
{
        const struct diff_browser_request *request = browser->diff->request;
        struct diff_comparing *c = mem_new(1, sizeof(*c));
        bool is_ok;

        c->request = request;
        c->task = (struct diff_task){
                .run = run_compare,
                .ctx = c,
                .share = request->share,
                .share_ctx = request->ctx,
                .doing = "reading the sessions",
        };
        if (!work(browser, &c->task, "reading the sessions ..."))
                return false;
        browser->diff->view = c->view;
        browser->err = c->err;
        is_ok = c->is_ok;
        free(c);
        return is_ok;
}

/* --- Machine code --- */

struct code_comparing {
        struct diff_task task;
        struct code_diff_request request;
        const char *brief;
        struct code_diff diff;
        struct err err;
        bool is_ok;
};

static void run_code(void *ctx)
{
        struct code_comparing *c = ctx;

        c->is_ok = code_diff_make(&c->request, &c->diff, &c->err);
        if (c->is_ok || c->err.code != ERR_MISSING || !strcmp(c->request.symbol, c->brief))
                return;
        c->request.symbol = c->brief;
        c->is_ok = code_diff_make(&c->request, &c->diff, NULL);
}

static struct code_comparing *code_comparing_new(const struct diff_browser *diff,
                                                 const struct compared_row *row)
{
        const struct run_values *values = diff->view.values;
        struct code_comparing *c = mem_new(1, sizeof(*c));

        c->task = (struct diff_task){.run = run_code, .ctx = c, .doing = "comparing the code"};
        c->request = *diff->request->code;
        c->request.paths[CODE_A] = run_values_path(values, 0);
        c->request.paths[CODE_B] = run_values_path(values, run_values_n_runs(values, RUN_A));
        c->request.symbol = row->full_name;
        c->brief = row->name;
        return c;
}

static void show_compared(struct browser *browser, const struct compared_row *row, struct code_comparing *c)
{
        AUTO_RELEASE(buf) title = {0};

        buf_printf(&title, "code of %s", row->name);
        if (c->is_ok)
                browser_push(browser,
                             page_diff_code_new(buf_text(&title), c->request.paths, row->module, &c->diff));
        else
                browser_say(browser, "%s", c->err.text);
}

void diff_browser_show_code(struct browser *browser, const struct compared_row *row)
{
        struct code_comparing *c;

        if (!browser->diff->view.rows_have_code) {
                browser_say(browser, "a %s has no machine code of its own", browser->diff->view.row_is);
                return;
        }
        c = code_comparing_new(browser->diff, row);
        if (!work(browser, &c->task, "comparing the code ...")) {
                browser->is_ending = true;
                return;
        }
        show_compared(browser, row, c);
        free(c);
}

/* --- What all pages share --- */

static void add_title(const struct browser *browser, struct buf *out)
{
        diff_view_add_side(&browser->diff->view, RUN_A, out);
        buf_add_str(out, ", ");
        diff_view_add_side(&browser->diff->view, RUN_B, out);
}

/* On the first page: the others need the room. */
static const struct browser_warning *warning_of(const struct browser *browser)
{
        static const struct browser_warning notes = {" notes: press i ", " notes "};

        return *browser->diff->view.notes && !browser->top->below ? &notes : NULL;
}

/* The table has filters of its own. */
static bool is_filtered(const struct browser *browser)
{
        (void)browser;
        return false;
}

static void next_event(struct browser *browser)
{
        if (browser->diff->view.n_comparisons < 2) {
                browser_say(browser, "only one event is compared");
                return;
        }
        browser->event = (browser->event + 1) % (uint32_t)browser->diff->view.n_comparisons;
        browser_pop_all(browser);
        browser_push(browser, page_diff_new(browser));
}

static void on_letter(struct browser *browser, uint32_t code)
{
        if (code == 'i')
                browser_push(browser, page_diff_notes_new());
}

static const struct browser_source source = {
        .add_title = add_title,
        .warning = warning_of,
        .is_filtered = is_filtered,
        .next_event = next_event,
        .letter = on_letter,
        .help = BROWSER_HELP_DIFF,
};

/* --- The loop --- */

static bool run(struct browser *browser)
{
        if (!compare(browser))
                return false;
        browser_push(browser, page_diff_new(browser));
        /* Counts have totals, and no rows. */
        if (!browser->top->list.n)
                browser_push(browser, page_diff_notes_new());
        while (!browser->is_ending) {
                browser_draw(browser);
                browser_take_keys(browser);
        }
        return true;
}

bool diff_browser_run(const struct diff_browser_request *request, browser_write_fn *write, bool *ret_left,
                      struct err *err)
{
        struct diff_browser diff = {.request = request};
        struct browser browser = {.source = &source, .write = write, .diff = &diff};

        return browser_open_screen(&browser, request->colors, run, ret_left, err);
}
