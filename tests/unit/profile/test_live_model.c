/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_model.h"

#include <stdlib.h>
#include <string.h>

#include "live_containers.h"
#include "live_sums.h"
#include "session_builder.h"
#include "tap.h"

static struct live_model *new_model(void)
{
        AUTO_RELEASE(buf) header = {0};
        const struct live_request request = {.header = &header, .python = STACKS_PYTHON_MERGED};
        struct session_builder b;

        builder_init(&b);
        b.pipe = true;
        builder_file(&b, &header);
        builder_release(&b);
        return live_model_new(&request, NULL);
}

static void put(struct live_model *model, struct session_builder *b)
{
        live_model_put(model, b->records.data, b->records.len);
        builder_release(b);
        builder_init(b);
}

static const struct live_row *row_of(const struct live_table *table, enum live_kind kind, const char *name)
{
        for (size_t i = 0; i < table->kinds[kind].n; i++) {
                if (!strcmp(table->kinds[kind].items[i].name, name))
                        return &table->kinds[kind].items[i];
        }
        return NULL;
}

TEST(an_interval_and_the_sums_since_the_start)
{
        AUTO(live_model) model = new_model();
        AUTO(live_table) first = NULL;
        AUTO(live_table) second = NULL;
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_comm(&b, 1, 10, 11, "worker", false);
        builder_sample_ip(&b, 2, 10, 10, 0x1000);
        builder_sample_ip(&b, 3, 10, 11, 0x1000);
        builder_lost(&b, 4, 7);
        builder_round(&b);
        builder_round(&b);
        put(model, &b);
        live_model_end_interval(model, UINT64_MAX / 2, 0, false);
        first = live_model_make_table(model);
        EXPECT_INT(first->now.self_count, 2);
        EXPECT_INT(first->since.self_count, 2);
        EXPECT_INT(first->n_lost, 7);
        EXPECT_INT(row_of(first, LIVE_THREADS, "worker")->now.self_count, 1);
        EXPECT_INT(row_of(first, LIVE_PROCESSES, "a")->now.self_count, 2);
        builder_sample_ip(&b, 5, 10, 11, 0x1000);
        /* The kernel tells at the end how many samples it lost, with those of LOST. */
        builder_begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
        builder_u64(&b, 8);
        builder_id(&b, 6, 10, 10);
        builder_end(&b);
        builder_round(&b);
        put(model, &b);
        live_model_end_interval(model, UINT64_MAX / 2 + 1, 0, true);
        second = live_model_make_table(model);
        EXPECT_INT(second->now.self_count, 1);
        EXPECT_INT(second->since.self_count, 3);
        EXPECT_INT(second->n_lost, 8);
        EXPECT_INT(row_of(second, LIVE_THREADS, "a")->now.self_count, 0);
        EXPECT_INT(row_of(second, LIVE_THREADS, "a")->since.self_count, 1);
        EXPECT_INT(row_of(second, LIVE_THREADS, "worker")->since.self_count, 2);
        live_model_zero(model);
        live_table_free(second);
        second = live_model_make_table(model);
        EXPECT_INT(second->since.self_count, 0);
        EXPECT_INT(second->kinds[LIVE_THREADS].n, 0);
        builder_release(&b);
}

/* Records that come late are all in the last interval, which may be short. */
TEST(an_interval_is_as_long_as_what_its_samples_cover)
{
        enum { MS = 1000000 };
        AUTO(live_model) model = new_model();
        AUTO(live_table) table = NULL;
        struct session_builder b;

        builder_init(&b);
        for (uint64_t i = 0; i < 20; i++)
                builder_sample_ip(&b, (100 + i) * MS, 10, 10, 0x1000);
        builder_round(&b);
        put(model, &b);
        live_model_end_interval(model, UINT64_MAX / 2, 0, false);
        live_model_end_interval(model, UINT64_MAX / 2 + MS, 0, true);
        table = live_model_make_table(model);
        EXPECT_INT(table->now.self_count, 20);
        EXPECT_INT(table->now.self_weight, table->interval_ns);
        live_model_end_interval(model, UINT64_MAX / 2 + 3 * MS, 0, true);
        live_table_free(table);
        table = live_model_make_table(model);
        EXPECT_INT(table->now.self_count, 0);
        EXPECT_INT(table->interval_ns, 2 * MS);
        builder_release(&b);
}

/* Of a ring that was read earlier in its round, and of the next interval. */
TEST(records_are_put_in_the_order_of_time)
{
        AUTO(live_model) model = new_model();
        AUTO(live_table) table = NULL;
        struct session_builder b;

        builder_init(&b);
        builder_sample_ip(&b, 5, 10, 10, 0x1000);
        builder_round(&b);
        put(model, &b);
        live_model_end_interval(model, 1, 0, false);
        builder_comm(&b, 4, 10, 10, "named", true);
        builder_round(&b);
        put(model, &b);
        live_model_end_interval(model, 2, 0, false);
        table = live_model_make_table(model);
        EXPECT_INT(table->since.self_count, 1);
        EXPECT_TRUE(row_of(table, LIVE_PROCESSES, "named") != NULL);
        builder_release(&b);
}

static bool add_group(int32_t pid, struct buf *out)
{
        if (pid == 10)
                buf_add_str(out, "/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
        return pid == 10;
}

static void see_containers(struct live_containers *containers, struct session_builder *b)
{
        struct perf_header header;

        memcpy(&header, b->records.data, sizeof(header));
        live_containers_see(containers, &header, cursor_make(b->records.data, b->records.len));
        builder_release(b);
        builder_init(b);
}

TEST(containers_of_processes_that_have_ended)
{
        struct live_containers containers;
        AUTO_RELEASE(buf) name = {0};
        struct session_builder b;

        live_containers_init(&containers, add_group);
        builder_init(&b);
        builder_fork(&b, 1, 11, 10, 11, 10, 0);
        see_containers(&containers, &b);
        EXPECT_STR(live_containers_get(&containers, 12), "");
        live_containers_add_name(live_containers_get(&containers, 11), &name);
        EXPECT_STR(buf_text(&name), "0123456789ab");
        buf_clear(&name);
        live_containers_add_name("/system.slice/docker-0123456789abcdef0123456789abcdef.scope", &name);
        EXPECT_STR(buf_text(&name), "docker-0123456789ab.scope");
        builder_release(&b);
        live_containers_release(&containers);
}

static const char *moved_to;

static bool add_moved(int32_t pid, struct buf *out)
{
        buf_add_str(out, pid == 20 ? moved_to : "/starter");
        return true;
}

TEST(a_new_process_is_asked_for_its_own_container_and_again_when_it_runs_a_program)
{
        struct live_containers containers;
        struct session_builder b;

        live_containers_init(&containers, add_moved);
        builder_init(&b);
        moved_to = "/starter/new";
        builder_fork(&b, 1, 20, 10, 20, 10, 0);
        see_containers(&containers, &b);
        EXPECT_STR(live_containers_get(&containers, 20), "/starter/new");
        moved_to = "/container";
        EXPECT_STR(live_containers_get(&containers, 20), "/starter/new");
        builder_comm(&b, 2, 20, 20, "named", false);
        see_containers(&containers, &b);
        EXPECT_STR(live_containers_get(&containers, 20), "/starter/new");
        builder_comm(&b, 3, 20, 20, "program", true);
        see_containers(&containers, &b);
        EXPECT_STR(live_containers_get(&containers, 20), "/container");
        builder_release(&b);
        live_containers_release(&containers);
}

static void add(struct live_sums *sums, const char *name, uint64_t weight)
{
        struct live_row *row =
                live_sums_get(sums, &(struct live_row){.name = name, .label = "", .module = "", .file = ""});

        row->now.self_weight += weight;
        row->since.self_weight += weight;
}

TEST(the_smallest_rows_are_merged)
{
        struct live_sums sums;
        struct live_rows rows;
        AUTO_RELEASE(arena) texts = {0};
        uint64_t all = 0;

        live_sums_init(&sums, 4);
        add(&sums, "large", 100);
        add(&sums, "larger", 200);
        for (char name[] = "a"; *name < 'k'; name[0]++)
                add(&sums, name, 1);
        live_sums_begin_interval(&sums);
        EXPECT_INT(sums.n, 2);
        add(&sums, "new", 5);
        live_sums_copy(&sums, 2, &rows, &texts);
        EXPECT_INT(rows.n, 3);
        EXPECT_INT(rows.n_merged, 11);
        EXPECT_TRUE(rows.items[2].is_rest && rows.items[2].since.self_weight == 110);
        for (size_t i = 0; i < rows.n; i++)
                all += rows.items[i].since.self_weight;
        EXPECT_INT(all, 315);
        free(rows.items);
        live_sums_release(&sums);
}

static struct live_states *states_of(struct live_sums *sums, const char *name)
{
        return live_sums_get(sums, &(struct live_row){.name = name, .label = "", .module = "", .file = ""})
                ->states;
}

/* What rows that were merged have is in the rest, now as well as later. */
TEST(states_of_rows)
{
        struct live_sums sums;
        struct live_rows rows;
        AUTO_RELEASE(arena) texts = {0};
        const struct live_states *rest;

        live_sums_init(&sums, 2);
        sums.has_states = true;
        live_sums_begin_states(&sums);
        states_of(&sums, "a")->since[WAIT_KIND_SLEEP] += 100;
        states_of(&sums, "b")->since[WAIT_KIND_SLEEP] += 50;
        states_of(&sums, "b")->since[WAIT_KIND_IDLE] += 70;
        states_of(&sums, "c")->since[WAIT_KIND_SLEEP] += 10;
        live_sums_end_states(&sums, WALL_BIT(WAIT_KIND_SLEEP));
        EXPECT_INT(sums.rows[1].now.weight, 50);
        EXPECT_INT(sums.rows[1].since.weight, 50);
        live_sums_settle(&sums);
        EXPECT_INT(sums.n, 1);
        EXPECT_INT(states_of(&sums, "a")->since[WAIT_KIND_SLEEP], 100);
        EXPECT_INT(sums.rest_states.since[WAIT_KIND_SLEEP], 60);
        EXPECT_INT(sums.rest_states.now[WAIT_KIND_IDLE], 70);

        live_sums_begin_states(&sums);
        states_of(&sums, "a")->since[WAIT_KIND_SLEEP] += 20;
        states_of(&sums, "d")->since[WAIT_KIND_SLEEP] += 5;
        live_sums_end_states(&sums, WALL_BIT(WAIT_KIND_SLEEP));
        EXPECT_INT(states_of(&sums, "a")->now[WAIT_KIND_SLEEP], 20);
        EXPECT_INT(states_of(&sums, "a")->since[WAIT_KIND_SLEEP], 120);
        live_sums_copy(&sums, 1, &rows, &texts);
        EXPECT_INT(rows.n, 2);
        EXPECT_INT(rows.items[0].states->since[WAIT_KIND_SLEEP], 120);
        rest = rows.items[1].states;
        EXPECT_INT(rest->since[WAIT_KIND_SLEEP], 65);
        EXPECT_INT(rest->since[WAIT_KIND_IDLE], 70);
        EXPECT_INT(rest->now[WAIT_KIND_SLEEP], 5);
        EXPECT_INT(rest->now[WAIT_KIND_IDLE], 0);
        free(rows.items);
        live_sums_release(&sums);
}

TAP_MAIN
