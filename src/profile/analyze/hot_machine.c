/* SPDX-License-Identifier: BSD-3-Clause */
/* What executes the code of samples. */
#include <assert.h>
#include <stdlib.h>

#include "hot.h"
#include "map.h"

static const char *const texts[EXEC_N_MACHINES] = {
        [EXEC_UNKNOWN] = "",    [EXEC_ARM] = "ARM",
        [EXEC_ARM64] = "ARM64", [EXEC_ARM64EC] = "ARM64EC",
        [EXEC_X64] = "x64",     [EXEC_X64_EMULATED] = "x64 emulated",
        [EXEC_X86] = "x86",     [EXEC_X86_EMULATED] = "x86 emulated",
};

const char *hot_machine_text(enum exec_machine machine)
{
        assert(machine < N_ELEMENTS(texts));
        return texts[machine];
}

struct hot_emulation hot_get_emulation(const struct hot *hot, uint32_t event, uint64_t total_weight,
                                       const struct place_modules *modules)
{
        struct hot_emulation ret = {.module = MODULE_NONE};
        uint64_t most = 0;
        AUTO_RELEASE(map) weights = {0}; /* of each module */

        for (size_t i = 0; total_weight && i < hot_n_pcs(hot); i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);
                enum exec_machine machine;
                uint64_t *weight;

                if (pc->event != event || pc->module == MODULE_NONE)
                        continue;
                machine = modules->machine(modules->ctx, pc->module, pc->addr);
                if (machine != EXEC_X64_EMULATED && machine != EXEC_X86_EMULATED)
                        continue;
                *(machine == EXEC_X64_EMULATED ? &ret.x64 : &ret.x86) +=
                        (double)pc->weight / (double)total_weight;
                weight = map_put(&weights, pc->module, NULL);
                *weight += pc->weight;
                if (*weight > most) {
                        most = *weight;
                        ret.module = pc->module;
                }
        }
        return ret;
}
