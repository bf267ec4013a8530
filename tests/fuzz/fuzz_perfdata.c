/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a session file: read raw and by time, every record is parsed and replayed, and lookups are
 * made. */
#include <stdlib.h>
#include <string.h>

#include "perfdata_reader.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t kept; /* so that nothing is optimised away */

static void read_all(struct cursor c)
{
        while (!c.failed && cursor_left(&c) >= 8)
                kept += cursor_u64(&c);
        while (!c.failed && cursor_left(&c))
                kept += cursor_u8(&c);
}

static void ask_about(struct world *world, const struct sample *s)
{
        struct cursor chain = s->chain;
        struct branch branch;

        kept += world_find(world, s->pid, s->misc, s->ip).offset;
        while (!chain.failed && cursor_left(&chain))
                kept += world_find(world, s->pid, s->misc, cursor_u64(&chain)).module;
        for (uint64_t i = 0; sample_branch(s, i, &branch); i++)
                kept += branch.from + branch.to + branch.cycles;
        read_all(s->raw);
        read_all(s->read);
        read_all(s->regs_user);
        read_all(s->regs_intr);
        read_all(s->stack_user);
        read_all(s->branch_counters);
        read_all(s->aux);
        kept += strlen(world_thread_name(world, s->pid, s->tid));
        kept += world_main_module(world, s->pid, &branch.from);
}

static void take_record(struct perfdata_reader *reader, struct world *world,
                        const struct perfdata_record *record)
{
        struct record_stat_round round;
        struct record_stat stat;
        struct record_lost lost;
        struct record_id id;
        struct sample sample;

        read_all(record->bytes);
        read_all(record->payload);
        world_replay(world, record);
        record_lost_parse(record->bytes, &lost);
        record_stat_parse(record->bytes, &stat);
        record_stat_round_parse(record->bytes, &round);
        if (record->event == UINT32_MAX)
                return;
        if (record->event >= perfdata_n_events(reader))
                abort();
        record_id_parse(&perfdata_get_event(reader, record->event)->attr, record->bytes, &id);
        if (record->header.type == PERF_RECORD_SAMPLE &&
            sample_parse(&perfdata_get_event(reader, record->event)->attr, record->bytes, &sample))
                ask_about(world, &sample);
}

static bool note_build_id(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                          const char *path)
{
        kept += strlen(path) + (id_size ? id[id_size - 1] : 0u);
        return true;
}

static void ask_reader(const struct perfdata_reader *reader)
{
        for (unsigned i = 0; i < 260; i++) {
                const char *text = perfdata_feature_str(reader, i);

                read_all(perfdata_feature(reader, i));
                kept += text ? strlen(text) : 0;
        }
        for (size_t i = 0; i < perfdata_n_events(reader); i++) {
                const struct perfdata_event *event = perfdata_get_event(reader, i);

                kept += strlen(event->name) + (event->n_ids ? event->ids[event->n_ids - 1] : 0);
        }
        perfdata_each_build_id(reader, note_build_id, NULL);
}

static void read_session(const void *bytes, size_t size, bool raw)
{
        struct err err = {0};
        AUTO(perfdata_reader) reader = perfdata_open_bytes(bytes, size, "fuzz", &err);
        AUTO(world) world = world_new();
        struct perfdata_record record;
        int got = -1;

        if (!reader) {
                if (!err.text[0])
                        abort();
                return;
        }
        world_add_build_ids(world, reader);
        while ((got = raw ? perfdata_next_raw(reader, &record, &err)
                          : perfdata_next(reader, &record, &err)) == 1)
                take_record(reader, world, &record);
        if (got < 0 && !err.text[0])
                abort();
        world_add_build_ids(world, reader);
        ask_reader(reader);
        for (module_id i = 0; i < world_n_modules(world); i++)
                kept += strlen(world_text(world, world_get_module(world, i)->path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        /* An allocation of the exact size, so that the sanitizer detects reads after the end. */
        uint8_t *copy = malloc(size ? size : 1);

        if (!copy)
                return 0;
        if (size)
                memcpy(copy, data, size);
        read_session(copy, size, true);
        read_session(copy, size, false);
        free(copy);
        return 0;
}
