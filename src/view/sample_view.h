/* SPDX-License-Identifier: BSD-3-Clause */
/* What `sample`, `record` and `report` show: a heading, the table, the trees or the branches, and the quality; and the same as a
 * document. */
#ifndef SAMPLE_VIEW_H
#define SAMPLE_VIEW_H

#include "branch_view.h"
#include "hot_view.h"
#include "quality.h"
#include "trees_view.h"

/* How an event was sampled. */
struct sample_view_source {
        const char *name;
        uint64_t rate; /* per second, or a period */
        bool is_frequency, no_kernel, no_user;
        const char *skid; /* "possible", "none" */
};

/* How many frames of stacks that were unwound were found in each way that is told of. */
struct sample_view_ways {
        bool any; /* in whatever way; else no stack was unwound */
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

/* Everything that is shown; all pointers are the caller's and outlive the calls. */
struct sample_view {
        struct hot_view hot;
        struct trees_view trees;                 /* in place of the table where it has names */
        const struct branch_view_rows *branches; /* the same; NULL: not wanted */
        const struct quality *quality;
        const struct sample_view_source *sources; /* one for each event */
        struct sample_view_ways ways;
        const struct sample_view_module *modules;
        size_t n_modules;
        const char *pe_file, *pdb_file; /* that the user named, or NULL */
        bool has_image;
        const char *image_name, *image_path; /* of the main image; NULL: none is known */
        uint64_t base_address, runtime_delta;
        const char *source_note; /* or "" */
        bool knows_busy;         /* the CPU time of the targets */
        uint64_t busy_ns;
        const char *sampling_line; /* "sampling ... done!" with its line feed, or NULL */
        const char *session;       /* that was just written, or NULL */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

enum sample_form { SAMPLE_TEXT, SAMPLE_JSON, SAMPLE_CSV };

void sample_view_render(const struct sample_view *view, enum sample_form form, struct buf *out);

#endif
