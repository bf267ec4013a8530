/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes attributes as text, one line for each field, in the order of the structure and with perf's names, so
 * that dry runs can be compared. Bits without a name are shown as a number. */
#include <inttypes.h>

#include "event_grammar.h"

static const char *const type_names[] = {"hardware", "software", "tracepoint",
                                         "hw-cache", "raw",      "breakpoint"};

struct bit_name {
        uint64_t bit;
        const char *name;
};

static const struct bit_name sample_bits[] = {
        {PERF_SAMPLE_IP, "IP"},
        {PERF_SAMPLE_TID, "TID"},
        {PERF_SAMPLE_TIME, "TIME"},
        {PERF_SAMPLE_ADDR, "ADDR"},
        {PERF_SAMPLE_READ, "READ"},
        {PERF_SAMPLE_CALLCHAIN, "CALLCHAIN"},
        {PERF_SAMPLE_ID, "ID"},
        {PERF_SAMPLE_CPU, "CPU"},
        {PERF_SAMPLE_PERIOD, "PERIOD"},
        {PERF_SAMPLE_STREAM_ID, "STREAM_ID"},
        {PERF_SAMPLE_RAW, "RAW"},
        {PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
        {PERF_SAMPLE_REGS_USER, "REGS_USER"},
        {PERF_SAMPLE_STACK_USER, "STACK_USER"},
        {PERF_SAMPLE_WEIGHT, "WEIGHT"},
        {PERF_SAMPLE_DATA_SRC, "DATA_SRC"},
        {PERF_SAMPLE_IDENTIFIER, "IDENTIFIER"},
        {PERF_SAMPLE_TRANSACTION, "TRANSACTION"},
        {PERF_SAMPLE_REGS_INTR, "REGS_INTR"},
        {PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
        {PERF_SAMPLE_AUX, "AUX"},
        {PERF_SAMPLE_CGROUP, "CGROUP"},
        {PERF_SAMPLE_DATA_PAGE_SZ, "DATA_PAGE_SIZE"},
        {PERF_SAMPLE_CODE_PAGE_SZ, "CODE_PAGE_SIZE"},
        {PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
        {0, NULL},
};

static const struct bit_name read_bits[] = {
        {PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED"},
        {PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING"},
        {PERF_FORMAT_ID, "ID"},
        {PERF_FORMAT_GROUP, "GROUP"},
        {PERF_FORMAT_LOST, "LOST"},
        {0, NULL},
};

/* linux/perf_event.h, enum perf_branch_sample_type */
static const struct bit_name branch_bits[] = {
        {1u << 0, "USER"},
        {1u << 1, "KERNEL"},
        {1u << 2, "HV"},
        {1u << 3, "ANY"},
        {1u << 4, "ANY_CALL"},
        {1u << 5, "ANY_RETURN"},
        {1u << 6, "IND_CALL"},
        {1u << 7, "ABORT_TX"},
        {1u << 8, "IN_TX"},
        {1u << 9, "NO_TX"},
        {1u << 10, "COND"},
        {1u << 11, "CALL_STACK"},
        {1u << 12, "IND_JUMP"},
        {1u << 13, "CALL"},
        {1u << 14, "NO_FLAGS"},
        {1u << 15, "NO_CYCLES"},
        {1u << 16, "TYPE_SAVE"},
        {PERF_BRANCH_HW_INDEX, "HW_INDEX"},
        {1u << 18, "PRIV_SAVE"},
        {PERF_BRANCH_COUNTERS, "COUNTERS"},
        {0, NULL},
};

/* Without FREQ and PRECISE, which are part of sample_freq and precise_ip. */
static const struct bit_name flags[] = {
        {PERF_ATTR_DISABLED, "disabled"},
        {PERF_ATTR_INHERIT, "inherit"},
        {PERF_ATTR_PINNED, "pinned"},
        {PERF_ATTR_EXCLUSIVE, "exclusive"},
        {PERF_ATTR_EXCLUDE_USER, "exclude_user"},
        {PERF_ATTR_EXCLUDE_KERNEL, "exclude_kernel"},
        {PERF_ATTR_EXCLUDE_HV, "exclude_hv"},
        {PERF_ATTR_EXCLUDE_IDLE, "exclude_idle"},
        {PERF_ATTR_MMAP, "mmap"},
        {PERF_ATTR_COMM, "comm"},
        {PERF_ATTR_INHERIT_STAT, "inherit_stat"},
        {PERF_ATTR_ENABLE_ON_EXEC, "enable_on_exec"},
        {PERF_ATTR_TASK, "task"},
        {PERF_ATTR_WATERMARK, "watermark"},
        {PERF_ATTR_MMAP_DATA, "mmap_data"},
        {PERF_ATTR_SAMPLE_ID_ALL, "sample_id_all"},
        {PERF_ATTR_EXCLUDE_HOST, "exclude_host"},
        {PERF_ATTR_EXCLUDE_GUEST, "exclude_guest"},
        {PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL, "exclude_callchain_kernel"},
        {PERF_ATTR_EXCLUDE_CALLCHAIN_USER, "exclude_callchain_user"},
        {PERF_ATTR_MMAP2, "mmap2"},
        {PERF_ATTR_COMM_EXEC, "comm_exec"},
        {PERF_ATTR_USE_CLOCKID, "use_clockid"},
        {PERF_ATTR_CONTEXT_SWITCH, "context_switch"},
        {PERF_ATTR_WRITE_BACKWARD, "write_backward"},
        {PERF_ATTR_NAMESPACES, "namespaces"},
        {PERF_ATTR_KSYMBOL, "ksymbol"},
        {PERF_ATTR_BPF_EVENT, "bpf_event"},
        {PERF_ATTR_AUX_OUTPUT, "aux_output"},
        {PERF_ATTR_CGROUP, "cgroup"},
        {PERF_ATTR_TEXT_POKE, "text_poke"},
        {PERF_ATTR_BUILD_ID, "build_id"},
        {PERF_ATTR_INHERIT_THREAD, "inherit_thread"},
        {PERF_ATTR_REMOVE_ON_EXEC, "remove_on_exec"},
        {PERF_ATTR_SIGTRAP, "sigtrap"},
        {0, NULL},
};

static void add_number(struct buf *out, const char *name, uint64_t value)
{
        if (value)
                buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

static void add_hex(struct buf *out, const char *name, uint64_t value)
{
        if (value)
                buf_printf(out, "%s 0x%" PRIx64 "\n", name, value);
}

static void add_bits(struct buf *out, const char *name, uint64_t value, const struct bit_name *bits)
{
        const char *separator = " ";

        if (!value)
                return;
        buf_add_str(out, name);
        for (; bits->name; bits++) {
                if (!(value & bits->bit))
                        continue;
                buf_printf(out, "%s%s", separator, bits->name);
                separator = "|";
                value &= ~bits->bit;
        }
        if (value)
                buf_printf(out, "%s0x%" PRIx64, separator, value);
        buf_add_char(out, '\n');
}

static void add_config(struct buf *out, const struct perf_attr *attr)
{
        bool generic = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
        uint64_t pmu_type = generic ? attr->config >> 32 : 0;
        AUTO_RELEASE(buf) name = {0};

        event_name_add(attr->type, pmu_type ? (uint32_t)attr->config : attr->config, &name);
        buf_printf(out, "config 0x%" PRIx64, attr->config);
        if (name.len && pmu_type)
                buf_printf(out, " (%s on PMU type %" PRIu64 ")", name.data, pmu_type);
        else if (name.len)
                buf_printf(out, " (%s)", name.data);
        buf_add_char(out, '\n');
}

static void add_flags(struct buf *out, uint64_t value)
{
        for (const struct bit_name *flag = flags; flag->name; flag++) {
                if (value & flag->bit)
                        buf_printf(out, "%s 1\n", flag->name);
                value &= ~flag->bit;
        }
        add_number(out, "precise_ip", (value & PERF_ATTR_PRECISE) >> PERF_ATTR_PRECISE_SHIFT);
        add_hex(out, "flags", value & ~(PERF_ATTR_PRECISE | PERF_ATTR_FREQ));
}

void event_describe_attr(const struct perf_attr *attr, struct buf *out)
{
        bool is_freq = attr->flags & PERF_ATTR_FREQ, has_clock = attr->flags & PERF_ATTR_USE_CLOCKID;

        buf_printf(out, "type %" PRIu32, attr->type);
        if (attr->type < N_ELEMENTS(type_names))
                buf_printf(out, " (%s)", type_names[attr->type]);
        buf_add_char(out, '\n');
        add_number(out, "size", attr->size);
        add_config(out, attr);
        if (is_freq)
                buf_printf(out, "sample_freq %" PRIu64 "\n", attr->sample_period_or_freq);
        else
                add_number(out, "sample_period", attr->sample_period_or_freq);
        add_bits(out, "sample_type", attr->sample_type, sample_bits);
        add_bits(out, "read_format", attr->read_format, read_bits);
        add_flags(out, attr->flags);
        add_number(out, attr->flags & PERF_ATTR_WATERMARK ? "wakeup_watermark" : "wakeup_events",
                   attr->wakeup);
        add_number(out, "bp_type", attr->bp_type);
        add_hex(out, "config1", attr->config1);
        add_hex(out, "config2", attr->config2);
        add_bits(out, "branch_sample_type", attr->branch_sample_type, branch_bits);
        add_hex(out, "sample_regs_user", attr->sample_regs_user);
        add_number(out, "sample_stack_user", attr->sample_stack_user);
        if (attr->clockid || has_clock)
                buf_printf(out, "clockid %" PRId32 "\n", attr->clockid);
        add_hex(out, "sample_regs_intr", attr->sample_regs_intr);
        add_number(out, "aux_watermark", attr->aux_watermark);
        add_number(out, "sample_max_stack", attr->sample_max_stack);
        add_hex(out, "reserved_2", attr->reserved_2);
        add_number(out, "aux_sample_size", attr->aux_sample_size);
        add_hex(out, "reserved_3", attr->reserved_3);
        add_hex(out, "sig_data", attr->sig_data);
        add_hex(out, "config3", attr->config3);
}
