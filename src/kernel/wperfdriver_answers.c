/* SPDX-License-Identifier: BSD-3-Clause */
#include "wperfdriver_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "cursor.h"
#include "text.h"
#include "text_printable.h"
#include "text_utf16.h"

const char *wperfdriver_request_name(enum wperfdriver_request request)
{
        switch (request) {
        case WPERFDRIVER_START: return "PMU_CTL_START";
        case WPERFDRIVER_STOP: return "PMU_CTL_STOP";
        case WPERFDRIVER_RESET: return "PMU_CTL_RESET";
        case WPERFDRIVER_QUERY_HW_CFG: return "PMU_CTL_QUERY_HW_CFG";
        case WPERFDRIVER_QUERY_EVENTS: return "PMU_CTL_QUERY_SUPP_EVENTS";
        case WPERFDRIVER_QUERY_VERSION: return "PMU_CTL_QUERY_VERSION";
        case WPERFDRIVER_ASSIGN_EVENTS: return "PMU_CTL_ASSIGN_EVENTS";
        case WPERFDRIVER_READ_COUNTING: return "PMU_CTL_READ_COUNTING";
        case WPERFDRIVER_SAMPLE_SET_SRC: return "PMU_CTL_SAMPLE_SET_SRC";
        case WPERFDRIVER_SAMPLE_START: return "PMU_CTL_SAMPLE_START";
        case WPERFDRIVER_SAMPLE_STOP: return "PMU_CTL_SAMPLE_STOP";
        case WPERFDRIVER_SAMPLE_GET: return "PMU_CTL_SAMPLE_GET";
        case WPERFDRIVER_LOCK_ACQUIRE: return "PMU_CTL_LOCK_ACQUIRE";
        case WPERFDRIVER_LOCK_RELEASE: return "PMU_CTL_LOCK_RELEASE";
        case WPERFDRIVER_SPE_INIT: return "PMU_CTL_SPE_INIT";
        case WPERFDRIVER_SPE_GET_SIZE: return "PMU_CTL_SPE_GET_SIZE";
        case WPERFDRIVER_SPE_GET_BUFFER: return "PMU_CTL_SPE_GET_BUFFER";
        case WPERFDRIVER_SPE_START: return "PMU_CTL_SPE_START";
        case WPERFDRIVER_SPE_STOP: return "PMU_CTL_SPE_STOP";
        }
        return "request";
}

bool wperfdriver_read_answer(enum wperfdriver_request request, const void *answer, size_t size, void *out,
                             size_t out_size, struct err *err)
{
        if (size != out_size)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER answers %s with %zu bytes where version 3.8 has %zu: install version 3.8",
                        wperfdriver_request_name(request), size, out_size);
        if (out_size)
                memcpy(out, answer, out_size);
        return true;
}

bool wperfdriver_check_lock(uint32_t status, struct err *err)
{
        switch (status) {
        case WPERFDRIVER_LOCKED: return true;
        case WPERFDRIVER_BUSY:
                return err_set(
                        err, ERR_BUSY,
                        "other WindowsPerf process acquired the wperf-driver: use --force-lock to force driver "
                        "to give lock to current `wperf` process. Operation cancelled!");
        case WPERFDRIVER_NO_RESOURCES:
                return err_set(
                        err, ERR_BUSY,
                        "not enough resources available to execute the request: other profilers use all "
                        "counters. Operation cancelled!");
        default: return err_set(err, ERR_IO, "unknown lock error (%u). Operation cancelled!", status);
        }
}

/* --- version and configuration --- */

static void take_text(const uint16_t *units, size_t n, char *out, size_t size)
{
        struct cursor c = cursor_make(units, n * sizeof(*units));
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) printable = {0};

        out[0] = '\0';
        if (!text_add_utf16(&c, &text))
                return;
        text_add_printable(&printable, buf_text(&text));
        text_copy(out, size, buf_text(&printable));
}

/* The drivers of 3.7.1 and 3.7.2 differ from that of 3.8.0 in a message for debuggers only. */
static bool is_known(const uint8_t version[3])
{
        return version[0] == 3 &&
               (version[1] == 8 || (version[1] == 7 && (version[2] == 1 || version[2] == 2)));
}

bool wperfdriver_read_version(const void *answer, size_t size, struct kernel_driver *facts, struct err *err)
{
        const uint8_t *bytes = answer;
        struct wperfdriver_version version;

        if (size < 3)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER answers PMU_CTL_QUERY_VERSION with %zu bytes: install version 3.8",
                        size);
        snprintf(facts->version, sizeof(facts->version), "%u.%u.%u", bytes[0], bytes[1], bytes[2]);
        if (!is_known(bytes))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "WPERFDRIVER has version %s, and wperf knows the interface of 3.7.1, 3.7.2 and 3.8 only: install the driver of "
                        "WindowsPerf 3.8",
                        facts->version);
        if (size != sizeof(version))
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER answers PMU_CTL_QUERY_VERSION with %zu bytes where version 3.8 has %zu",
                        size, sizeof(version));
        memcpy(&version, answer, sizeof(version));
        take_text(version.gitver, N_ELEMENTS(version.gitver), facts->git, sizeof(facts->git));
        take_text(version.features, N_ELEMENTS(version.features), facts->features, sizeof(facts->features));
        return true;
}

bool wperfdriver_read_hw_cfg(const void *answer, size_t size, struct kernel_driver *f, struct err *err)
{
        struct wperfdriver_hw_cfg cfg;

        if (!wperfdriver_read_answer(WPERFDRIVER_QUERY_HW_CFG, answer, size, &cfg, sizeof(cfg), err))
                return false;
        if (!cfg.core_num || cfg.core_num > WPERFDRIVER_CORES || !cfg.gpc_num ||
            cfg.gpc_num > WPERFDRIVER_COUNTERS || cfg.total_gpc_num > WPERFDRIVER_COUNTERS ||
            cfg.gpc_num > cfg.total_gpc_num)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER reports %u cores with %u of %u counters: from 1 to %d cores and %d counters are possible",
                        cfg.core_num, cfg.gpc_num, cfg.total_gpc_num, WPERFDRIVER_CORES,
                        WPERFDRIVER_COUNTERS);
        f->pmu_version = cfg.pmu_ver;
        f->n_fixed = cfg.fpc_num;
        f->n_counters = cfg.gpc_num;
        f->n_all_counters = cfg.total_gpc_num;
        f->n_cpus = cfg.core_num;
        f->midr = cfg.midr_value;
        f->id_aa64dfr0 = cfg.id_aa64dfr0_value;
        f->pmbidr = cfg.pmbidr_el1_value;
        f->pmsidr = cfg.pmsidr_el1_value;
        memcpy(f->counter_map, cfg.counter_idx_map, sizeof(f->counter_map));
        take_text(cfg.device_id_str, N_ELEMENTS(cfg.device_id_str), f->devices, sizeof(f->devices));
        return true;
}

/* Only how many there are: the numbers are those of the architecture. */
bool wperfdriver_read_events(const void *answer, size_t size, struct kernel_driver *facts, struct err *err)
{
        struct cursor c = cursor_make(answer, size);

        while (cursor_left(&c)) {
                uint32_t class = cursor_u32(&c);
                uint16_t n = cursor_u16(&c);

                if (!cursor_skip(&c, 2 + 2 * (uint64_t)n) || class >= WPERFDRIVER_CLASSES)
                        return err_set(
                                err, ERR_FORMAT,
                                "WPERFDRIVER answers PMU_CTL_QUERY_SUPP_EVENTS with a list that is cut or of a class "
                                "that version 3.8 does not have");
                facts->n_events[class] = n;
        }
        return true;
}

/* --- samples and counts --- */

bool wperfdriver_read_samples(const void *answer, size_t size, struct wperfdriver_samples *ret,
                              struct err *err)
{
        if (!wperfdriver_read_answer(WPERFDRIVER_SAMPLE_GET, answer, size, ret, sizeof(*ret), err))
                return false;
        if (ret->n <= WPERFDRIVER_SAMPLES)
                return true;
        ret->n = 0;
        return err_set(err, ERR_FORMAT, "WPERFDRIVER says that it has more than %d samples",
                       WPERFDRIVER_SAMPLES);
}

bool wperfdriver_read_dropped(const void *answer, size_t size, uint64_t *ret_dropped)
{
        uint64_t counts[2]; /* of samples that were taken and dropped */

        if (size != sizeof(counts))
                return false;
        memcpy(counts, answer, sizeof(counts));
        *ret_dropped = counts[1];
        return true;
}

static bool fail_counts(uint32_t core, const char *what, struct err *err)
{
        return err_set(err, ERR_FORMAT, "WPERFDRIVER's counts of core %" PRIu32 " can't be used: %s", core,
                       what);
}

/* The counts are in the order in which the events were assigned; that of the cycle counter may be anywhere. */
bool wperfdriver_read_counts(const struct wperfdriver_counts *counts, const uint16_t *codes, size_t n_codes,
                             uint32_t core, struct wperfdriver_sums *ret, struct err *err)
{
        size_t n = 0;

        *ret = (struct wperfdriver_sums){.round = counts->round};
        if (counts->n > WPERFDRIVER_COUNTS)
                return fail_counts(core, "there are more than 128", err);
        for (uint32_t i = 0; i < counts->n; i++) {
                const struct wperfdriver_count *count = &counts->counts[i];

                if (count->scheduled > counts->round)
                        return fail_counts(core, "an event was counted in more rounds than there were", err);
                if (count->event == WPERFDRIVER_CYCLES) {
                        ret->cycles = count;
                        continue;
                }
                if (n == n_codes || codes[n] != count->event)
                        return fail_counts(core, "they are not of the events that were assigned", err);
                ret->events[n++] = count;
        }
        return n == n_codes || fail_counts(core, "some of the events are missing", err);
}
