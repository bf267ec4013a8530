/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of a live view, table by table, of threads that no recorder has met. */
#include "live_wall.h"

#include <string.h>

#include "session_builder.h"
#include "tap.h"
#include "wait_section.h"

enum { PROCESS = 5, WAITER = 10, MS = 1000000, N_STACKS = 4 };

static bool add_group(int32_t pid, struct buf *out)
{
        buf_add_str(out, "/group");
        return pid != 0;
}

/* Each stack has one function, f0 and so on. */
struct fixture {
        struct named_frame frames[N_STACKS];
        struct named_node nodes[N_STACKS];
        struct named_stacks named;
        struct perfdata_reader *reader;
        struct live_wall *wall;
        struct live_sums sums[LIVE_N_KINDS];
        struct world *world;
        struct live_containers containers;
        struct live_table table;
};

static struct perfdata_reader *open_session(void)
{
        static struct buf file;
        struct session_builder b;

        builder_init(&b);
        builder_add_event(&b, b.attrs[0].type, b.attrs[0].config);
        b.names[0] = "cpu-clock";
        b.names[1] = "waiting";
        buf_clear(&file);
        builder_file(&b, &file);
        builder_release(&b);
        return perfdata_open_bytes(file.data, file.len, "mem", NULL);
}

static void begin(struct fixture *f)
{
        static const char *const names[N_STACKS] = {"f0", "f1", "f2", "f3"};

        *f = (struct fixture){
                .named = {.nodes = f->nodes, .n_nodes = N_STACKS, .frames = f->frames, .n_frames = N_STACKS}};
        for (uint32_t i = 0; i < N_STACKS; i++) {
                f->frames[i] = (struct named_frame){.function = names[i], .file = ""};
                f->nodes[i] = (struct named_node){
                        .parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = i, .n_frames = 1};
        }
        f->reader = open_session();
        f->wall = live_wall_new(f->reader, 0, WALL_SHOWN);
        f->world = world_new();
        live_containers_init(&f->containers, add_group);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++) {
                live_sums_init(&f->sums[i], 100);
                f->sums[i].has_states = true;
        }
}

static void end(struct fixture *f)
{
        live_wall_free(f->wall);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                live_sums_release(&f->sums[i]);
        live_containers_release(&f->containers);
        world_free(f->world);
        perfdata_reader_free(f->reader);
        arena_release(&f->table.texts);
}

/* The section with the reading of a thread that sleeps. */
static void add_reading(struct fixture *f, int32_t tid, uint64_t time_ns)
{
        const struct wait_reading reading = {.time_ns = time_ns,
                                             .pid = PROCESS,
                                             .tid = tid,
                                             .inner_tid = tid,
                                             .how = WAIT_HOW_STILL,
                                             .state = 'S',
                                             .call = WAIT_CALL_SLEEP,
                                             .look_ns = 10 * MS,
                                             .text = "",
                                             .python_name = ""};
        struct buf section = {0};

        wait_section_write(&reading, 1, NULL, 0, &section);
        live_wall_add_waits(f->wall, &section);
}

static void add_sample(struct fixture *f, uint32_t event, int32_t tid, uint64_t time_ns, uint32_t node)
{
        live_wall_add(f->wall, &(struct listed_sample){.time_ns = time_ns,
                                                       .weight = 1,
                                                       .event = event,
                                                       .node = node,
                                                       .pid = PROCESS,
                                                       .tid = tid});
}

static void end_interval(struct fixture *f, uint64_t elapsed_ns)
{
        arena_release(&f->table.texts);
        f->table = (struct live_table){0};
        live_wall_end_interval(f->wall, &f->named, elapsed_ns,
                               &(struct live_wall_sums){f->sums, f->world, &f->containers});
        live_wall_fill(f->wall, &f->table);
}

/* Of all threads, and of the rows of each kind, in ms. */
static void expect_sleep(const struct fixture *f, uint64_t now_ms, uint64_t since_ms)
{
        EXPECT_INT(f->table.wall_now.ns[WAIT_KIND_SLEEP] / MS, now_ms);
        EXPECT_INT(f->table.wall_since.ns[WAIT_KIND_SLEEP] / MS, since_ms);
        for (unsigned kind = 0; kind < LIVE_N_KINDS; kind++) {
                uint64_t now_ns = 0, since_ns = 0;

                for (size_t i = 0; i < f->sums[kind].n; i++) {
                        now_ns += f->sums[kind].rows[i].states->now[WAIT_KIND_SLEEP];
                        since_ns += f->sums[kind].rows[i].states->since[WAIT_KIND_SLEEP];
                }
                EXPECT_INT(now_ns / MS, now_ms);
                EXPECT_INT(since_ns / MS, since_ms);
        }
}

static void begin_to_wait(struct fixture *f)
{
        EXPECT_INT(live_wall_event(f->wall), 1);
        add_reading(f, WAITER, 10 * MS);
        add_sample(f, 1, WAITER, 10 * MS, 0);
        end_interval(f, 1000 * (uint64_t)MS);
}

TEST(a_wait_that_goes_on)
{
        struct fixture f;

        begin(&f);
        begin_to_wait(&f);
        expect_sleep(&f, 1000, 1000);
        EXPECT_INT(f.table.wall_since.elapsed_ns / MS, 1000);
        EXPECT_STR(f.sums[LIVE_FUNCTIONS].rows[0].name, "f0");
        EXPECT_STR(f.sums[LIVE_CONTAINERS].rows[0].label, "/group");
        end_interval(&f, 1500 * (uint64_t)MS);
        expect_sleep(&f, 500, 1500);
        EXPECT_INT(f.table.wall_now.elapsed_ns / MS, 500);
        EXPECT_INT(f.sums[LIVE_THREADS].n, 1);
        EXPECT_INT(f.sums[LIVE_THREADS].rows[0].tid, WAITER);
        EXPECT_INT(f.sums[LIVE_PROCESSES].rows[0].tid, PROCESS);
        end(&f);
}

static void begin_sums_anew(struct fixture *f)
{
        live_wall_zero(f->wall);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                live_sums_zero(&f->sums[i]);
}

TEST(sums_that_begin_anew)
{
        struct fixture f;

        begin(&f);
        begin_to_wait(&f);
        begin_sums_anew(&f);
        end_interval(&f, 1200 * (uint64_t)MS);
        expect_sleep(&f, 200, 200);
        EXPECT_INT(f.table.wall_since.elapsed_ns / MS, 200);
        end(&f);
}

/* More samples than are divided again and again. */
TEST(what_is_settled_stays)
{
        struct fixture f;

        begin(&f);
        for (uint64_t i = 0; i < 10001; i++)
                add_sample(&f, 0, WAITER + 1, 11 * MS + i, 1);
        begin_to_wait(&f);
        expect_sleep(&f, 1000, 1000);
        EXPECT_INT(f.sums[LIVE_THREADS].rows[0].states->settled[WAIT_KIND_SLEEP] / MS, 1000);
        end_interval(&f, 1300 * (uint64_t)MS);
        expect_sleep(&f, 300, 1300);
        EXPECT_INT(f.table.wall_since.elapsed_ns / MS, 1300);
        begin_sums_anew(&f);
        end_interval(&f, 1400 * (uint64_t)MS);
        expect_sleep(&f, 100, 100);
        end(&f);
}

/* More rows than are held: they are merged when all is settled. */
TEST(too_many_rows_are_merged)
{
        struct fixture f;
        uint64_t now_ns;

        begin(&f);
        f.sums[LIVE_THREADS].max_rows = 4;
        for (int32_t tid = WAITER; tid < WAITER + 6; tid++) {
                add_reading(&f, tid, (uint64_t)tid * MS);
                add_sample(&f, 1, tid, (uint64_t)tid * MS, 0);
        }
        end_interval(&f, 1000 * (uint64_t)MS);
        EXPECT_INT(f.sums[LIVE_THREADS].n, 2);
        EXPECT_INT(f.sums[LIVE_THREADS].n_merged, 4);
        EXPECT_INT(f.sums[LIVE_THREADS].rest_states.since[WAIT_KIND_SLEEP] / MS, 4000);
        EXPECT_INT(f.table.wall_since.ns[WAIT_KIND_SLEEP] / MS, 6000);
        now_ns = f.table.wall_since.ns[WAIT_KIND_SLEEP];
        end_interval(&f, 1000 * (uint64_t)MS);
        EXPECT_INT(f.table.wall_since.ns[WAIT_KIND_SLEEP], now_ns);
        end(&f);
}

/* A reading comes with the records, or before them: the last 16 sections are kept, and all of an interval. */
TEST(readings_whose_samples_come_later)
{
        struct fixture f;

        begin(&f);
        for (int32_t i = 0; i < 20; i++)
                add_reading(&f, WAITER + i, (uint64_t)(10 + i) * MS);
        add_sample(&f, 1, WAITER, 10 * MS, 0);
        end_interval(&f, 100 * (uint64_t)MS);
        EXPECT_INT(f.sums[LIVE_THREADS].n, 1);
        add_sample(&f, 1, WAITER + 3, 13 * MS, 1);
        add_sample(&f, 1, WAITER + 4, 14 * MS, 2);
        add_sample(&f, 1, WAITER + 19, 29 * MS, 2);
        end_interval(&f, 200 * (uint64_t)MS);
        EXPECT_INT(f.sums[LIVE_THREADS].n, 3);
        EXPECT_INT(f.sums[LIVE_THREADS].rows[1].tid, WAITER + 4);
        end(&f);
}

TAP_MAIN
