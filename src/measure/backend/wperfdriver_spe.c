/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver adds what the core recorded to a sum each time it is asked for the size, and gives as many
 * bytes as it is told to, whatever its buffer has; the sum is 0 after that. It refuses an answer of more
 * than 40 KiB after it has moved on. So each size is followed by one request for exactly as many bytes,
 * unless there are too many: then the oldest are skipped. */
#include "wperfdriver_spe.h"

#include <assert.h>
#include <inttypes.h>

#include "wperfdriver_answers.h"

enum {
        SKIP_UNIT = 4096, /* a multiple of all sizes of records */
        RESTART_BYTES = WPERFDRIVER_SPE_BUFFER_BYTES / 2,
        /* The driver takes a buffer with less room for full. */
        FULL_BYTES = WPERFDRIVER_SPE_BUFFER_BYTES - 256,
        /* How much is kept when some is skipped: the core may record as much again until that is taken. */
        KEEP_BYTES = WPERFDRIVER_ANSWER_MAX_BYTES / 2,
        INTERVAL = 1024, /* what WindowsPerf sends; the driver ignores it */
};

static bool ask_empty(struct wperfdriver_spe_taker *t, enum wperfdriver_request request, const void *in,
                      size_t in_size, struct err *err)
{
        int64_t size = t->ask(t->ctx, request, in, in_size, NULL, 0, err);

        return size >= 0 && wperfdriver_read_answer(request, NULL, (size_t)size, NULL, 0, err);
}

static bool control(struct wperfdriver_spe_taker *t, enum wperfdriver_request request, struct err *err)
{
        const struct wperfdriver_control to = {
                .n_cores = 1, .cores = {t->core}, .flags = WPERFDRIVER_FLAG_SPE};

        return ask_empty(t, request, &to, sizeof(to), err);
}

bool wperfdriver_spe_begin(struct wperfdriver_spe_taker *t, struct err *err)
{
        const struct wperfdriver_spe what = {
                .n_cores = 1, .cores = {t->core}, .operations = t->operations, .interval = INTERVAL};

        assert(t->ask);
        t->passed = 0;
        return control(t, WPERFDRIVER_SPE_INIT, err) &&
               ask_empty(t, WPERFDRIVER_SPE_START, &what, sizeof(what), err);
}

/* Never asks for more than the buffer has: the driver would give other memory of the kernel. */
static bool ask_size(struct wperfdriver_spe_taker *t, uint64_t *ret_size, struct err *err)
{
        const struct wperfdriver_control from = {
                .n_cores = 1, .cores = {t->core}, .flags = WPERFDRIVER_FLAG_SPE};
        uint64_t answer;
        int64_t size =
                t->ask(t->ctx, WPERFDRIVER_SPE_GET_SIZE, &from, sizeof(from), &answer, sizeof(answer), err);

        if (size < 0 || !wperfdriver_read_answer(WPERFDRIVER_SPE_GET_SIZE, &answer, (size_t)size, ret_size,
                                                 sizeof(*ret_size), err))
                return false;
        if (*ret_size <= WPERFDRIVER_SPE_BUFFER_BYTES - t->passed)
                return true;
        return err_set(err, ERR_FORMAT,
                       "WPERFDRIVER says that it has %" PRIu64 " bytes of SPE data, of which %" PRIu64
                       " were taken, in a buffer of %d",
                       *ret_size + t->passed, t->passed, WPERFDRIVER_SPE_BUFFER_BYTES);
}

static int64_t ask_bytes(struct wperfdriver_spe_taker *t, uint64_t n, void *out, size_t room, struct err *err)
{
        const struct wperfdriver_spe from = {.n_cores = 1, .cores = {t->core}, .bytes = n};

        t->passed += n;
        return t->ask(t->ctx, WPERFDRIVER_SPE_GET_BUFFER, &from, sizeof(from), out, room, err);
}

/* The driver refuses this, and moves on. */
static void skip(struct wperfdriver_spe_taker *t, uint64_t excess)
{
        uint64_t n = (excess + SKIP_UNIT - 1) / SKIP_UNIT * SKIP_UNIT;

        if (n > WPERFDRIVER_ANSWER_MAX_BYTES)
                n = WPERFDRIVER_ANSWER_MAX_BYTES;
        t->n_skipped += n;
        ask_bytes(t, n, NULL, 0, NULL);
}

static bool take_rest(struct wperfdriver_spe_taker *t, struct buf *out, struct err *err)
{
        size_t before = out->len;
        uint64_t n;
        int64_t size;

        for (;;) {
                if (!ask_size(t, &n, err))
                        return false;
                if (n <= WPERFDRIVER_ANSWER_MAX_BYTES)
                        break;
                skip(t, n - KEEP_BYTES);
        }
        if (!n)
                return true;
        size = ask_bytes(t, n, buf_extend(out, n), n, err);
        if (size == (int64_t)n)
                return true;
        buf_truncate(out, before);
        return size >= 0 && err_set(err, ERR_FORMAT,
                                    "WPERFDRIVER answers PMU_CTL_SPE_GET_BUFFER with %" PRId64
                                    " bytes instead of the %" PRIu64 " that it said it has",
                                    size, n);
}

static bool stop(struct wperfdriver_spe_taker *t, struct buf *out, struct err *err)
{
        bool ok = control(t, WPERFDRIVER_SPE_STOP, err) && take_rest(t, out, err);

        t->n_full += t->passed >= FULL_BYTES;
        return ok;
}

bool wperfdriver_spe_take(struct wperfdriver_spe_taker *t, struct buf *out, struct err *err)
{
        if (!take_rest(t, out, err))
                return false;
        return t->passed < RESTART_BYTES || (stop(t, out, err) && wperfdriver_spe_begin(t, err));
}

bool wperfdriver_spe_end(struct wperfdriver_spe_taker *t, struct buf *out, struct err *err)
{
        return stop(t, out, err);
}
