/* SPDX-License-Identifier: BSD-3-Clause */
/* Two areas. The guardian writes into one while the recorder reads the other; the recorder exchanges them.
 * So only as much memory is in use as messages come between two exchanges. */
#include "stop_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem.h"

#define AREA_BYTES ((size_t)96 << 20) /* address space; memory is used only as far as it is written */
#define KEPT_BYTES ((size_t)8 << 20)  /* memory that an area keeps when it has been read */
#define FACT_BYTES ((size_t)8 << 20)  /* that samples leave to messages about processes, threads and files */
#define MANY_BYTES ((size_t)4 << 20)  /* that should be taken soon: deep stacks come with a GB a second */

struct shared {
        /* How often the areas were exchanged, in the upper half, and how many bytes are in the guardian's
         * area. One word, so that the guardian sees with one comparison whether the recorder has taken the
         * area. */
        _Atomic uint64_t state;
        struct stop_facts facts;
};

struct stop_channel {
        struct shared *shared;
        uint8_t *areas[2];
        size_t taken_bytes; /* in the area that the recorder reads */
        int many_fd;
        uint32_t told; /* used by the guardian: how often the areas had been exchanged when it told last, +
                          1 */
};

static void *share(size_t size)
{
        void *memory =
                mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        return memory == MAP_FAILED ? NULL : memory;
}

struct stop_channel *stop_channel_new(struct err *err)
{
        AUTO(stop_channel) c = mem_new(1, sizeof(*c));

        c->many_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        c->shared = share(sizeof(*c->shared));
        for (int i = 0; i < 2; i++)
                c->areas[i] = share(AREA_BYTES);
        if (!c->shared || !c->areas[0] || !c->areas[1]) {
                err_os(err, ERR_LIMIT, errno, "can't map memory for the samples of stopped threads");
                return NULL;
        }
        return TAKE(c);
}

void stop_channel_free(struct stop_channel *c)
{
        if (!c)
                return;
        for (int i = 0; i < 2; i++) {
                if (c->areas[i])
                        munmap(c->areas[i], AREA_BYTES);
        }
        if (c->shared)
                munmap(c->shared, sizeof(*c->shared));
        if (c->many_fd >= 0)
                close(c->many_fd);
        free(c);
}

struct stop_facts *stop_channel_facts(struct stop_channel *c)
{
        return &c->shared->facts;
}

static uint32_t n_exchanged(uint64_t state)
{
        return (uint32_t)(state >> 32);
}

static size_t used_bytes(uint64_t state)
{
        return (uint32_t)state;
}

static uint8_t *guardian_area(const struct stop_channel *c, uint64_t state)
{
        return c->areas[n_exchanged(state) & 1];
}

/* --- the guardian's side --- */

static void write_message(uint8_t *to, const struct stop_message *head,
                          const struct stop_piece_of_message *pieces, size_t n)
{
        memcpy(to, head, sizeof(*head));
        to += sizeof(*head);
        for (size_t i = 0; i < n; i++) {
                if (pieces[i].n_bytes)
                        memcpy(to, pieces[i].bytes, pieces[i].n_bytes);
                to += pieces[i].n_bytes;
        }
}

/* One that is lost is counted; a lost message of another kind would make later ones wrong. */
static bool is_of_sample(enum stop_message_kind kind)
{
        return kind == STOP_SAMPLE || kind == STOP_DEEP_STACK || kind == STOP_PYTHON || kind == STOP_CODE;
}

bool stop_channel_add(struct stop_channel *c, enum stop_message_kind kind, int32_t id, uint64_t time_ns,
                      const struct stop_piece_of_message *pieces, size_t n)
{
        struct stop_message head = {.kind = kind, .id = id, .time_ns = time_ns};
        uint64_t state = atomic_load(&c->shared->state);
        size_t n_bytes = 0, room = is_of_sample(kind) ? AREA_BYTES - FACT_BYTES : AREA_BYTES;

        for (size_t i = 0; i < n; i++)
                n_bytes += pieces[i].n_bytes;
        if (n_bytes > AREA_BYTES - sizeof(head) - 8)
                return false;
        head.n_bytes = (uint32_t)n_bytes;
        head.size_bytes = (uint32_t)((sizeof(head) + n_bytes + 7) & ~(size_t)7);
        /* If the recorder takes the area meanwhile, the message goes into the other one. */
        do {
                if (used_bytes(state) + head.size_bytes > room)
                        return false;
                write_message(guardian_area(c, state) + used_bytes(state), &head, pieces, n);
        } while (!atomic_compare_exchange_strong(&c->shared->state, &state, state + head.size_bytes));
        return true;
}

size_t stop_channel_waiting(const struct stop_channel *c)
{
        return used_bytes(atomic_load(&c->shared->state));
}

/* Without a descriptor the recorder looks a little later. */
void stop_channel_tell(struct stop_channel *c)
{
        const uint64_t one = 1, state = atomic_load(&c->shared->state);

        if (used_bytes(state) < MANY_BYTES || c->told == n_exchanged(state) + 1)
                return;
        c->told = n_exchanged(state) + 1;
        if (write(c->many_fd, &one, sizeof(one)) < 0)
                return;
}

/* --- the recorder's side --- */

int stop_channel_fd(const struct stop_channel *c)
{
        return c->many_fd;
}

static void forget_told(const struct stop_channel *c)
{
        uint64_t n;

        if (read(c->many_fd, &n, sizeof(n)) < 0)
                return;
}

struct cursor stop_channel_take(struct stop_channel *c)
{
        uint64_t state = atomic_load(&c->shared->state);
        const uint8_t *taken;

        forget_told(c);
        if (c->taken_bytes > KEPT_BYTES)
                madvise(c->areas[~n_exchanged(state) & 1] + KEPT_BYTES, AREA_BYTES - KEPT_BYTES, MADV_REMOVE);
        state = atomic_exchange(&c->shared->state, (uint64_t)(n_exchanged(state) + 1) << 32);
        taken = guardian_area(c, state);
        c->taken_bytes = used_bytes(state);
        return cursor_make(taken, c->taken_bytes);
}

const struct stop_message *stop_channel_next(struct cursor *messages, struct cursor *ret_bytes)
{
        const struct stop_message *message = (const struct stop_message *)messages->at;

        if (cursor_left(messages) < sizeof(*message) || message->size_bytes < sizeof(*message) ||
            message->size_bytes > cursor_left(messages) ||
            message->n_bytes > message->size_bytes - sizeof(*message))
                return NULL;
        cursor_skip(messages, message->size_bytes);
        *ret_bytes = cursor_make(message + 1, message->n_bytes);
        return message;
}
