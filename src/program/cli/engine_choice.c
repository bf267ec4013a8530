/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_choice.h"

#include <stddef.h>
#include <string.h>

#include "attributes.h"

bool engine_choice_make(const char *name, bool nonblocking, enum collect_engine *ret, struct err *err)
{
        static const struct {
                const char *name;
                enum collect_engine engine;
        } engines[] = {{"bpf", COLLECT_BPF},
                       {"pace", COLLECT_PACE},
                       {"peek", COLLECT_PEEK},
                       {"ring", COLLECT_RING},
                       {"stop", COLLECT_STOP}};

        *ret = nonblocking ? COLLECT_NONBLOCKING : COLLECT_BEST_ENGINE;
        if (name && nonblocking)
                return err_set(
                        err, ERR_USAGE,
                        "--nonblocking and --engine %s cannot be used together: both choose the engine",
                        name);
        if (!name)
                return true;
        for (size_t i = 0; i < N_ELEMENTS(engines); i++) {
                if (!strcmp(name, engines[i].name)) {
                        *ret = engines[i].engine;
                        return true;
                }
        }
        return err_set(err, ERR_USAGE, "--engine takes bpf, pace, peek, ring or stop, not '%s'", name);
}
