/* SPDX-License-Identifier: BSD-3-Clause */
/* A session with SPE data: each sample that is made of them can be read, and samples that stand for equal
 * ones stand for all. */
#include <stdlib.h>

#include "spe_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BATCH_RECORDS = 64, MAX_BATCHES = 4096 };

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

struct reading {
        uint64_t period;       /* of one operation; 0: each sample is one */
        uint64_t n_operations; /* in all samples */
        bool is_whole;
};

static void check(const struct perfdata_batch *batch, const struct spe_samples *spe, uint32_t event,
                  struct reading *reading)
{
        for (size_t i = 0; i < batch->n; i++) {
                struct perfdata_record record;
                struct sample sample;
                struct spe_raw raw;

                perfdata_batch_get(batch, i, &record);
                if (record.header.type != PERF_RECORD_SAMPLE || record.event != event)
                        continue;
                must(sample_parse(&batch->events[record.event]->attr, record.bytes, &sample));
                must(sample.time == record.time && sample.n_branches <= 1);
                must(spe_raw_read(sample.raw, &raw));
                must(!spe_samples_is_source(spe, event));
                must(!reading->period || (sample.period && sample.period % reading->period == 0));
                reading->n_operations += reading->period ? sample.period / reading->period : 1;
        }
}

/* False: the session has no SPE data. */
static bool read_session(const uint8_t *data, size_t size, bool counts_equal, struct reading *reading)
{
        AUTO(perfdata_reader) reader = perfdata_open_bytes(data, size, "fuzz", NULL);
        struct spe_samples *spe = reader ? spe_samples_open(reader) : NULL;
        struct perfdata_batch batch = {0};
        struct batch_totals totals = {0};
        struct perfdata_extra extra;
        uint32_t event;
        int got = 1;

        if (!spe)
                return false;
        *reading = (struct reading){.period = counts_equal ? spe_samples_count_equal(spe) : 0};
        /* the one that was added */
        event = (uint32_t)perfdata_n_events(reader) - 1;
        extra = spe_samples_extra(spe);
        perfdata_set_extra(reader, &extra);
        for (unsigned n = 0; n < MAX_BATCHES && got > 0; n++) {
                got = perfdata_next_batch(reader, &batch, BATCH_RECORDS, &totals, NULL);
                if (got > 0)
                        check(&batch, spe, event, reading);
        }
        reading->is_whole = !got;
        perfdata_batch_release(&batch);
        spe_samples_free(spe);
        return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct reading each, equal;

        if (!read_session(data, size, false, &each))
                return 0;
        must(read_session(data, size, true, &equal));
        must(!each.is_whole || !equal.is_whole || each.n_operations == equal.n_operations);
        return 0;
}
