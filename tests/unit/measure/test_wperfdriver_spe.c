/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking SPE data from a driver that behaves as WPERFDRIVER 3.8 does: byte N that the core records since
 * the buffer was last begun is a function of N and of how often it was begun. */
#include <string.h>

#include "tap.h"
#include "wperfdriver_spe.h"

enum { KIB = 1024, CORE = 3 };

struct driver {
        uint64_t recorded, copied, sum; /* as in the driver */
        uint64_t meanwhile;             /* what is recorded between a size and its buffer */
        unsigned n_begun;
        bool runs, has_failed; /* failed: it was asked for memory that is not its buffer */
        uint8_t operations;
        /* how it is wrong */
        uint64_t wrong_size;
        int64_t wrong_bytes;
        enum wperfdriver_request refused;
};

static uint8_t byte_at(const struct driver *d, uint64_t at)
{
        return (uint8_t)(at / 64 + at + 7 * d->n_begun);
}

static void record(struct driver *d, uint64_t n)
{
        uint64_t room = WPERFDRIVER_SPE_BUFFER_BYTES - d->recorded;

        if (d->runs)
                d->recorded += n < room ? n : room;
}

static int64_t give_size(struct driver *d, void *out)
{
        uint64_t size;

        d->sum += d->recorded - d->copied;
        size = d->sum + d->wrong_size;
        memcpy(out, &size, sizeof(size));
        record(d, d->meanwhile);
        return sizeof(size);
}

static int64_t give_buffer(struct driver *d, uint64_t n, uint8_t *out, size_t room)
{
        uint64_t sum = d->sum;

        if (d->copied + n > d->recorded || n > WPERFDRIVER_ANSWER_MAX_BYTES)
                d->has_failed = true;
        for (uint64_t i = 0; i < n && i < room; i++)
                out[i] = byte_at(d, d->copied + i);
        d->copied += n;
        d->sum = 0;
        return sum > WPERFDRIVER_ANSWER_MAX_BYTES ? -1 : (int64_t)sum + d->wrong_bytes;
}

static int64_t ask(void *ctx, enum wperfdriver_request request, const void *in, size_t in_size, void *out,
                   size_t room, struct err *err)
{
        bool is_spe = request == WPERFDRIVER_SPE_START || request == WPERFDRIVER_SPE_GET_BUFFER;
        struct wperfdriver_spe spe = {0};
        struct driver *d = ctx;

        EXPECT_INT(in_size, is_spe ? sizeof(spe) : sizeof(struct wperfdriver_control));
        memcpy(&spe, in, in_size < sizeof(spe) ? in_size : sizeof(spe));
        EXPECT_INT(spe.n_cores, 1);
        EXPECT_INT(spe.cores[0], CORE);
        if (request == d->refused) {
                err_set(err, ERR_IO, "refused");
                return -1;
        }
        switch (request) {
        case WPERFDRIVER_SPE_INIT: d->copied = d->sum = 0; return 0;
        case WPERFDRIVER_SPE_START:
                d->runs = true;
                d->recorded = 0;
                d->n_begun++;
                d->operations = spe.operations;
                return 0;
        case WPERFDRIVER_SPE_STOP: d->runs = false; return 0;
        case WPERFDRIVER_SPE_GET_SIZE: return give_size(d, out);
        case WPERFDRIVER_SPE_GET_BUFFER: return give_buffer(d, spe.bytes, out, room);
        default: return -1;
        }
}

static struct wperfdriver_spe_taker begin(struct driver *d)
{
        struct wperfdriver_spe_taker taker = {
                .ask = ask, .ctx = d, .core = CORE, .operations = WPERFDRIVER_SPE_LOADS};

        EXPECT_TRUE(wperfdriver_spe_begin(&taker, NULL));
        EXPECT_INT(d->operations, WPERFDRIVER_SPE_LOADS);
        return taker;
}

/* The bytes of the buffer from `at` on. */
static void expect_bytes(const struct driver *d, const struct buf *taken, uint64_t at, size_t n)
{
        size_t n_right = 0;

        EXPECT_INT(taken->len, n);
        while (n_right < taken->len && ((const uint8_t *)taken->data)[n_right] == byte_at(d, at + n_right))
                n_right++;
        EXPECT_INT(n_right, n);
        EXPECT_TRUE(!d->has_failed);
}

TEST(each_byte_is_taken_once)
{
        struct driver d = {.refused = WPERFDRIVER_START};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};

        EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        EXPECT_INT(taken.len, 0);
        for (size_t i = 0; i < 6; i++) {
                record(&d, i == 2 ? 0 : 40 * KIB);
                EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        }
        record(&d, 64);
        EXPECT_TRUE(wperfdriver_spe_end(&taker, &taken, NULL));
        EXPECT_TRUE(!d.runs);
        expect_bytes(&d, &taken, 0, 200 * KIB + 64);
        EXPECT_INT(taker.n_skipped, 0);
        EXPECT_INT(taker.n_full, 0);
}

TEST(what_is_too_much_is_skipped)
{
        struct driver d = {.refused = WPERFDRIVER_START};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};

        record(&d, 130 * KIB + 64);
        EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        EXPECT_INT(taker.n_skipped, 112 * KIB);
        expect_bytes(&d, &taken, 112 * KIB, 18 * KIB + 64);
        EXPECT_INT(d.n_begun, 1);
}

TEST(a_fast_core_is_followed)
{
        struct driver d = {.refused = WPERFDRIVER_START, .meanwhile = 8 * KIB};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};

        record(&d, 60 * KIB);
        EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        EXPECT_INT(taker.n_skipped, 40 * KIB);
        expect_bytes(&d, &taken, 40 * KIB, 28 * KIB);
        EXPECT_INT(d.n_begun, 1);
}

TEST(a_full_buffer_is_begun_again)
{
        struct driver d = {.refused = WPERFDRIVER_START};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};

        record(&d, 600 * KIB);
        EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        EXPECT_INT(d.n_begun, 2);
        EXPECT_INT(taker.n_full, 1);
        EXPECT_INT(taker.n_skipped, 480 * KIB);
        EXPECT_INT(taken.len, 32 * KIB);
        buf_clear(&taken);
        record(&d, 128);
        EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        expect_bytes(&d, &taken, 0, 128);
}

TEST(half_a_buffer_is_begun_again)
{
        struct driver d = {.refused = WPERFDRIVER_START};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};

        for (size_t i = 0; i < 7; i++) {
                record(&d, 40 * KIB);
                EXPECT_TRUE(wperfdriver_spe_take(&taker, &taken, NULL));
        }
        EXPECT_INT(taken.len, 280 * KIB);
        EXPECT_INT(d.n_begun, 2);
        EXPECT_INT(taker.n_skipped + taker.n_full, 0);
        EXPECT_TRUE(!d.has_failed);
}

TEST(wrong_answers_are_refused)
{
        static const struct driver wrong[] = {
                {.wrong_size = WPERFDRIVER_SPE_BUFFER_BYTES, .refused = WPERFDRIVER_START},
                {.wrong_size = UINT64_MAX - 100, .refused = WPERFDRIVER_START},
                {.wrong_bytes = 1, .refused = WPERFDRIVER_START},
                {.wrong_bytes = -1, .refused = WPERFDRIVER_START},
                {.refused = WPERFDRIVER_SPE_GET_SIZE},
                {.refused = WPERFDRIVER_SPE_GET_BUFFER},
        };

        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                struct driver d = wrong[i];
                struct wperfdriver_spe_taker taker = begin(&d);
                AUTO_RELEASE(buf) taken = {0};
                struct err err = {0};

                record(&d, 64);
                EXPECT_TRUE(!wperfdriver_spe_take(&taker, &taken, &err));
                EXPECT_TRUE(err.text[0]);
                EXPECT_INT(taken.len, 0);
                EXPECT_TRUE(!d.has_failed);
        }
}

/* A driver that gives nothing of too much ends the loop. */
TEST(a_driver_that_does_not_move_on_is_left)
{
        struct driver d = {.refused = WPERFDRIVER_SPE_GET_BUFFER};
        struct wperfdriver_spe_taker taker = begin(&d);
        AUTO_RELEASE(buf) taken = {0};
        struct err err = {0};

        record(&d, 300 * KIB);
        EXPECT_TRUE(!wperfdriver_spe_take(&taker, &taken, &err));
        EXPECT_INT(err.code, ERR_FORMAT);
        EXPECT_INT(taken.len, 0);
}
TAP_MAIN
