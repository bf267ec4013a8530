/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line in a session, and its table of build ids. */
#include "session_facts.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "os.h"
#include "session_builder.h"
#include "tap.h"

/* The text of a CMDLINE section, cut to `size` bytes. */
static void expect_line(const struct buf *section, size_t size, const char *text)
{
        struct session_builder b;
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) line = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct err err = {0};

        builder_init(&b);
        if (size)
                builder_feature(&b, FEATURE_CMDLINE, section->data, size);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_CMP(reader, !=, NULL);
        session_facts_add_command_line(reader, &line);
        EXPECT_STR(buf_text(&line), text);
        builder_release(&b);
}

TEST(words_are_joined_and_a_cut_list_ends_where_it_is_cut)
{
        static const char *const words[] = {"perf", "record", "a b"};
        AUTO_RELEASE(buf) section = {0};

        buf_add_u32(&section, 3);
        for (int i = 0; i < 3; i++) {
                buf_add_u32(&section, 12);
                buf_add(&section, words[i], strlen(words[i]));
                buf_add_zeros(&section, 12 - strlen(words[i]));
        }
        expect_line(&section, section.len, "perf record a b");
        expect_line(&section, section.len - 1, "perf record");
        expect_line(&section, 4 + 16, "perf");
        expect_line(&section, 4, "");
        expect_line(&section, 0, "");
}

TEST(an_interpreter_among_maps)
{
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 1, 10, 0x1000, 0x1000, 0, "/usr/bin/perl");
        builder_comm(&b, 2, 10, 10, "python3", true);
        EXPECT_TRUE(!session_facts_find_python(b.records.data, b.records.len));
        builder_mmap(&b, 3, 10, 0x1000, 0x1000, 0, "/usr/lib/libpython3.11.so.1.0");
        EXPECT_TRUE(session_facts_find_python(b.records.data, b.records.len));
        builder_release(&b);
}

TEST(a_word_without_an_end)
{
        AUTO_RELEASE(buf) section = {0};

        buf_add_u32(&section, 1);
        buf_add_u32(&section, 4);
        buf_add_str(&section, "perf");
        expect_line(&section, section.len, "perf");
}

/* --- governors --- */

static void write_governor(const char *prefix, unsigned cpu, const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        FILE *file;

        buf_printf(&path, "%s%u", prefix, cpu);
        EXPECT_TRUE(os_make_dir(buf_text(&path), NULL));
        buf_add_str(&path, "/cpufreq");
        EXPECT_TRUE(os_make_dir(buf_text(&path), NULL));
        buf_add_str(&path, "/scaling_governor");
        file = fopen(buf_text(&path), "wb");
        ASSERT_CMP(file, !=, NULL);
        fprintf(file, "%s\n", name);
        fclose(file);
}

TEST(governors_are_named_once)
{
        AUTO_RELEASE(buf) all = {0};
        struct os_machine machine;

        os_machine_get(&machine);
        session_facts_add_governor("no-such-cpu", &all);
        EXPECT_STR(buf_text(&all), "");
        for (unsigned i = 0; i < machine.n_cpus_available; i++)
                write_governor("governed.tmp.cpu", i, i ? "power" : "powersave");
        session_facts_add_governor("governed.tmp.cpu", &all);
        EXPECT_STR(buf_text(&all), machine.n_cpus_available > 1 ? "powersave and power" : "powersave");
}

/* --- build ids --- */

static bool count_entry(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                        const char *path)
{
        size_t *n = ctx;

        *n += !strncmp(path, "/tmp/program", strlen("/tmp/program"));
        return true;
}

/* Number of entries in the table after this number of programs ran, each with its own path. */
static size_t count_build_ids(unsigned n_programs, unsigned n_builds)
{
        static const char file[] = "test_session_facts.tmp.data";
        struct session_facts *facts = session_facts_new();
        struct perfdata_writer *writer = perfdata_writer_open(file, NULL);
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        size_t n = 0;

        builder_init(&b);
        for (unsigned i = 0; i < n_programs; i++) {
                uint32_t id[5] = {i % n_builds, 1};
                char path[32];

                snprintf(path, sizeof(path), "/tmp/program%u", i);
                builder_mmap_build_id(&b, i, 10, 0x1000, 0x1000, 0, path, id, sizeof(id));
        }
        session_facts_see(facts, b.records.data, b.records.len);
        session_facts_see(facts, b.records.data, b.records.len);
        perfdata_writer_add_event(writer, &b.attrs[0], "clock", b.ids, 1);
        EXPECT_TRUE(perfdata_writer_begin(writer, NULL));
        session_facts_write(facts, writer, NULL);
        EXPECT_TRUE(perfdata_writer_close(writer, NULL));
        reader = perfdata_open(file, NULL);
        EXPECT_CMP(reader, !=, NULL);
        if (reader)
                perfdata_each_build_id(reader, count_entry, &n);
        session_facts_free(facts);
        builder_release(&b);
        remove(file);
        return n;
}

/* A recorder may run for days on a machine that starts programs all the time. */
TEST(the_table_of_build_ids_is_bounded)
{
        EXPECT_INT(count_build_ids(10, 10), 10);
        EXPECT_INT(count_build_ids(10, 1), 10);
        EXPECT_INT(count_build_ids(1000, 2), 2 * 16);
        EXPECT_INT(count_build_ids(20000, 20000), 16384);
}

TAP_MAIN
