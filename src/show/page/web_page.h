/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile as one HTML file that opens without a network: the samples of a session as packed columns, and
 * the script that shows them (page_*.js).  docs/decisions/0043-a-page-to-send.md. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access_view.h"
#include "annotation.h"
#include "buf.h"
#include "err.h"
#include "export.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "sampled_source.h"
#include "strips.h"
#include "wall_times.h"
#include "web_page_fact.h"

struct web_page_event {
        uint32_t index; /* as in struct listed_sample */
        const struct export_about *about;
};

/* One way of grouping accesses to memory: "Cache lines". */
struct web_page_accesses {
        const char *title;
        struct access_view view; /* of all events of the session; its max_rows limits the rows of each */
};

/* Which frames are shown first; the reader of the page chooses others. */
enum web_page_frames { WEB_PAGE_MERGED, WEB_PAGE_ALL, WEB_PAGE_PYTHON, WEB_PAGE_NATIVE };

struct web_page {
        const struct sample_list *samples;
        const struct named_stacks *stacks; /* with all frames of Python programs */
        const struct web_page_event *events;
        size_t n_events;
        const struct web_page_fact *facts;
        size_t n_facts;
        const struct sampled_source *source; /* NULL: none */
        const struct wall_times *wall;       /* NULL: the session did not record waiting */
        const struct strips *strips;         /* of its threads over time; NULL: not known */
        struct annotation *annotation;       /* of the hottest functions; NULL: no instructions */
        const struct hot *hot;               /* of the annotation */
        const struct web_page_accesses *accesses;
        size_t n_accesses; /* 0: no sample says what it did to memory */
        enum web_page_frames frames;
        /* Small stacks are merged, and samples of one stack at nearly the same time, until the page has at
         * most so many; 0: a default. */
        size_t max_stacks, max_samples;
};

/* Appends the document. */
bool web_page_write(const struct web_page *page, struct buf *out, struct err *err);

#endif
