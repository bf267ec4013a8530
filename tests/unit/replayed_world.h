/* SPDX-License-Identifier: BSD-3-Clause */
/* A world that has replayed the records of a session builder. */
#ifndef REPLAYED_WORLD_H
#define REPLAYED_WORLD_H

#include "session_builder.h"
#include "tap.h"
#include "world.h"

/* The builder is empty afterwards. */
static inline void replay(struct world *w, struct session_builder *b)
{
        for (size_t at = 0; at < b->records.len;) {
                struct perfdata_record record;

                if (!perfdata_record_make(b->records.data + at, b->records.len - at, b->swap, &record)) {
                        TAP_FAIL("no record at %zu", at);
                        break;
                }
                record.asked_build_id = b->attrs[0].flags & PERF_ATTR_BUILD_ID;
                world_replay(w, &record);
                at += record.header.size;
        }
        buf_clear(&b->records);
}

#endif
