/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `sample`, `record` and `report` as text and as a document: heading, table, trees or branches, and quality. */
#ifndef SAMPLE_VIEW_H
#define SAMPLE_VIEW_H

#include "branch_view.h"
#include "hot_view.h"
#include "python_view.h"
#include "quality.h"
#include "tree_view.h"

/* How an event was sampled. */
struct sample_view_source {
        const char *name;
        uint64_t rate; /* per second, or a period */
        bool is_time;  /* the period is in ns */
        bool is_frequency, no_kernel, no_user;
        const char *skid; /* "possible", "none" */
};

/* How call trees are shown, in addition to the options of rows. */
struct sample_view_trees {
        bool are_wanted;
        bool is_inverted; /* callers below their callees */
        double min_percent;
        unsigned max_depth;
};

/* Number of frames of unwound stacks, by the unwinding methods that are printed. */
struct sample_view_ways {
        bool any; /* any method was used; else no stack was unwound */
        uint64_t cfi, stub, fp, lbr, signal, pe;
        bool were_recorded;
        uint64_t unwind_ns;
};

struct sample_view_section {
        const char *name;
        uint64_t addr, size_bytes;
};

struct sample_view_module {
        const char *path;
        uint64_t address;
        const char *note;                           /* or NULL */
        const struct sample_view_section *sections; /* for the document */
        size_t n_sections;
};

/* All data of the view; the pointers belong to the caller and outlive the calls. */
struct sample_view {
        struct hot_view hot;
        struct sample_view_trees trees;          /* if requested, replace the table */
        const struct branch_view_rows *branches; /* likewise; NULL: not requested */
        struct python_view python;               /* follows the table or the trees */
        const struct quality *quality;
        const struct sample_view_source *sources; /* one for each event */
        struct sample_view_ways ways;
        const struct sample_view_module *modules;
        size_t n_modules;
        const char *pe_file, *pdb_file; /* as the user gave them, or NULL */
        bool has_image;
        const char *image_name, *image_path; /* of the main image; NULL: not known */
        uint64_t base_address, runtime_delta;
        const char *machine;     /* that recorded the session; "": not known */
        const char *source_note; /* or "" */
        bool knows_busy;         /* the CPU time of the targets is known */
        uint64_t busy_ns;
        const char *sampling_line; /* "sampling ... done!" with its line feed, or NULL */
        const char *counts;        /* tables before those of the samples, or NULL */
        const char *session;       /* the session that was just written, or NULL */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

enum sample_form { SAMPLE_TEXT, SAMPLE_JSON, SAMPLE_CSV };

/* A view in progress.  The caller passes the trees of events with samples one after the other, because there may not be enough
 * memory for all of them at a time. */
struct sample_page {
        const struct sample_view *view;
        enum sample_form form;
        struct buf *out;
        struct json *json, own;
};

void sample_page_begin(struct sample_page *page, const struct sample_view *view, enum sample_form form,
                       struct buf *out);

/* SAMPLE_JSON as a value inside another document, whose writer outlives the page. */
void sample_page_begin_inside(struct sample_page *page, const struct sample_view *view, struct json *json);
void sample_page_add_tree(struct sample_page *page, uint32_t event, const struct calltree *tree);
void sample_page_end(struct sample_page *page);

#endif
