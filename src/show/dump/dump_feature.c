/* SPDX-License-Identifier: BSD-3-Clause */
/* Feature sections as data; sections without a layout here are shown as size and first bytes. Source:
 * perf.data-file-format.txt of the Linux tree; docs/session-format.md describes wperf's sections. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "dump_internal.h"
#include "end_marks.h"
#include "python_section.h"
#include "simpleperf_info.h"
#include "stack_archive.h"
#include "stack_marks.h"
#include "text.h"
#include "unwind.h"
#include "wait_section.h"

enum { MAX_CUT_SHOWN = 64 };

static const struct field_layout string[] = {{NULL, FIELD_STRING}, {0}};
static const struct field_layout nrcpus[] = {{"available", FIELD_U32}, {"online", FIELD_U32}, {0}};
static const struct field_layout kib[] = {{"kib", FIELD_U64}, {0}};
static const struct field_layout words[] = {{"words", FIELD_LIST32, .items = string}, {0}};

static const struct field_layout cpu_topology[] = {
        {"cores", FIELD_LIST32, .items = string}, {"threads", FIELD_LIST32, .items = string}, {0}};

static const struct field_layout numa_node[] = {
        {"node", FIELD_U32}, {"total_kib", FIELD_U64}, {"free_kib", FIELD_U64}, {"cpus", FIELD_STRING}, {0}};
static const struct field_layout numa_topology[] = {{"nodes", FIELD_LIST32, .items = numa_node}, {0}};

static const struct field_layout pmu[] = {{"type", FIELD_U32}, {"name", FIELD_STRING}, {0}};
static const struct field_layout pmu_mappings[] = {{"pmus", FIELD_LIST32, .items = pmu}, {0}};

static const struct field_layout group[] = {
        {"name", FIELD_STRING}, {"leader", FIELD_U32}, {"members", FIELD_U32}, {0}};
static const struct field_layout group_desc[] = {{"groups", FIELD_LIST32, .items = group}, {0}};

static const struct field_layout cache_level[] = {
        {"level", FIELD_U32},   {"line_size", FIELD_U32}, {"sets", FIELD_U32},    {"ways", FIELD_U32},
        {"type", FIELD_STRING}, {"size", FIELD_STRING},   {"cpus", FIELD_STRING}, {0},
};
static const struct field_layout cache[] = {
        {"version", FIELD_U32}, {"caches", FIELD_LIST32, .items = cache_level}, {0}};

static const struct field_layout sample_time[] = {{"first", FIELD_TIME}, {"last", FIELD_TIME}, {0}};
static const struct field_layout clockid[] = {{"resolution_ns", FIELD_U64}, {0}};
static const struct field_layout dir_format[] = {{"version", FIELD_U64}, {0}};

static const struct field_layout compressed[] = {
        {"version", FIELD_U32}, {"type", FIELD_U32},     {"level", FIELD_U32},
        {"ratio", FIELD_U32},   {"mmap_len", FIELD_U32}, {0},
};

static const struct field_layout cap[] = {{"name", FIELD_STRING}, {"value", FIELD_STRING}, {0}};
static const struct field_layout cpu_pmu_caps[] = {{"caps", FIELD_LIST32, .items = cap}, {0}};

static const struct field_layout clock_data[] = {
        {"version", FIELD_U32}, {"clockid", FIELD_I32}, {"wall", FIELD_TIME}, {"clock", FIELD_TIME}, {0}};

static const struct field_layout hybrid[] = {{"pmu", FIELD_STRING}, {"cpus", FIELD_STRING}, {0}};
static const struct field_layout hybrid_topology[] = {{"pmus", FIELD_LIST32, .items = hybrid}, {0}};

static const struct field_layout pmu_cap[] = {
        {"caps", FIELD_LIST32, .items = cap}, {"pmu", FIELD_STRING}, {0}};
static const struct field_layout pmu_caps[] = {{"pmus", FIELD_LIST32, .items = pmu_cap}, {0}};

static const struct field_layout *const layouts[] = {
        [FEATURE_NRCPUS] = nrcpus,
        [FEATURE_TOTAL_MEM] = kib,
        [FEATURE_CMDLINE] = words,
        [FEATURE_CPU_TOPOLOGY] = cpu_topology,
        [FEATURE_NUMA_TOPOLOGY] = numa_topology,
        [FEATURE_PMU_MAPPINGS] = pmu_mappings,
        [FEATURE_GROUP_DESC] = group_desc,
        [FEATURE_CACHE] = cache,
        [FEATURE_SAMPLE_TIME] = sample_time,
        [FEATURE_CLOCKID] = clockid,
        [FEATURE_DIR_FORMAT] = dir_format,
        [FEATURE_COMPRESSED] = compressed,
        [FEATURE_CPU_PMU_CAPS] = cpu_pmu_caps,
        [FEATURE_CLOCK_DATA] = clock_data,
        [FEATURE_HYBRID_TOPOLOGY] = hybrid_topology,
        [FEATURE_PMU_CAPS] = pmu_caps,
};

static bool is_string(unsigned feature)
{
        return (feature >= FEATURE_HOSTNAME && feature <= FEATURE_ARCH) || feature == FEATURE_CPUDESC ||
               feature == FEATURE_CPUID;
}

/* n u32, attr_size u32, then attr, n_ids u32, name, ids */
static bool show_event_desc(struct cursor *c, struct field_sink *sink)
{
        static const struct field_layout id[] = {{NULL, FIELD_U64}, {0}};
        uint32_t n = cursor_u32(c), attr_bytes = cursor_u32(c);
        bool ok = !c->failed;

        field_begin(sink, FIELD_LINES, "events");
        for (uint32_t i = 0; ok && i < n && cursor_skip(c, attr_bytes); i++) {
                uint32_t n_ids = cursor_u32(c);
                const struct field_layout name[] = {{"name", FIELD_STRING}, {0}};
                struct cursor ids;

                field_begin(sink, FIELD_LINE, NULL);
                ok = field_layout_show(name, c, sink);
                ids = cursor_sub(c, cursor_pos(c), (uint64_t)n_ids * sizeof(uint64_t));
                if (ok && !ids.failed) {
                        const struct field_layout list[] = {{"ids", FIELD_LIST_REST, .items = id}, {0}};

                        field_layout_show(list, &ids, sink);
                }
                ok = ok && cursor_skip(c, (uint64_t)n_ids * sizeof(uint64_t));
                field_end(sink);
        }
        field_end(sink);
        return ok;
}

/* wperf's sections: `wanted`, version u32, lines `key=value`. */
static bool show_lines(struct cursor *c, const char *wanted, struct field_sink *sink)
{
        const char *magic = cursor_bytes(c, 4);
        uint32_t version = cursor_u32(c);
        AUTO_RELEASE(buf) lines = {0};
        char *line, *next;

        if (c->failed || memcmp(magic, wanted, 4))
                return false;
        field_u64(sink, "version", version);
        buf_add(&lines, c->at, cursor_left(c));
        for (line = lines.data; line && *line; line = next) {
                char *value = line + strcspn(line, "=\n");

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                if (*value)
                        *value++ = '\0';
                field_text(sink, line, value);
        }
        return true;
}

static void show_kind(const char *text, uint64_t n, struct field_sink *sink)
{
        char key[32];

        text_copy(key, sizeof(key), text);
        for (char *at = key; *at; at++)
                *at = *at == ' ' ? '_' : *at;
        field_u64(sink, key, n);
}

/* Numbers of kinds that a later version added are shown as "end_40", because their names are not known
 * here.  Only those with a count. */
static void show_unknown(const char *what, const uint64_t *by_kind, uint32_t first, uint32_t n,
                         struct field_sink *sink)
{
        char key[32];

        for (uint32_t i = first; i < n; i++) {
                snprintf(key, sizeof(key), "%s_%" PRIu32, what, i);
                if (by_kind[i])
                        field_u64(sink, key, by_kind[i]);
        }
}

static void show_ways(const uint64_t *by_way, uint32_t n, struct field_sink *sink)
{
        field_begin(sink, FIELD_BLOCK, "frames");
        for (uint32_t i = 0; i < n && i < UNWIND_N_WAYS; i++)
                show_kind(unwind_way_text((enum unwind_way)i), by_way[i], sink);
        show_unknown("way", by_way, UNWIND_N_WAYS, n, sink);
        field_end(sink);
}

static void show_ends(const uint64_t *by_end, uint32_t n, struct field_sink *sink)
{
        field_begin(sink, FIELD_BLOCK, "ends");
        for (uint32_t i = 0; i < n && i < UNWIND_N_ENDS; i++)
                show_kind(unwind_end_text((enum unwind_end)i), by_end[i], sink);
        show_unknown("end", by_end, UNWIND_N_ENDS, n, sink);
        field_end(sink);
}

/* WPERF_STACKS: counts with the names of methods and ends, and which samples are cut. */
static bool show_stacks(struct cursor *c, struct field_sink *sink)
{
        struct stack_marks marks;
        AUTO_RELEASE(buf) cut = {0};
        uint64_t n_cut = 0;

        if (!stack_marks_read(*c, &marks))
                return false;
        for (uint64_t i = 0; i < marks.n_samples; i++) {
                if (!stack_marks_is_cut(&marks, i))
                        continue;
                if (n_cut++ < MAX_CUT_SHOWN)
                        buf_printf(&cut, "%s%" PRIu64, cut.len ? " " : "", i);
                else if (n_cut == MAX_CUT_SHOWN + 1)
                        buf_add_str(&cut, " ...");
        }
        field_u64(sink, "samples", marks.n_samples);
        field_u64(sink, "cut_stacks", n_cut);
        show_ways(marks.by_way, marks.n_ways, sink);
        show_ends(marks.by_end, marks.n_ends, sink);
        field_u64(sink, "unwind_ns", marks.unwind_ns);
        field_text(sink, "cut_samples", buf_text(&cut));
        return true;
}

/* WPERF_WALKS: the same counts for packed stacks; `report` shows the stacks themselves. */
static bool show_walks(const struct cursor *c, struct field_sink *sink)
{
        AUTO(stack_archive)
        walks = stack_archive_open(*c, UNWIND_N_WAYS, STACK_ARCHIVE_MAX_KINDS, sink->budget, NULL);
        struct walked_frame frames[STACK_ARCHIVE_MAX_FRAMES];
        uint64_t by_way[UNWIND_N_WAYS] = {0}, by_end[STACK_ARCHIVE_MAX_KINDS] = {0};

        if (!walks)
                return false;
        for (size_t i = 0; i < stack_archive_n_walks(walks); i++) {
                const struct archived_walk *walk = stack_archive_get(walks, i);
                size_t n = stack_archive_frames(walks, walk, frames, N_ELEMENTS(frames));

                while (n)
                        by_way[frames[--n].way]++;
                by_end[walk->end]++;
        }
        field_u64(sink, "samples", stack_archive_n_walks(walks));
        field_u64(sink, "kept_frames", stack_archive_n_nodes(walks));
        show_ways(by_way, UNWIND_N_WAYS, sink);
        show_ends(by_end, STACK_ARCHIVE_MAX_KINDS, sink);
        return true;
}

static bool show_info(struct cursor *c, struct field_sink *sink)
{
        const char *key, *value;

        while (simpleperf_info_next(c, &key, &value))
                field_text(sink, key, value);
        return !c->failed;
}

/* WPERF_ENDS: the places, with the names of their fields. */
static bool show_end_marks(const struct cursor *c, struct field_sink *sink)
{
        static const char *const kinds[END_MARK_N_KINDS] = {"whole", "whole_at", "no_file"};
        struct end_marks marks;
        struct end_mark mark;

        if (!end_marks_begin(*c, &marks))
                return false;
        while (end_marks_next(&marks, &mark)) {
                AUTO_RELEASE(buf) text = {0};

                buf_printf(&text, "%s+0x%" PRIx64, mark.path, mark.offset);
                field_text(sink, kinds[mark.kind],
                           mark.kind == END_MARK_NO_FILE ? mark.path : buf_text(&text));
        }
        return true;
}

static void show_python_files(const struct python_section *section, struct field_sink *sink)
{
        field_begin(sink, FIELD_LINES, "sources");
        for (size_t i = 0; i < section->n_files && !sink->failed; i++) {
                field_begin(sink, FIELD_LINE, NULL);
                field_text(sink, "file", section->files[i].path);
                field_u64(sink, "size", section->files[i].size_bytes);
                field_i64(sink, "changed_ns", section->files[i].mtime_ns);
                field_end(sink);
        }
        field_end(sink);
}

/* WPERF_PYTHON: a line for each place, in the order of their addresses; a line for each source file. */
static bool show_python(const struct cursor *c, struct field_sink *sink)
{
        AUTO(python_section) section = python_section_new(*c);

        if (!section)
                return false;
        field_u64(sink, "stacks", section->counts.n_stacks);
        field_u64(sink, "merged", section->counts.n_merged);
        if (section->counts.is_approximate)
                field_u64(sink, "approximate", 1);
        field_begin(sink, FIELD_LINES, "native");
        for (uint32_t i = 0; i < section->counts.n_reasons; i++) {
                field_begin(sink, FIELD_LINE, NULL);
                field_u64(sink, "stacks", section->counts.reasons[i].count);
                field_text(sink, "reason", section->counts.reasons[i].text);
                field_end(sink);
        }
        field_end(sink);
        field_begin(sink, FIELD_LINES, "places");
        for (size_t i = 0; i < section->n_places && !sink->failed; i++) {
                const struct python_section_place *place = &section->places[i];
                const struct python_section_code *code = &section->codes[place->code];

                field_begin(sink, FIELD_LINE, NULL);
                field_hex(sink, "address", PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES * (i + 1));
                field_text(sink, "function", code->function);
                field_text(sink, "file", code->file);
                field_u64(sink, "first_line", code->first_line);
                field_u64(sink, "line", place->line);
                field_end(sink);
        }
        field_end(sink);
        show_python_files(section, sink);
        return true;
}

static void show_reading(const struct wait_reading *r, struct field_sink *sink)
{
        static const char *const hows[WAIT_N_HOWS] = {"still",   "moving", "on_cpu",       "stopped",
                                                      "refused", "ready",  "ready_stopped"};
        static const struct {
                const char *name;
                unsigned bit;
        } bits[] = {{"has_state", WAIT_PYTHON_STATE},       {"has_gil", WAIT_PYTHON_GIL},
                    {"in_runtime", WAIT_PYTHON_IN_RUNTIME}, {"lock", WAIT_PYTHON_LOCK},
                    {"rlock", WAIT_PYTHON_RLOCK},           {"lacks_tasks", WAIT_PYTHON_TASKS}};
        const char state[] = {(char)r->state, '\0'};

        field_begin(sink, FIELD_LINE, NULL);
        field_u64(sink, "time", r->time_ns);
        field_i64(sink, "pid", r->pid);
        field_i64(sink, "tid", r->tid);
        field_text(sink, "how", hows[r->how]);
        field_text(sink, "state", state);
        field_i64(sink, "syscall", r->number);
        field_text(sink, "object", r->text);
        field_u64(sink, "switches", r->n_switches);
        if (r->look_ns)
                field_u64(sink, "look_ns", r->look_ns);
        field_hex(sink, "argument", r->args[0]);
        for (size_t i = 0; i < N_ELEMENTS(bits); i++) {
                if (r->python & bits[i].bit)
                        field_u64(sink, bits[i].name, 1);
        }
        if (r->gil_holder)
                field_i64(sink, "gil_holder", r->gil_holder);
        if (r->owner)
                field_i64(sink, "owner", r->owner);
        field_end(sink);
}

static void show_holder(const struct wait_holder *h, struct field_sink *sink)
{
        field_begin(sink, FIELD_LINE, NULL);
        field_u64(sink, "time", h->time_ns);
        field_i64(sink, "tid", h->tid);
        field_i64(sink, "gil_holder", h->gil_holder);
        field_u64(sink, "has_gil", h->has_gil);
        field_end(sink);
}

/* WPERF_WAITS: a line for each reading, by threads and then by time, and the same of who had the GIL. */
static bool show_waits(const struct cursor *c, struct field_sink *sink)
{
        AUTO(wait_section) section = wait_section_new(*c);

        if (!section)
                return false;
        field_begin(sink, FIELD_LINES, "readings");
        for (size_t i = 0; i < section->n && !sink->failed; i++)
                show_reading(&section->readings[i], sink);
        field_end(sink);
        if (!section->n_holders)
                return true;
        field_begin(sink, FIELD_LINES, "gil_holders");
        for (size_t i = 0; i < section->n_holders && !sink->failed; i++)
                show_holder(&section->holders[i], sink);
        field_end(sink);
        return true;
}

static bool show_content(unsigned feature, struct cursor *c, struct field_sink *sink)
{
        if (feature == FEATURE_EVENT_DESC)
                return show_event_desc(c, sink);
        if (feature == FEATURE_WPERF_RUN)
                return show_lines(c, "WPRF", sink);
        if (feature == FEATURE_WPERF_COUNT)
                return show_lines(c, "WPCT", sink);
        if (feature == FEATURE_WPERF_IMAGES)
                return show_lines(c, "WPIM", sink);
        if (feature == FEATURE_WPERF_CODE)
                return show_lines(c, "WPJC", sink);
        if (feature == FEATURE_WPERF_PYTHON)
                return show_python(c, sink);
        if (feature == FEATURE_WPERF_WAITS)
                return show_waits(c, sink);
        if (feature == FEATURE_WPERF_STACKS)
                return show_stacks(c, sink);
        if (feature == FEATURE_WPERF_WALKS)
                return show_walks(c, sink);
        if (feature == FEATURE_SIMPLEPERF_META_INFO)
                return show_info(c, sink);
        if (feature == FEATURE_WPERF_ENDS)
                return show_end_marks(c, sink);
        return feature < N_ELEMENTS(layouts) && layouts[feature] &&
               field_layout_show(layouts[feature], c, sink);
}

void dump_feature(unsigned feature, struct cursor content, const char *name, struct field_sink *sink)
{
        const struct field_layout whole[] = {{name, FIELD_STRING}, {0}};
        struct cursor c = content;

        if (is_string(feature) && field_layout_show(whole, &c, sink))
                return;
        c = content;
        field_begin(sink, FIELD_BLOCK, name);
        if (!show_content(feature, &c, sink))
                field_bytes(sink, "bytes", content.at, cursor_left(&content));
        field_end(sink);
}

struct build_ids {
        struct field_sink *sink;
        bool begun;
};

static bool show_build_id(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                          const char *path)
{
        char hex[2 * BUILD_ID_MAX + 1];
        struct build_ids *b = ctx;

        if (!b->begun)
                field_begin(b->sink, FIELD_LINES, "BUILD_ID");
        b->begun = true;
        text_hex(hex, id, id_size < BUILD_ID_MAX ? id_size : BUILD_ID_MAX);
        field_begin(b->sink, FIELD_LINE, NULL);
        field_hex(b->sink, "misc", misc);
        field_i64(b->sink, "pid", pid);
        field_text(b->sink, "build_id", hex);
        field_text(b->sink, "path", path);
        field_end(b->sink);
        return !b->sink->failed;
}

void dump_features(const struct perfdata_reader *reader, struct field_sink *sink)
{
        const uint64_t *bits = perfdata_get_layout(reader)->feature_bits;
        struct build_ids build_ids = {.sink = sink};
        char number[24];

        perfdata_each_build_id(reader, show_build_id, &build_ids);
        if (build_ids.begun)
                field_end(sink);
        for (unsigned i = 0; i < FEATURES; i++) {
                const char *name = perfdata_feature_name(i);
                struct cursor content = perfdata_feature(reader, i);

                if (!(bits[i / 64] >> (i % 64) & 1) || (i == FEATURE_BUILD_ID && build_ids.begun))
                        continue;
                snprintf(number, sizeof(number), "feature-%u", i);
                if (content.failed)
                        field_text(sink, name ? name : number, "not in the file");
                else
                        dump_feature(i, content, name ? name : number, sink);
        }
}
