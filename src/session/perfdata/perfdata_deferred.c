/* SPDX-License-Identifier: BSD-3-Clause */
#include "perfdata_deferred.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { WORD_BYTES = 8 };

void deferred_release(struct deferred *d)
{
        for (size_t i = 0; i < d->n_slots; i++)
                free(d->slots[i].bytes);
        free(d->slots);
        map_release(&d->by_thread);
        buf_release(&d->chain);
        buf_release(&d->joined);
        free(d->record_bytes);
        free(d->given);
}

static struct waiting_sample *get(const struct deferred *d, uint32_t slot)
{
        return slot ? &d->slots[slot - 1] : NULL;
}

/* --- Taking records --- */

static uint32_t take_slot(struct deferred *d)
{
        uint32_t slot = d->free;

        if (slot) {
                d->free = get(d, slot)->next;
                return slot;
        }
        ARRAY_PUSH(d->slots, d->n_slots, d->cap_slots, (struct waiting_sample){0});
        return (uint32_t)d->n_slots;
}

static void add_to_thread(struct deferred *d, uint32_t slot, int32_t tid)
{
        uint64_t *ends = map_put(&d->by_thread, (uint32_t)tid, NULL);
        uint32_t oldest = (uint32_t)*ends, newest = (uint32_t)(*ends >> 32);

        if (newest)
                get(d, newest)->next_of_thread = slot;
        *ends = (uint64_t)slot << 32 | (oldest ? oldest : slot);
}

static void keep(struct deferred *d, const struct perfdata_record *record, int32_t tid, uint64_t cookie)
{
        uint32_t slot = take_slot(d);
        uint8_t *bytes = mem_new(record->header.size, 1);

        memcpy(bytes, record->bytes.start, record->header.size);
        *get(d, slot) = (struct waiting_sample){
                .bytes = bytes,
                .header = record->header,
                .file_off = record->file_off,
                .time = record->time,
                .cookie = cookie,
                .event = record->event,
                .tid = tid,
                .previous = d->newest,
        };
        if (d->newest)
                get(d, d->newest)->next = slot;
        else
                d->oldest = slot;
        d->newest = slot;
        add_to_thread(d, slot, tid);
        d->has_kept = true;
        d->n_waiting++;
        d->n_bytes += record->header.size;
}

/* --- Returning records --- */

static void unlink_by_age(struct deferred *d, const struct waiting_sample *w)
{
        if (w->previous)
                get(d, w->previous)->next = w->next;
        else
                d->oldest = w->next;
        if (w->next)
                get(d, w->next)->previous = w->previous;
        else
                d->newest = w->previous;
}

/* The oldest sample of all is also the oldest of its thread. */
static void let_out_oldest(struct deferred *d)
{
        struct waiting_sample *w = get(d, d->oldest);
        uint64_t *ends = map_put(&d->by_thread, (uint32_t)w->tid, NULL);

        *ends = w->next_of_thread ? *ends >> 32 << 32 | w->next_of_thread : 0;
        w->next_of_thread = 0;
        d->out = d->oldest;
        d->has_chain = false;
}

static void let_out_thread(struct deferred *d, uint64_t *ends)
{
        d->out = (uint32_t)*ends;
        *ends = 0;
        d->has_chain = false;
}

static void then_give(struct deferred *d, const struct perfdata_record *record)
{
        size_t size = (size_t)(record->bytes.end - record->bytes.start);

        d->record = *record;
        d->record_bytes = mem_new(size, 1);
        memcpy(d->record_bytes, record->bytes.start, size);
        d->record.bytes = cursor_make(d->record_bytes, size);
        d->record.bytes.swap = record->bytes.swap;
        d->record.payload = cursor_make(NULL, 0);
        d->has_record = true;
}

/* header, cookie, n, n addresses (the first is a context mark on older kernels), trailer */
static void take_chain(struct deferred *d, struct cursor record, size_t trailer_bytes)
{
        size_t size = (size_t)(record.end - record.start);
        struct cursor c = cursor_sub(&record, 0, size > trailer_bytes ? size - trailer_bytes : 0);
        uint64_t n;

        cursor_skip(&c, sizeof(struct perf_header));
        d->cookie = cursor_u64(&c);
        n = cursor_u64(&c);
        buf_clear(&d->chain);
        d->has_chain = !c.failed && n && n <= cursor_left(&c) / WORD_BYTES;
        if (d->has_chain)
                buf_add(&d->chain, c.at, n * WORD_BYTES);
}

static bool take_sample(struct deferred *d, const struct perfdata_record *record,
                        const struct perf_attr *attr)
{
        struct sample sample;
        uint64_t cookie;

        if (!sample_parse(attr, record->bytes, &sample) || !sample_is_deferred(&sample, &cookie))
                return false;
        keep(d, record, sample.tid, cookie);
        return true;
}

bool deferred_take(struct deferred *d, const struct perfdata_record *record,
                   const struct perfdata_event *event)
{
        struct record_task task = {0};
        struct record_id id = {0};
        uint64_t *waiting;
        bool ends = record->header.type == PERF_RECORD_EXIT;

        if (record->header.type == PERF_RECORD_SAMPLE)
                return event && take_sample(d, record, &event->attr);
        if (!d->n_waiting || (!ends && record->header.type != PERF_RECORD_CALLCHAIN_DEFERRED))
                return false;
        if (ends ? !record_task_parse(record->bytes, &task)
                 : !event || !record_id_parse(&event->attr, record->bytes, &id))
                return false;
        waiting = map_find(&d->by_thread, (uint32_t)(ends ? task.tid : id.tid));
        if (!waiting || !*waiting)
                return false;
        let_out_thread(d, waiting);
        if (!ends)
                take_chain(d, record->bytes, record_id_bytes(&event->attr));
        then_give(d, record);
        return true;
}

void deferred_end(struct deferred *d)
{
        if (!d->out && d->oldest)
                let_out_oldest(d);
}

/* Adds `word` in the byte order of the file. */
static void put_word(struct buf *out, uint64_t word, bool swap)
{
        buf_add_u64(out, swap ? __builtin_bswap64(word) : word);
}

/* Joins the fields before the chain, the chain without its last two words, the user's chain, and the fields
 * after it. False if the result is too long for a record. */
static bool join(struct deferred *d, const struct waiting_sample *w, struct cursor bytes,
                 const struct sample *sample)
{
        size_t before = (size_t)(sample->chain.start - bytes.start) - WORD_BYTES;
        size_t n_kept = (size_t)sample->n_chain - 2, n_user = d->chain.len / WORD_BYTES;
        size_t behind = (size_t)(bytes.end - sample->chain.end);
        size_t size = before + (1 + n_kept + 1 + n_user) * WORD_BYTES + behind;
        uint16_t size_field = (uint16_t)size;

        if (size > UINT16_MAX)
                return false;
        buf_clear(&d->joined);
        buf_add(&d->joined, bytes.start, before);
        put_word(&d->joined, n_kept + 1 + n_user, bytes.swap);
        buf_add(&d->joined, sample->chain.start, n_kept * WORD_BYTES);
        put_word(&d->joined, PERF_CONTEXT_USER, bytes.swap);
        buf_add(&d->joined, d->chain.data, d->chain.len);
        buf_add(&d->joined, sample->chain.end, behind);
        if (bytes.swap)
                size_field = __builtin_bswap16(size_field);
        memcpy(d->joined.data + sizeof(w->header.type) + sizeof(w->header.misc), &size_field,
               sizeof(size_field));
        return true;
}

static void give_sample(struct deferred *d, struct waiting_sample *w, const struct perf_attr *attr, bool swap,
                        struct perfdata_record *ret)
{
        struct sample sample;

        *ret = (struct perfdata_record){
                .header = w->header,
                .bytes = cursor_make(w->bytes, w->header.size),
                .payload = cursor_make(NULL, 0),
                .file_off = w->file_off,
                .time = w->time,
                .event = w->event,
        };
        ret->bytes.swap = swap;
        if (!d->has_chain || w->cookie != d->cookie || !sample_parse(attr, ret->bytes, &sample) ||
            !join(d, w, ret->bytes, &sample))
                return;
        ret->bytes = cursor_make(d->joined.data, d->joined.len);
        ret->bytes.swap = swap;
        ret->header.size = (uint16_t)d->joined.len;
}

bool deferred_give(struct deferred *d, const struct perfdata_reader *reader, bool swap,
                   struct perfdata_record *ret)
{
        bool is_full = d->n_waiting > LIMIT_WAITING_SAMPLES || d->n_bytes > LIMIT_WAITING_BYTES;
        struct waiting_sample *w;

        free(d->given);
        d->given = NULL;
        if (!d->out && is_full)
                let_out_oldest(d);
        w = get(d, d->out);
        if (w) {
                uint32_t slot = d->out;

                give_sample(d, w, &perfdata_get_event(reader, w->event)->attr, swap, ret);
                unlink_by_age(d, w);
                d->given = w->bytes;
                d->n_waiting--;
                d->n_bytes -= w->header.size;
                d->out = w->next_of_thread;
                *w = (struct waiting_sample){.next = d->free};
                d->free = slot;
                return true;
        }
        if (!d->has_record)
                return false;
        *ret = d->record;
        d->given = d->record_bytes;
        d->record_bytes = NULL;
        d->has_record = false;
        return true;
}
