/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout is in docs/session-format.md. */
#include "wait_section.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define MAGIC "WPWA"
enum { VERSION = 4, ONE_PART = 3, MAGIC_BYTES = 4, MIN_READING_BYTES = 100, HOLDER_BYTES = 17 };

static void write_reading(const struct wait_reading *r, struct buf *out)
{
        const uint8_t bytes[] = {r->how, r->state, r->call, r->object, r->peer, r->python, r->python_minor};
        const int32_t words[] = {r->pid, r->tid, r->number, r->inner_tid, r->gil_holder, r->owner};

        buf_add_u64(out, r->time_ns);
        buf_add(out, bytes, sizeof(bytes));
        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                buf_add_u32(out, (uint32_t)words[i]);
        buf_add_u64(out, r->lock_object);
        buf_add_u64(out, r->n_switches);
        buf_add_u64(out, r->stopped_ns);
        buf_add_u64(out, r->look_ns);
        for (size_t i = 0; i < WAIT_N_ARGS; i++)
                buf_add_u64(out, r->args[i]);
        for (size_t i = 0; i < WAIT_LOCK_WORDS; i++)
                buf_add_u32(out, r->lock[i]);
        buf_add(out, r->text, strlen(r->text) + 1);
        buf_add(out, r->python_name, strlen(r->python_name) + 1);
}

static void write_holder(const struct wait_holder *h, struct buf *out)
{
        const uint8_t has_gil = h->has_gil;

        buf_add_u64(out, h->time_ns);
        buf_add_u32(out, (uint32_t)h->tid);
        buf_add_u32(out, (uint32_t)h->gil_holder);
        buf_add(out, &has_gil, 1);
}

void wait_section_write(const struct wait_reading *readings, size_t n, const struct wait_holder *holders,
                        size_t n_holders, struct buf *out)
{
        buf_add(out, MAGIC, MAGIC_BYTES);
        buf_add_u32(out, VERSION);
        buf_add_u32(out, (uint32_t)n);
        for (size_t i = 0; i < n; i++)
                write_reading(&readings[i], out);
        buf_add_u32(out, (uint32_t)n_holders);
        for (size_t i = 0; i < n_holders; i++)
                write_holder(&holders[i], out);
}

static bool is_valid(const struct wait_reading *r)
{
        return r->how < WAIT_N_HOWS && r->call < WAIT_N_CALLS && r->object < WAIT_N_OBJECTS &&
               r->peer < WAIT_N_PEERS && r->text && r->python_name;
}

/* A section while it is read. */
struct growing {
        struct wait_section *section;
        size_t cap, cap_holders;
};

static bool read_reading(struct cursor *c, struct wait_reading *r)
{
        uint8_t *const bytes[] = {&r->how,  &r->state,  &r->call,        &r->object,
                                  &r->peer, &r->python, &r->python_minor};
        int32_t *const words[] = {&r->pid, &r->tid, &r->number, &r->inner_tid, &r->gil_holder, &r->owner};

        r->time_ns = cursor_u64(c);
        for (size_t i = 0; i < N_ELEMENTS(bytes); i++)
                *bytes[i] = cursor_u8(c);
        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                *words[i] = (int32_t)cursor_u32(c);
        r->lock_object = cursor_u64(c);
        r->n_switches = cursor_u64(c);
        r->stopped_ns = cursor_u64(c);
        r->look_ns = cursor_u64(c);
        for (size_t i = 0; i < WAIT_N_ARGS; i++)
                r->args[i] = cursor_u64(c);
        for (size_t i = 0; i < WAIT_LOCK_WORDS; i++)
                r->lock[i] = cursor_u32(c);
        r->text = cursor_str(c, NULL);
        r->python_name = cursor_str(c, NULL);
        return !c->failed && is_valid(r);
}

static int by_thread_and_time(int32_t a_tid, uint64_t a_ns, int32_t b_tid, uint64_t b_ns)
{
        if (a_tid != b_tid)
                return a_tid < b_tid ? -1 : 1;
        return a_ns < b_ns ? -1 : a_ns > b_ns;
}

static int compare(const void *a, const void *b)
{
        const struct wait_reading *x = a, *y = b;

        return by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);
}

static int compare_holders(const void *a, const void *b)
{
        const struct wait_holder *x = a, *y = b;

        return by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);
}

/* A section of version 3 without them ends before their number. */
static bool read_holders(struct cursor *c, uint32_t version, struct growing *g)
{
        uint32_t n = version == ONE_PART && !cursor_left(c) ? 0 : cursor_u32(c);

        if (c->failed || n > cursor_left(c) / HOLDER_BYTES)
                return false;
        for (uint32_t i = 0; i < n; i++) {
                struct wait_holder h = {.time_ns = cursor_u64(c)};

                h.tid = (int32_t)cursor_u32(c);
                h.gil_holder = (int32_t)cursor_u32(c);
                h.has_gil = cursor_u8(c);
                ARRAY_PUSH(g->section->holders, g->section->n_holders, g->cap_holders, h);
        }
        return true;
}

static bool read_part(struct cursor *c, struct growing *g)
{
        const void *magic = cursor_bytes(c, MAGIC_BYTES);
        uint32_t version = cursor_u32(c), n = cursor_u32(c);

        if (c->failed || memcmp(magic, MAGIC, MAGIC_BYTES) || (version != VERSION && version != ONE_PART) ||
            n > cursor_left(c) / MIN_READING_BYTES)
                return false;
        for (uint32_t i = 0; i < n; i++) {
                struct wait_reading reading;

                if (!read_reading(c, &reading))
                        return false;
                ARRAY_PUSH(g->section->readings, g->section->n, g->cap, reading);
        }
        return read_holders(c, version, g) && (version == VERSION || !cursor_left(c));
}

static void sort(struct wait_section *section)
{
        if (section->n)
                qsort(section->readings, section->n, sizeof(*section->readings), compare);
        if (section->n_holders)
                qsort(section->holders, section->n_holders, sizeof(*section->holders), compare_holders);
}

struct wait_section *wait_section_join(struct wait_section *const *parts, size_t n)
{
        struct wait_section *all = mem_new(1, sizeof(*all));
        size_t cap = 0, cap_holders = 0;

        for (size_t i = 0; i < n; i++) {
                const struct wait_section *part = parts[i];

                for (size_t k = 0; part && k < part->n; k++)
                        ARRAY_PUSH(all->readings, all->n, cap, part->readings[k]);
                for (size_t k = 0; part && k < part->n_holders; k++)
                        ARRAY_PUSH(all->holders, all->n_holders, cap_holders, part->holders[k]);
        }
        sort(all);
        return all;
}

struct wait_section *wait_section_new(struct cursor c)
{
        AUTO(wait_section) section = mem_new(1, sizeof(*section));
        struct growing growing = {.section = section};

        do {
                if (!read_part(&c, &growing))
                        return NULL;
        } while (cursor_left(&c));
        sort(section);
        return TAKE(section);
}

void wait_section_free(struct wait_section *section)
{
        if (!section)
                return;
        free(section->readings);
        free(section->holders);
        free(section);
}

const struct wait_reading *wait_section_find(const struct wait_section *section, int32_t tid,
                                             uint64_t time_ns)
{
        const struct wait_reading wanted = {.tid = tid, .time_ns = time_ns};

        if (!section->n)
                return NULL;
        return bsearch(&wanted, section->readings, section->n, sizeof(wanted), compare);
}

const struct wait_holder *wait_section_find_holder(const struct wait_section *section, int32_t tid,
                                                   uint64_t time_ns)
{
        const struct wait_holder wanted = {.tid = tid, .time_ns = time_ns};

        if (!section->n_holders)
                return NULL;
        return bsearch(&wanted, section->holders, section->n_holders, sizeof(wanted), compare_holders);
}
