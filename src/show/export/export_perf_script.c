/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of each place is made once; a sample is a line of numbers and copies of these texts.  Fields,
 * their widths, and which of them are left out are those of perf 6.1. */
#include "export_perf_script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "export_places.h"
#include "mem.h"
#include "os_paths.h"
#include "text.h"
#include "text_number.h"

enum {
        COMM_WIDTH = 16, /* width before an address on the same line */
        TID_WIDTH = 5,
        CPU_WIDTH = 3,
        SECONDS_WIDTH = 5,
        PERIOD_WIDTH = 10,
};

/* Which fields are written for an event's samples. */
struct script_fields {
        bool tid, cpu, time, period;
        bool address; /* on the same line */
        bool chain;   /* on lines of its own */
};

struct scripting {
        const struct export_script *script;
        const struct export_sink *sink;
        struct script_fields *fields; /* for each event */
        size_t name_width;
        struct buf texts; /* texts of all places */
        struct {
                size_t off, len;
        } * spans; /* for each place, in `texts` */
        struct export_places places;
        struct buf out;
};

/* --- Events --- */

static struct script_fields fields_of(const struct perf_attr *attr)
{
        bool is_tracepoint = attr->type == PERF_TYPE_TRACEPOINT;
        struct script_fields fields = {
                .tid = attr->sample_type & PERF_SAMPLE_TID,
                .cpu = attr->sample_type & PERF_SAMPLE_CPU,
                .time = attr->sample_type & PERF_SAMPLE_TIME,
                .period =
                        !is_tracepoint && (attr->sample_type & PERF_SAMPLE_PERIOD ||
                                           (!(attr->flags & PERF_ATTR_FREQ) && attr->sample_period_or_freq)),
                .chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN,
        };

        fields.address = attr->sample_type & PERF_SAMPLE_IP && !is_tracepoint && !fields.chain;
        return fields;
}

/* Names of all events have the width of the longest, including events that are not written. */
static void list_events(struct scripting *s)
{
        s->fields = mem_new(s->script->n_events, sizeof(*s->fields));
        for (size_t i = 0; i < s->script->n_events; i++) {
                size_t width = strlen(s->script->events[i].name);

                s->fields[i] = fields_of(s->script->events[i].attr);
                s->name_width = width > s->name_width ? width : s->name_width;
        }
        if (s->name_width > EXPORT_NAME_MAX)
                s->name_width = EXPORT_NAME_MAX;
}

/* --- Places --- */

/* A kernel module is shown by its name with underscores: /lib/modules/6.1/kernel/net/nf-nat.ko.xz is
 * [nf_nat]. */
static void add_kernel_module(const char *path, struct buf *out)
{
        const char *name = text_base_name(path);
        size_t len = strcspn(name, ".");

        if (*name != '[')
                buf_add_char(out, '[');
        for (size_t i = 0; i < len; i++)
                buf_add_char(out, (char)(name[i] == '-' ? '_' : name[i]));
        if (*name != '[')
                buf_add_char(out, ']');
}

static void add_anonymous(const struct named_module *module, struct buf *out)
{
        if (*module->path == '[' || text_starts(module->path, "/SYSV"))
                export_add_text(module->path, out);
        else
                os_tmp_perf_map(module->pid, out);
}

static void add_module(const struct named_stacks *stacks, const struct named_node *node, struct buf *out)
{
        const struct named_module *module =
                node->module == NAMED_NONE ? NULL : &stacks->modules[node->module];
        AUTO_RELEASE(buf) name = {0};

        if (!module)
                buf_add_str(&name, "[unknown]");
        else if (module->kind == NAMED_KERNEL_MODULE)
                add_kernel_module(module->path, &name);
        else if (module->kind == NAMED_ANON)
                add_anonymous(module, &name);
        else
                buf_add_str(&name, module->path);
        buf_add_char(out, '(');
        export_add_text(buf_text(&name), out);
        buf_add_str(out, module && module->is_deleted ? " (deleted))" : ")");
}

/* Names are short, as in perf.  For a call chain perf shows return addresses; for a copied stack it shows
 * the address of the byte before. */
static void add_function(const struct named_node *node, const struct named_frame *frame, struct buf *out)
{
        const char *function = frame->brief ? frame->brief : frame->function;

        export_add_text(*function ? function : "[unknown]", out);
        if (*function && node->has_start && node->addr >= node->start) {
                buf_add_char(out, '+');
                text_add_hex(out, node->addr - node->start + export_is_behind(node));
        }
}

static void add_address(uint64_t address, struct buf *out)
{
        buf_printf(out, "%16" PRIx64 " ", address);
}

static void add_lines(const struct named_stacks *stacks, const struct named_node *node, struct buf *out)
{
        for (uint32_t i = 0; i < node->n_frames; i++) {
                bool is_inlined = i + 1 < node->n_frames;

                buf_add_char(out, '\t');
                add_address(node->offset + export_is_behind(node), out);
                add_function(node, &stacks->frames[node->first_frame + i], out);
                buf_add_char(out, ' ');
                if (is_inlined)
                        buf_add_str(out, "(inlined)");
                else
                        add_module(stacks, node, out);
                buf_add_char(out, '\n');
        }
}

static void add_places(struct scripting *s)
{
        const struct named_stacks *stacks = s->script->stacks;

        export_places_list(stacks, NULL, &s->places);
        s->spans = mem_new(s->places.n, sizeof(*s->spans));
        for (uint32_t i = 0; i < s->places.n; i++) {
                s->spans[i].off = s->texts.len;
                add_lines(stacks, &stacks->nodes[s->places.one_node[i]], &s->texts);
                s->spans[i].len = s->texts.len - s->spans[i].off;
        }
}

/* --- Samples --- */

static void add_number(uint64_t value, size_t width, char pad, struct buf *out)
{
        char digits[20];
        size_t at = sizeof(digits);

        do
                digits[--at] = (char)('0' + value % 10);
        while ((value /= 10) != 0);
        for (size_t n = sizeof(digits) - at; n < width; n++)
                buf_add_char(out, pad);
        buf_add(out, digits + at, sizeof(digits) - at);
}

static void add_padded(const char *text, size_t width, struct buf *out)
{
        for (size_t n = strnlen(text, width); n < width; n++)
                buf_add_char(out, ' ');
        export_add_text(text, out);
}

static void add_tid(int32_t tid, struct buf *out)
{
        if (tid >= 0)
                add_number((uint64_t)tid, TID_WIDTH, ' ', out);
        else
                buf_printf(out, "%*" PRId32, TID_WIDTH, tid);
        buf_add_char(out, ' ');
}

static void add_comm(const struct scripting *s, const struct listed_sample *sample, bool is_padded,
                     struct buf *out)
{
        const char *comm = sample_list_text(s->script->samples, sample->comm);
        char number[16];

        if (!*comm) {
                snprintf(number, sizeof(number), ":%" PRId32, sample->tid);
                comm = number;
        }
        add_padded(comm, is_padded ? COMM_WIDTH : 0, out);
        buf_add_char(out, ' ');
}

static void add_head(struct scripting *s, const struct listed_sample *sample)
{
        const struct script_fields *fields = &s->fields[sample->event];
        struct buf *out = &s->out;

        add_comm(s, sample, !fields->chain, out);
        if (fields->tid)
                add_tid(sample->tid, out);
        if (fields->cpu) {
                buf_add_char(out, '[');
                if (sample->cpu == UINT32_MAX)
                        buf_add_str(out, "-01"); /* as perf prints an unknown CPU */
                else
                        add_number(sample->cpu, CPU_WIDTH, '0', out);
                buf_add_str(out, "] ");
        }
        if (fields->time) {
                add_number(sample->time_ns / 1000000000, SECONDS_WIDTH, ' ', out);
                buf_add_char(out, '.');
                add_number(sample->time_ns % 1000000000 / 1000, 6, '0', out);
                buf_add_str(out, ": ");
        }
        if (fields->period) {
                add_number(sample->weight, PERIOD_WIDTH, ' ', out);
                buf_add_char(out, ' ');
        }
        add_padded(s->script->events[sample->event].name, s->name_width, out);
        buf_add_str(out, ": ");
}

/* On the same line there is no room for inlined functions. */
static void add_place(struct scripting *s, const struct listed_sample *sample)
{
        const struct named_stacks *stacks = s->script->stacks;
        const struct named_node *node = &stacks->nodes[sample->node];

        buf_add_char(&s->out, ' ');
        add_address(sample->ip, &s->out);
        add_function(node, &stacks->frames[node->first_frame + node->n_frames - 1], &s->out);
        buf_add_char(&s->out, ' ');
        add_module(stacks, node, &s->out);
        buf_add_char(&s->out, '\n');
}

static bool add_stack(struct scripting *s, const struct listed_sample *sample, struct err *err)
{
        buf_add_char(&s->out, '\n');
        for (uint32_t at = sample->node; at != NAMED_NONE; at = s->script->stacks->nodes[at].parent) {
                uint32_t place = s->places.of_node[at];

                if (place != NAMED_NONE)
                        buf_add(&s->out, buf_text(&s->texts) + s->spans[place].off, s->spans[place].len);
                if (!export_flush(s->sink, &s->out, EXPORT_PIECE_BYTES, err))
                        return false;
        }
        buf_add_char(&s->out, '\n');
        return true;
}

static bool add_sample(struct scripting *s, const struct listed_sample *sample, struct err *err)
{
        const struct script_fields *fields = &s->fields[sample->event];

        add_head(s, sample);
        if (fields->chain)
                return add_stack(s, sample, err);
        if (fields->address)
                add_place(s, sample);
        else
                buf_add_char(&s->out, '\n');
        return export_flush(s->sink, &s->out, EXPORT_PIECE_BYTES, err);
}

bool export_perf_script(const struct export_script *script, const struct export_sink *sink, struct err *err)
{
        struct scripting s = {.script = script, .sink = sink};
        size_t n = sample_list_n(script->samples);
        bool ok = true;

        list_events(&s);
        add_places(&s);
        for (size_t i = 0; i < n && ok; i++) {
                const struct listed_sample *sample = sample_list_get(script->samples, i);

                if (script->events[sample->event].is_wanted)
                        ok = add_sample(&s, sample, err);
        }
        ok = ok && export_flush(sink, &s.out, 1, err);
        free(s.fields);
        free(s.spans);
        export_places_release(&s.places);
        buf_release(&s.texts);
        buf_release(&s.out);
        return ok;
}
