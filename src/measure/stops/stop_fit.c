/* SPDX-License-Identifier: BSD-3-Clause */
#include "stop_fit.h"

void stop_fit_begin(struct stop_fit *fit, const struct sample *sample)
{
        *fit = (struct stop_fit){sample->regs_user, sample->stack_user};
}

static bool has_pointer(struct cursor words, uint64_t size, uint64_t start, uint64_t end)
{
        for (uint64_t at = 0; at + 8 <= size && cursor_left(&words) >= 8; at += 8) {
                if (cursor_u64(&words) - start < end - start)
                        return true;
        }
        return false;
}

bool stop_fit_has(const struct stop_fit *fit, uint64_t size, uint64_t start, uint64_t end)
{
        return has_pointer(fit->regs, UINT64_MAX - 8, start, end) ||
               has_pointer(fit->stack, size, start, end);
}
