/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of features, and of events that have no name in the file. */
#include <inttypes.h>

#include "perfdata_reader_internal.h"

static const char *const hardware_names[] = {
        "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
        "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const char *const software_names[] = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static void add_cache_name(struct buf *out, uint64_t config)
{
        static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                             "iTLB",      "branch",    "node"};
        static const char *const ops[] = {"load", "store", "prefetch"};
        static const char *const plurals[] = {"loads", "stores", "prefetches"};
        uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

        if (cache >= N_ELEMENTS(caches) || op >= N_ELEMENTS(ops) || result > 1)
                buf_printf(out, "cache-0x%" PRIx64, config);
        else if (result)
                buf_printf(out, "%s-%s-misses", caches[cache], ops[op]);
        else
                buf_printf(out, "%s-%s", caches[cache], plurals[op]);
}

static void add_listed(struct buf *out, const char *const *names, size_t n, uint64_t config, const char *kind)
{
        config &= UINT32_MAX; /* the upper half selects the PMU on a hybrid machine */
        if (config < n)
                buf_add_str(out, names[config]);
        else
                buf_printf(out, "%s-%" PRIu64, kind, config);
}

/* PMU_MAPPINGS: n u32, then {type u32, length u32, text} */
static const char *pmu_name(const struct perfdata_reader *r, uint32_t type)
{
        struct cursor c = r->features[FEATURE_PMU_MAPPINGS];
        uint32_t n = c.start ? cursor_u32(&c) : 0;

        while (n-- && !c.failed) {
                uint32_t found = cursor_u32(&c), size = cursor_u32(&c);
                struct cursor text = cursor_sub(&c, cursor_pos(&c), size);

                if (found == type && !c.failed)
                        return cursor_str_at(&text, 0);
                cursor_skip(&c, size);
        }
        return NULL;
}

static void add_modifiers(struct buf *out, uint64_t flags)
{
        unsigned precise = (unsigned)(flags >> PERF_ATTR_PRECISE_SHIFT) & 3;
        bool no_user = flags & PERF_ATTR_EXCLUDE_USER, no_kernel = flags & PERF_ATTR_EXCLUDE_KERNEL;

        if (no_user != no_kernel || precise)
                buf_add_char(out, ':');
        if (no_user != no_kernel)
                buf_add_char(out, no_user ? 'k' : 'u');
        buf_add(out, "ppp", precise);
}

void perfdata_names_make_event(const struct perfdata_reader *r, const struct perf_attr *attr, struct buf *out)
{
        const char *pmu;

        switch (attr->type) {
        case PERF_TYPE_HARDWARE:
                add_listed(out, hardware_names, N_ELEMENTS(hardware_names), attr->config, "hardware");
                break;
        case PERF_TYPE_SOFTWARE:
                add_listed(out, software_names, N_ELEMENTS(software_names), attr->config, "software");
                break;
        case PERF_TYPE_TRACEPOINT: buf_printf(out, "tracepoint-%" PRIu64, attr->config); break;
        case PERF_TYPE_HW_CACHE: add_cache_name(out, attr->config & UINT32_MAX); break;
        case PERF_TYPE_RAW: buf_printf(out, "r%" PRIx64, attr->config); break;
        case PERF_TYPE_BREAKPOINT: buf_printf(out, "mem:0x%" PRIx64, attr->config1); break;
        default:
                pmu = pmu_name(r, attr->type);
                if (pmu)
                        buf_printf(out, "%s/config=0x%" PRIx64 "/", pmu, attr->config);
                else
                        buf_printf(out, "pmu-%u/config=0x%" PRIx64 "/", attr->type, attr->config);
        }
        add_modifiers(out, attr->flags);
}

static const char *const feature_names[] = {
        [FEATURE_TRACING_DATA] = "TRACING_DATA",
        [FEATURE_BUILD_ID] = "BUILD_ID",
        [FEATURE_HOSTNAME] = "HOSTNAME",
        [FEATURE_OSRELEASE] = "OSRELEASE",
        [FEATURE_VERSION] = "VERSION",
        [FEATURE_ARCH] = "ARCH",
        [FEATURE_NRCPUS] = "NRCPUS",
        [FEATURE_CPUDESC] = "CPUDESC",
        [FEATURE_CPUID] = "CPUID",
        [FEATURE_TOTAL_MEM] = "TOTAL_MEM",
        [FEATURE_CMDLINE] = "CMDLINE",
        [FEATURE_EVENT_DESC] = "EVENT_DESC",
        [FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
        [FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
        [FEATURE_BRANCH_STACK] = "BRANCH_STACK",
        [FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
        [FEATURE_GROUP_DESC] = "GROUP_DESC",
        [FEATURE_AUXTRACE] = "AUXTRACE",
        [FEATURE_STAT] = "STAT",
        [FEATURE_CACHE] = "CACHE",
        [FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
        [FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
        [FEATURE_CLOCKID] = "CLOCKID",
        [FEATURE_DIR_FORMAT] = "DIR_FORMAT",
        [FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
        [FEATURE_BPF_BTF] = "BPF_BTF",
        [FEATURE_COMPRESSED] = "COMPRESSED",
        [FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
        [FEATURE_CLOCK_DATA] = "CLOCK_DATA",
        [FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
        [FEATURE_PMU_CAPS] = "PMU_CAPS",
        [FEATURE_SIMPLEPERF_FILE] = "SIMPLEPERF_FILE",
        [FEATURE_SIMPLEPERF_META_INFO] = "SIMPLEPERF_META_INFO",
        [FEATURE_SIMPLEPERF_DEBUG_UNWIND] = "SIMPLEPERF_DEBUG_UNWIND",
        [FEATURE_SIMPLEPERF_DEBUG_UNWIND_FILE] = "SIMPLEPERF_DEBUG_UNWIND_FILE",
        [FEATURE_SIMPLEPERF_FILE2] = "SIMPLEPERF_FILE2",
        [FEATURE_SIMPLEPERF_ETM_BRANCH_LIST] = "SIMPLEPERF_ETM_BRANCH_LIST",
        [FEATURE_SIMPLEPERF_INIT_MAP] = "SIMPLEPERF_INIT_MAP",
        [FEATURE_HIPERF_FILES_SYMBOL] = "HIPERF_FILES_SYMBOL",
        [FEATURE_HIPERF_WORKLOAD_CMD] = "HIPERF_WORKLOAD_CMD",
        [FEATURE_HIPERF_RECORD_TIME] = "HIPERF_RECORD_TIME",
        [FEATURE_HIPERF_CPU_OFF] = "HIPERF_CPU_OFF",
        [FEATURE_HIPERF_HM_DEVHOST] = "HIPERF_HM_DEVHOST",
        [FEATURE_HIPERF_STACK_TABLE] = "HIPERF_STACK_TABLE",
        [FEATURE_HIPERF_ADD_COUNTER] = "HIPERF_ADD_COUNTER",
        [FEATURE_WPERF_RUN] = "WPERF_RUN",
        [FEATURE_WPERF_COUNT] = "WPERF_COUNT",
        [FEATURE_WPERF_IMAGES] = "WPERF_IMAGES",
        [FEATURE_WPERF_SYMBOLS] = "WPERF_SYMBOLS",
        [FEATURE_WPERF_SOURCE] = "WPERF_SOURCE",
        [FEATURE_WPERF_STACKS] = "WPERF_STACKS",
        [FEATURE_WPERF_WALKS] = "WPERF_WALKS",
        [FEATURE_WPERF_ENDS] = "WPERF_ENDS",
        [FEATURE_WPERF_WAITS] = "WPERF_WAITS",
        [FEATURE_WPERF_TASKS] = "WPERF_TASKS",
        [FEATURE_WPERF_CODE] = "WPERF_CODE",
        [FEATURE_WPERF_PYTHON] = "WPERF_PYTHON",
};

const char *perfdata_feature_name(unsigned feature)
{
        return feature < N_ELEMENTS(feature_names) ? feature_names[feature] : NULL;
}
