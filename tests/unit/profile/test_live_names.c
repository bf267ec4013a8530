/* SPDX-License-Identifier: BSD-3-Clause */
/* When a live view reads the names of generated code, which are in a file that grows. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live_model.h"
#include "os.h"
#include "session_builder.h"
#include "tap.h"

enum { CODE = 0x10000000, STEP = 0x1000 };

/* A program that generates code: this process. */
struct program {
        struct live_model *model;
        struct session_builder records;
        char path[64]; /* of its perf map */
        uint64_t time, now_ns;
};

static void append(struct program *p, unsigned first, unsigned n)
{
        FILE *file = fopen(p->path, "a");

        for (unsigned i = first; i < first + n; i++)
                fprintf(file, "%llx 1000 generated%u\n", CODE + (unsigned long long)i * STEP, i);
        fclose(file);
}

static void begin(struct program *p)
{
        AUTO_RELEASE(buf) header = {0};
        const struct live_request request = {.header = &header};
        struct session_builder b;

        builder_init(&b);
        b.pipe = true;
        builder_file(&b, &header);
        builder_release(&b);
        *p = (struct program){.model = live_model_new(&request, NULL), .now_ns = os_monotonic_ns()};
        snprintf(p->path, sizeof(p->path), "/tmp/perf-%d.map", (int)getpid());
        remove(p->path);
        builder_init(&p->records);
        builder_comm(&p->records, 1, getpid(), getpid(), "program", true);
        builder_mmap(&p->records, 2, getpid(), CODE, 0x40000000, 0, "//anon");
        p->time = 2;
}

static void end(struct program *p)
{
        remove(p->path);
        builder_release(&p->records);
        live_model_free(p->model);
}

/* Runs a function for an interval of a second; returns whether the table has its name. */
static bool is_named(struct program *p, unsigned number)
{
        AUTO(live_table) table = NULL;
        const struct live_rows *rows;
        char name[32];
        bool found = false;

        builder_sample_ip(&p->records, ++p->time, getpid(), getpid(), CODE + (uint64_t)number * STEP);
        builder_round(&p->records);
        builder_round(&p->records);
        live_model_put(p->model, p->records.records.data, p->records.records.len);
        buf_clear(&p->records.records);
        p->now_ns += 1000000000;
        live_model_end_interval(p->model, p->now_ns, 0, false);
        table = live_model_make_table(p->model);
        rows = &table->kinds[LIVE_FUNCTIONS];
        snprintf(name, sizeof(name), "generated%u", number);
        for (size_t i = 0; i < rows->n; i++)
                found |= rows->items[i].now.self_count && !strcmp(rows->items[i].name, name);
        return found;
}

static unsigned seconds_until_named(struct program *p, unsigned number)
{
        unsigned n = 1;

        while (n < 1000 && !is_named(p, number))
                n++;
        return n;
}

TEST(names_that_come_late)
{
        struct program p;

        begin(&p);
        append(&p, 0, 1);
        EXPECT_TRUE(is_named(&p, 0));
        for (unsigned i = 0; i < 200; i++)
                EXPECT_TRUE(!is_named(&p, 1));
        append(&p, 1, 1);
        EXPECT_TRUE(seconds_until_named(&p, 1) <= 18);
        /* There are new names, so others are looked for soon. */
        EXPECT_TRUE(!is_named(&p, 2));
        append(&p, 2, 1);
        EXPECT_TRUE(seconds_until_named(&p, 2) <= 4);
        end(&p);
}

/* The file is removed, so that a second reading would lose the names. */
TEST(many_names_are_read_once)
{
        struct program p;

        begin(&p);
        append(&p, 0, 200000);
        EXPECT_TRUE(is_named(&p, 7));
        EXPECT_TRUE(is_named(&p, 7));
        remove(p.path);
        EXPECT_TRUE(is_named(&p, 8));
        EXPECT_TRUE(is_named(&p, 9));
        end(&p);
}

TAP_MAIN
