/* SPDX-License-Identifier: BSD-3-Clause */
/* Where inside a function its samples are: by instruction, block, line, inlined function and handler of an
 * interpreter; or, of a whole session, by function and inlined function.  Pure: code bytes and source come from the caller. */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate_rows.h"
#include "attributes.h"
#include "disasm.h"
#include "hot.h"
#include "profile.h"
#include "resolver.h"

struct annotate;

struct annotate_request {
        const struct hot *hot; /* rows by module and symbol */
        struct resolver *resolver;
        resolver_id id; /* of the module */
        uint32_t event;
        module_id module;
        const struct resolver_extent *extents; /* of the function, by address */
        size_t n_extents;
        uint64_t slide; /* is added to the function's addresses to give those of the code and of the points */
        const struct disasm_code *code; /* of all extents; empty: only sampled addresses are shown */
};

/* Of one function.  All that the request points to must outlive it. */
struct annotate *annotate_new(const struct annotate_request *request);

/* Of everything in `profile` for one event: for annotate_group by ANNOTATE_FUNCTION and ANNOTATE_INLINED. */
struct annotate *annotate_new_whole(const struct profile *profile, struct resolver *resolver,
                                    const struct place_modules *modules, uint32_t event);
void annotate_free(struct annotate *annotate);
AUTO_DEFINE(annotate)

/* An instruction, or an address with samples where there is no code. */
struct annotate_point {
        uint64_t addr;
        const struct disasm_insn *insn;      /* NULL: no code */
        const struct resolver_frame *frames; /* innermost first */
        size_t n_frames;
        uint64_t count, weight; /* samples, and the sum of their periods */
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

/* Rows with samples, most first.  ERR_MISSING with a sentence when the function has none of that kind. */
bool annotate_group(const struct annotate *annotate, enum annotate_by by, struct annotate_rows *ret,
                    struct err *err);

/* The handlers of an interpreter that calls each one as a function (CPython's _TAIL_CALL_...): rows of the hot table,
 * most first.  False when the event has none. */
bool annotate_tail_calls(const struct hot *hot, uint32_t event, struct annotate_rows *ret);

#endif
