/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of every kind as data.  Fields that a newer kernel appends are shown as `more`, records without a
 * layout as bytes; nothing is left out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump_internal.h"

static const struct field_layout mmap1[] = {
        {"pid", FIELD_I32},
        {"tid", FIELD_I32},
        {"start", FIELD_X64},
        {"len", FIELD_X64},
        {"pgoff", FIELD_X64},
        {"path", FIELD_TEXT},
        {0},
};

static const struct field_layout mmap2[] = {
        {"pid", FIELD_I32},
        {"tid", FIELD_I32},
        {"start", FIELD_X64},
        {"len", FIELD_X64},
        {"pgoff", FIELD_X64},
        {"maj", FIELD_U32},
        {"min", FIELD_U32},
        {"inode", FIELD_U64},
        {"gen", FIELD_U64},
        {"prot", FIELD_PROT},
        {"flags", FIELD_X32},
        {"path", FIELD_TEXT},
        {0},
};

static const struct field_layout mmap2_build_id[] = {
        {"pid", FIELD_I32},   {"tid", FIELD_I32},
        {"start", FIELD_X64}, {"len", FIELD_X64},
        {"pgoff", FIELD_X64}, {"build_id", FIELD_BUILD_ID},
        {"prot", FIELD_PROT}, {"flags", FIELD_X32},
        {"path", FIELD_TEXT}, {0},
};

static const struct field_layout lost[] = {{"id", FIELD_U64}, {"lost", FIELD_U64}, {0}};
static const struct field_layout lost_samples[] = {{"lost", FIELD_U64}, {0}};
static const struct field_layout comm[] = {{"pid", FIELD_I32}, {"tid", FIELD_I32}, {"comm", FIELD_TEXT}, {0}};

static const struct field_layout task[] = {
        {"pid", FIELD_I32},  {"ppid", FIELD_I32},  {"tid", FIELD_I32},
        {"ptid", FIELD_I32}, {"time", FIELD_TIME}, {0},
};

static const struct field_layout throttle[] = {
        {"time", FIELD_TIME}, {"id", FIELD_U64}, {"stream_id", FIELD_U64}, {0}};

static const struct field_layout aux[] = {
        {"aux_offset", FIELD_X64}, {"aux_size", FIELD_X64}, {"flags", FIELD_X64}, {0}};
static const struct field_layout thread[] = {{"pid", FIELD_I32}, {"tid", FIELD_I32}, {0}};
static const struct field_layout switch_cpu_wide[] = {
        {"next_prev_pid", FIELD_I32}, {"next_prev_tid", FIELD_I32}, {0}};

static const struct field_layout namespace[] = {{"dev", FIELD_X64}, {"inode", FIELD_U64}, {0}};
static const struct field_layout namespaces[] = {
        {"pid", FIELD_I32},
        {"tid", FIELD_I32},
        {"namespaces", FIELD_LIST64, .items = namespace},
        {0},
};

static const struct field_layout ksymbol[] = {
        {"addr", FIELD_X64},  {"len", FIELD_U32},   {"ksym_type", FIELD_U16},
        {"flags", FIELD_X16}, {"name", FIELD_TEXT}, {0},
};

static const struct field_layout bpf_event[] = {
        {"bpf_type", FIELD_U16}, {"flags", FIELD_X16}, {"id", FIELD_U32}, {"tag", FIELD_HEX_OF, 8}, {0}};
static const struct field_layout cgroup[] = {{"id", FIELD_U64}, {"path", FIELD_TEXT}, {0}};
static const struct field_layout text_poke[] = {
        {"addr", FIELD_X64}, {"old_len", FIELD_U16}, {"new_len", FIELD_U16}, {"bytes", FIELD_REST}, {0}};
static const struct field_layout hw_id[] = {{"hw_id", FIELD_X64}, {0}};
static const struct field_layout address[] = {{NULL, FIELD_X64}, {0}};
static const struct field_layout callchain_deferred[] = {
        {"cookie", FIELD_X64}, {"chain", FIELD_LIST64, .items = address}, {0}};

/* --- perf's own records: tools/lib/perf/include/perf/event.h --- */

/* Every attribute has at least 64 bytes. */
static const struct field_layout attr_begin[] = {
        {"attr_type", FIELD_U32},
        {"attr_size", FIELD_U32},
        {"config", FIELD_X64},
        {"period_or_freq", FIELD_U64},
        {"sample_type", FIELD_X64},
        {"read_format", FIELD_X64},
        {"flags", FIELD_X64},
        {"wakeup", FIELD_U32},
        {"bp_type", FIELD_U32},
        {"config1", FIELD_X64},
        {0},
};
static const struct field_layout attr_id[] = {{NULL, FIELD_U64}, {0}};
static const struct field_layout attr_ids[] = {{"ids", FIELD_LIST_REST, .items = attr_id}, {0}};

static const struct field_layout event_type[] = {{"id", FIELD_U64}, {"name", FIELD_TEXT_REST}, {0}};
static const struct field_layout tracing_data[] = {{"data_size", FIELD_U32}, {0}};

static const struct field_layout build_id[] = {
        {"pid", FIELD_I32},  {"build_id", FIELD_HEX_OF, 20}, {"build_id_size", FIELD_U8},
        {"", FIELD_SKIP, 3}, {"path", FIELD_TEXT},           {0},
};

static const struct field_layout id_index_entry[] = {
        {"id", FIELD_U64}, {"index", FIELD_U64}, {"cpu", FIELD_I64}, {"tid", FIELD_I64}, {0}};
static const struct field_layout id_index[] = {{"ids", FIELD_LIST64, .items = id_index_entry}, {0}};

static const struct field_layout auxtrace_info[] = {
        {"auxtrace_type", FIELD_U32}, {"", FIELD_SKIP, 4}, {"priv", FIELD_LIST_REST, .items = address}, {0}};

static const struct field_layout auxtrace[] = {
        {"data_size", FIELD_X64}, {"data_offset", FIELD_X64}, {"reference", FIELD_X64}, {"index", FIELD_U32},
        {"tid", FIELD_I32},       {"cpu", FIELD_I32},         {"", FIELD_SKIP, 4},      {0},
};

static const struct field_layout auxtrace_error[] = {
        {"error_type", FIELD_U32},
        {"code", FIELD_I32},
        {"cpu", FIELD_I32},
        {"pid", FIELD_I32},
        {"tid", FIELD_I32},
        {"fmt", FIELD_U32},
        {"ip", FIELD_X64},
        {"time", FIELD_TIME},
        {"message", FIELD_TEXT_OF, 64},
        {0},
};

static const struct field_layout map_thread[] = {{"pid", FIELD_I64}, {"comm", FIELD_TEXT_OF, 16}, {0}};
static const struct field_layout thread_map[] = {{"threads", FIELD_LIST64, .items = map_thread}, {0}};
static const struct field_layout cpu_map[] = {{"map_type", FIELD_U16}, {"map", FIELD_REST}, {0}};
static const struct field_layout config_term[] = {{"tag", FIELD_U64}, {"value", FIELD_U64}, {0}};
static const struct field_layout stat_config[] = {{"terms", FIELD_LIST64, .items = config_term}, {0}};

static const struct field_layout stat_count[] = {
        {"id", FIELD_U64},
        {"cpu", FIELD_I32},
        {"thread", FIELD_I32},
        {"value", FIELD_U64},
        {"enabled", FIELD_U64},
        {"running", FIELD_U64},
        {0},
};

static const struct field_layout stat_round[] = {{"round_type", FIELD_U64}, {"time", FIELD_TIME}, {0}};
static const struct field_layout event_update[] = {
        {"update_type", FIELD_U64}, {"id", FIELD_U64}, {"update", FIELD_REST}, {0}};
static const struct field_layout event_update_name[] = {
        {"update_type", FIELD_U64}, {"id", FIELD_U64}, {"name", FIELD_TEXT}, {0}};
static const struct field_layout time_conv[] = {
        {"time_shift", FIELD_U64}, {"time_mult", FIELD_U64}, {"time_zero", FIELD_X64}, {0}};
static const struct field_layout compressed[] = {{"packed", FIELD_REST}, {0}};
static const struct field_layout compressed2[] = {{"packed_size", FIELD_U64}, {"packed", FIELD_REST}, {0}};
static const struct field_layout nothing[] = {{0}};
static const struct field_layout unknown[] = {{"bytes", FIELD_REST}, {0}};

static const struct field_layout *const layouts[] = {
        [PERF_RECORD_MMAP] = mmap1,
        [PERF_RECORD_LOST] = lost,
        [PERF_RECORD_COMM] = comm,
        [PERF_RECORD_EXIT] = task,
        [PERF_RECORD_THROTTLE] = throttle,
        [PERF_RECORD_UNTHROTTLE] = throttle,
        [PERF_RECORD_FORK] = task,
        [PERF_RECORD_READ] = thread,
        [PERF_RECORD_MMAP2] = mmap2,
        [PERF_RECORD_AUX] = aux,
        [PERF_RECORD_ITRACE_START] = thread,
        [PERF_RECORD_LOST_SAMPLES] = lost_samples,
        [PERF_RECORD_SWITCH] = nothing,
        [PERF_RECORD_SWITCH_CPU_WIDE] = switch_cpu_wide,
        [PERF_RECORD_NAMESPACES] = namespaces,
        [PERF_RECORD_KSYMBOL] = ksymbol,
        [PERF_RECORD_BPF_EVENT] = bpf_event,
        [PERF_RECORD_CGROUP] = cgroup,
        [PERF_RECORD_TEXT_POKE] = text_poke,
        [PERF_RECORD_AUX_OUTPUT_HW_ID] = hw_id,
        [PERF_RECORD_CALLCHAIN_DEFERRED] = callchain_deferred,
        [PERF_RECORD_HEADER_EVENT_TYPE] = event_type,
        [PERF_RECORD_HEADER_TRACING_DATA] = tracing_data,
        [PERF_RECORD_HEADER_BUILD_ID] = build_id,
        [PERF_RECORD_FINISHED_ROUND] = nothing,
        [PERF_RECORD_ID_INDEX] = id_index,
        [PERF_RECORD_AUXTRACE_INFO] = auxtrace_info,
        [PERF_RECORD_AUXTRACE] = auxtrace,
        [PERF_RECORD_AUXTRACE_ERROR] = auxtrace_error,
        [PERF_RECORD_THREAD_MAP] = thread_map,
        [PERF_RECORD_CPU_MAP] = cpu_map,
        [PERF_RECORD_STAT_CONFIG] = stat_config,
        [PERF_RECORD_STAT] = stat_count,
        [PERF_RECORD_STAT_ROUND] = stat_round,
        [PERF_RECORD_EVENT_UPDATE] = event_update,
        [PERF_RECORD_TIME_CONV] = time_conv,
        [PERF_RECORD_COMPRESSED] = compressed,
        [PERF_RECORD_FINISHED_INIT] = nothing,
        [PERF_RECORD_COMPRESSED2] = compressed2,
};

static const struct field_layout *layout_of(const struct perfdata_record *record)
{
        enum { UPDATE_IS_NAME = 2 };
        struct cursor c = record->bytes;
        uint32_t type = record->header.type;

        cursor_skip(&c, sizeof(struct perf_header));
        if (record_mmap_has_build_id(record->bytes, record->asked_build_id))
                return mmap2_build_id;
        if (type == PERF_RECORD_EVENT_UPDATE && cursor_u64(&c) == UPDATE_IS_NAME)
                return event_update_name;
        return type < N_ELEMENTS(layouts) && layouts[type] ? layouts[type] : unknown;
}

/* In a pipe the header comes as records.  The size in the attribute determines where its ids begin. */
static bool show_header_attr(struct cursor *c, struct field_sink *sink)
{
        static const struct field_layout attr_rest[] = {{"attr_more", FIELD_REST}, {0}};
        struct cursor peek = *c, attr_bytes;
        uint32_t size;

        cursor_skip(&peek, 4);
        size = cursor_u32(&peek);
        if (!size)
                size = PERF_ATTR_SIZE_VER0;
        attr_bytes = cursor_sub(c, cursor_pos(c), size);
        return size >= PERF_ATTR_SIZE_VER0 && cursor_skip(c, size) &&
               field_layout_show(attr_begin, &attr_bytes, sink) &&
               field_layout_show(attr_rest, &attr_bytes, sink) && field_layout_show(attr_ids, c, sink);
}

/* A piece of a section of wperf; the section is shown as a whole. False if it is none. */
static bool show_piece(struct cursor c, struct field_sink *sink)
{
        const char *magic = cursor_bytes(&c, strlen(PERFDATA_PIECE_MAGIC));
        uint32_t feature = cursor_u32(&c), size = cursor_u32(&c);
        const char *name = perfdata_feature_name(feature);

        if (c.failed || memcmp(magic, PERFDATA_PIECE_MAGIC, strlen(PERFDATA_PIECE_MAGIC)) || !name)
                return false;
        field_word(sink, "piece_of", name);
        field_u64(sink, "bytes", size);
        return true;
}

static bool show_header_feature(struct cursor *c, struct field_sink *sink)
{
        uint64_t feature = cursor_u64(c);
        const char *name;
        char number[24];

        if (c->failed || feature >= FEATURES)
                return false;
        if (feature == PERFDATA_PIECE_FEATURE && show_piece(*c, sink))
                return cursor_skip(c, cursor_left(c));
        name = perfdata_feature_name((unsigned)feature);
        snprintf(number, sizeof(number), "feature-%" PRIu64, feature);
        dump_feature((unsigned)feature, cursor_sub(c, cursor_pos(c), cursor_left(c)), name ? name : number,
                     sink);
        return cursor_skip(c, cursor_left(c));
}

static bool show_body(const struct perfdata_event *event, const struct perfdata_record *record,
                      struct cursor *body, struct field_sink *sink)
{
        switch (record->header.type) {
        case PERF_RECORD_HEADER_ATTR: return show_header_attr(body, sink);
        case PERF_RECORD_HEADER_FEATURE: return show_header_feature(body, sink);
        case PERF_RECORD_READ:
                return field_layout_show(thread, body, sink) &&
                       (!event ||
                        dump_counts(event->attr.read_format & ~(uint64_t)PERF_FORMAT_GROUP, body, sink));
        default: return field_layout_show(layout_of(record), body, sink);
        }
}

static void show_id(const struct perf_attr *attr, struct cursor record, struct field_sink *sink)
{
        uint64_t type = attr->sample_type;
        struct record_id id;

        if (!record_id_parse(attr, record, &id))
                return;
        field_begin(sink, FIELD_LINE, "sample_id");
        if (type & PERF_SAMPLE_TID) {
                field_i64(sink, "pid", id.pid);
                field_i64(sink, "tid", id.tid);
        }
        if (type & PERF_SAMPLE_CPU)
                field_u64(sink, "cpu", id.cpu);
        if (type & PERF_SAMPLE_TIME)
                field_time(sink, "time", id.time);
        if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
                field_u64(sink, "id", id.id);
        if (type & PERF_SAMPLE_STREAM_ID)
                field_u64(sink, "stream_id", id.stream_id);
        field_end(sink);
}

/* All records but samples: the body, data after its layout, and the trailer of sample_id_all. */
static bool show_other(const struct perfdata_event *event, const struct perfdata_record *record,
                       struct field_sink *sink)
{
        bool from_kernel = record->header.type < PERF_RECORD_HEADER_ATTR;
        size_t id_bytes = event && from_kernel ? record_id_bytes(&event->attr) : 0;
        size_t body_bytes = record->header.size - sizeof(struct perf_header);
        struct cursor body;
        bool ok;

        if (id_bytes > body_bytes)
                id_bytes = 0;
        body = cursor_sub(&record->bytes, sizeof(struct perf_header), body_bytes - id_bytes);
        ok = show_body(event, record, &body, sink);
        if (ok && cursor_left(&body))
                field_bytes(sink, "more", body.at, cursor_left(&body));
        if (id_bytes)
                show_id(&event->attr, record->bytes, sink);
        return ok;
}

static void show_head(const struct perfdata_record *record, struct field_sink *sink)
{
        const char *name = record_type_name(record->header.type);
        char offset[24], number[24];

        snprintf(offset, sizeof(offset), "0x%" PRIx64, record->file_off);
        if (!name)
                snprintf(number, sizeof(number), "unknown-%" PRIu32, record->header.type);
        field_word(sink, "offset", offset);
        field_gap(sink);
        field_word(sink, "type", name ? name : number);
        field_gap(sink);
        field_hex(sink, "misc", record->header.misc);
        field_u64(sink, "size", record->header.size);
        field_gap(sink);
}

/* Records without an event have the trailer of the first event. */
static const struct perfdata_event *event_of(const struct perfdata_reader *reader,
                                             const struct perfdata_record *record)
{
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE;

        if (record->event == UINT32_MAX)
                return is_sample ? NULL : perfdata_get_event(reader, 0);
        return perfdata_get_event(reader, record->event);
}

static const struct arch *arch_of(const struct perfdata_reader *reader)
{
        const char *machine = perfdata_feature_str(reader, FEATURE_ARCH);

        return machine ? arch_from_machine(machine) : NULL;
}

bool dump_record(const struct perfdata_reader *reader, const struct perfdata_record *record,
                 struct field_sink *sink)
{
        const struct perfdata_event *event = event_of(reader, record);
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE, ok;
        struct cursor body = record->bytes;

        field_begin(sink, FIELD_LINE, NULL);
        show_head(record, sink);
        if (is_sample)
                ok = event && dump_sample(event, perfdata_tracepoint(reader, &event->attr), arch_of(reader),
                                          record->bytes, sink);
        else
                ok = show_other(event, record, sink);
        if (!ok) {
                cursor_skip(&body, sizeof(struct perf_header));
                field_bytes(sink, "unreadable", body.at, cursor_left(&body));
        }
        if (cursor_left(&record->payload))
                field_bytes(sink, "payload", record->payload.at, cursor_left(&record->payload));
        field_end(sink);
        return ok || (is_sample && !event);
}
