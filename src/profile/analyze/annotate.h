/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the samples of a function are: by instruction, block, line, inlined function and handler of an
 * interpreter; or, for a whole session, by function and inlined function.  No input or output: code bytes
 * and source come from the caller. */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access_rows.h"
#include "annotate_rows.h"
#include "attributes.h"
#include "disasm.h"
#include "hot.h"
#include "profile.h"
#include "resolver.h"
#include "resolver_code.h"

struct annotate;

struct annotate_request {
        const struct hot *hot; /* rows by module and symbol */
        struct resolver *resolver;
        resolver_id id; /* resolver of the module */
        uint32_t event;
        module_id module;
        const struct resolver_extent *extents; /* address ranges of the function */
        size_t n_extents;
        /* added to the function's addresses, gives the addresses of the code and of the points */
        uint64_t slide;
        const struct disasm_code *code; /* code of all extents; empty: only sampled addresses are shown */
        /* rows by address of the code: accesses to memory, whose latency points have; NULL: none */
        const struct access_rows *accesses;
};

/* Annotates one function.  All that the request points to must outlive it. */
struct annotate *annotate_new(const struct annotate_request *request);

/* Annotates all samples of one event in `profile`: for annotate_group by ANNOTATE_FUNCTION and
 * ANNOTATE_INLINED. */
struct annotate *annotate_new_whole(const struct profile *profile, struct resolver *resolver,
                                    const struct place_modules *modules, uint32_t event);
void annotate_free(struct annotate *annotate);
AUTO_DEFINE(annotate)

/* An instruction, or an address with samples if there is no code. */
struct annotate_point {
        uint64_t addr;
        const struct disasm_insn *insn;      /* NULL: no code */
        const struct resolver_frame *frames; /* innermost first */
        size_t n_frames;
        uint64_t count, weight;          /* samples, and the sum of their periods */
        const struct access_row *access; /* accesses of the instruction; NULL: none */
        bool begins_block;
};

/* Sorted by address. */
size_t annotate_n_points(const struct annotate *annotate);
const struct annotate_point *annotate_get_point(const struct annotate *annotate, size_t index);

/* The text of a frame. */
const char *annotate_text(const struct annotate *annotate, str_id id);

/* Samples of all points. */
uint64_t annotate_count(const struct annotate *annotate);
uint64_t annotate_weight(const struct annotate *annotate);

/* Rows with samples, sorted by weight.  ERR_MISSING with a message if the function has no rows of this
 * kind. */
bool annotate_group(const struct annotate *annotate, enum annotate_by by, struct annotate_rows *ret,
                    struct err *err);

/* The handlers of an interpreter that has a function for each handler (CPython's _TAIL_CALL_...): rows of
 * the hot table, sorted by weight.  False if the event has none. */
bool annotate_tail_calls(const struct hot *hot, uint32_t event, struct annotate_rows *ret);

#endif
