/* SPDX-License-Identifier: BSD-3-Clause */
/* Equal operations: none is lost or counted twice, also if there are more different ones than slots. */
#include "spe_repeats.h"

#include "tap.h"

enum { MANY = 50000, TURNS = 3 };

static struct spe_repeat operation(unsigned number)
{
        return (struct spe_repeat){
                .pc = 0x400000 + 4 * (uint64_t)(number % 1000),
                .events = number / 1000 % 10,
                .tid = (int32_t)(number / 10000),
                .time = number,
        };
}

TEST(equal_ones_are_counted)
{
        struct spe_repeats *r = spe_repeats_new();
        struct spe_repeat one = operation(1), other = operation(2), got;

        EXPECT_TRUE(!spe_repeats_add(r, &one, &got));
        EXPECT_INT(got.n, 0);
        EXPECT_TRUE(!spe_repeats_take(r, &got));
        EXPECT_TRUE(!spe_repeats_add(r, &one, &got));
        one.time = 7;
        EXPECT_TRUE(spe_repeats_add(r, &one, &got));
        EXPECT_TRUE(!spe_repeats_add(r, &other, &got));
        one.time = 9;
        EXPECT_TRUE(spe_repeats_add(r, &one, &got));
        EXPECT_TRUE(spe_repeats_take(r, &got));
        EXPECT_INT(got.n, 2);
        EXPECT_INT(got.time, 9);
        EXPECT_INT(got.pc, one.pc);
        EXPECT_TRUE(!spe_repeats_take(r, &got));
        spe_repeats_free(r);
}

TEST(each_field_makes_a_difference)
{
        const struct spe_repeat base = operation(1);
        struct spe_repeat changed[7] = {base, base, base, base, base, base, base};
        struct spe_repeats *r = spe_repeats_new();
        struct spe_repeat got;

        changed[1].events ^= UINT64_C(1) << 63;
        changed[2].pid++;
        changed[3].tid++;
        changed[4].cpu++;
        changed[5].class_id++;
        changed[6].op_payload++;
        for (unsigned i = 0; i < 7; i++)
                EXPECT_TRUE(!spe_repeats_add(r, &changed[i], &got));
        spe_repeats_free(r);
}

TEST(many_different_ones)
{
        static uint64_t counts[MANY];
        struct spe_repeats *r = spe_repeats_new();
        struct spe_repeat got;
        uint64_t n_left = 0;

        for (unsigned i = 0; i < TURNS * MANY; i++) {
                /* each one twice in a row */
                const struct spe_repeat one = operation(i / 2 % MANY);

                if (spe_repeats_add(r, &one, &got))
                        continue;
                counts[one.time]++;
                n_left += got.n;
                if (got.n)
                        counts[got.time] += got.n;
        }
        EXPECT_CMP(n_left, >, 0);
        while (spe_repeats_take(r, &got))
                counts[got.time] += got.n;
        for (unsigned i = 0; i < MANY; i++)
                EXPECT_INT(counts[i], i < TURNS * MANY / 2 % MANY ? 4 : 2);
        spe_repeats_free(r);
}

TAP_MAIN
