/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows numbers CPUs within groups of at most 64; wperf numbers them through all groups. */
#include "windows_processes.h"

#include <windows.h>

#include <inttypes.h>

/* False: there is no such CPU. */
static bool find_cpu(uint32_t cpu, uint16_t *ret_group, unsigned *ret_bit)
{
        uint32_t first = 0;

        for (WORD group = 0; group < GetActiveProcessorGroupCount(); group++) {
                uint32_t n = GetActiveProcessorCount(group);

                if (cpu < first + n) {
                        *ret_group = group;
                        *ret_bit = cpu - first;
                        return true;
                }
                first += n;
        }
        return false;
}

bool windows_cpus_choose(const uint32_t *cpus, size_t n, struct windows_cpus *ret, struct err *err)
{
        struct windows_cpus chosen = {0};

        for (size_t i = 0; i < n; i++) {
                uint16_t group;
                unsigned bit;

                if (!find_cpu(cpus[i], &group, &bit))
                        return err_set(err, ERR_USAGE, "no such CPU: %" PRIu32 " (there are 0-%lu)", cpus[i],
                                       GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) - 1);
                if (chosen.mask && group != chosen.group)
                        return err_set(
                                err, ERR_USAGE,
                                "the CPUs of -c are of several processor groups: name CPUs of one group");
                chosen.group = group;
                chosen.mask |= UINT64_C(1) << bit;
        }
        *ret = chosen;
        return true;
}

uint32_t windows_cpus_only(void *process)
{
        DWORD_PTR own, all;
        USHORT groups[4], n = N_ELEMENTS(groups);
        uint32_t first = 0;

        if (!GetProcessAffinityMask(process, &own, &all) || !own || own & (own - 1))
                return UINT32_MAX;
        if (!GetProcessGroupAffinity(process, &n, groups))
                groups[0] = 0;
        else if (n != 1)
                return UINT32_MAX;
        for (WORD group = 0; group < groups[0]; group++)
                first += GetActiveProcessorCount(group);
        return first + (uint32_t)__builtin_ctzll(own);
}
