/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for other threads while the browser answers keys. */
#include "browser_internal.h"
#include "os.h"

enum {
        QUIET_MS = 200,    /* wait before the progress bar appears */
        PROGRESS_MS = 100, /* time between updates of the bar */
};

static void draw_progress(struct browser *browser, const struct browser_work *work)
{
        struct cells *cells = browser->cells = screen_cells(browser->screen);
        const char *doing;
        double share = work->share(work->ctx, &doing);
        unsigned row = cells->rows / 2, width = cells->columns > 20 ? cells->columns - 20 : 0;

        cells_clear(cells);
        if (row >= 1)
                cells_put(cells, row - 1, 10, width, (struct cell_style){0}, doing);
        cells_fill(cells, row, 10, width, (struct cell_style){.attributes = CELL_UNDERLINE});
        cells_fill(cells, row, 10, (unsigned)(share * width),
                   (struct cell_style){.attributes = CELL_REVERSE});
        cells_put(cells, cells->rows - 1, 0, cells->columns, (struct cell_style){.attributes = CELL_DIM},
                  "q quit");
        screen_show(browser->screen);
}

static bool is_char(const struct key *key, uint32_t code)
{
        return key->kind == KEY_CHAR && key->code == code && !key->is_pasted;
}

/* A q that is part of a search text does not quit. */
static bool is_leaving(const struct browser *browser, const struct key *key)
{
        return (is_char(key, 'q') && !browser->typed.in_search) ||
               (key->kind == KEY_CONTROL && key->code == 'c');
}

/* Queues a key for the next page.  Mouse events are dropped: the page that was clicked on is gone. */
static void keep_key(struct browser *browser, const struct key *key)
{
        struct browser_typed *typed = &browser->typed;

        if (key->kind >= KEY_PRESS || typed->n == N_ELEMENTS(typed->keys))
                return;
        if (key->kind == KEY_ENTER || key->kind == KEY_ESCAPE)
                typed->in_search = false;
        else
                typed->in_search |= is_char(key, '/');
        typed->keys[typed->n++] = *key;
}

bool browser_take_typed(struct browser *browser, struct key *ret)
{
        struct browser_typed *typed = &browser->typed;

        if (typed->at < typed->n) {
                *ret = typed->keys[typed->at++];
                return true;
        }
        *typed = (struct browser_typed){.n = 0};
        return false;
}

/* Shows no progress bar at first, because it would only flicker if the work is done soon. */
bool browser_wait(struct browser *browser, const struct browser_work *work)
{
        const uint64_t begin = os_monotonic_ns();

        if (!work->is_done(work->ctx))
                browser_say_now(browser, work->text);
        while (!work->is_done(work->ctx)) {
                uint64_t waited = (os_monotonic_ns() - begin) / 1000000;
                enum screen_event event;
                struct key key;

                if (waited >= QUIET_MS)
                        draw_progress(browser, work);
                event = screen_wait(browser->screen,
                                    waited < QUIET_MS ? (int)(QUIET_MS - waited) : PROGRESS_MS, &key);
                browser->has_left =
                        event == SCREEN_CLOSED || (event == SCREEN_KEY && is_leaving(browser, &key));
                if (browser->has_left)
                        return false;
                if (event == SCREEN_KEY)
                        keep_key(browser, &key);
        }
        return true;
}
