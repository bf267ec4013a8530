/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of AArch64's instructions, as gas writes them. */
#include <inttypes.h>
#include <string.h>

#include "disasm_form.h"
#include "tap.h"

struct row {
        uint32_t word;
        int64_t number;
        const char *text;
};

static const struct row rows[] = {
        {0x12001c20, 0xff, "and w0, w1, #0xff"},
        {0x12000c20, 0xf, "and w0, w1, #0xf"},
        {0x92401c20, 0xff, "and x0, x1, #0xff"},
        {0x531d7020, 3, "lsl w0, w1, #3"},
        {0x531c6c20, 4, "lsl w0, w1, #4"},
        {0xd37df020, 3, "lsl x0, x1, #3"},
        {0x53047c20, 4, "lsr w0, w1, #4"},
        {0x9344fc20, 4, "asr x0, x1, #4"},
        {0x12800020, -2, "mov w0, #-2"},
        {0x92800040, -3, "mov x0, #-3"},
        {0x52a00020, 65536, "mov w0, #65536"},
        {0x52800020, 1, "mov w0, #1"},
        {0x7100041f, 1, "cmp w0, #1"},
        {0x7140041f, 4096, "cmp w0, #4096"},
        {0xb9401001, 16, "ldr w1, [x0, #16]"},
        {0x3dc00401, 16, "ldr q1, [x0, #16]"},
        {0xb85f8001, -8, "ldur w1, [x0, #-8]"},
        {0xa97f0440, -16, "ldp x0, x1, [x2, #-16]"},
        {0x6d7f0440, -16, "ldp d0, d1, [x2, #-16]"},
        {0xb6080000, 33, "tbz x0, #33"},
        {0x7a451800, 5, "ccmp w0, #5, #0, ne"},
};

TEST(numbers_are_those_of_the_text)
{
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                struct disasm_form form;

                disasm_form_get(DISASM_AARCH64, (const uint8_t *)&rows[i].word, 4, true, &form);
                if (!form.has_number || form.is_encoded || form.number != rows[i].number)
                        TAP_FAIL("%s has %" PRId64, rows[i].text, form.number);
        }
}

/* ubfx w0, w1, #3, #4 and fmov d0, #1.0: only whether the number is the same is known. */
TEST(some_numbers_only_tell_apart)
{
        static const uint32_t words[] = {0x53031820, 0x1e6e1000};

        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                struct disasm_form form;

                disasm_form_get(DISASM_AARCH64, (const uint8_t *)&words[i], 4, true, &form);
                EXPECT_TRUE(form.has_number && form.is_encoded);
        }
}

TAP_MAIN
