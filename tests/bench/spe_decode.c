/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast SPE bytes become records, beside a copy of the same bytes: spe_decode [MEBIBYTES [ROUNDS]].  The
 * stream is of loads, branches and other operations, 64 bytes each as of Arm's cores.  Read is it whole, in
 * pieces of 64 KiB, with perf's value of the memory access made for each record, and with a stray byte in
 * every 4 KiB.  Time is that of the processor; shown are the median round and its spread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mem.h"
#include "spe_builder.h"
#include "spe_record.h"
#include "spe_source.h"

enum { PATTERN_RECORDS = 30000, MAX_ROUNDS = 100, PIECE_BYTES = 64 << 10, STRAY_EVERY_BYTES = 4096 };

#define NEOVERSE_N1 UINT64_C(0x413fd0c1)

enum work { COPY, WHOLE, PIECES, PERF_VALUE, STRAY, N_WORKS };

static const char *const work_names[N_WORKS] = {"copy", "records", "in pieces", "with perf's value",
                                                "with stray bytes"};

struct stream {
        uint8_t *bytes, *stray, *copy;
        size_t size;
};

static uint64_t now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct stream build(size_t size)
{
        struct stream stream = {mem_new(size, 1), mem_new(size, 1), mem_new(size, 1), size};
        AUTO_RELEASE(buf) pattern = {0};

        for (unsigned i = 0; i < PATTERN_RECORDS; i++)
                spe_build_record(&pattern, i);
        for (size_t at = 0; at < size; at += pattern.len)
                memcpy(stream.bytes + at, pattern.data, size - at < pattern.len ? size - at : pattern.len);
        memcpy(stream.stray, stream.bytes, size);
        for (size_t at = STRAY_EVERY_BYTES / 2; at < size; at += STRAY_EVERY_BYTES)
                stream.stray[at + at / STRAY_EVERY_BYTES % 64] = 0xff;
        memset(stream.copy, 1, size);
        return stream;
}

static uint64_t use_records(struct spe_decoder *d, uint64_t midr)
{
        struct spe_record record;
        uint64_t sum = 0;

        while (spe_decoder_next(d, &record))
                sum += record.pc.addr + record.total_cycles + (midr ? spe_source_to_perf(&record, midr) : 0);
        return sum;
}

static uint64_t decode(const uint8_t *bytes, size_t size, size_t piece, uint64_t midr, uint64_t *ret_n)
{
        struct spe_decoder d;
        uint64_t sum = 0;

        spe_decoder_begin(&d, 0);
        for (size_t at = 0; at < size; at += piece) {
                spe_decoder_feed(&d, bytes + at, size - at < piece ? size - at : piece);
                sum += use_records(&d, midr);
        }
        spe_decoder_end(&d);
        sum += use_records(&d, midr);
        *ret_n = d.counts.n_records;
        return sum;
}

static volatile uint64_t sink; /* so that no work is left out */

/* Its nanoseconds; *ret_n records. */
static double run(enum work work, const struct stream *stream, uint64_t *ret_n)
{
        const uint64_t start = now_ns();

        *ret_n = 0;
        switch (work) {
        case COPY:
                memcpy(stream->copy, stream->bytes, stream->size);
                sink = stream->copy[stream->size / 2];
                break;
        case PIECES: sink = decode(stream->bytes, stream->size, PIECE_BYTES, 0, ret_n); break;
        case PERF_VALUE: sink = decode(stream->bytes, stream->size, stream->size, NEOVERSE_N1, ret_n); break;
        case STRAY: sink = decode(stream->stray, stream->size, stream->size, 0, ret_n); break;
        default: sink = decode(stream->bytes, stream->size, stream->size, 0, ret_n);
        }
        return (double)(now_ns() - start);
}

static int compare(const void *a, const void *b)
{
        const double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
        const size_t mebibytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
        const size_t n_rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 7;
        static double times[N_WORKS][MAX_ROUNDS];
        uint64_t n_records[N_WORKS];
        struct stream stream;

        if (!mebibytes || mebibytes > 16384 || !n_rounds || n_rounds > MAX_ROUNDS)
                return 2;
        stream = build(mebibytes << 20);
        for (size_t round = 0; round < n_rounds; round++) {
                for (int work = 0; work < N_WORKS; work++)
                        times[work][round] = run(work, &stream, &n_records[work]);
        }
        for (int work = 0; work < N_WORKS; work++) {
                double *t = times[work], median;

                qsort(t, n_rounds, sizeof(*t), compare);
                median = t[n_rounds / 2];
                printf("%-18s %6.0f MB/s (%.0f to %.0f), %" PRIu64 " records", work_names[work],
                       (double)stream.size * 1000 / median, (double)stream.size * 1000 / t[n_rounds - 1],
                       (double)stream.size * 1000 / t[0], n_records[work]);
                if (work)
                        printf(", %.1f ns each, %.1f times the copy", median / (double)n_records[work],
                               median / times[COPY][n_rounds / 2]);
                printf("\n");
        }
        free(stream.bytes);
        free(stream.stray);
        free(stream.copy);
        return 0;
}
