/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware's record of calls, joined with the kernel's chain.  In these tests main (0x1000) calls work
 * (0x2000), which calls leaf (0x3000); a call has 5 bytes. */
#include "unwind_lbr.h"

#include "buf.h"
#include "tap.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
enum { START_CALL = 0x500, MAIN_CALL = 0x1010, WORK_CALL = 0x2010, LEAF_IP = 0x3004, CALL_BYTES = 5 };

static const struct unwind_branch branches[] = {
        {WORK_CALL, 0x3000}, {MAIN_CALL, 0x2000}, {0, 0}, {0x77, 0x88}};

/* "3004 2010c 1010c 505r cut": c is a call's own address, r a return address. */
static void expect(const struct unwind_lbr *lbr, size_t max_frames, const char *want)
{
        AUTO_RELEASE(buf) out = {0};
        struct unwind_frame frames[64];
        struct unwind_walked walked;
        size_t n_by_way = 0;

        unwind_lbr_join(lbr, frames, max_frames, &walked);
        for (size_t i = 0; i < walked.n_frames; i++)
                buf_printf(&out, "%s%llx%s", i ? " " : "", (unsigned long long)frames[i].pc,
                           frames[i].way == UNWIND_WAY_REGS ? ""
                           : frames[i].is_exact             ? "c"
                                                            : "r");
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                n_by_way += walked.n_by_way[i];
        EXPECT_INT(n_by_way, walked.n_frames);
        if (walked.end != UNWIND_END_ZERO)
                buf_printf(&out, " %s", unwind_end_text(walked.end));
        EXPECT_STR(buf_text(&out), want);
}

TEST(calls_stand_in_for_code_without_frame_pointers)
{
        static const uint64_t chain[] = {LEAF_IP, START_CALL + CALL_BYTES};
        struct unwind_lbr lbr = {
                .branches = branches, .n_branches = N(branches), .chain = chain, .n_chain = 1};

        expect(&lbr, 64, "3004 2010c 1010c");
        lbr.n_chain = 2; /* it has a caller, but no room for it */
        expect(&lbr, 64, "3004 2010c 1010c");
        lbr.n_chain = 0;
        expect(&lbr, 64, "3000c 2010c 1010c");
        lbr.n_branches = 0;
        expect(&lbr, 64, "");
}

TEST(the_chain_goes_on_where_hardware_forgot)
{
        static const uint64_t chain[] = {LEAF_IP, WORK_CALL + CALL_BYTES, MAIN_CALL + CALL_BYTES,
                                         START_CALL + CALL_BYTES, 0x42};
        /* work has no frame: its caller is missing */
        static const uint64_t gap[] = {LEAF_IP, MAIN_CALL + CALL_BYTES, START_CALL + CALL_BYTES};
        struct unwind_lbr lbr = {
                .branches = branches, .n_branches = 1, .depth = 1, .chain = chain, .n_chain = N(chain)};

        expect(&lbr, 64, "3004 2010c 1015r 505r 42r");
        lbr.n_branches = lbr.depth = 2;
        lbr.chain = gap;
        lbr.n_chain = N(gap);
        expect(&lbr, 64, "3004 2010c 1010c 505r");
}

TEST(full_hardware_without_a_chain_is_a_cut_stack)
{
        static const uint64_t chain[] = {LEAF_IP, 0xbad};
        struct unwind_lbr lbr = {
                .branches = branches, .n_branches = 2, .depth = 2, .chain = chain, .n_chain = N(chain)};

        expect(&lbr, 64, "3004 2010c 1010c cut");
        lbr.depth = 3;
        expect(&lbr, 64, "3004 2010c 1010c");
        lbr.depth = 0;
        expect(&lbr, 64, "3004 2010c 1010c");
}

/* leaf calls itself from 0x3010: the depth determines which of its entries in the chain is meant. */
TEST(a_function_that_calls_itself_is_matched_by_its_level)
{
        static const struct unwind_branch self[] = {{0x3010, 0x3000}, {0x3010, 0x3000}};
        static const uint64_t chain[] = {LEAF_IP, 0x3015, 0x3015, 0x3015, 0x3015, 0x2015};
        static const uint64_t gap[] = {LEAF_IP, 0x3015, 0x2015};
        static const uint64_t late[] = {LEAF_IP, 0x9, 0x9, 0x3015, 0x2015};
        struct unwind_lbr lbr = {
                .branches = self, .n_branches = 2, .depth = 2, .chain = chain, .n_chain = N(chain)};

        expect(&lbr, 64, "3004 3010c 3010c 3015r 3015r 2015r");
        lbr.chain = gap;
        lbr.n_chain = N(gap);
        expect(&lbr, 64, "3004 3010c 3010c 2015r");
        lbr.chain = late;
        lbr.n_chain = N(late);
        expect(&lbr, 64, "3004 3010c 3010c 2015r");
}

TEST(no_more_frames_than_there_is_room_for)
{
        static const uint64_t chain[] = {LEAF_IP, WORK_CALL + CALL_BYTES, MAIN_CALL + CALL_BYTES, 0x505};
        struct unwind_lbr lbr = {
                .branches = branches, .n_branches = 2, .depth = 32, .chain = chain, .n_chain = N(chain)};

        expect(&lbr, 4, "3004 2010c 1010c 505r");
        expect(&lbr, 3, "3004 2010c 1010c limit");
        expect(&lbr, 0, " limit");
}

TAP_MAIN
