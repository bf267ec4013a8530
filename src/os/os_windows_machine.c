/* SPDX-License-Identifier: BSD-3-Clause */
/* What os.h tells of the machine that os_windows.c does not. */
#include <windows.h>

#include "os.h"

unsigned os_usable_cpus(void)
{
        DWORD_PTR own = 0, system = 0;

        if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &system) || !own)
                return 1;
        return (unsigned)__builtin_popcountll((unsigned long long)own);
}

bool os_boot_id(struct buf *out)
{
        return false;
}
