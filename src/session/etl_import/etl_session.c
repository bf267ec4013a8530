/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_session.h"

#include <inttypes.h>
#include <string.h>

#include "etl_names.h"
#include "etl_records.h"
#include "mem.h"
#include "perf_abi.h"
#include "perfdata_format.h"
#include "run_info.h"

enum {
        ATTR_BYTES = 112, /* of Linux 4.1, which every reader of sessions knows */
        IDS_SECTION_BYTES = 16,
        NAME_ALIGN = 64, /* of strings in features */
        TICK_NS = 100,   /* of Windows' times */
};

#define SAMPLE_TYPE                                                                                          \
        (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |    \
         PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* --- Events --- */

static uint64_t config_of(uint32_t source)
{
        switch (source) {
        case ETL_SOURCE_TIMER: return PERF_COUNT_SW_CPU_CLOCK;
        case ETL_SOURCE_NONE: return PERF_COUNT_SW_DUMMY;
        default: return source < ETL_SOURCE_OFF_CPU ? source : PERF_COUNT_SW_BPF_OUTPUT;
        }
}

static void add_attr(const struct etl_records *r, size_t index, struct buf *out)
{
        const struct etl_session_event *event = &r->events[index];
        bool is_timer = event->source == ETL_SOURCE_TIMER, is_counter = event->source < ETL_SOURCE_OFF_CPU;
        struct perf_attr attr = {
                .type = is_counter && !is_timer ? PERF_TYPE_RAW : PERF_TYPE_SOFTWARE,
                .size = ATTR_BYTES,
                .config = config_of(event->source),
                .sample_period_or_freq = event->period,
                .sample_type = SAMPLE_TYPE,
                .flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_MMAP | PERF_ATTR_MMAP2 | PERF_ATTR_COMM |
                         PERF_ATTR_COMM_EXEC | PERF_ATTR_TASK | PERF_ATTR_BUILD_ID,
        };

        if (event->source == ETL_SOURCE_READY)
                attr.sample_type |= PERF_SAMPLE_ADDR;
        if (!index && r->trace->n_switches)
                attr.flags |= PERF_ATTR_CONTEXT_SWITCH;
        buf_add(out, &attr, ATTR_BYTES);
}

/* --- Features --- */

static void add_string(const char *text, struct buf *out)
{
        size_t len = strlen(text) + 1, padded = (len + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;

        buf_add_u32(out, (uint32_t)padded);
        buf_add(out, text, len);
        buf_add_zeros(out, padded - len);
}

/* Appends nothing for an empty text. */
static void make_text(const struct etl_trace *t, uint32_t text, struct buf *out)
{
        if (t->texts.data[text])
                add_string(t->texts.data + text, out);
}

static const char *arch_of(const struct etl_trace *t)
{
        const char *build = t->texts.data + t->build;

        switch (t->machine.n_cpus ? t->machine.architecture : ETL_ARCHITECTURE_UNKNOWN) {
        case ETL_ARCHITECTURE_X86: return "i686";
        case ETL_ARCHITECTURE_ARM: return "armv7l";
        case ETL_ARCHITECTURE_X64: return "x86_64";
        case ETL_ARCHITECTURE_ARM64: return "aarch64";
        default: break;
        }
        if (t->header.pointer_bytes == 4)
                return "i686";
        return strstr(build, ".arm64") ? "aarch64" : "x86_64";
}

static void make_n_cpus(const struct etl_trace *t, struct buf *out)
{
        buf_add_u32(out, t->header.n_cpus);
        buf_add_u32(out, t->header.n_cpus);
}

static void make_memory(const struct etl_trace *t, struct buf *out)
{
        if (t->machine.memory_mib)
                buf_add_u64(out, (uint64_t)t->machine.memory_mib << 10);
}

static void make_event_desc(const struct etl_records *r, struct buf *out)
{
        buf_add_u32(out, (uint32_t)r->n_events);
        buf_add_u32(out, ATTR_BYTES);
        for (size_t i = 0; i < r->n_events; i++) {
                add_attr(r, i, out);
                buf_add_u32(out, 1);
                add_string(r->events[i].name, out);
                buf_add_u64(out, ETL_FIRST_ID + i);
        }
}

static void add_note(struct buf *note, uint64_t n, const char *text)
{
        if (n)
                buf_printf(note, "%s%" PRIu64 " %s", note->len ? "; " : "", n, text);
}

/* What the file does not have, and what is left out. */
static void make_run(const struct etl_records *r, size_t n_names_left_out, struct buf *out)
{
        const struct etl_trace *t = r->trace;
        const struct etl_header *h = &t->header;
        AUTO_RELEASE(buf) note = {0};

        add_note(&note, t->n_idle, "samples of idle CPUs are left out");
        add_note(&note, r->n_left_out, "samples of too many counters are left out");
        add_note(&note, n_names_left_out, "names of methods are left out for lack of memory");
        add_note(&note, h->n_lost_events, "events of all kinds were lost");
        add_note(&note, h->n_lost_buffers, "buffers of events were lost");
        add_note(&note, t->n_losses, "reports say that one or more events were lost");
        if (t->n_bad_buffers || t->cut_bytes || t->n_malformed)
                buf_printf(&note,
                           "%sthe file is damaged: %" PRIu64 " buffers and %" PRIu64
                           " events could not be read, %" PRIu64 " bytes at its end are missing their buffer",
                           note.len ? "; " : "", t->n_bad_buffers, t->n_malformed, t->cut_bytes);
        add_note(
                &note, t->given_up_bytes,
                "bytes at the end of the file are given up, because it takes too much work to read for its size");
        add_note(&note, r->n_short_images, "images are left out for lack of memory");
        add_note(&note, r->n_short_items - r->n_short_images,
                 "processes, samples and switches are left out for lack of memory");
        if (t->is_short)
                buf_printf(&note, "%sevents in the last %" PRIu64 " bytes are left out for lack of memory",
                           note.len ? "; " : "", t->left_out_bytes);
        run_info_make(
                &(struct run_info){
                        .source_note = buf_text(&note),
                        .elapsed_ns = h->end > h->start ? (h->end - h->start) * TICK_NS : 0,
                        .source_cut_bytes = t->cut_bytes + t->given_up_bytes,
                        .n_source_malformed = t->n_bad_buffers + t->n_malformed,
                        .source_is_short = t->is_short || r->n_short_items || n_names_left_out,
                        .counted_share = 1,
                        .sampled_share = -1,
                        .sampled_event = "",
                        .not_sampled = "",
                        .unprivileged = "",
                        .not_traced = "",
                        .python_symbols = "",
                        .not_kept = "",
                },
                out);
}

/* Windows walked the stacks while it recorded, by unwind codes, so that only those are cut of which a part
 * is missing. */
static void make_marks(const struct etl_records *r, struct buf *out)
{
        AUTO_RELEASE(buf) cut = {0};
        struct stack_marks marks = {.n_samples = r->cuts.n_samples};

        stack_cuts_unpack(&r->cuts, &cut);
        marks.cut = (const uint8_t *)cut.data;
        stack_marks_add(&marks, out);
}

/* --- The file --- */

struct session_feature {
        unsigned number;
        struct buf bytes;
};

static void add_section(uint64_t off, uint64_t size, struct buf *out)
{
        buf_add_u64(out, off);
        buf_add_u64(out, size);
}

/* Those that are empty are left out. */
static void add_features(const struct session_feature *features, size_t n, struct buf *out)
{
        uint64_t off = out->len;

        for (size_t i = 0; i < n; i++)
                off += features[i].bytes.len ? IDS_SECTION_BYTES : 0;
        for (size_t i = 0; i < n; i++) {
                if (features[i].bytes.len)
                        add_section(off, features[i].bytes.len, out);
                off += features[i].bytes.len;
        }
        for (size_t i = 0; i < n; i++)
                buf_add(out, features[i].bytes.data, features[i].bytes.len);
}

/* `out` is empty. */
static void make_file(const struct etl_records *r, const struct session_feature *features, size_t n_features,
                      struct buf *out)
{
        uint64_t attrs_bytes = r->n_events * (ATTR_BYTES + IDS_SECTION_BYTES);
        uint64_t ids_off = PERFDATA_HEADER_BYTES, attrs_off = ids_off + r->n_events * sizeof(uint64_t);
        uint64_t bits[PERFDATA_FEATURE_WORDS] = {0};

        for (size_t i = 0; i < n_features; i++) {
                if (features[i].bytes.len)
                        bits[features[i].number / 64] |= UINT64_C(1) << features[i].number % 64;
        }
        buf_add(out, PERFDATA_MAGIC, sizeof(uint64_t));
        buf_add_u64(out, PERFDATA_HEADER_BYTES);
        buf_add_u64(out, ATTR_BYTES + IDS_SECTION_BYTES);
        add_section(attrs_off, attrs_bytes, out);
        add_section(attrs_off + attrs_bytes, r->bytes.len, out);
        add_section(0, 0, out);
        buf_add(out, bits, sizeof(bits));
        for (size_t i = 0; i < r->n_events; i++)
                buf_add_u64(out, ETL_FIRST_ID + i);
        for (size_t i = 0; i < r->n_events; i++) {
                add_attr(r, i, out);
                add_section(ids_off + i * sizeof(uint64_t), sizeof(uint64_t), out);
        }
        buf_add(out, r->bytes.data, r->bytes.len);
        add_features(features, n_features, out);
}

/* `names_bytes` are for the names of methods. */
static void make_features(struct etl_records *r, uint64_t names_bytes, struct buf *out)
{
        const struct etl_trace *t = r->trace;
        struct session_feature features[] = {
                {FEATURE_HOSTNAME},        {FEATURE_OSRELEASE}, {FEATURE_ARCH},
                {FEATURE_NRCPUS},          {FEATURE_TOTAL_MEM}, {FEATURE_EVENT_DESC},
                {FEATURE_SIMPLEPERF_FILE}, {FEATURE_WPERF_RUN}, {FEATURE_WPERF_IMAGES},
                {FEATURE_WPERF_STACKS},
        };
        size_t n_names_left_out;

        make_text(t, t->machine_name, &features[0].bytes);
        make_text(t, t->build, &features[1].bytes);
        add_string(arch_of(t), &features[2].bytes);
        make_n_cpus(t, &features[3].bytes);
        make_memory(t, &features[4].bytes);
        make_event_desc(r, &features[5].bytes);
        n_names_left_out = etl_names_make(t, names_bytes, &features[6].bytes);
        make_run(r, n_names_left_out, &features[7].bytes);
        etl_records_add_images(r, &features[8].bytes);
        make_marks(r, &features[9].bytes);
        make_file(r, features, N_ELEMENTS(features), out);
        for (size_t i = 0; i < N_ELEMENTS(features); i++)
                buf_release(&features[i].bytes);
}

static bool is_unreadable(const struct etl_trace *t, const struct etl_counts *counts)
{
        return counts->n_packed && t->n_bad_buffers >= counts->n_packed;
}

/* Why there is nothing to show. */
static bool refuse(const struct etl_trace *t, const struct etl_counts *counts, const char *name,
                   struct err *err)
{
        if (is_unreadable(t, counts))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: its %" PRIu64
                        " packed buffers are damaged, or packed by LZNT1 or XPRESS Huffman, which wperf "
                        "does not unpack; it unpacks XPRESS",
                        name, counts->n_packed);
        if (t->n_idle)
                return err_set(err, ERR_MISSING, "%s: all of its %" PRIu64 " samples are of idle CPUs", name,
                               t->n_idle);
        if (t->n_switches)
                return err_set(err, ERR_MISSING,
                               "%s: it has %" PRIu64
                               " context switches without stacks, and no samples of the "
                               "CPU; record it with stacks, such as xperf -stackwalk CSwitch",
                               name, t->n_switches);
        return err_set(err, ERR_MISSING,
                       "%s: no samples in %" PRIu64
                       " events; record it with a profile that samples the CPU, such as wpr -start CPU",
                       name, counts->n_events);
}

bool etl_session_is(const void *bytes, size_t size)
{
        return etl_file_is(bytes, size);
}

/* What the records leave of the limit, for the names and the copies of them in parts and in the file. */
static uint64_t names_room(const struct etl_trace *t, const struct etl_records *r, uint64_t limit)
{
        enum { N_COPIES = 4, N_RECORDS = 2 };
        uint64_t used = etl_trace_bytes(t) + N_RECORDS * (r->bytes.len + r->section_bytes) + r->paths.len;

        return used < limit ? (limit - used) / N_COPIES : 0;
}

/* The records are copied once.  The last array to grow has room that is not used, so that the trace may seem
 * to take more than the limit. */
static uint64_t records_room(const struct etl_trace *t, uint64_t limit)
{
        uint64_t used = etl_trace_bytes(t);

        return used < limit / 4 * 3 ? (limit - used) / 2 : limit / 8;
}

static bool make_session(const void *bytes, size_t size, const char *name, uint64_t limit, bool all_kinds,
                         struct buf *out, struct err *err)
{
        AUTO(etl_file) file = etl_file_open(bytes, size, name, err);
        struct etl_trace trace = {0};
        struct etl_records records = {.trace = &trace};
        struct etl_counts counts;
        bool ok = true;

        if (!file)
                return false;
        etl_trace_read(file, limit / 3 * 2, &trace);
        etl_records_make(&records, records_room(&trace, limit));
        counts = etl_file_counts(file);
        if (!records.cuts.n_samples && !all_kinds && (trace.is_short || records.n_short_items))
                ok = err_set(err, ERR_LIMIT,
                             "%s: no sample fits into %" PRIu64
                             " MiB of memory; raise the limit with --max-memory",
                             name, limit >> 20);
        else if (!records.n_events)
                ok = (all_kinds && !is_unreadable(&trace, &counts)) || refuse(&trace, &counts, name, err);
        if (ok) {
                etl_records_need_event(&records);
                make_features(&records, names_room(&trace, &records, limit), out);
        }
        etl_records_release(&records);
        etl_trace_release(&trace);
        return ok;
}

bool etl_session_make(const void *bytes, size_t size, const char *name, uint64_t limit, struct buf *out,
                      struct err *err)
{
        return make_session(bytes, size, name, limit, false, out, err);
}

bool etl_session_make_any(const void *bytes, size_t size, const char *name, uint64_t limit, struct buf *out,
                          struct err *err)
{
        return make_session(bytes, size, name, limit, true, out, err);
}
