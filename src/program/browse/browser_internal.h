/* SPDX-License-Identifier: BSD-3-Clause */
/* What the pages of the browser share: the browser itself, lists of rows, and the functions of a page. */
#ifndef BROWSER_INTERNAL_H
#define BROWSER_INTERNAL_H

#include <assert.h>

#include "annotation.h"
#include "arena.h"
#include "browse_read.h"
#include "browser.h"
#include "buf.h"
#include "calltree.h"
#include "profile.h"
#include "screen.h"
#include "text_match.h"

struct browser;
struct diff_browser;
struct page;

/* --- rows that are scrolled and selected --- */

struct browse_list {
        size_t n, top, at; /* number of rows; first row on the screen; selected row */
        unsigned height;   /* rows on the screen when it was drawn last */
        bool takes_j_k;    /* j and k move down and up, as in perf */
        bool has_jumped;   /* by browse_list_go_to() */
};

/* Handles arrows, PgUp, PgDn, Home, End, the mouse wheel and clicks on a row; false for any other key.
 * `first_row` is the screen row of the first row. */
bool browse_list_key(struct browse_list *list, const struct key *key, unsigned first_row);

/* Selects a row; the next drawing moves it to the middle if it is not on the screen. */
void browse_list_go_to(struct browse_list *list, size_t row);

/* Call before drawing: scrolls so that the selected row is on the screen. */
void browse_list_fit(struct browse_list *list, unsigned height);

/* --- pages --- */

/* What actions of a row apply to: a function, and in tables by other keys also a module, thread or
 * process. */
struct browser_subject {
        const char *name;      /* of the function; NULL if the row has none */
        const char *module;    /* "" if there is none */
        const char *python;    /* label of a Python function, as annotate takes it; NULL for native code */
        const char *comm;      /* name of the thread or process; NULL if there is none */
        bool has_pid, has_tid; /* neither: all threads with this name */
        int32_t pid, tid;
};

enum { BROWSER_MAX_SUBJECTS = 12 };

struct page_kind {
        const char *keys; /* the most important keys, for the last line */
        void (*add_title)(const struct browser *browser, const struct page *page, struct buf *out);
        /* Draws into rows `from` to `to` - 1 of the cells. */
        void (*draw)(struct browser *browser, struct page *page, unsigned from, unsigned to);
        /* Draws a row of the list at row `at` of the cells.  NULL if the page has no list. */
        void (*draw_row)(struct browser *browser, struct page *page, size_t row, unsigned at);
        /* Handles a key; false if the page has no use for it. */
        bool (*key)(struct browser *browser, struct page *page, const struct key *key);
        /* Whether a row contains browser->search.  NULL if the page cannot be searched or has its own
         * `find`. */
        bool (*matches)(const struct browser *browser, const struct page *page, size_t row);
        /* Replaces the search of page_find(); NULL if `matches` is enough. */
        bool (*find)(struct browser *browser, struct page *page, bool again, bool back);
        /* Returns the number of functions in the selected row, at most `max`, and sets them.  NULL if rows
         * of the page have no functions. */
        size_t (*subjects)(const struct page *page, struct browser_subject *ret, size_t max);
        /* Called when the browser has another report.  NULL if the page cannot be built again; it is not
         * open at that time. */
        void (*renew)(struct browser *browser, struct page *page);
        void (*free)(struct page *page);
};

struct page {
        const struct page_kind *kind;
        struct page *below; /* the page that Esc returns to */
        struct browse_list list;
        unsigned left,
                columns; /* first column and width of its rows; `columns` 0 is up to the edge of the screen */
        unsigned first_row; /* screen row of the first row when it was drawn last */
};

/* Draws the rows of the list at rows `from` to `to` - 1 of the screen, and highlights the selected one. */
void page_draw_rows(struct browser *browser, struct page *page, unsigned from, unsigned to);

/* The name of another row on the screen that name_text_add() shortens to the same text as that of `row`, so
 * that the difference must stay visible; NULL: none. */
const char *page_find_twin(const struct page *page, size_t row, unsigned columns,
                           const char *(*name_of)(const struct page *page, size_t row));

/* The pattern of the functions that tables show; NULL: all. */
const char *page_pattern(const struct browser *browser);

/* In a page without rows, says that no function matches the pattern, if there is one. */
void page_draw_no_match(struct browser *browser, const struct page *page, unsigned at, unsigned to);

/* Draws shares and samples of a function, and the heading above them; on a narrow screen without the number
 * of samples, on a very narrow one without the total.  Returns the column of the name. */
unsigned page_draw_shares(struct browser *browser, unsigned at, uint64_t self, uint64_t self_count,
                          uint64_t total);
void page_draw_shares_head(struct browser *browser, unsigned at, const char *names);

/* Whether the page can be searched. */
bool page_can_find(const struct page *page);

/* Selects the next row that contains browser->search, beginning with the selected row, with `again` with
 * the row after it, with `back` upwards.  Returns false if there is no match. */
bool page_find(struct browser *browser, struct page *page, bool again, bool back);

/* Appends all rows of the list as lines of text.  The page must have a list. */
void page_add_text(struct browser *browser, struct page *page, struct buf *out);

/* --- what is browsed --- */

struct browser_warning {
        const char *text, *brief; /* for wide and for narrow screens */
};

enum browser_help { BROWSER_HELP_SESSION, BROWSER_HELP_DIFF, BROWSER_HELP_LIVE };

/* A session or a comparison: what the title says, and keys that work on all of its pages. */
struct browser_source {
        /* Appends the beginning of the title. */
        void (*add_title)(const struct browser *browser, struct buf *out);
        /* Returns the warning at the end of the title; NULL for none. */
        const struct browser_warning *(*warning)(const struct browser *browser);
        bool (*is_filtered)(const struct browser *browser);
        void (*drop_filter)(struct browser *browser);
        void (*next_event)(struct browser *browser);
        void (*letter)(struct browser *browser, uint32_t code);
        enum browser_help help;
};

/* The filter that the user chose; the filter of the request applies too.  Strings are NULL if not used. */
struct browser_filter {
        char *module, *comm, *thread; /* `thread` is the name of the thread or process */
        bool has_pid, has_tid;
        int32_t pid, tid;
        uint64_t from_ns, to_ns; /* by the session's clock; to_ns is 0 for all times */
};

/* Keys that were typed while the session was read; further ones are dropped. */
struct browser_typed {
        struct key keys[64];
        size_t n, at;   /* number of keys; how many of them were taken */
        bool in_search; /* the last keys are part of a search text */
};

struct browser {
        const struct browser_source *source;
        browser_write_fn *write;
        const struct browser_request *request; /* of a session; NULL: the browser shows a comparison */
        struct diff_browser *diff;             /* NULL: the browser shows a session */
        struct screen *screen;
        struct cells *cells;
        struct browse_session *session; /* NULL while loading, if the table has keys of its own */
        struct browse_session
                *sorted;       /* rows by the request's keys; NULL: the table shows the session's rows */
        struct report *report; /* owned by `session`; has stacks if `is_whole`, else only rows */
        struct browse_read *reading; /* reading the whole report; NULL if nothing is being read */
        bool is_whole, has_left;
        uint32_t event;
        struct page *top;
        struct browser_typed typed;
        struct buf search; /* text; empty if there was no search */
        struct buf message;
        bool is_typing;   /* a search text is being typed */
        bool is_new_page; /* the top page has not been drawn yet */
        bool is_ending;
        bool is_closed;  /* the terminal is gone */
        bool is_to_read; /* the filter or the Python mode changed: read the session again */
        struct err err;  /* of the last reading */
        struct browser_filter filter;
        bool wants_samples; /* a page needs the list of samples */
        enum stacks_python python;
};

/* Draws the top page, and shows it. */
void browser_draw(struct browser *browser);

/* Takes all keys that wait before the next drawing, so that a held key does not run ahead of the screen;
 * but a new page is drawn before its first key, because pages lay out their rows when they are drawn: then
 * it returns false. */
bool browser_take_keys(struct browser *browser);

/* Opens the screen, calls `run`, and frees the pages and the screen again; or, if the user quit while other
 * threads were at work, only restores the terminal: sets *ret_left, and the threads may use the browser's
 * data until the process ends.  Returns false if the screen cannot be opened or if `run` returned false, with
 * browser->err. */
bool browser_open_screen(struct browser *browser, enum cell_colors colors,
                         bool (*run)(struct browser *browser), bool *ret_left, struct err *err);

/* Work of another thread. */
struct browser_work {
        const char *text; /* shown at once: "reading the session ..." */
        bool (*is_done)(const void *ctx);
        /* Returns 0 to 1, and what is being done; drawn as a progress bar after a moment. */
        double (*share)(const void *ctx, const char **ret_doing);
        const void *ctx;
};

/* Waits until the work is done, and keeps the keys that are typed meanwhile.  Returns false if the user
 * quit (browser->has_left). */
bool browser_wait(struct browser *browser, const struct browser_work *work);

/* Reads the rows and starts to read the rest, or reads all at once if the first page needs it.  Returns
 * false if the user quit or reading failed. */
bool browser_read_session(struct browser *browser);

/* Takes the next key that was typed while the session was read; false if there is none. */
bool browser_take_typed(struct browser *browser, struct key *ret);

/* Waits with a progress bar until the whole report is read.  Returns false if the user quit or reading
 * failed (browser->err). */
bool browser_wait_whole(struct browser *browser);

/* The same for a report that also has the list of samples. */
bool browser_wait_samples(struct browser *browser);

/* Call after a change of browser->filter: the session will be read again. */
void browser_refilter(struct browser *browser);

/* Removes the user's filter; that of the request stays. */
void browser_drop_filter(struct browser *browser);

void browser_push(struct browser *browser, struct page *page);
void browser_pop(struct browser *browser);
void browser_pop_all(struct browser *browser);

/* Shows a message in the last line until the next key. */
void browser_say(struct browser *browser, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Shows a text in the last line at once, on the page that is still there: the answer to a key whose work
 * may take longer.  Not while a page is drawn. */
void browser_say_now(struct browser *browser, const char *text);

/* The report that the table shows. */
static inline const struct report *browser_rows(const struct browser *browser)
{
        return browser->sorted ? browse_session_report(browser->sorted) : browser->report;
}

/* Returns the finished call tree of the event.  The report must be whole. */
static inline const struct calltree *browser_tree(const struct browser *browser)
{
        assert(browser->is_whole);
        return browse_session_tree(browser->session, browser->event);
}

/* Returns a share in percent. */
static inline double browser_percent(uint64_t weight, uint64_t all)
{
        return all ? 100 * (double)weight / (double)all : 0;
}

/* Returns the time of the session's first sample of any event, before all filters; by the session's clock. */
static inline uint64_t browser_first_ns(const struct browser *browser)
{
        return profile_get_totals(browser->report->profile, UINT32_MAX).first_ns;
}

/* Returns the seconds since the session's first sample. */
static inline double browser_seconds(const struct browser *browser, uint64_t time_ns)
{
        return (double)(int64_t)(time_ns - browser_first_ns(browser)) / 1e9;
}

/* Whether a text contains browser->search; upper and lower case are equal. */
static inline bool browser_matches(const struct browser *browser, const char *text)
{
        return text_contains_nocase(text, buf_text(&browser->search));
}

/* Returns the style of a share in percent. */
struct cell_style browser_heat(double percent);

/* Draws a line of column headings. */
void browser_head(struct browser *browser, unsigned row, const char *text);

/* --- each page's file --- */

struct page *page_table_new(struct browser *browser);
struct page *page_python_new(struct browser *browser);
/* The report must be whole. */
struct page *page_functions_new(struct browser *browser);
/* Accesses to memory.  Returns NULL after browser_say() if the event has none.  The report must be whole. */
struct page *page_access_new(struct browser *browser);

/* Shows `tree`.  `own` is NULL, or the same tree, which the page then frees.  Copies `title`. */
struct page *page_tree_new(struct browser *browser, const struct calltree *tree, struct calltree *own,
                           const char *title, bool is_inverted);
/* Expands the tree down to the wanted function with the most samples, and selects it. */
void page_tree_select(struct page *page, calltree_is_wanted_fn is_wanted, const void *ctx);
struct page *page_flame_new(struct browser *browser, const struct calltree *tree, const char *title,
                            uint32_t root);

/* Instructions and source of all native functions of the name; `name` NULL is the hottest function.
 * Returns NULL after browser_say() if there is none. */
struct page *page_code_new(struct browser *browser, const struct browser_subject *subject);

/* Callers, callees and source lines of a function.  The report must be whole. */
struct page *page_function_new(struct browser *browser, const struct browser_subject *subject);

/* Source lines of a Python function (its label) or of a file. */
struct page *page_python_source_new(struct browser *browser, const char *symbol);
/* Samples over time; highlights those of `subject`, which may be NULL. */
struct page *page_strip_new(struct browser *browser, const struct browser_subject *subject);
struct page *page_help_new(enum browser_help help);
struct page *page_info_new(void);

/* All actions for the first of `n` subjects, at least one; for the others only annotate.  Copies the texts.
 * Returns NULL after browser_say() if there are none. */
struct page *page_menu_new(struct browser *browser, const struct browser_subject *subjects, size_t n);

/* Whether a function of a call tree is the subject (`ctx`), at any of its lines. */
bool browser_subject_is(const struct calltree_function *function, const void *ctx);

/* Returns the annotated functions of the subject; NULL on an error.  `err` may be NULL. */
struct annotation *browser_annotate(struct browser *browser, const struct browser_subject *subject,
                                    bool with_code, struct err *err);

/* Returns the subject for a function of a call tree; the tree owns the texts. */
struct browser_subject browser_subject_of(const struct calltree_function *function);

struct browser_subject browser_subject_copy(const struct browser_subject *subject, struct arena *texts);

/* The actions for a function.  They wait for the whole report if they need it. */
void browser_show_code(struct browser *browser, const struct browser_subject *subject);
void browser_show_function(struct browser *browser, const struct browser_subject *subject);
void browser_show_callers(struct browser *browser, const struct browser_subject *subject);
void browser_show_callees(struct browser *browser, const struct browser_subject *subject);
void browser_show_times(struct browser *browser, const struct browser_subject *subject);
void browser_only_module(struct browser *browser, const struct browser_subject *subject);
void browser_only_task(struct browser *browser, const struct browser_subject *subject);
void browser_copy_name(struct browser *browser, const struct browser_subject *subject);

/* Handles the keys of actions: Enter, right arrow and m open the menu of all `n` subjects; x, a, r, d, t and
 * y act on the first one. Returns false for any other key. */
bool browser_subject_key(struct browser *browser, const struct browser_subject *subjects, size_t n,
                         const struct key *key);

#endif
