/* SPDX-License-Identifier: BSD-3-Clause */
/* Old values remain on the stack, also pointers into functions that have returned. So only those words are
 * looked at in which functions save registers. */
#include "stop_fit.h"

enum {
        WORD = 8,
/* On x86-64 a function first pushes the registers that it saves, below its return address.  Elsewhere
 * they may be anywhere in the frame. */
#if defined(__x86_64__)
        SAVED_BYTES = 7 * WORD,
#else
        SAVED_BYTES = 1 << 20,
#endif
};

void stop_fit_begin(struct stop_fit *fit, const struct sample *sample)
{
        *fit = (struct stop_fit){sample->regs_user, sample->stack_user};
}

static bool has_pointer(struct cursor words, uint64_t start, uint64_t end)
{
        while (cursor_left(&words) >= WORD) {
                if (cursor_u64(&words) - start < end - start)
                        return true;
        }
        return false;
}

/* Looks at the words of the stack from offset `from` to offset `to`. */
static bool has_in_stack(const struct stop_fit *fit, uint64_t from, uint64_t to, uint64_t start, uint64_t end)
{
        uint64_t size = cursor_left(&fit->stack);

        to = to < size ? to : size;
        return from < to &&
               has_pointer(cursor_sub(&fit->stack, cursor_pos(&fit->stack) + from, to - from), start, end);
}

bool stop_fit_has(const struct stop_fit *fit, const struct unwind_frame *frames, size_t n, size_t eval,
                  uint64_t start, uint64_t end)
{
        uint64_t sp = frames[0].sp, eval_end = eval + 1 < n ? frames[eval + 1].sp - sp : UINT64_MAX;

        if (has_pointer(fit->regs, start, end))
                return true;
        for (size_t i = 0; i < eval; i++) {
                uint64_t from = frames[i].sp - sp, to = frames[i + 1].sp - sp;

                if (to - from > SAVED_BYTES)
                        from = to - SAVED_BYTES;
                if (has_in_stack(fit, from, to, start, end))
                        return true;
        }
        return has_in_stack(fit, frames[eval].sp - sp, eval_end, start, end);
}
