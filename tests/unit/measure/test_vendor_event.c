/* SPDX-License-Identifier: BSD-3-Clause */
/* On a Skylake that libpfm4 is set to, on any CPU. */
#include <stdlib.h>

#include "count_list.h"
#include "count_machines.h"
#include "kernel.h"
#include "tap.h"

static bool count(bool this_machine, const char *events, struct count_list *ret, struct err *err)
{
        const struct count_text text = {.events = events, .dmc = UINT32_MAX};
        struct pmu_source source = memory_sysfs(machine_x86);

        if (this_machine)
                source.find_vendor_event = kernel_pmu_source(NULL).find_vendor_event;
        return count_list_parse(&text, &source, ret, err);
}

TEST(names_of_the_vendor)
{
        static const struct {
                const char *name;
                uint64_t config;
        } cases[] = {
                {"INST_RETIRED.ANY_P", 0xc0},
                {"br_misp_retired.all_branches", 0xc5},
                {"L1D.REPLACEMENT", 0x151},
                {"uops_issued.any.c=1", 0x100010e},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct count_list list = {0};
                struct err err = {0};

                if (!count(true, cases[i].name, &list, &err)) {
                        TAP_FAIL("%s: %s", cases[i].name, err.text);
                        continue;
                }
                EXPECT_INT(list.items[1].event.attr.config, cases[i].config);
                EXPECT_INT(list.items[1].event.attr.type, 4);
                EXPECT_INT(list.items[1].kind, 0);
                count_list_release(&list);
        }
}

TEST(names_that_are_not_the_vendors)
{
        struct count_list list = {0};
        struct err err = {0};

        EXPECT_TRUE(!count(true, "INST_RETIRED.ANY_THING", &list, &err));
        EXPECT_CONTAINS(err.text, "unknown event name: INST_RETIRED.ANY_THING (column 1)");
        EXPECT_TRUE(!count(true, "RETIRED_INSTRUCTIONS", &list, &err));
}

TEST(another_machine_is_not_asked)
{
        struct count_list list = {0};
        struct err err = {0};

        EXPECT_TRUE(!count(false, "INST_RETIRED.ANY_P", &list, &err));
        EXPECT_CONTAINS(err.text, "unknown event name");
}

int main(void)
{
        setenv("LIBPFM_FORCE_PMU", "skl", 1);
        return tap_run_all();
}
