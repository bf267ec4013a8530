/* SPDX-License-Identifier: BSD-3-Clause */
/* Speedscope's JSON: frames that profiles share, stacks from the outside in, and hostile names. */
#include "export_speedscope.h"

#include "export_builder.h"
#include "json_check.h"
#include "tap.h"

TEST(a_profile_of_time)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 40, 4000, PYTHON, MAIN, WORK, ADD);
        ADD_PATH(tree, export_functions, 7, 700, PYTHON, MAIN);
        ADD_PATH(tree, export_functions, 5, 0, PYTHON, CUT, NAMELESS);
        ADD_PATH(tree, export_functions, 1, 100, THREAD, OTHER_MAIN);
        calltree_finish(tree);
        export_speedscope(&(struct export_speedscope_profile){tree, &export_ordinary_about}, 1, &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_STR(
                buf_text(&out),
                "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                "\"name\":\"wperf record -g -- python3 work.py\",\"exporter\":\"wperf 1.2\",\"shared\":{\"frames\":["
                "{\"name\":\"python3\"},"
                "{\"name\":\"main\",\"file\":\"/src/work.c\",\"line\":10},"
                "{\"name\":\"work\",\"file\":\"/src/work.c\",\"line\":20},"
                "{\"name\":\"add (inlined)\",\"file\":\"/src/work.c\",\"line\":30},"
                "{\"name\":\"[cut]\"},"
                "{\"name\":\"[libc.so.6]\",\"file\":\"/usr/lib/libc.so.6\"},"
                "{\"name\":\"Thread 1\"},"
                "{\"name\":\"main\",\"file\":\"/usr/lib/libc.so.6\"}]},"
                "\"profiles\":[{\"type\":\"sampled\",\"name\":\"cpu-clock:u\",\"unit\":\"nanoseconds\","
                "\"startValue\":0,\"endValue\":4800,"
                "\"samples\":[[0,1],[0,1,2,3],[0,4,5],[6,7]],\"weights\":[700,4000,0,100]}]}\n");
}

TEST(events_share_their_frames)
{
        AUTO(calltree) cycles = calltree_new();
        AUTO(calltree) misses = calltree_new();
        const struct export_about about[] = {{.event = "cycles"}, {.event = "cache-misses"}};
        const struct export_speedscope_profile profiles[] = {{cycles, &about[0]}, {misses, &about[1]}};
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(cycles, export_functions, 2, 20, MAIN, WORK);
        ADD_PATH(misses, export_functions, 1, 3, WORK);
        calltree_add(misses, CALLTREE_ROOT, 1, 5);
        ADD_PATH(misses, export_functions, 1, 4, MAIN);
        calltree_finish(cycles);
        calltree_finish(misses);
        export_speedscope(profiles, 2, &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_CONTAINS(buf_text(&out), "\"name\":\"cycles\",\"exporter\":\"\",\"shared\":{\"frames\":["
                                        "{\"name\":\"main\",\"file\":\"/src/work.c\",\"line\":10},"
                                        "{\"name\":\"work\",\"file\":\"/src/work.c\",\"line\":20}]}");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"name\":\"cycles\",\"unit\":\"none\",\"startValue\":0,\"endValue\":20,"
                        "\"samples\":[[0,1]],\"weights\":[20]}");
        EXPECT_CONTAINS(buf_text(&out), "\"name\":\"cache-misses\",\"unit\":\"none\",\"startValue\":0,"
                                        "\"endValue\":12,\"samples\":[[],[0],[1]],\"weights\":[5,4,3]}");
}

TEST(hostile_names_are_one_document)
{
        AUTO(calltree) tree = export_hostile();
        AUTO_RELEASE(buf) out = {0};

        export_speedscope(&(struct export_speedscope_profile){tree, &export_hostile_about}, 1, &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_CONTAINS(buf_text(&out),
                        "\"name\":\"\\\\x1b[31m\\\\x0a\\\\x0d\\\\x09\\\\x01\\\\x7f\\\\xc2\\\\x9b\"");
        EXPECT_TRUE(out.len < 8 * EXPORT_NAME_MAX);
}

TAP_MAIN
