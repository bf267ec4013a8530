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
        case WPERFDRIVER_DSU_INIT: return "DSU_CTL_INIT";
        case WPERFDRIVER_DSU_READ: return "DSU_CTL_READ_COUNTING";
        case WPERFDRIVER_DMC_INIT: return "DMC_CTL_INIT";
        case WPERFDRIVER_DMC_READ: return "DMC_CTL_READ_COUNTING";
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
                        "warning: other WindowsPerf process acquired the wperf-driver. note: use --force-lock to force "
                        "driver to give lock to current `wperf` process. Operation cancelled!");
        case WPERFDRIVER_NO_RESOURCES:
                return err_set(
                        err, ERR_BUSY,
                        "warning: not enough resources available to execute the request. note: other profilers use all "
                        "counters. Operation cancelled!");
        default:
                return err_set(err, ERR_IO,
                               "warning: unknown lock error. note: the status is %u. Operation cancelled!",
                               status);
        }
}

bool wperfdriver_lost_lock(struct err *err)
{
        return err_set(
                err, ERR_BUSY,
                "warning: other WindowsPerf process hijacked (forced lock) the wperf-driver, see --force-lock. "
                "Operation terminated, your data was lost!");
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

/* --- units --- */

bool wperfdriver_add_clusters(const void *answer, size_t size, uint32_t n, uint32_t n_cores_each,
                              struct kernel_driver *facts, struct err *err)
{
        struct kernel_unit_class class = {.number = WPERFDRIVER_DSU};
        struct wperfdriver_dsu_cfg cfg;

        if (!wperfdriver_read_answer(WPERFDRIVER_DSU_INIT, answer, size, &cfg, sizeof(cfg), err))
                return false;
        if (!cfg.n_counters || cfg.n_counters >= WPERFDRIVER_DSU_COUNTS)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER reports %u counters of a cluster (DSU): from 1 to %d are possible",
                        cfg.n_counters, WPERFDRIVER_DSU_COUNTS - 1);
        class.n_counters = cfg.n_counters;
        class.has_cycles = cfg.n_fixed;
        kernel_units_add_class(&facts->units, "dsu-520", "dsu", &class, n);
        for (size_t i = 0; i < facts->units.n_items; i++) {
                struct kernel_unit *unit = &facts->units.items[i];

                unit->cpu = unit->index * n_cores_each;
                for (uint32_t cpu = unit->cpu; cpu < unit->cpu + n_cores_each && cpu < KERNEL_CPUS_MAX; cpu++)
                        unit->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
        }
        return true;
}

void wperfdriver_add_memory_controllers(uint32_t n, struct kernel_driver *facts)
{
        const struct kernel_unit_class class = {.number = WPERFDRIVER_DMC_CLKDIV2,
                                                .n_counters = WPERFDRIVER_DMC_CLKDIV2_COUNTS};

        kernel_units_add_class(&facts->units, "dmc-620", "dmc_clkdiv2", &class, n);
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

static bool fail_counts(const struct wperfdriver_read *read, const char *what, struct err *err)
{
        return err_set(err, ERR_FORMAT, "WPERFDRIVER's counts of %s %" PRIu32 " can't be used: %s",
                       read->what, read->number, what);
}

/* The counts are in the order in which the events were assigned; that of the cycle counter may be
 * anywhere. */
bool wperfdriver_read_sums(const struct wperfdriver_read *read, const uint16_t *codes, size_t n_codes,
                           struct wperfdriver_sums *ret, struct err *err)
{
        size_t n = 0;

        *ret = (struct wperfdriver_sums){.round = read->round};
        if (read->n > read->max)
                return fail_counts(read, "there are more than can be", err);
        for (uint32_t i = 0; i < read->n; i++) {
                const struct wperfdriver_count *count = &read->counts[i];

                if (count->scheduled > read->round)
                        return fail_counts(read, "an event was counted in more rounds than there were", err);
                if (count->event == WPERFDRIVER_CYCLES) {
                        ret->cycles = count;
                        continue;
                }
                if (n == n_codes || codes[n] != count->event)
                        return fail_counts(read, "they are not of the events that were assigned", err);
                ret->events[n++] = count;
        }
        return n == n_codes || fail_counts(read, "some of the events are missing", err);
}

struct wperfdriver_read wperfdriver_core_counts(const struct wperfdriver_counts *counts, uint32_t core)
{
        return (struct wperfdriver_read){"core",         core,      counts->round,
                                         counts->counts, counts->n, WPERFDRIVER_COUNTS};
}

struct wperfdriver_read wperfdriver_cluster_counts(const struct wperfdriver_dsu_counts *counts,
                                                   uint32_t cluster)
{
        return (struct wperfdriver_read){"cluster",      cluster,   counts->round,
                                         counts->counts, counts->n, WPERFDRIVER_DSU_COUNTS};
}

/* Without a round: each event is counted in all. */
struct wperfdriver_read wperfdriver_memory_counts(const struct wperfdriver_dmc_counts *counts,
                                                  uint32_t controller)
{
        return (struct wperfdriver_read){
                "memory controller", controller,        counts->clkdiv2[0].scheduled,
                counts->clkdiv2,     counts->n_clkdiv2, WPERFDRIVER_DMC_CLKDIV2_COUNTS};
}
