/* SPDX-License-Identifier: BSD-3-Clause */
/* The input is what a driver answers, WPERFDRIVER or wperf's own: pieces of a kind, a size and bytes.  Each
 * answer is exactly as long as the reader is told, so the address sanitizer finds every access behind it.
 * wperfdriver_pieces.h describes the pieces. */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "err.h"
#include "own_spe.h"
#include "wperfdriver_answers.h"
#include "wperfdriver_pieces.h"
#include "wperfdriver_spe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_right)
{
        if (!is_right)
                abort();
}

static void check_text(const char *text, size_t room)
{
        check(strnlen(text, room) < room);
}

static void try_samples(const uint8_t *answer, size_t size, struct err *err)
{
        struct wperfdriver_samples *samples = malloc(sizeof(*samples));

        if (wperfdriver_read_samples(answer, size, samples, err))
                check(samples->n <= WPERFDRIVER_SAMPLES);
        free(samples);
}

union counts {
        struct wperfdriver_counts core;
        struct wperfdriver_dsu_counts cluster;
        struct wperfdriver_dmc_counts memory;
};

/* The first two bytes of the piece are the number of assigned events, whose numbers follow; the rest is the
 * answer, and zeros. */
static void try_counts(enum piece_kind kind, const uint8_t *bytes, size_t size, struct err *err)
{
        size_t room = kind == PIECE_COUNTS           ? sizeof(struct wperfdriver_counts)
                      : kind == PIECE_CLUSTER_COUNTS ? sizeof(struct wperfdriver_dsu_counts)
                                                     : sizeof(struct wperfdriver_dmc_counts);
        uint16_t codes[WPERFDRIVER_COUNTS - 1], n = 0;
        union counts *counts = calloc(1, room);
        struct wperfdriver_read read;
        struct wperfdriver_sums sums;
        size_t at;

        if (size >= sizeof(n))
                memcpy(&n, bytes, sizeof(n));
        n %= WPERFDRIVER_COUNTS;
        at = sizeof(n) + n * sizeof(*codes);
        if (at <= size) {
                memcpy(codes, bytes + sizeof(n), n * sizeof(*codes));
                memcpy(counts, bytes + at, size - at < room ? size - at : room);
                read = kind == PIECE_COUNTS           ? wperfdriver_core_counts(&counts->core, 0)
                       : kind == PIECE_CLUSTER_COUNTS ? wperfdriver_cluster_counts(&counts->cluster, 0)
                                                      : wperfdriver_memory_counts(&counts->memory, 0);
                if (wperfdriver_read_sums(&read, codes, n, &sums, err)) {
                        for (size_t i = 0; i < n; i++)
                                check(sums.events[i]->event == codes[i] &&
                                      sums.events[i]->scheduled <= sums.round);
                        check(!sums.cycles || sums.cycles->event == WPERFDRIVER_CYCLES);
                }
        }
        free(counts);
}

static void try_clusters(const uint8_t *bytes, size_t size, struct kernel_driver *facts, struct err *err)
{
        uint16_t head[2];

        facts->units = (struct kernel_units){0};
        if (size < sizeof(head))
                return;
        memcpy(head, bytes, sizeof(head));
        if (!wperfdriver_add_clusters(bytes + sizeof(head), size - sizeof(head), head[0], head[1], facts,
                                      err))
                return;
        check(facts->units.n_items == (head[0] < KERNEL_UNITS_MAX ? head[0] : KERNEL_UNITS_MAX));
}

struct spe_driver {
        struct cursor answers;
        uint64_t n_asked; /* bytes since the buffer was begun */
};

static int64_t answer_spe(void *ctx, enum wperfdriver_request request, const void *in, size_t in_size,
                          void *out, size_t room, struct err *err)
{
        struct spe_driver *d = ctx;
        struct wperfdriver_spe spe;
        int64_t size = (int32_t)cursor_u32(&d->answers);
        uint64_t says;

        if (request == WPERFDRIVER_SPE_INIT)
                d->n_asked = 0;
        if (request == WPERFDRIVER_SPE_GET_BUFFER) {
                check(in_size == sizeof(spe));
                memcpy(&spe, in, sizeof(spe));
                check(spe.bytes && spe.bytes <= WPERFDRIVER_ANSWER_MAX_BYTES);
                check((d->n_asked += spe.bytes) <= WPERFDRIVER_SPE_BUFFER_BYTES);
        }
        if (room)
                memset(out, 0, room);
        if (request == WPERFDRIVER_SPE_GET_SIZE) {
                says = cursor_u32(&d->answers);
                memcpy(out, &says, sizeof(says));
        }
        if (size >= 0)
                return size;
        err_set(err, ERR_IO, "refused");
        return -1;
}

static void try_spe(const uint8_t *answers, size_t size, struct err *err)
{
        struct spe_driver d = {.answers = cursor_make(answers, size)};
        struct wperfdriver_spe_taker taker = {.ask = answer_spe, .ctx = &d};
        AUTO_RELEASE(buf) taken = {0};

        if (!wperfdriver_spe_begin(&taker, err))
                return;
        while (cursor_left(&d.answers) && wperfdriver_spe_take(&taker, &taken, err))
                continue;
        wperfdriver_spe_end(&taker, &taken, err);
        check(taker.passed <= WPERFDRIVER_SPE_BUFFER_BYTES);
}

static int64_t answer_own_spe(void *ctx, enum abi_request request, const void *in, size_t in_size, void *out,
                              size_t room, struct err *err)
{
        struct cursor *answers = ctx;
        struct abi_spe_data head = {0};
        int64_t size = (int32_t)cursor_u32(answers);
        size_t n = cursor_left(answers) < sizeof(head) ? cursor_left(answers) : sizeof(head);
        const void *bytes;

        check(request == ABI_REQUEST_READ_SPE && in_size == sizeof(struct abi_read) && room > sizeof(head));
        bytes = cursor_bytes(answers, n);
        if (bytes)
                memcpy(&head, bytes, n);
        if (size < 0 || (size_t)size > room) {
                err_set(err, ERR_IO, "refused");
                return -1;
        }
        memset(out, 0, (size_t)size);
        memcpy(out, &head, (size_t)size < sizeof(head) ? (size_t)size : sizeof(head));
        return size;
}

static void try_own_spe(const uint8_t *bytes, size_t size, struct err *err)
{
        struct cursor answers = cursor_make(bytes, size);
        struct own_spe_taker taker = {.ask = answer_own_spe, .ctx = &answers};
        AUTO_RELEASE(buf) taken = {0};
        uint64_t total = 0;

        while (cursor_left(&answers)) {
                bool ok = own_spe_take(&taker, &taken, err);

                check(taker.n_taken == taken.len && taker.total >= total);
                check(own_spe_missing(&taker) <= taker.total);
                total = taker.total;
                if (!ok)
                        break;
        }
        own_spe_taker_release(&taker);
}

static void check_facts(const struct kernel_driver *facts, bool is_configured)
{
        check_text(facts->version, sizeof(facts->version));
        check_text(facts->git, sizeof(facts->git));
        check_text(facts->features, sizeof(facts->features));
        check_text(facts->devices, sizeof(facts->devices));
        check(!is_configured || (facts->n_cpus && facts->n_cpus <= WPERFDRIVER_CORES && facts->n_counters &&
                                 facts->n_counters <= facts->n_all_counters));
}

static void try_answer(enum piece_kind kind, const uint8_t *answer, size_t size, struct kernel_driver *facts)
{
        struct err err = {0};
        uint64_t dropped;
        uint32_t status;
        bool is_configured = false;

        switch (kind) {
        case PIECE_VERSION: wperfdriver_read_version(answer, size, facts, &err); break;
        case PIECE_HW_CFG: is_configured = wperfdriver_read_hw_cfg(answer, size, facts, &err); break;
        case PIECE_EVENTS: wperfdriver_read_events(answer, size, facts, &err); break;
        case PIECE_LOCK:
                if (wperfdriver_read_answer(WPERFDRIVER_LOCK_ACQUIRE, answer, size, &status, sizeof(status),
                                            &err))
                        check(wperfdriver_check_lock(status, &err) == (status == WPERFDRIVER_LOCKED));
                break;
        case PIECE_SAMPLES: try_samples(answer, size, &err); break;
        case PIECE_DROPPED: wperfdriver_read_dropped(answer, size, &dropped); break;
        case PIECE_COUNTS:
        case PIECE_CLUSTER_COUNTS:
        case PIECE_MEMORY_COUNTS: try_counts(kind, answer, size, &err); break;
        case PIECE_CLUSTERS: try_clusters(answer, size, facts, &err); break;
        case PIECE_SPE: try_spe(answer, size, &err); break;
        case PIECE_OWN_SPE: try_own_spe(answer, size, &err); break;
        case PIECE_KINDS: break;
        }
        check_facts(facts, is_configured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct kernel_driver facts = {0};
        size_t at = 0;

        while (size - at >= PIECE_HEADER_BYTES) {
                size_t wanted = data[at + 1] | (size_t)data[at + 2] << 8;
                enum piece_kind kind = data[at] % PIECE_KINDS;
                size_t rest = size - (at += PIECE_HEADER_BYTES), n = wanted < rest ? wanted : rest;
                uint8_t *answer = malloc(n + !n);

                memcpy(answer, data + at, n);
                try_answer(kind, answer, n, &facts);
                free(answer);
                at += n;
        }
        for (uint32_t i = 0; i < 32; i++)
                check(wperfdriver_request_name(i)[0]);
        return 0;
}
