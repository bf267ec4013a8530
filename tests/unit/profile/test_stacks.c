/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains of samples: contexts, places by the maps at their time, and which stacks are merged. */
#include "stacks.h"

#include <string.h>

#include "buf.h"
#include "map.h"
#include "replayed_world.h"
#include "tap.h"
#include "text.h"

static struct world *world_of_two(void)
{
        struct world *w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_kernel_mmap(&b, 0xffffffff80000000, 0x1000000, 0xffffffff80000000, "[kernel.kallsyms]_text");
        for (int32_t pid = 10; pid <= 11; pid++) {
                builder_comm(&b, 0, pid, pid, pid == 10 ? "ten" : "eleven", true);
                builder_mmap(&b, 0, pid, 0x401000, 0x1000, 0x1000, "/bin/a");
                builder_mmap(&b, 0, pid, 0x7f0000, 0x10000, 0, "/lib/b.so");
        }
        replay(w, &b);
        builder_release(&b);
        return w;
}

/* `words` are the chain, as the file has them. */
static struct sample sample_of(int32_t pid, const uint64_t *words, size_t n)
{
        return (struct sample){
                .pid = pid,
                .tid = pid,
                .misc = PERF_MISC_USER,
                .n_chain = n,
                .chain = cursor_make((const uint8_t *)words, n * sizeof(*words)),
        };
}

/* As a reader does. */
static void add(struct stacks *stacks, struct world *w, uint32_t event, const struct sample *sample)
{
        EXPECT_TRUE(stacks_can_add_chain(sample));
        stacks_add_chain(stacks, w, event, sample, 10);
}

/* "b.so+42 < a+1000", innermost first */
static void show_path(const struct stacks *stacks, const struct world *w, uint32_t node, struct buf *out)
{
        for (; node != STACKS_NONE; node = stacks_get_node(stacks, node)->parent) {
                const struct code_place *at = stacks_place_of(stacks, node);
                const struct module *m = at->module == MODULE_NONE ? NULL : world_get_module(w, at->module);

                buf_printf(out, "%s+%llx%s%s", m ? text_base_name(world_text(w, m->path)) : "none",
                           (unsigned long long)at->offset, at->is_kernel ? " (kernel)" : "",
                           stacks_get_node(stacks, node)->parent == STACKS_NONE ? "" : " < ");
        }
}

/* "EVENT COMM COUNT: PATH" of each series and node. */
static void show_stacks(struct stacks *stacks, struct world *w, struct buf *out)
{
        stacks_finish(stacks, w);
        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                const struct stack_series *s = stacks_get_series(stacks, i);

                for (size_t k = 0; k < s->n_ends; k++) {
                        EXPECT_INT(s->ends[k].weight, 10 * s->ends[k].count);
                        buf_printf(out, "%u %s %llu: ", s->event, world_text(w, s->comm),
                                   (unsigned long long)s->ends[k].count);
                        show_path(stacks, w, s->ends[k].node, out);
                        buf_add_char(out, '\n');
                }
        }
}

static void expect_stacks(struct stacks *stacks, struct world *w, const char *text)
{
        AUTO_RELEASE(buf) out = {0};

        show_stacks(stacks, w, &out);
        EXPECT_STR(buf_text(&out), text);
}

TEST(callers_are_looked_up_before_where_they_return_to)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        /* The call is the last instruction at the end of the first mapping. */
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x7f0042, 0x402000, 0x401010};
        struct sample sample = sample_of(10, chain, 4);

        add(stacks, w, 0, &sample);
        add(stacks, w, 0, &sample);
        expect_stacks(stacks, w, "0 ten 2: b.so+42 < a+1fff < a+100f\n");
        EXPECT_INT(stacks_n_nodes(stacks), 3);
}

TEST(contexts)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff80000123, 0xffffffff80000456,
                                  PERF_CONTEXT_USER,   0x401010,           0x401020};
        const uint64_t deferred[] = {PERF_CONTEXT_KERNEL, 0xffffffff80000123, PERF_CONTEXT_USER_DEFERRED, 77};
        const uint64_t unknown[] = {(uint64_t)-4000, 0x401010};
        struct sample sample = sample_of(10, chain, 6);

        add(stacks, w, 0, &sample);
        sample = sample_of(10, deferred, 4);
        add(stacks, w, 1, &sample);
        sample = sample_of(10, unknown, 2);
        add(stacks, w, 2, &sample);
        expect_stacks(
                stacks, w,
                "0 ten 1: [kernel.kallsyms]+ffffffff80000123 (kernel) < [kernel.kallsyms]+ffffffff80000455 "
                "(kernel) < a+1010 < a+101f\n"
                "1 ten 1: [kernel.kallsyms]+ffffffff80000123 (kernel)\n"
                "2 ten 1: a+1010\n");
}

TEST(chains_are_told_apart_by_every_word_and_its_place)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t ab[] = {0x401010, 0x401020, 0x401030}, ba[] = {0x401020, 0x401010, 0x401030};
        const uint64_t abc[] = {0x401010, 0x401020, 0x401031};
        struct sample samples[] = {sample_of(10, ab, 2), sample_of(10, ba, 2), sample_of(10, ab, 3),
                                   sample_of(10, abc, 3), sample_of(10, ab, 3)};

        samples[4].ip = 0x401014;
        for (int round = 0; round < 2; round++) {
                for (size_t i = 0; i < N_ELEMENTS(samples); i++)
                        add(stacks, w, 0, &samples[i]);
        }
        expect_stacks(
                stacks, w,
                "0 ten 2: a+1010 < a+101f\n0 ten 2: a+1020 < a+100f\n0 ten 2: a+1010 < a+101f < a+102f\n"
                "0 ten 2: a+1010 < a+101f < a+1030\n0 ten 2: a+1014 < a+101f < a+102f\n");
}

TEST(equal_stacks_of_processes_share_nodes_but_not_samples)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x7f0042, 0x401010};
        struct sample one = sample_of(10, chain, 3), other = sample_of(11, chain, 3);

        for (int i = 0; i < 3; i++)
                add(stacks, w, 0, &one);
        add(stacks, w, 0, &other);
        add(stacks, w, 1, &one);
        expect_stacks(stacks, w,
                      "0 ten 3: b.so+42 < a+100f\n0 eleven 1: b.so+42 < a+100f\n1 ten 1: b.so+42 < a+100f\n");
        EXPECT_INT(stacks_n_nodes(stacks), 2);
}

TEST(the_same_addresses_after_other_maps_are_other_places)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401010, 0x7f0042};
        struct sample sample = sample_of(10, chain, 3);
        struct session_builder b;

        add(stacks, w, 0, &sample);
        builder_init(&b);
        builder_mmap(&b, 1, 10, 0x401000, 0x1000, 0x5000, "/bin/c");
        stacks_catch_up(stacks, w);
        replay(w, &b);
        add(stacks, w, 0, &sample);
        add(stacks, w, 0, &sample);
        expect_stacks(stacks, w, "0 ten 1: a+1010 < b.so+41\n0 ten 2: c+5010 < b.so+41\n");
        builder_release(&b);
}

/* Only a caller that has a caller itself may lose its own place to another one. */
TEST(callers_share_a_place)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t first[] = {0x401010, 0x401021, 0x401041}, second[] = {0x401010, 0x401031, 0x401041};
        const uint64_t alone[] = {0x401030}, as_root[] = {0x401010, 0x401031};
        struct sample samples[] = {sample_of(10, first, 3), sample_of(10, second, 3), sample_of(10, alone, 1),
                                   sample_of(10, as_root, 2)};

        add(stacks, w, 0, &samples[0]);
        add(stacks, w, 0, &samples[1]);
        stacks_catch_up(stacks, w);
        EXPECT_INT(stacks_n_places(stacks), 4);
        EXPECT_INT(stacks_n_nodes(stacks), 5);
        stacks_share_place(stacks, 3, 1); /* a+1030 is in the function of a+1020 */
        samples[1].ip = 0x401014;         /* a stack that was not seen before */
        for (size_t i = 1; i < N_ELEMENTS(samples); i++)
                add(stacks, w, 0, &samples[i]);
        expect_stacks(stacks, w,
                      "0 ten 1: a+1010 < a+1020 < a+1040\n0 ten 1: a+1010 < a+1030 < a+1040\n"
                      "0 ten 1: a+1014 < a+1020 < a+1040\n0 ten 1: a+1030\n0 ten 1: a+1010 < a+1030\n");
}

TEST(code_that_is_mapped_late_is_found_then)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x900010};
        struct sample sample = sample_of(10, chain, 2);
        struct session_builder b;

        add(stacks, w, 0, &sample);
        builder_init(&b);
        builder_mmap(&b, 1, 10, 0x900000, 0x1000, 0, "/lib/late.so");
        stacks_catch_up(stacks, w);
        replay(w, &b);
        add(stacks, w, 0, &sample);
        expect_stacks(stacks, w, "0 ten 1: none+900010\n0 ten 1: late.so+10\n");
        builder_release(&b);
}

static void add_frames(struct stacks *stacks, struct world *w, const struct sample *sample)
{
        static struct stack_frame frames[STACKS_MAX_FRAMES + 1];
        bool is_cut = false, has_user = false;
        size_t n = stack_frames_of_chain(sample, frames, &is_cut, &has_user);

        if (!n)
                frames[n++] = stack_frame_of_sample(sample);
        stacks_add(stacks, w, 0, sample, frames, n, 1, 10);
}

/* Chains of few words, so that many have ends, marks and whole contexts in common; compared with adding
 * each frame separately. */
TEST(chains_give_the_stacks_that_their_frames_give)
{
        const uint64_t marks[] = {PERF_CONTEXT_USER, PERF_CONTEXT_KERNEL, PERF_CONTEXT_GUEST_USER,
                                  PERF_CONTEXT_USER_DEFERRED};
        AUTO(world) w = world_of_two();
        AUTO(stacks) by_chain = stacks_new(false);
        AUTO(stacks) by_frames = stacks_new(false);
        AUTO_RELEASE(buf) chains = {0};
        AUTO_RELEASE(buf) frames = {0};
        uint64_t random = 1;

        for (int i = 0; i < 60000; i++) {
                uint64_t words[10], n = 1 + map_mix_fixed(random++) % 10, bits = map_mix_fixed(random++);
                struct sample sample = sample_of(10 + (int32_t)(bits % 16 == 0), words, n);

                for (size_t k = 0; k < n; k++) {
                        uint64_t choice = map_mix_fixed(random++);

                        words[k] = choice % 8 ? 0x401010 + choice / 8 % 3
                                              : marks[choice / 8 % N_ELEMENTS(marks)];
                        if (bits & 32)
                                words[k] = __builtin_bswap64(words[k]);
                }
                sample.chain.swap = bits & 32;
                sample.misc = bits & 64 ? PERF_MISC_KERNEL : PERF_MISC_USER;
                sample.ip = bits & 128 ? 0x401012 : 0;
                add(by_chain, w, 0, &sample);
                add_frames(by_frames, w, &sample);
        }
        show_stacks(by_chain, w, &chains);
        show_stacks(by_frames, w, &frames);
        EXPECT_TRUE(!strcmp(buf_text(&chains), buf_text(&frames)));
}

/* Then chains that seldom repeat are not searched any more. */
TEST(chains_that_never_come_again_are_counted_too)
{
        enum { N = 20000 };
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        uint64_t n = 0;

        for (uint64_t i = 0; i < N; i++) {
                const uint64_t chain[] = {0x401010, 0x401020 + i % 64 * 2, 0x401100 + i / 64 % 64 * 2,
                                          0x401200 + i / 4096 * 2, 0x401300};
                struct sample sample = sample_of(10, chain, 5);

                add(stacks, w, 0, &sample);
                if (i != 64)
                        continue;
                stacks_catch_up(stacks, w);
                stacks_share_place(stacks, 3, 3);
        }
        stacks_finish(stacks, w);
        EXPECT_INT(stacks_n_series(stacks), 1);
        for (size_t i = 0; i < stacks_get_series(stacks, 0)->n_ends; i++)
                n += stacks_get_series(stacks, 0)->ends[i].count;
        EXPECT_INT(n, N);
        EXPECT_INT(stacks_get_series(stacks, 0)->n_ends, N);
}

TEST(a_chain_that_is_too_long_is_cut)
{
        static struct stack_frame frames[STACKS_MAX_FRAMES];
        static uint64_t chain[STACKS_MAX_FRAMES + 2];
        struct sample sample = sample_of(10, chain, STACKS_MAX_FRAMES + 1);
        bool is_cut = false, has_user = false;

        chain[0] = PERF_CONTEXT_USER;
        for (size_t i = 1; i < STACKS_MAX_FRAMES + 2; i++)
                chain[i] = 0x401000 + i % 16;
        EXPECT_INT(stack_frames_of_chain(&sample, frames, &is_cut, &has_user), STACKS_MAX_FRAMES);
        EXPECT_TRUE(!is_cut && has_user);
        sample = sample_of(10, chain, STACKS_MAX_FRAMES + 2);
        EXPECT_INT(stack_frames_of_chain(&sample, frames, &is_cut, &has_user), STACKS_MAX_FRAMES);
        EXPECT_TRUE(is_cut);
}

TEST(a_cut_stack_is_marked)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        struct stack_frame frames[3] = {{0x401010, PERF_MISC_USER, false}, {0x401020, PERF_MISC_USER, true}};
        struct sample sample = sample_of(10, NULL, 0);

        stacks_add(stacks, w, 0, &sample, frames, 2, 1, 10);
        ASSERT_CMP(stack_frames_mark_cut(frames, 2), ==, 3);
        stacks_add(stacks, w, 0, &sample, frames, 3, 1, 10);
        expect_stacks(stacks, w, "0 ten 1: a+1010 < a+101f\n0 ten 1: a+1010 < a+101f < none+0\n");
        EXPECT_TRUE(stacks_place_of(stacks, 2)->is_cut && !stacks_place_of(stacks, 0)->is_cut);
}

TEST(the_first_frame_is_where_the_sample_says)
{
        static struct stack_frame frames[STACKS_MAX_FRAMES];
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401014, 0x401080};
        struct sample sample = sample_of(10, chain, 3);
        bool is_cut = false, has_user = false;

        sample.ip = 0x401010;
        ASSERT_CMP(stack_frames_of_chain(&sample, frames, &is_cut, &has_user), ==, 2);
        EXPECT_INT(frames[0].addr, 0x401010);
        EXPECT_INT(frames[1].addr, 0x401080);
        sample.misc = PERF_MISC_KERNEL;
        ASSERT_CMP(stack_frames_of_chain(&sample, frames, &is_cut, &has_user), ==, 2);
        EXPECT_INT(frames[0].addr, 0x401014);
}

TEST(a_sample_without_a_chain_has_no_frames)
{
        static struct stack_frame frames[STACKS_MAX_FRAMES];
        struct sample sample = {.misc = PERF_MISC_USER, .ip = 0x401010};
        bool is_cut = false, has_user = false;

        EXPECT_INT(stack_frames_of_chain(&sample, frames, &is_cut, &has_user), 0);
        EXPECT_TRUE(!is_cut && !has_user);
}

TEST(the_node_of_the_last_sample)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t first[] = {PERF_CONTEXT_USER, 0x401010, 0x401020},
                       second[] = {PERF_CONTEXT_USER, 0x401030};
        struct sample a = sample_of(10, first, 3), b = sample_of(10, second, 2);
        struct stack_frame copied = {0x401040, PERF_MISC_USER, true, true};

        stacks_add_chain(stacks, w, 0, &a, 10);
        EXPECT_INT(stacks_last(stacks, w), 1);
        stacks_add_chain(stacks, w, 0, &b, 10);
        EXPECT_INT(stacks_last(stacks, w), 2);
        stacks_add_chain(stacks, w, 0, &b, 10);
        stacks_add_chain(stacks, w, 0, &a, 10);
        EXPECT_INT(stacks_last(stacks, w), 1);
        stacks_add(stacks, w, 0, &b, &copied, 1, 1, 10);
        EXPECT_INT(stacks_last(stacks, w), 3);
        EXPECT_TRUE(stacks_get_node(stacks, 0)->is_return && !stacks_get_node(stacks, 0)->is_unwound);
        EXPECT_TRUE(!stacks_get_node(stacks, 1)->is_return);
        EXPECT_TRUE(stacks_get_node(stacks, 3)->is_return && stacks_get_node(stacks, 3)->is_unwound);
}

/* Without frame pointers, values in the frame pointer register are arbitrary: callers outside all mappings
 * are merged, those of user code and those of the kernel. */
TEST(strays_are_merged_on_request)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(true);
        const uint64_t one[] = {PERF_CONTEXT_KERNEL,
                                0xffffffff80000123,
                                0xffffffff00000456,
                                PERF_CONTEXT_USER,
                                0x401010,
                                0x900010,
                                0xa00020};
        const uint64_t two[] = {PERF_CONTEXT_KERNEL,
                                0xffffffff80000123,
                                0xffffffff00000789,
                                PERF_CONTEXT_USER,
                                0x401010,
                                0xb00010,
                                0xc00020};
        const uint64_t leaves[] = {PERF_CONTEXT_USER, 0x900010, 0x401020};
        struct sample sample = sample_of(10, one, 7);

        add(stacks, w, 0, &sample);
        sample = sample_of(10, two, 7);
        add(stacks, w, 0, &sample);
        sample = sample_of(10, leaves, 3);
        add(stacks, w, 0, &sample);
        expect_stacks(
                stacks, w,
                "0 ten 2: [kernel.kallsyms]+ffffffff80000123 (kernel) < none+0 (kernel) < a+1010 < none+0 < none+0\n"
                "0 ten 1: none+900010 < a+101f\n");
        EXPECT_INT(stacks_n_nodes(stacks), 7);
        EXPECT_INT(stacks_n_places(stacks), 6);
}

/* More than fit in any table of known stacks, in an order different from their numbers. */
TEST(many_stacks)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        enum { N = 300000, ROUNDS = 3 };
        uint64_t sum = 0;

        for (uint64_t i = 0; i < (uint64_t)N * ROUNDS; i++) {
                uint64_t k = i * 7919 % N;
                const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401000 + k % 500, 0x7f0001 + k / 500};
                struct sample sample = sample_of(10, chain, 3);

                sample.ip = chain[1];
                add(stacks, w, 0, &sample);
        }
        stacks_finish(stacks, w);
        EXPECT_INT(stacks_n_nodes(stacks), N + N / 500);
        ASSERT_CMP(stacks_n_series(stacks), ==, 1);
        for (size_t i = 0; i < stacks_get_series(stacks, 0)->n_ends; i++) {
                uint64_t n = stacks_get_series(stacks, 0)->ends[i].count;

                EXPECT_INT(n, ROUNDS);
                sum += n;
        }
        EXPECT_INT(sum, (uint64_t)N * ROUNDS);
}

/* --- Too little memory --- */

enum { N_MANY = 20000, N_PARTS = 2 };

/* Each sample has its own stack of three frames; every tenth one belongs to the process with a name. */
static void add_many(struct stacks *stacks, struct world *w, uint64_t first)
{
        for (uint64_t i = first; i < first + N_MANY; i++) {
                uint64_t chain[] = {PERF_CONTEXT_USER, 0x401000 + i % 0x1000,
                                    0x7f0000 + map_mix_fixed(i) % 0x10000,
                                    0x7f0000 + map_mix_fixed(i + N_MANY * N_PARTS) % 0x10000};
                struct sample sample = sample_of(i % 10 ? 10 : 11, chain, 4);

                sample.ip = chain[1];
                add(stacks, w, (uint32_t)(i % 3), &sample);
        }
}

/* Ends with the sums of all counts and weights, of each event. */
static void expect_all(const struct stacks *stacks, uint64_t n)
{
        uint64_t counts[3] = {0}, weight = 0;

        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                const struct stack_series *series = stacks_get_series(stacks, i);

                for (size_t k = 0; k < series->n_ends; k++) {
                        counts[series->event] += series->ends[k].count;
                        weight += series->ends[k].weight;
                        EXPECT_CMP(series->ends[k].node, <, stacks_n_nodes(stacks));
                }
        }
        EXPECT_INT(counts[0] + counts[1] + counts[2], n);
        for (size_t i = 0; i < 3; i++)
                EXPECT_TRUE(counts[i] * 3 + 6 >= n && counts[i] * 3 <= n + 6);
        EXPECT_INT(weight, 10 * n);
}

TEST(without_memory_stacks_are_cut_and_no_sample_is_lost)
{
        /* No memory, enough for some of the addresses, for some of the stacks, and for all. */
        static const uint64_t limits[] = {1, 200 << 10, 2 << 20, 64 << 20};
        size_t n_nodes = 0;

        for (size_t i = 0; i < N_ELEMENTS(limits); i++) {
                AUTO(world) w = world_of_two();
                AUTO(stacks) stacks = stacks_new(false);
                struct budget budget;

                budget_init(&budget, limits[i]);
                stacks_set_budget(stacks, &budget);
                add_many(stacks, w, 0);
                stacks_finish(stacks, w);
                expect_all(stacks, N_MANY);
                EXPECT_CMP(stacks_n_nodes(stacks), >, n_nodes);
                n_nodes = stacks_n_nodes(stacks);
                EXPECT_INT(budget_has_left_out(&budget, BUDGET_STACKS), i < 3);
                EXPECT_CMP(budget.used_bytes, <=, budget.limit_bytes);
                stacks_free(TAKE(stacks));
                EXPECT_INT(budget.used_bytes, 0);
                budget_release(&budget);
        }
}

/* "COUNT: PATH" of each node of an event. */
static void expect_series(const struct stacks *stacks, const struct world *w, uint32_t event,
                          const char *text)
{
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                const struct stack_series *s = stacks_get_series(stacks, i);

                for (size_t k = 0; s->event == event && k < s->n_ends; k++) {
                        buf_printf(&out, "%llu: ", (unsigned long long)s->ends[k].count);
                        show_path(stacks, w, s->ends[k].node, &out);
                        buf_add_char(&out, '\n');
                }
        }
        EXPECT_STR(buf_text(&out), text);
}

TEST(stacks_without_callers_keep_their_innermost_frame)
{
        AUTO(world) w = world_of_two();
        AUTO(stacks) stacks = stacks_new(false);
        const uint64_t first[] = {PERF_CONTEXT_USER, 0x7f0042, 0x401010};
        const uint64_t second[] = {PERF_CONTEXT_USER, 0x7f0042, 0x401020};
        struct sample samples[] = {sample_of(10, first, 3), sample_of(10, second, 3)};
        struct budget budget;

        budget_init(&budget, 1 << 20);
        stacks_set_budget(stacks, &budget);
        add(stacks, w, 0, &samples[0]);
        stacks_catch_up(stacks, w);
        /* The rest of the shares is used up by other stacks; addresses may use more. */
        EXPECT_TRUE(budget_take(&budget, BUDGET_STACKS, (1 << 19) - (128 << 10)));
        for (uint64_t i = 0; i < 1000; i++) {
                const uint64_t other[] = {PERF_CONTEXT_USER, 0x7f0042, 0x401001 + i % 32, 0x401001 + i / 32};
                struct sample sample = sample_of(11, other, 4);

                add(stacks, w, 1, &sample);
        }
        add(stacks, w, 0, &samples[0]);
        add(stacks, w, 0, &samples[1]);
        stacks_finish(stacks, w);
        expect_series(stacks, w, 0, "2: b.so+42 < a+100f\n1: b.so+42 < none+0\n");
        stacks_free(TAKE(stacks));
        budget_release(&budget);
}

TEST(parts_without_memory_are_put_together)
{
        AUTO(world) w = world_of_two();
        struct stacks *parts[N_PARTS];
        AUTO(stacks) whole = NULL;
        struct stacks_merge *merge;
        struct budget budget;

        budget_init(&budget, 2 << 20);
        for (size_t i = 0; i < N_PARTS; i++) {
                parts[i] = stacks_new(false);
                stacks_set_budget(parts[i], &budget);
                add_many(parts[i], w, i * N_MANY);
                stacks_finish(parts[i], w);
        }
        merge = stacks_merge_begin(parts, N_PARTS);
        for (size_t i = 0; i < N_PARTS; i++) {
                const struct stacks_mark mark = stacks_get_mark(parts[i]);

                stacks_merge_take(merge, i, &mark);
        }
        whole = stacks_merge_end(merge);
        for (size_t i = 0; i < N_PARTS; i++)
                stacks_free(parts[i]);
        expect_all(whole, N_PARTS * N_MANY);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_STACKS));
        EXPECT_TRUE(budget.used_bytes > 0 && budget.used_bytes <= budget.limit_bytes);
        stacks_free(TAKE(whole));
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TAP_MAIN
