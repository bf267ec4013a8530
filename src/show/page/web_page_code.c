/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of the hottest functions: those with samples and some around them. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "web_page_internal.h"

enum {
        AROUND = 8,         /* instructions before and behind one with samples */
        MAX_POINTS = 16000, /* on the page */
};

struct code_writing {
        const struct web_page *page;
        struct strpool *texts;
        size_t n_points; /* so far */
};

/* The event's number on the page; SIZE_MAX if it is not there. */
static size_t event_of(const struct web_page *page, uint32_t index)
{
        for (size_t i = 0; i < page->n_events; i++) {
                if (page->events[i].index == index)
                        return i;
        }
        return SIZE_MAX;
}

/* Whether each point is written: it is near one with samples. */
static bool *choose_points(const struct annotate *annotate, size_t *ret_n)
{
        size_t n = annotate_n_points(annotate);
        bool *chosen = mem_new(n, sizeof(*chosen));

        *ret_n = 0;
        for (size_t i = 0; i < n; i++) {
                if (!annotate_get_point(annotate, i)->count)
                        continue;
                for (size_t k = i > AROUND ? i - AROUND : 0; k < n && k <= i + AROUND; k++) {
                        *ret_n += !chosen[k];
                        chosen[k] = true;
                }
        }
        return chosen;
}

static uint32_t add_instruction(const struct code_writing *w, size_t function,
                                const struct annotate_point *point)
{
        AUTO_RELEASE(buf) text = {0};

        if (!point->insn)
                return 0;
        buf_add_str(&text, point->insn->text);
        if (point->insn->has_target) {
                size_t before;

                buf_add_str(&text, " <");
                before = text.len;
                annotation_add_target(w->page->annotation, function, point->insn->target, &text);
                if (text.len > before)
                        buf_add_char(&text, '>');
                else
                        buf_truncate(&text, before - 2);
        }
        return web_page_add_text(w->texts, buf_text(&text));
}

static void add_points(const struct code_writing *w, size_t function, const struct annotate *annotate,
                       const bool *chosen, struct buf *out)
{
        AUTO_RELEASE(buf) counts = {0};
        AUTO_RELEASE(buf) weights = {0};
        AUTO_RELEASE(buf) texts = {0};
        AUTO_RELEASE(buf) files = {0};
        AUTO_RELEASE(buf) lines = {0};
        uint64_t before = 0;

        for (size_t i = 0; i < annotate_n_points(annotate); i++) {
                const struct annotate_point *point = annotate_get_point(annotate, i);
                const struct resolver_frame *frame = point->n_frames ? &point->frames[0] : NULL;

                if (!chosen[i])
                        continue;
                buf_add_uleb(out, point->addr - before);
                before = point->addr;
                buf_add_uleb(&counts, point->count);
                buf_add_uleb(&weights, point->weight);
                buf_add_uleb(&texts, add_instruction(w, function, point));
                buf_add_uleb(&files,
                             frame && frame->path
                                     ? web_page_add_text(w->texts, annotate_text(annotate, frame->path))
                                     : 0);
                buf_add_uleb(&lines, frame ? frame->line : 0);
        }
        buf_add(out, buf_text(&counts), counts.len);
        buf_add(out, buf_text(&weights), weights.len);
        buf_add(out, buf_text(&texts), texts.len);
        buf_add(out, buf_text(&files), files.len);
        buf_add(out, buf_text(&lines), lines.len);
}

/* False if it is not on the page. */
static bool add_function(struct code_writing *w, size_t index, struct buf *out)
{
        struct annotated function = annotation_get(w->page->annotation, index);
        size_t event = event_of(w->page, function.event), n;
        bool *chosen;

        if (event == SIZE_MAX || w->n_points >= MAX_POINTS || !annotate_count(function.annotate))
                return false;
        chosen = choose_points(function.annotate, &n);
        w->n_points += n;
        buf_add_uleb(out, event);
        buf_add_uleb(out, web_page_add_text(w->texts, hot_text(w->page->hot, function.row->bare)));
        buf_add_uleb(out, web_page_add_text(w->texts, hot_text(w->page->hot, function.row->module)));
        buf_add_uleb(out, web_page_add_text(w->texts, function.code_note));
        buf_add_uleb(out, annotate_count(function.annotate));
        buf_add_uleb(out, annotate_weight(function.annotate));
        buf_add_uleb(out, n);
        add_points(w, index, function.annotate, chosen, out);
        free(chosen);
        return true;
}

void web_page_code_write(const struct web_page *page, struct strpool *texts, struct buf *out)
{
        struct code_writing w = {.page = page, .texts = texts};
        AUTO_RELEASE(buf) functions = {0};
        size_t n = 0;

        for (size_t i = 0; page->annotation && i < annotation_n_functions(page->annotation); i++)
                n += add_function(&w, i, &functions);
        buf_add_uleb(out, n);
        buf_add(out, buf_text(&functions), functions.len);
}
