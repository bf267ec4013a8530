/* SPDX-License-Identifier: BSD-3-Clause */
#include "hot.h"
#include "quality_view.h"
#include "tap.h"

TEST(the_line_of_a_terminal_says_good_or_poor_first_and_no_zeros)
{
        struct quality q = {.n_samples = 1557, .counted_share = 1, .kernel_share = 0.2};
        AUTO_RELEASE(buf) out = {0};

        quality_add_line(&q, &out);
        EXPECT_STR(buf_text(&out), "quality: good, 1557 samples");
        q.n_unresolved = 4;
        q.python.n_stacks = 1506;
        q.python.n_merged = 1504;
        q.python.n_reasons = 1;
        q.python.reasons[0].count = 2;
        q.python.reasons[0].text = "in start-up";
        buf_clear(&out);
        quality_add_line(&q, &out);
        EXPECT_STR(buf_text(&out),
                   "quality: good, 1557 samples, 4 unresolved, Python 1504/1506 (2 in start-up)");
        q.n_lost = 100;
        buf_clear(&out);
        quality_add_line(&q, &out);
        EXPECT_STR(
                buf_text(&out),
                "quality: poor, 6.04 % of the samples were lost: lower the rate with -F; 1557 samples, 100 lost "
                "(6.04 %), 4 unresolved, Python 1504/1506 (2 in start-up)");
}

TEST(good_profile_is_told_in_one_line)
{
        struct quality q = {.n_samples = 4980, .n_unresolved = 12, .kernel_share = -1, .counted_share = 1};
        AUTO_RELEASE(buf) out = {0};

        quality_add_text(&q, &out);
        EXPECT_STR(buf_text(&out),
                   "quality: 4980 samples, 0 lost, 0 throttled, 12 unresolved (0.24 %), 0 cut stacks");
        EXPECT_TRUE(!quality_is_poor(&q));
}

TEST(a_number_of_lost_samples_may_be_an_estimate)
{
        struct quality q = {.n_samples = 88,
                            .n_lost = 12,
                            .lost_is_estimate = true,
                            .kernel_share = -1,
                            .counted_share = 1};
        AUTO_RELEASE(buf) out = {0};

        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "quality: 88 samples, about 12 lost (12.00 %), ");
        q.n_lost = 0;
        buf_clear(&out);
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "quality: 88 samples, 0 lost, ");
}

TEST(kernel_share_names_the_way_out)
{
        struct quality q = {.n_samples = 10, .kernel_share = 0.58, .counted_share = 1};
        AUTO_RELEASE(buf) out = {0};

        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "58 % of the CPU time was in the kernel; add -k");
        q.kernel_is_denied = true;
        buf_clear(&out);
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        "58 % of the CPU time was in the kernel; to sample it, -k needs root or CAP_PERFMON");
        q.kernel_share = 0.01;
        EXPECT_TRUE(!quality_kernel_matters(&q));
}

TEST(short_copies_name_the_way_out)
{
        struct quality q = {.n_samples = 10,
                            .kernel_share = -1,
                            .counted_share = 1,
                            .cut_by = {[QUALITY_CUT_COPY] = 2},
                            .longer_copies = "--call-graph unwind,65528"};
        AUTO_RELEASE(buf) out = {0};

        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), ", 0 cut stacks");
        EXPECT_TRUE(!strstr(buf_text(&out), "unwind"));
        q.n_cut_stacks = 2;
        buf_clear(&out);
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        ", 2 cut stacks (too little of the stack was copied: --call-graph unwind,65528)");
}

static const char *line_of(const struct quality *q, struct buf *out)
{
        buf_clear(out);
        quality_add_text(q, out);
        return buf_text(out);
}

TEST(reasons_of_cut_stacks_have_numbers_where_there_are_more)
{
        struct quality q = {.n_samples = 10, .kernel_share = -1, .counted_share = 1, .n_cut_stacks = 7};
        AUTO_RELEASE(buf) out = {0};

        EXPECT_CONTAINS(line_of(&q, &out), ", 7 cut stacks");
        EXPECT_TRUE(!strchr(buf_text(&out), '('));
        q.cut_by[QUALITY_CUT_DEPTH] = 3;
        q.cut_by[QUALITY_CUT_32BIT] = 4;
        q.max_frames = 8000;
        EXPECT_CONTAINS(line_of(&q, &out),
                        ", 7 cut stacks (4: 32-bit code is not unwound; 3: deeper than 8000 frames)");
        /* Of other samples too. */
        q.n_cut_stacks = 5;
        EXPECT_CONTAINS(line_of(&q, &out),
                        ", 5 cut stacks (32-bit code is not unwound; deeper than 8000 frames)");
        q.cut_by[QUALITY_CUT_DEPTH] = q.cut_by[QUALITY_CUT_32BIT] = 0;
        q.cut_by[QUALITY_CUT_COPY] = 5;
        EXPECT_CONTAINS(line_of(&q, &out), ", 5 cut stacks (the stack is larger than the largest copy)");
        EXPECT_TRUE(!strstr(buf_text(&out), "--call-graph"));
}

TEST(the_line_has_the_most_frequent_causes)
{
        struct quality q = {.n_samples = 100, .kernel_share = -1, .counted_share = 1, .n_cut_stacks = 15};
        AUTO_RELEASE(buf) out = {0};

        q.cut_by[QUALITY_CUT_CODE] = 3;
        q.cut_by[QUALITY_CUT_NO_MODULE] = 7;
        q.cut_by[QUALITY_CUT_MALFORMED_CFI] = 5;
        EXPECT_CONTAINS(
                line_of(&q, &out),
                ", 15 cut stacks (7: an address is outside all mapped modules; 5: malformed call-frame information; "
                "3: code without call-frame information)");
        q.n_cut_stacks = 18;
        q.cut_by[QUALITY_CUT_UNREADABLE] = 2;
        q.cut_by[QUALITY_CUT_ENDLESS] = 1;
        EXPECT_CONTAINS(line_of(&q, &out), "; 3: code without call-frame information; 3: other causes)");
        q.n_cut_stacks = 10;
        EXPECT_CONTAINS(
                line_of(&q, &out),
                ", 10 cut stacks (an address is outside all mapped modules; malformed call-frame information; code "
                "without call-frame information; other causes)");
}

TEST(causes_have_words_of_their_own)
{
        for (enum quality_cut i = 0; i < QUALITY_N_CUTS; i++) {
                ASSERT_TRUE(quality_cut_key(i));
                for (enum quality_cut k = 0; k < i; k++)
                        EXPECT_CMP(strcmp(quality_cut_key(i), quality_cut_key(k)), !=, 0);
        }
}

TEST(frames_read_while_their_threads_ran_are_marked)
{
        struct quality q = {.n_samples = 10,
                            .kernel_share = -1,
                            .counted_share = 1,
                            .python = {.n_stacks = 9, .n_merged = 9}};
        AUTO_RELEASE(buf) out = {0};

        EXPECT_TRUE(!strstr(line_of(&q, &out), "approximate"));
        q.python.is_approximate = true;
        EXPECT_CONTAINS(line_of(&q, &out), ", python: 9 of 9 merged (approximate)");
}

TEST(stacks_that_were_not_looked_at_are_not_whole)
{
        struct quality q = {.n_samples = 10, .kernel_share = -1, .counted_share = 1, .not_unwound = true};
        AUTO_RELEASE(buf) out = {0};

        EXPECT_CONTAINS(line_of(&q, &out), ", stacks not unwound (wperf report -g unwinds them)");
        EXPECT_TRUE(!strstr(buf_text(&out), "cut stacks"));
        q.not_unwound = false;
        q.n_unjudged = 3;
        EXPECT_CONTAINS(
                line_of(&q, &out),
                ", 0 cut stacks, 3 stacks not checked for cuts (they end in files that can't be read)");
}

TEST(a_delay_is_told_and_is_not_poor)
{
        struct quality q = {.n_samples = 10, .kernel_share = -1, .counted_share = 1, .off_share = 0.84};
        AUTO_RELEASE(buf) out = {0};

        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "0 cut stacks, events off 84 % of the time");
        EXPECT_TRUE(!quality_is_poor(&q));
}

TEST(time_that_was_not_sampled_is_told)
{
        struct quality q = {.n_samples = 18, .kernel_share = -1, .counted_share = 1, .knows_sampled = true};
        AUTO_RELEASE(buf) out = {0};

        q.sampled_share = 0.96;
        quality_add_text(&q, &out);
        EXPECT_TRUE(!strstr(buf_text(&out), "was sampled"));
        q.sampled_share = 0.9;
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), ", 90 % of the CPU time was sampled");
        EXPECT_TRUE(!quality_is_poor(&q));
        q.sampled_share = 0.28;
        q.sampled_event = "cycles:u";
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), ", 28 % of the cycles:u events were sampled");
        EXPECT_TRUE(quality_is_poor(&q));
        q.knows_sampled = false;
        EXPECT_TRUE(!quality_is_poor(&q));
        q.not_sampled = "su, mount";
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        ", not sampled: su, mount (a setuid program, or a file that wperf can't read)");
        EXPECT_TRUE(!strstr(buf_text(&out), "privilege"));
        EXPECT_TRUE(quality_is_poor(&q));
        q.unprivileged = "sudo";
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(
                buf_text(&out),
                ", may have run without its privileges: sudo (wperf can't read the file; --engine ring keeps them)");
        EXPECT_TRUE(!strstr(buf_text(&out), "not traced"));
        q.not_traced = "python3.11, daemon";
        quality_add_text(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), ", not traced, so with native stacks: python3.11, daemon (");
}

TEST(lost_samples)
{
        struct quality q = {.n_samples = 1000, .n_lost = 10, .kernel_share = -1, .counted_share = 1};
        AUTO_RELEASE(buf) out = {0}, document = {0};
        struct json json;

        EXPECT_CONTAINS(line_of(&q, &out), ", 10 lost (0.99 %), 0 throttled");
        quality_add_poor(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "poor: 0.99 % of the samples were lost: lower the rate with -F");
        q.remedy = QUALITY_LONGER_INTERVAL;
        quality_add_poor(&q, &out);
        EXPECT_CONTAINS(buf_text(&out), "were lost: sample with a longer interval (-e EVENT:INTERVAL)");
        q.remedy = QUALITY_LOWER_RATE;
        json_init(&json, &document);
        json_begin_object(&json);
        quality_add_json(&q, NULL, &json);
        json_end_object(&json);
        EXPECT_CONTAINS(buf_text(&document), "\"lost\":10,\"throttled\":");
        q.n_lost = 0;
        EXPECT_CONTAINS(line_of(&q, &out), ", 0 lost, 0 throttled");
}

TEST(poor_begins_at_its_limits)
{
        const struct quality good = {.n_samples = 10000, .kernel_share = -1, .counted_share = 1};
        struct quality q = good;

        q.n_lost = 10;
        EXPECT_TRUE(!quality_is_poor(&q));
        q.n_lost = 11;
        EXPECT_TRUE(quality_is_poor(&q));
        q = good;
        q.n_unresolved = 500;
        EXPECT_TRUE(!quality_is_poor(&q));
        q.n_unresolved = 501;
        EXPECT_TRUE(quality_is_poor(&q));
        q = good;
        q.n_cut_stacks = 501;
        EXPECT_TRUE(quality_is_poor(&q));
        q = good;
        q.counted_share = 0.49;
        EXPECT_TRUE(quality_is_poor(&q));
        q = good;
        q.cut_bytes = 1;
        EXPECT_TRUE(quality_is_poor(&q));
        q = good;
        q.unfinished = true;
        EXPECT_TRUE(quality_is_poor(&q));
        q = (struct quality){.counted_share = 1, .n_lost = 1};
        EXPECT_TRUE(quality_is_poor(&q));
}

TEST(what_is_poor_is_said_in_words)
{
        struct quality q = {.n_samples = 1000, .n_unresolved = 50, .kernel_share = -1, .counted_share = 1};
        AUTO_RELEASE(buf) out = {0};

        quality_add_poor(&q, &out);
        EXPECT_STR(buf_text(&out), "");
        q.n_unresolved = 123;
        quality_add_poor(&q, &out);
        EXPECT_STR(buf_text(&out), "poor: 12 % of the samples have no symbol: wperf report -v says why\n");
        q.n_lost = 10;
        q.n_cut_stacks = 500;
        q.counted_share = 0.3;
        q.unfinished = true;
        buf_clear(&out);
        quality_add_poor(&q, &out);
        EXPECT_STR(
                buf_text(&out),
                "poor: 0.99 % of the samples were lost: lower the rate with -F; 12 % of the samples have no symbol: wperf "
                "report -v says why; 50 % of the stacks are cut; an event was counted only 30 % of the "
                "time: measure fewer events at once; the session file is incomplete or damaged\n");
}

TEST(what_gives_names_is_said_with_the_module_that_lacks_most)
{
        static const struct {
                enum quality_namer namer;
                const char *source, *text;
        } cases[] = {
                {QUALITY_NAMER_BUILD, NULL,
                 "poor: 52 % of the samples have no symbol, 44 % in app: build it without "
                 "-s and strip\n"},
                {QUALITY_NAMER_PACKAGE, "app-dbgsym",
                 "poor: 52 % of the samples have no symbol, 44 % in app: apt install "
                 "app-dbgsym, then wperf report\n"},
                {QUALITY_NAMER_SERVER, "https://example.org",
                 "poor: 52 % of the samples have no symbol, 44 % in app: export "
                 "DEBUGINFOD_URLS=https://example.org, then wperf report\n"},
                {QUALITY_NAMER_NONE, NULL,
                 "poor: 52 % of the samples have no symbol, 44 % in app, for which the "
                 "servers of DEBUGINFOD_URLS gave none\n"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct quality q = {.n_samples = 100, .n_unresolved = 52, .counted_share = 1};
                AUTO_RELEASE(buf) out = {0};

                q.nameless = (struct quality_nameless){"/usr/bin/app", 44, cases[i].namer, cases[i].source};
                quality_add_poor(&q, &out);
                EXPECT_STR(buf_text(&out), cases[i].text);
        }
}

TEST(the_module_where_most_stacks_are_cut_is_named)
{
        struct quality q = {.n_samples = 100,
                            .kernel_share = -1,
                            .counted_share = 1,
                            .n_cut_stacks = 12,
                            .cut_module = "libfoo.so",
                            .n_cut_in_module = 9};
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        quality_add_poor(&q, &out);
        EXPECT_STR(buf_text(&out), "poor: 12 % of the stacks are cut, most of them (75 %) in libfoo.so\n");
        q.n_cut_in_module = 3;
        buf_clear(&out);
        quality_add_poor(&q, &out);
        EXPECT_STR(buf_text(&out), "poor: 12 % of the stacks are cut\n");
        json_init(&json, &document);
        json_begin_object(&json);
        quality_add_json(&q, NULL, &json);
        json_end_object(&json);
        EXPECT_CONTAINS(buf_text(&document), "\"cut_module\":{\"module\":\"libfoo.so\",\"stacks\":3}");
        q.n_cut_stacks = 5;
        EXPECT_TRUE(!quality_is_poor(&q));
}

TEST(what_was_not_sampled_or_decoded_is_said_in_words)
{
        struct quality q = {.n_samples = 1000, .kernel_share = -1, .counted_share = 1};
        AUTO_RELEASE(buf) out = {0};

        q.knows_sampled = true;
        q.sampled_share = 0.79;
        q.not_sampled = "su";
        q.aux_bytes = 8;
        q.aux_kind = "Arm SPE";
        q.overblown_bytes = 1;
        EXPECT_TRUE(quality_is_poor(&q));
        quality_add_poor(&q, &out);
        EXPECT_STR(
                buf_text(&out),
                "poor: only 79 % of the CPU time was sampled; the kernel did not allow wperf to sample su; the Arm SPE "
                "trace is not decoded; compressed records were not read: they decompress to more than 4096 times their size\n");
}

TEST(wilson_intervals)
{
        double low, high;

        /* Computed by hand: 5 of 10, 0 of 10, 83 % of 1000. */
        hot_interval(0.5, 10, &low, &high);
        EXPECT_INT(low * 10000 + 0.5, 2366);
        EXPECT_INT(high * 10000 + 0.5, 7634);
        hot_interval(0, 10, &low, &high);
        EXPECT_INT(low * 10000, 0);
        EXPECT_INT(high * 10000 + 0.5, 2775);
        hot_interval(0.83, 1000, &low, &high);
        EXPECT_INT(low * 10000 + 0.5, 8055);
        EXPECT_INT(high * 10000 + 0.5, 8520);
        hot_interval(0.5, 0, &low, &high);
        EXPECT_TRUE(low <= 0 && high >= 1);
}

TAP_MAIN
