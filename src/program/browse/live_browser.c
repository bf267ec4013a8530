/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of the screen of `top`, and the thread that adds up the samples for it. */
#include <stdlib.h>

#include "live_browser_internal.h"
#include "mem.h"
#include "os.h"

#define LOOK_NS 20000000ull /* between two looks whether the run has ended or the screen is left */

/* A thread that makes a table every interval. */
struct live_worker {
        const struct live_browser_request *request;
        struct os_task *task;
        struct os_lock *lock;      /* for all that follows: */
        struct live_table *newest; /* not shown yet; NULL: none */
        struct screen *screen;     /* to be woken; NULL: there is none now */
        bool is_to_zero, quits;
};

/* --- the thread --- */

static bool quits(struct live_worker *w)
{
        bool is_set;

        os_lock_enter(w->lock);
        is_set = w->quits;
        os_lock_leave(w->lock);
        return is_set;
}

/* False if the thread shall end. */
static bool wait_until(struct live_worker *w, uint64_t end_ns)
{
        while (os_monotonic_ns() < end_ns) {
                if (quits(w))
                        return false;
                if (live_run_has_ended(w->request->run))
                        break;
                live_run_catch_up(w->request->run);
                os_sleep(LOOK_NS);
        }
        return !quits(w);
}

static void hand_over(struct live_worker *w, struct live_table *table)
{
        bool zeroes;

        os_lock_enter(w->lock);
        live_table_free(w->newest);
        w->newest = table;
        zeroes = w->is_to_zero;
        w->is_to_zero = false;
        if (w->screen)
                screen_wake(w->screen);
        os_lock_leave(w->lock);
        if (zeroes)
                live_run_zero(w->request->run);
}

static void work(void *ctx)
{
        struct live_worker *w = ctx;
        uint64_t next_ns = os_monotonic_ns();
        bool has_ended = false;

        os_name_thread("wperf names");
        while (!has_ended) {
                next_ns += w->request->interval_ns;
                if (next_ns < os_monotonic_ns())
                        next_ns = os_monotonic_ns();
                if (!wait_until(w, next_ns))
                        return;
                has_ended = live_run_has_ended(w->request->run);
                hand_over(w, live_run_step(w->request->run));
        }
}

static void begin_worker(struct live_worker *w, const struct live_browser_request *request)
{
        *w = (struct live_worker){.request = request, .lock = os_lock_new()};
        w->task = os_task_start(work, w);
}

static void end_worker(struct live_worker *w)
{
        os_lock_enter(w->lock);
        w->quits = true;
        os_lock_leave(w->lock);
        os_task_join(w->task);
        live_table_free(w->newest);
        os_lock_free(w->lock);
}

static void set_screen(struct live_worker *w, struct screen *screen)
{
        os_lock_enter(w->lock);
        w->screen = screen;
        os_lock_leave(w->lock);
}

static struct live_table *take_newest(struct live_worker *w, bool *is_to_zero)
{
        struct live_table *table;

        os_lock_enter(w->lock);
        table = w->newest;
        w->newest = NULL;
        w->is_to_zero |= *is_to_zero;
        os_lock_leave(w->lock);
        *is_to_zero = false;
        return table;
}

/* --- the screen --- */

/* The browser, and what its loop needs besides. */
struct live_screen {
        struct browser browser; /* the first member */
        struct live_browser live;
        struct live_worker worker;
        struct page *page;
};

static struct live_screen *screen_of(const struct browser *browser)
{
        return (struct live_screen *)(uintptr_t)browser;
}

static void take_table(struct live_screen *s)
{
        struct live_browser *live = &s->live;
        struct live_table *table = take_newest(&s->worker, &live->is_to_zero);

        if (table && live->is_frozen) {
                live_table_free(table);
        } else if (table) {
                live->view = live->request->view_of(live->request->ctx, table);
                page_live_take(&s->browser, s->page, table);
        }
        live->view.state = live->is_frozen ? "frozen" : live_run_has_ended(live->request->run) ? "ended" : "";
}

/* Ctrl-C while the question stands ends the command. */
static bool needs_answer(const struct live_screen *s)
{
        const struct live_browser *live = &s->live;

        return s->browser.is_ending && !live->opening && live->request->has_command && !live->is_confirmed &&
               !live->asks && !s->browser.is_closed && !os_stop_requested() &&
               !live_run_has_ended(live->request->run);
}

/* Asks before the command is ended. The page of the table takes the answer, so it must be the top page. */
static void ask(struct live_screen *s)
{
        struct browser *browser = &s->browser;

        if (needs_answer(s)) {
                while (browser->top != s->page)
                        browser_pop(browser);
                browser->is_ending = browser->is_typing = false;
                s->live.asks = true;
        }
        if (s->live.asks) /* pasted text is no answer, but removes the message */
                browser_say(browser, "end the program? q or y ends it, any other key goes on");
}

static bool run(struct browser *browser)
{
        struct live_screen *s = screen_of(browser);

        s->page = page_live_new(&s->live);
        browser_push(browser, s->page);
        set_screen(&s->worker, browser->screen);
        while (!browser->is_ending) {
                take_table(s);
                browser_draw(browser);
                browser_take_keys(browser);
                browser->is_ending |= os_stop_requested() != 0;
                ask(s);
        }
        set_screen(&s->worker, NULL);
        return true;
}

/* --- the title and keys of all pages --- */

static void add_title(const struct browser *browser, struct buf *out)
{
        const struct live_browser *live = &screen_of(browser)->live;

        if (live->table)
                live_view_add_target(&live->view, out);
        else
                buf_add_str(out, "wperf top");
}

static const struct browser_warning *no_warning(const struct browser *browser)
{
        (void)browser;
        return NULL;
}

static bool is_filtered(const struct browser *browser)
{
        return browser->search.len;
}

static void drop_filter(struct browser *browser)
{
        buf_clear(&browser->search);
}

static void next_event(struct browser *browser)
{
        browser_say(browser, "top shows one event; name another one with -e");
}

static void letter(struct browser *browser, uint32_t code)
{
        (void)browser;
        (void)code;
}

static const struct browser_source source = {
        .add_title = add_title,
        .warning = no_warning,
        .is_filtered = is_filtered,
        .drop_filter = drop_filter,
        .next_event = next_event,
        .letter = letter,
        .help = BROWSER_HELP_LIVE,
};

/* --- pages of what was kept --- */

static bool browse_kept(struct live_screen *s, const char *path, browser_write_fn *write, bool *ret_left,
                        struct err *err)
{
        struct live_browser *live = &s->live;
        const struct browser_subject *subject = &live->subject;
        struct browser_request request = *live->request->session;
        struct report_request report = *request.report;

        report.path = path;
        request.report = &report;
        request.start = live->table && live->table->has_python ? BROWSER_FUNCTIONS : BROWSER_TABLE;
        request.opening = (struct browser_opening){.key = live->opening,
                                                   .name = subject->name,
                                                   .module = subject->module,
                                                   .python = subject->python,
                                                   .comm = subject->comm,
                                                   .has_pid = subject->has_pid,
                                                   .has_tid = subject->has_tid,
                                                   .pid = subject->pid,
                                                   .tid = subject->tid};
        return browser_run(&request, write, ret_left, err);
}

static void show_kept(struct live_screen *s, browser_write_fn *write, bool *ret_left)
{
        AUTO_RELEASE(buf) path = {0};
        struct err err = {0};
        AUTO(os_file) file = os_file_create_temp(s->live.request->scratch, &path, &err);

        if (!file || !live_run_keep(s->live.request->run, buf_text(&path), &err) ||
            !browse_kept(s, buf_text(&path), write, ret_left, &err))
                browser_say(&s->browser, "%s", err.text);
        if (file)
                os_remove(buf_text(&path), NULL);
        s->live.opening = 0;
        arena_release(&s->live.subject_texts);
        s->live.subject_texts = (struct arena){0};
}

/* --- all --- */

/* The message of the last page is said on the next screen. */
static void begin_anew(struct live_screen *s, const struct live_browser_request *request,
                       browser_write_fn *write)
{
        struct buf message = s->browser.message;

        s->browser = (struct browser){.source = &source, .write = write, .message = message};
        s->live.request = request;
}

static void keep_at_end(const struct live_screen *s)
{
        enum { HANGUP = 1 };

        if (s->browser.is_closed || os_stop_requested() == HANGUP)
                live_run_keep(s->live.request->run, s->live.request->keep_path, NULL);
}

bool live_browser_run(const struct live_browser_request *request, browser_write_fn *write, bool *ret_left,
                      struct err *err)
{
        struct live_screen s = {.live.kind = request->kind};
        bool has_left = false, goes_on, ok;

        *ret_left = false;
        begin_worker(&s.worker, request);
        do {
                begin_anew(&s, request, write);
                ok = browser_open_screen(&s.browser, request->session->colors, run, &has_left, err);
                goes_on = ok && s.live.opening;
                if (goes_on)
                        show_kept(&s, write, ret_left);
        } while (goes_on && !*ret_left);
        keep_at_end(&s);
        if (*ret_left)
                return true;
        end_worker(&s.worker);
        live_table_free(s.live.table);
        arena_release(&s.live.subject_texts);
        return ok;
}
