/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware_run.h"

#include <stdlib.h>
#include <string.h>

#include "hardware_loops.h"
#include "mem.h"
#include "perf_abi.h"
#include "perfdata_batch.h"
#include "perfdata_format.h"
#include "perfdata_reader.h"
#include "record.h"
#include "run.h"
#include "spe_samples.h"
#include "spe_source.h"

enum {
        BRANCHES_MAX = 32, /* instructions; a loop has four or five */
        BATCH_RECORDS = 4096,
};

/* User mode only.  No CPU's shortest interval is longer than 4096. */
static const char spe_event[] = "arm_spe//u:8192";

struct branch_count {
        uint64_t ip, n, n_mispredicted;
};

/* What hardware_seen has no room for. */
struct loop_tally {
        uint32_t *cycles; /* of the loads */
        size_t n_cycles, cap_cycles;
        struct branch_count branches[BRANCHES_MAX];
        size_t n_branches;
};

struct tally {
        const struct perfdata_reader *reader;
        struct hardware_seen *seen;
        struct loop_tally *loops;
        uint64_t midr;
        size_t loop; /* that runs; hardware_loops_n() for none */
};

void hardware_run_release(struct hardware_run *run)
{
        free(run->seen);
        *run = (struct hardware_run){0};
}

static void tally_release(struct tally *t)
{
        for (size_t i = 0; i < hardware_loops_n(); i++)
                free(t->loops[i].cycles);
        free(t->loops);
}

/* As in perf, a load without a data source packet counts as one from source 0. */
static enum hardware_level level_of(const struct tally *t, const struct spe_raw *raw)
{
        const struct spe_record record = {
                .has = SPE_HAS_EVENTS | SPE_HAS_OPERATION | SPE_HAS_SOURCE,
                .events = raw->events,
                .source = raw->source,
                .op = spe_operation_read(raw->class_id, raw->op_payload),
                .op_payload = raw->op_payload,
        };
        const struct spe_source source = spe_source_of_record(&record, t->midr);

        if (source.is_miss)
                return HARDWARE_UNKNOWN;
        switch ((enum spe_level)source.level) {
        case SPE_LEVEL_L1: return HARDWARE_L1;
        case SPE_LEVEL_L2: return source.owner == SPE_OWNER_OWN ? HARDWARE_L2 : HARDWARE_FAR;
        case SPE_LEVEL_L3:
        case SPE_LEVEL_CACHE: return HARDWARE_FAR;
        case SPE_LEVEL_DRAM: return HARDWARE_MEMORY;
        default: return HARDWARE_UNKNOWN;
        }
}

static void add_access(struct tally *t, const struct sample *sample, const struct spe_raw *raw, bool is_store)
{
        struct hardware_seen *seen = &t->seen[t->loop];
        struct loop_tally *loop = &t->loops[t->loop];

        seen->n_walks += (raw->events & SPE_EVENT_BIT(SPE_EVENT_TLB_WALK)) != 0;
        seen->n_stores += is_store;
        if (is_store)
                return;
        seen->n_loads++;
        seen->n_levels[level_of(t, raw)]++;
        ARRAY_PUSH(loop->cycles, loop->n_cycles, loop->cap_cycles, (uint32_t)sample->weight);
}

/* A branch beyond BRANCHES_MAX instructions is not counted by instruction. */
static void add_branch(struct tally *t, uint64_t ip, bool is_mispredicted)
{
        struct loop_tally *loop = &t->loops[t->loop];
        size_t i = 0;

        t->seen[t->loop].n_branches++;
        while (i < loop->n_branches && loop->branches[i].ip != ip)
                i++;
        if (i == BRANCHES_MAX)
                return;
        if (i == loop->n_branches)
                loop->branches[loop->n_branches++].ip = ip;
        loop->branches[i].n++;
        loop->branches[i].n_mispredicted += is_mispredicted;
}

static void add_sample(struct tally *t, const struct perfdata_record *record)
{
        const struct perfdata_event *event = perfdata_get_event(t->reader, record->event);
        struct spe_operation op;
        struct sample sample;
        struct spe_raw raw;

        if (t->loop == hardware_loops_n() || !event || !sample_parse(&event->attr, record->bytes, &sample) ||
            !spe_raw_read(sample.raw, &raw))
                return;
        t->seen[t->loop].n_samples++;
        op = spe_operation_read(raw.class_id, raw.op_payload);
        if (op.class_id == SPE_CLASS_LOAD_STORE)
                add_access(t, &sample, &raw, op.flags & SPE_OPERATION_STORE);
        else if (op.class_id == SPE_CLASS_BRANCH)
                add_branch(t, sample.ip, raw.events & SPE_EVENT_BIT(SPE_EVENT_MISPREDICTED));
}

static void add_record(struct tally *t, const struct perfdata_record *record)
{
        struct record_comm comm;

        if (record->header.type == PERF_RECORD_SAMPLE) {
                add_sample(t, record);
        } else if (record->header.type == PERF_RECORD_COMM && record_comm_parse(record->bytes, &comm)) {
                t->loop = hardware_loops_find(comm.name);
                if (t->loop < hardware_loops_n())
                        t->seen[t->loop].was_run = true;
        }
}

static int compare_cycles(const void *a, const void *b)
{
        const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

        return (x > y) - (x < y);
}

static void finish_loop(struct loop_tally *loop, struct hardware_seen *seen)
{
        if (loop->n_cycles) {
                qsort(loop->cycles, loop->n_cycles, sizeof(*loop->cycles), compare_cycles);
                seen->load_cycles = loop->cycles[(loop->n_cycles - 1) / 2];
        }
        for (size_t i = 0; i < loop->n_branches; i++) {
                const struct branch_count *branch = &loop->branches[i];

                if (seen->n_worst_branch && branch->n_mispredicted <= seen->n_worst_mispredicted)
                        continue;
                seen->n_worst_branch = branch->n;
                seen->n_worst_mispredicted = branch->n_mispredicted;
        }
}

static bool read_records(struct perfdata_reader *reader, struct tally *t, struct err *err)
{
        struct perfdata_batch batch = {0};
        struct batch_totals totals = {0};
        struct perfdata_record record;
        int more;

        while ((more = perfdata_next_batch(reader, &batch, BATCH_RECORDS, &totals, err)) > 0) {
                for (size_t i = 0; i < batch.n; i++) {
                        perfdata_batch_get(&batch, i, &record);
                        add_record(t, &record);
                }
        }
        perfdata_batch_release(&batch);
        return !more;
}

static uint64_t midr_of(const struct perfdata_reader *reader)
{
        const char *id = perfdata_feature_str(reader, FEATURE_CPUID);

        return id && !strncmp(id, "0x", 2) ? strtoull(id, NULL, 16) : 0;
}

bool hardware_run_read(const char *session_path, struct hardware_run *ret, struct err *err)
{
        AUTO(perfdata_reader) reader = perfdata_open(session_path, err);
        struct spe_samples *spe = reader ? spe_samples_open(reader) : NULL;
        struct tally t = {.reader = reader, .loop = hardware_loops_n()};
        struct spe_samples_counts counts;
        struct perfdata_extra extra;
        bool ok;

        if (!spe)
                return reader &&
                       err_set(err, ERR_FORMAT,
                               "%s: the session has no samples of SPE: its buffers are empty", session_path);
        ret->seen = t.seen = mem_new(hardware_loops_n(), sizeof(*t.seen));
        t.loops = mem_new(hardware_loops_n(), sizeof(*t.loops));
        t.midr = midr_of(reader);
        extra = spe_samples_extra(spe);
        perfdata_set_extra(reader, &extra);
        ok = read_records(reader, &t, err);
        for (size_t i = 0; i < hardware_loops_n(); i++)
                finish_loop(&t.loops[i], &t.seen[i]);
        counts = spe_samples_counts(spe);
        ret->n_buffers = counts.n_aux;
        ret->n_truncated = counts.n_truncated;
        ret->n_collided = counts.n_collided;
        ret->n_damaged = counts.records.n_damaged;
        tally_release(&t);
        spe_samples_free(spe);
        return ok;
}

bool hardware_run_record(const struct hardware_run_request *request, struct hardware_run *ret,
                         struct err *err)
{
        const struct run_request run_request = {
                .target = {.argv = request->argv},
                .events = spe_event,
                .session_path = request->session_path,
                .command_line = request->command_line,
                .quiet = true,
        };
        enum run_failure failure;
        AUTO(run) run = run_record(&run_request, &failure, err);
        struct run_facts facts;

        if (!run)
                return false;
        facts = run_get_facts(run);
        if (facts.write_error)
                return err_set(err, facts.write_error->code, "%s", facts.write_error->text);
        if (facts.stop_signal)
                return err_set(err, ERR_IO, "the test was interrupted");
        if (facts.has_status && facts.exit_status)
                return err_set(err, ERR_IO,
                               "the process with the loops ended with status %d before their end",
                               facts.exit_status);
        return hardware_run_read(request->session_path, ret, err);
}
