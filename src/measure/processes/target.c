/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

#include "os.h"

#define KILL_AFTER_NS UINT64_C(2000000000)
enum { STEP_MS = 100 };

char *const *target_command_argv(const struct target *target)
{
        return target->argv ? target->argv : target->until;
}

void target_end_command(const struct target_command *command, void *ctx)
{
        uint64_t start_ns = os_monotonic_ns();
        bool forced = false;

        command->stop(ctx, false);
        while (command->runs(ctx)) {
                command->wait_ms(ctx, STEP_MS);
                if (forced || os_monotonic_ns() - start_ns <= KILL_AFTER_NS)
                        continue;
                command->stop(ctx, true);
                forced = true;
        }
}
