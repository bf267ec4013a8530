/* SPDX-License-Identifier: BSD-3-Clause */
/* An event-trace file: the session that is made of it can be read, and its samples are whole and in the
 * order of time. */
#include <stdlib.h>

#include "etl_session.h"
#include "perfdata_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT_BYTES = 16 << 20, SMALL_LIMIT_BYTES = 64 << 10, SMALL_LIMIT_OF = 8 };

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) session = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct perfdata_record record;
        AUTO_RELEASE(buf) with_samples = {0};
        uint64_t last = 0, n_samples = 0, limit;
        bool has_samples;

        limit = size % SMALL_LIMIT_OF == SMALL_LIMIT_OF - 1 ? SMALL_LIMIT_BYTES : LIMIT_BYTES;
        if (!etl_session_make_any(data, size, "fuzz", limit, &session, NULL))
                return 0;
        has_samples = etl_session_make(data, size, "fuzz", limit, &with_samples, NULL);
        reader = perfdata_open_bytes(session.data, session.len, "fuzz", NULL);
        must(reader != NULL);
        while (perfdata_next(reader, &record, NULL) > 0) {
                struct sample sample;

                if (record.header.type != PERF_RECORD_SAMPLE)
                        continue;
                must(record.event < perfdata_n_events(reader));
                must(sample_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes, &sample));
                must(record.time >= last);
                last = record.time;
                n_samples++;
        }
        must((n_samples > 0) == has_samples && !perfdata_get_damage(reader)->n_malformed);
        return 0;
}
