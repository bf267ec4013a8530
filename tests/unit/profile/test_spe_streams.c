/* SPDX-License-Identifier: BSD-3-Clause */
/* Many buffers of Arm SPE: each record costs the same, however many buffers there are. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "spe_builder.h"
#include "spe_streams.h"
#include "tap.h"

enum { N_RECORDS = 60000, N_MORE = 2, N_TRIES = 10 };

/* Records without a timestamp in buffers whose numbers follow each other. */
struct made {
        struct spe_streams streams;
        struct buf bytes;
};

static void make(struct made *m, uint32_t n_records, uint32_t n)
{
        size_t size;

        for (uint32_t i = 0; i < n_records; i++) {
                spe_build_address(&m->bytes, SPE_ADDRESS_PC, UINT64_C(0x8000aaaac0000000) + i * 4);
                buf_add_u8(&m->bytes, 1);
        }
        size = m->bytes.len / n;
        for (uint32_t i = 0; i < n; i++) {
                struct record_auxtrace piece = {.size = size, .index = i, .cpu = (int32_t)i, .tid = -1};

                spe_streams_add(&m->streams, &piece, cursor_make(m->bytes.data + i * size, size));
        }
        spe_streams_begin(&m->streams);
}

/* Returns how many records there are. */
static size_t drain(struct made *m)
{
        struct spe_found found;
        size_t n = 0;

        while (spe_streams_next(&m->streams, UINT64_MAX, &found))
                n++;
        return n;
}

static double seconds_of(uint32_t n_records)
{
        clock_t begin = clock();
        struct made m = {0};

        make(&m, n_records, n_records / N_MORE);
        EXPECT_INT(drain(&m), n_records);
        spe_streams_release(&m.streams);
        buf_release(&m.bytes);
        return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Ten times as many records in ten times as many buffers take ten times as long, not a hundred times. The
 * shortest of a few tries counts: clock() is elapsed time on Windows, and there a busy machine adds to it.
 */
TEST(many_buffers)
{
        double few = seconds_of(N_RECORDS / 10), many = seconds_of(N_RECORDS);

        for (int i = 1; i < N_TRIES && many >= 30 * few + 0.1; i++) {
                few = fmin(few, seconds_of(N_RECORDS / 10));
                many = fmin(many, seconds_of(N_RECORDS));
        }
        EXPECT_CMP(many, <, 30 * few + 0.1);
}

/* The records of a buffer wait for its AUX record, also after the time of others is known. */
TEST(records_wait_for_their_aux_record)
{
        const struct record_aux aux = {.offset = 0, .size = UINT32_MAX};
        struct spe_found found;
        struct made m = {0};
        size_t n = 0;

        make(&m, N_RECORDS, N_RECORDS / N_MORE);
        EXPECT_TRUE(!spe_streams_next(&m.streams, 1000, &found));
        spe_streams_see(&m.streams, 7, -1, &aux, 500);
        while (spe_streams_next(&m.streams, 1000, &found)) {
                EXPECT_INT(found.cpu, 7);
                EXPECT_INT(found.time, 500);
                n++;
        }
        EXPECT_INT(n, N_MORE);
        EXPECT_INT(drain(&m), N_RECORDS - N_MORE);
        spe_streams_release(&m.streams);
        buf_release(&m.bytes);
}

TAP_MAIN
