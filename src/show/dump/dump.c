/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the parts of a dump in order. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

#include "dump_internal.h"
#include "event.h"
#include "mem.h"

struct dump {
        const char *path; /* NULL: the bytes are in memory */
        const char *name; /* name of these bytes */
        const void *bytes;
        size_t n_bytes;
        struct session_input *input; /* standard input, or a file that was converted; NULL: none */
        struct session_access access;
        struct perfdata_reader *facts; /* reads events and features */
};

void dump_free(struct dump *dump)
{
        if (!dump)
                return;
        perfdata_reader_free(dump->facts);
        session_input_free(dump->input);
        free(dump);
}

static struct perfdata_reader *open_reader(const struct dump *dump, struct err *err)
{
        AUTO(perfdata_reader)
        reader = dump->path ? perfdata_open(dump->path, err)
                            : perfdata_open_bytes(dump->bytes, dump->n_bytes, dump->name, err);

        if (!reader || !session_input_admit(reader, dump->path, dump->access, err))
                return NULL;
        perfdata_keep_unknown(reader);
        return TAKE(reader);
}

static bool learn(struct dump *dump, struct err *err)
{
        dump->facts = open_reader(dump, err);
        return dump->facts;
}

struct dump *dump_open_bytes(const void *bytes, size_t size, const char *name, struct err *err)
{
        AUTO(dump) dump = mem_new(1, sizeof(*dump));

        dump->bytes = bytes;
        dump->n_bytes = size;
        dump->name = name;
        return learn(dump, err) ? TAKE(dump) : NULL;
}

struct dump *dump_open(const char *path, struct session_access access, struct err *err)
{
        AUTO(session_input) input = session_input_open(path, access, err);
        AUTO(dump) dump = NULL;

        if (!input)
                return NULL;
        if (!strcmp(path, "-") || input->is_converted) {
                dump = dump_open_bytes(input->bytes.data, input->bytes.len,
                                       strcmp(path, "-") ? path : "standard input", err);
                if (!dump)
                        return NULL;
                dump->input = TAKE(input);
                dump->access = access;
                return TAKE(dump);
        }
        dump = mem_new(1, sizeof(*dump));
        dump->path = path;
        dump->access = access;
        return learn(dump, err) ? TAKE(dump) : NULL;
}

static void show_header(const struct perfdata_reader *reader, struct field_sink *sink)
{
        const struct perfdata_layout *layout = perfdata_get_layout(reader);
        bool big = layout->swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

        field_begin(sink, FIELD_BLOCK, "header");
        field_text(sink, "magic", big ? "2ELIFREP" : PERFDATA_MAGIC);
        field_text(sink, "mode", layout->pipe ? "pipe" : "file");
        field_text(sink, "byte_order", big ? "big endian" : "little endian");
        field_u64(sink, "file_size", layout->file_bytes);
        field_u64(sink, "size", layout->header_bytes);
        if (!layout->pipe)
                field_u64(sink, "attr_size", layout->attr_bytes);
        field_hex(sink, "data_offset", layout->data_off);
        field_u64(sink, "data_size", layout->data_bytes);
        field_bool(sink, "compressed", layout->compressed);
        field_end(sink);
}

void dump_attr(const struct perf_attr *attr, const char *name, struct field_sink *sink)
{
        AUTO_RELEASE(buf) lines = {0};
        char *line, *next;

        event_describe_attr(attr, &lines);
        field_begin(sink, FIELD_BLOCK, name);
        for (line = lines.data; line && *line; line = next) {
                char *value = line + strcspn(line, " ");

                next = strchr(line, '\n');
                *next++ = '\0';
                if (*value)
                        *value++ = '\0';
                field_text(sink, line, value);
        }
        field_end(sink);
}

static void show_events(const struct perfdata_reader *reader, struct field_sink *sink)
{
        field_begin(sink, FIELD_LINES, "events");
        for (size_t i = 0; i < perfdata_n_events(reader); i++) {
                const struct perfdata_event *event = perfdata_get_event(reader, i);

                field_begin(sink, FIELD_BLOCK, NULL);
                field_text(sink, "name", event->name);
                field_begin(sink, FIELD_WORDS, "ids");
                for (size_t k = 0; k < event->n_ids; k++)
                        field_u64(sink, NULL, event->ids[k]);
                field_end(sink);
                dump_attr(&event->attr, "attr", sink);
                field_end(sink);
        }
        field_end(sink);
}

static bool show_records(struct perfdata_reader *reader, struct field_sink *sink, uint64_t *ret_n_malformed,
                         struct err *err)
{
        struct perfdata_record record;
        bool is_spe = false;
        int got = 0;

        *ret_n_malformed = 0;
        field_begin(sink, FIELD_LINES, "records");
        while (!sink->failed && (got = perfdata_next_raw(reader, &record, err)) > 0) {
                *ret_n_malformed += !dump_record(reader, &record, sink);
                if (record.header.type == PERF_RECORD_AUXTRACE_INFO)
                        is_spe = dump_is_spe(&record);
                if (record.header.type == PERF_RECORD_AUXTRACE && is_spe)
                        dump_spe(&record, sink);
        }
        field_end(sink);
        return got >= 0;
}

static void show_damage(const struct perfdata_damage *damage, uint64_t n_malformed, struct field_sink *sink)
{
        field_begin(sink, FIELD_BLOCK, "damage");
        field_u64(sink, "cut_bytes", damage->cut_bytes);
        if (damage->overblown_bytes)
                field_u64(sink, "overblown_bytes", damage->overblown_bytes);
        field_u64(sink, "malformed", damage->n_malformed + n_malformed);
        field_u64(sink, "unknown_types", damage->n_unknown_types);
        field_u64(sink, "unknown_events", damage->n_unknown_events);
        field_bool(sink, "data_size_missing", damage->data_size_missing);
        field_bool(sink, "features_missing", damage->features_missing);
        field_end(sink);
}

bool dump_write(struct dump *dump, bool json, const struct field_output *output, struct err *err)
{
        AUTO(perfdata_reader) reader = open_reader(dump, err);
        struct err output_err = {0};
        struct field_sink sink;
        uint64_t n_malformed;
        bool readable;

        if (!reader)
                return false;
        field_sink_begin(&sink, json, output, &output_err);
        sink.budget = dump->access.budget;
        show_header(dump->facts, &sink);
        show_events(dump->facts, &sink);
        field_begin(&sink, FIELD_BLOCK, "features");
        dump_features(dump->facts, &sink);
        field_end(&sink);
        readable = show_records(reader, &sink, &n_malformed, err);
        show_damage(perfdata_get_damage(reader), n_malformed, &sink);
        if (field_sink_end(&sink))
                return readable;
        if (err)
                *err = output_err;
        return false;
}
