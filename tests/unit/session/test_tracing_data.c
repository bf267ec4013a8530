/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats of tracepoints: written as by a recorder, and read again. */
#include "tracing_data.h"

#include "tap.h"

static const char switch_format[] =
        "name: sched_switch\nID: 372\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
        "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
        "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
        "\tfield:const char * where;\toffset:40;\tsize:8;\tsigned:0;\n\nprint fmt: \"%s\", REC->prev_comm\n";

static const char exec_format[] =
        "name: sched_process_exec\nID: 365\nformat:\n"
        "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:__rel_loc char[] rest;\toffset:12;\tsize:4;\tsigned:0;\n"
        "\tfield:__data_loc unsigned long[] numbers;\toffset:16;\tsize:4;\tsigned:0;\n";

static const char probe_format[] = "name: foo\nID: 2101\nformat:\n"
                                   "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                                   "\tfield:u8 small;\toffset:16;\tsize:1;\tsigned:0;\n";

static void add(struct tracing_source *source, const char *system, const char *format)
{
        AUTO_RELEASE(buf) text = {0};

        buf_add_str(&text, format);
        tracing_source_add(source, system, &text);
}

static void write_all(struct buf *out)
{
        struct tracing_source source = {0};

        buf_add_str(&source.header_page, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
        buf_add_str(&source.header_event, "# compressed entry header\n");
        add(&source, "sched", switch_format);
        add(&source, "probe_python", probe_format);
        add(&source, "sched", exec_format);
        tracing_data_write(&source, out);
        tracing_source_release(&source);
}

static const struct tracing_field *field_of(const struct tracing_event *event, const char *name)
{
        for (size_t i = 0; i < event->n_fields; i++) {
                if (!strcmp(event->fields[i].name, name))
                        return &event->fields[i];
        }
        TAP_FAIL("no field %s", name);
        return &event->fields[0];
}

static uint64_t number_of(const struct tracing_event *event, const char *name, struct cursor raw)
{
        const struct tracing_field *field = field_of(event, name);

        return tracing_field_number(field, tracing_field_bytes(field, raw));
}

TEST(what_is_written_is_read)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(tracing_data) data = NULL;
        const struct tracing_event *event;

        write_all(&section);
        data = tracing_data_new(cursor_make(section.data, section.len));
        EXPECT_INT(tracing_data_n_events(data), 3);
        event = tracing_data_find(data, 372);
        ASSERT_TRUE(event);
        EXPECT_STR(event->system, "sched");
        EXPECT_STR(event->name, "sched_switch");
        EXPECT_INT(event->n_fields, 5);
        EXPECT_STR(event->fields[1].name, "prev_comm");
        EXPECT_CMP(event->fields[1].form, ==, TRACING_TEXT);
        EXPECT_TRUE(event->fields[2].form == TRACING_NUMBER && event->fields[2].is_signed);
        EXPECT_STR(event->fields[4].name, "where");
        EXPECT_CMP(event->fields[4].form, ==, TRACING_POINTER);
        event = tracing_data_find(data, 2101);
        ASSERT_TRUE(event);
        EXPECT_STR(event->system, "probe_python");
        EXPECT_CMP(field_of(event, "__probe_ip")->form, ==, TRACING_POINTER);
        EXPECT_TRUE(!tracing_data_find(data, 1));
}

TEST(numbers_of_a_sample)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) raw = {0};
        AUTO(tracing_data) data = NULL;
        const struct tracing_event *event;
        struct cursor c;

        write_all(&section);
        data = tracing_data_new(cursor_make(section.data, section.len));
        event = tracing_data_find(data, 372);
        ASSERT_TRUE(event);
        buf_add_zeros(&raw, 8);
        buf_add(&raw, "sh\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
        buf_add_u32(&raw, UINT32_MAX - 1);
        buf_add_u32(&raw, 0);
        buf_add_u64(&raw, 256);
        c = cursor_make(raw.data, raw.len);
        EXPECT_CMP((int64_t)number_of(event, "prev_pid", c), ==, -2);
        EXPECT_INT(number_of(event, "prev_state", c), 256);
        /* The record ends before this one. */
        EXPECT_TRUE(tracing_field_bytes(field_of(event, "where"), c).failed);
}

TEST(fields_that_stand_elsewhere)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) raw = {0};
        AUTO(tracing_data) data = NULL;
        const struct tracing_event *event;
        struct cursor c, bytes;

        write_all(&section);
        data = tracing_data_new(cursor_make(section.data, section.len));
        event = tracing_data_find(data, 365);
        ASSERT_TRUE(event);
        buf_add_zeros(&raw, 8);
        buf_add_u32(&raw, 3 << 16 | 20);
        buf_add_u32(&raw, 4 << 16 | 7); /* from behind these 32 bits */
        buf_add_u32(&raw, 100 << 16 | 20);
        buf_add(&raw, "ls\0you\0", 7);
        c = cursor_make(raw.data, raw.len);
        bytes = tracing_field_bytes(field_of(event, "filename"), c);
        EXPECT_TRUE(!bytes.failed && cursor_left(&bytes) == 3);
        EXPECT_STR((const char *)bytes.at, "ls");
        bytes = tracing_field_bytes(field_of(event, "rest"), c);
        EXPECT_TRUE(!bytes.failed && cursor_left(&bytes) == 4);
        EXPECT_STR((const char *)bytes.at, "you");
        EXPECT_TRUE(tracing_field_bytes(field_of(event, "numbers"), c).failed);
        EXPECT_CMP(field_of(event, "numbers")->form, ==, TRACING_BYTES);
}

TEST(cut_sections_keep_what_is_whole)
{
        AUTO_RELEASE(buf) section = {0};
        size_t last = 0;

        write_all(&section);
        for (size_t len = 0; len <= section.len; len++) {
                AUTO(tracing_data) data = tracing_data_new(cursor_make(section.data, len));

                EXPECT_CMP(tracing_data_n_events(data), >=, last);
                last = tracing_data_n_events(data);
        }
        EXPECT_INT(last, 3);
}

TAP_MAIN
