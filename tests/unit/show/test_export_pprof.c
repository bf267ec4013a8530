/* SPDX-License-Identifier: BSD-3-Clause */
/* pprof profiles, read by a decoder of this test: values, stacks with inlined functions, mappings, hostile
 * names. */
#include "export_pprof.h"

#include "buf.h"
#include "export_builder.h"
#include "tap.h"
#include "text_number.h"
#include "text_printable.h"

enum { N_MAX = 64 };

/* A field of a message: a number, or the bytes of text or of another message. */
struct field {
        unsigned number;
        uint64_t value;
        const uint8_t *bytes;
        size_t size;
};

struct reading {
        const uint8_t *at, *end;
        bool is_damaged;
};

static uint64_t read_varint(struct reading *r)
{
        uint64_t value = 0;

        for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
                uint8_t byte = *r->at++;

                value |= (uint64_t)(byte & 0x7f) << shift;
                if (byte < 0x80)
                        return value;
        }
        r->is_damaged = true;
        return 0;
}

static bool read_field(struct reading *r, struct field *ret)
{
        uint64_t tag;

        if (r->at == r->end || r->is_damaged)
                return false;
        tag = read_varint(r);
        *ret = (struct field){.number = (unsigned)(tag >> 3)};
        if ((tag & 7) == 0) {
                ret->value = read_varint(r);
        } else if ((tag & 7) == 2) {
                ret->size = read_varint(r);
                ret->bytes = r->at;
                r->is_damaged |= ret->size > (size_t)(r->end - r->at);
                r->at += r->is_damaged ? 0 : ret->size;
        } else {
                r->is_damaged = true;
        }
        return !r->is_damaged;
}

static struct reading inside(const struct field *field)
{
        return (struct reading){field->bytes, field->size ? field->bytes + field->size : field->bytes, false};
}

struct decoded {
        struct field strings[N_MAX];
        size_t n_strings;
        struct buf functions[N_MAX], locations[N_MAX], mappings[N_MAX]; /* by their ids */
        struct buf text;
};

static void add_string(struct decoded *d, uint64_t number, struct buf *out)
{
        ASSERT_CMP(number, <, d->n_strings);
        buf_add(out, d->strings[number].bytes, d->strings[number].size);
}

/* For a message with an id, the fields of `shown` as "NAME TEXT". */
static void add_entry(struct decoded *d, struct buf *by_id, const struct field *message,
                      const unsigned *shown, const char *const *names)
{
        struct reading r = inside(message);
        AUTO_RELEASE(buf) text = {0};
        struct field field;
        uint64_t id = 0;

        while (read_field(&r, &field)) {
                if (field.number == 1)
                        id = field.value;
                for (size_t i = 0; shown[i]; i++) {
                        if (field.number != shown[i])
                                continue;
                        buf_add_str(&text, names[i]);
                        add_string(d, field.value, &text);
                }
        }
        EXPECT_TRUE(!r.is_damaged);
        ASSERT_TRUE(id && id < N_MAX);
        EXPECT_INT(by_id[id].len, 0);
        buf_add_str(&by_id[id], buf_text(&text));
}

/* "add@/src/work.c:30<main@/src/work.c:10|/usr/bin/python3.11" */
static void add_location(struct decoded *d, const struct field *message)
{
        struct reading r = inside(message);
        AUTO_RELEASE(buf) text = {0};
        uint64_t id = 0, mapping = 0;
        struct field field, part;

        while (read_field(&r, &field)) {
                struct reading line = inside(&field);

                if (field.number == 1)
                        id = field.value;
                if (field.number == 2)
                        mapping = field.value;
                if (field.number != 4)
                        continue;
                if (text.len)
                        buf_add_char(&text, '<');
                while (read_field(&line, &part)) {
                        if (part.number == 1) {
                                ASSERT_TRUE(part.value < N_MAX && d->functions[part.value].len);
                                buf_add_str(&text, buf_text(&d->functions[part.value]));
                        } else {
                                buf_printf(&text, ":%d", (int)part.value);
                        }
                }
        }
        ASSERT_TRUE(id && id < N_MAX && mapping < N_MAX);
        if (mapping) {
                EXPECT_CMP(d->mappings[mapping].len, >, 0);
                buf_printf(&text, "|%s", buf_text(&d->mappings[mapping]));
        }
        EXPECT_INT(d->locations[id].len, 0);
        buf_add_str(&d->locations[id], buf_text(&text));
}

static void add_pair(struct decoded *d, const struct field *message, const char *between, struct buf *out)
{
        struct reading r = inside(message);
        struct field field;

        while (read_field(&r, &field)) {
                if (field.number == 2)
                        buf_add_str(out, between);
                add_string(d, field.value, out);
        }
}

/* "LOCATION LOCATION COUNT WEIGHT comm=NAME" */
static void add_sample(struct decoded *d, const struct field *message)
{
        struct reading r = inside(message);
        struct field field;

        while (read_field(&r, &field)) {
                struct reading numbers = inside(&field);

                if (field.number == 3) {
                        add_pair(d, &field, "=", &d->text);
                        continue;
                }
                while (numbers.at < numbers.end) {
                        uint64_t number = read_varint(&numbers);

                        if (field.number == 1 && number < N_MAX)
                                buf_add_str(&d->text, buf_text(&d->locations[number]));
                        else
                                text_add_u64(&d->text, number);
                        buf_add_char(&d->text, ' ');
                }
                EXPECT_TRUE(!numbers.is_damaged);
        }
        buf_add_char(&d->text, '\n');
}

static void visit(struct decoded *d, const struct buf *profile, unsigned number,
                  void (*add)(struct decoded *d, const struct field *field))
{
        struct reading r = {(const uint8_t *)profile->data, (const uint8_t *)profile->data + profile->len,
                            false};
        struct field field;

        while (read_field(&r, &field)) {
                if (field.number == number)
                        add(d, &field);
        }
        EXPECT_TRUE(!r.is_damaged);
}

static void see_string(struct decoded *d, const struct field *field)
{
        ASSERT_CMP(d->n_strings, <, N_MAX);
        d->strings[d->n_strings++] = *field;
}

static void see_mapping(struct decoded *d, const struct field *field)
{
        add_entry(d, d->mappings, field, (const unsigned[]){5, 0}, (const char *const[]){""});
}

static void see_function(struct decoded *d, const struct field *field)
{
        add_entry(d, d->functions, field, (const unsigned[]){2, 4, 0}, (const char *const[]){"", "@"});
}

static void see_type(struct decoded *d, const struct field *field)
{
        add_pair(d, field, "/", &d->text);
        buf_add_char(&d->text, '\n');
}

static void see_text(struct decoded *d, const struct field *field)
{
        add_string(d, field->value, &d->text);
        buf_add_char(&d->text, '\n');
}

static void see_number(struct decoded *d, const struct field *field)
{
        text_add_u64(&d->text, field->value);
        buf_add_char(&d->text, '\n');
}

static void decode(const struct buf *profile, struct decoded *ret)
{
        *ret = (struct decoded){0};
        visit(ret, profile, 6, see_string);
        visit(ret, profile, 3, see_mapping);
        visit(ret, profile, 5, see_function);
        visit(ret, profile, 4, add_location);
        visit(ret, profile, 1, see_type);
        visit(ret, profile, 14, see_text);
        visit(ret, profile, 2, add_sample);
        visit(ret, profile, 10, see_number);
        visit(ret, profile, 13, see_text);
}

static void decoded_release(struct decoded *d)
{
        for (int i = 0; i < N_MAX; i++) {
                buf_release(&d->functions[i]);
                buf_release(&d->locations[i]);
                buf_release(&d->mappings[i]);
        }
        buf_release(&d->text);
}

#define MAIN_FRAME  "main@/src/work.c:10|/usr/bin/python3.11 "
#define WORK_FRAME  "work@/src/work.c:20|/usr/bin/python3.11 "
#define ADD_FRAME   "add@/src/work.c:30<work@/src/work.c:20|/usr/bin/python3.11 "
#define CARRY_FRAME "carry@/src/work.c:40<" ADD_FRAME

TEST(stacks_from_the_inside_out)
{
        AUTO(calltree) tree = export_ordinary();
        AUTO_RELEASE(decoded) d = {0};
        AUTO_RELEASE(buf) out = {0};

        export_pprof(tree, &export_ordinary_about, &out);
        decode(&out, &d);
        EXPECT_INT(d.strings[0].size, 0);
        EXPECT_STR(
                buf_text(&d.text),
                "samples/count\ncpu-clock:u/nanoseconds\ncpu-clock:u\n" WORK_FRAME MAIN_FRAME
                "40 4000 comm=python3\n" ADD_FRAME MAIN_FRAME "10 1000 comm=python3\n" CARRY_FRAME MAIN_FRAME
                "20 2000 comm=python3\n"
                "do_syscall_64|[kernel.kallsyms] " CARRY_FRAME MAIN_FRAME
                "8 800 comm=python3\n" WORK_FRAME WORK_FRAME MAIN_FRAME "7 700 comm=python3\n"
                "[libc.so.6+0x1f00]|/usr/lib/libc.so.6 [libc.so.6]|/usr/lib/libc.so.6 [cut] 5 500 comm=python3\n"
                "[unknown] 4 400 comm=Thread 1\n"
                "main|/usr/lib/libc.so.6 3 300 comm=Thread 1\n" MAIN_FRAME "2 200 comm=Thread 1\n"
                "[unknown] 1 100 \n"
                "2000000000\n"
                "wperf 1.2\nwperf record -g -- python3 work.py\n");
}

/* Readers that find one of them missing look the module up, although no location has an address. */
static void see_known(struct decoded *d, const struct field *field)
{
        struct reading r = inside(field);
        struct field part;
        unsigned known = 0;

        (void)d;
        while (read_field(&r, &part))
                known |= part.value == 1 ? 1u << part.number : 0;
        EXPECT_INT(known >> 7, 0xf);
}

TEST(nothing_is_left_to_be_looked_up)
{
        AUTO(calltree) tree = export_ordinary();
        AUTO_RELEASE(decoded) d = {0};
        AUTO_RELEASE(buf) out = {0};

        export_pprof(tree, &export_ordinary_about, &out);
        visit(&d, &out, 3, see_known);
}

TEST(sums_beyond_int64_and_nothing_at_all)
{
        AUTO(calltree) tree = calltree_new();
        AUTO(calltree) empty = calltree_new();
        const struct export_about about = {.event = "cycles"};
        AUTO_RELEASE(decoded) d = {0};
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 1, INT64_MAX - 7, MAIN);
        ADD_PATH(tree, export_functions, 1, 9, NOWHERE);
        calltree_finish(tree);
        export_pprof(tree, &about, &out);
        decode(&out, &d);
        EXPECT_STR(buf_text(&d.text),
                   "samples/count\ncycles/count\ncycles\n"
                   "main@/src/work.c:10|/usr/bin/python3.11 1 9223372036854775800 \n[unknown] 1 7 \n");
        decoded_release(&d);
        buf_clear(&out);
        calltree_finish(empty);
        export_pprof(empty, &about, &out);
        decode(&out, &d);
        EXPECT_STR(buf_text(&d.text), "samples/count\ncycles/count\ncycles\n");
}

TEST(hostile_names_are_plain_text)
{
        AUTO(calltree) tree = export_hostile();
        AUTO_RELEASE(decoded) d = {0};
        AUTO_RELEASE(buf) out = {0};

        export_pprof(tree, &export_hostile_about, &out);
        decode(&out, &d);
        for (size_t i = 0; i < d.n_strings; i++) {
                const uint8_t *at = d.strings[i].bytes, *end = at + d.strings[i].size;

                EXPECT_CMP(d.strings[i].size, <=, EXPORT_NAME_MAX + 3);
                while (at < end) {
                        size_t n = text_utf8_length(at);

                        ASSERT_TRUE(n && *at >= 0x20 && *at != 0x7f);
                        at += n;
                }
        }
        EXPECT_CONTAINS(buf_text(&d.text), "\\x1b[31m\\x0a\\x0d\\x09\\x01\\x7f\\xc2\\x9b|/tmp/\\xff\\xfe ");
        EXPECT_CONTAINS(buf_text(&d.text), "\n[unknown] 9 9000 comm=a;b c 7\n");
}

TAP_MAIN
