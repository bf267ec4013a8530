/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the machine, for os.h. */
#define _CRT_RAND_S /* for rand_s */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "os.h"

unsigned os_usable_cpus(void)
{
        DWORD_PTR own = 0, system = 0;

        if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &system) || !own)
                return 1;
        return (unsigned)__builtin_popcountll((unsigned long long)own);
}

const char *os_own_program(void)
{
        return NULL;
}

bool os_boot_id(struct buf *out)
{
        return false;
}

bool os_random(void *bytes, size_t size)
{
        for (size_t at = 0; at < size;) {
                size_t n = size - at < sizeof(unsigned) ? size - at : sizeof(unsigned);
                unsigned word;

                if (rand_s(&word))
                        return false;
                memcpy((char *)bytes + at, &word, n);
                at += n;
        }
        return true;
}

const char *os_llvm_advice(void)
{
        return "install LLVM for Windows, and put its folder bin, which has LLVM-C.dll, into PATH";
}

bool os_library_can_open(void)
{
        return true;
}
