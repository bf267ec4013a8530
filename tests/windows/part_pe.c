/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that a program loads later. */
#include "outline.h"

#include <windows.h>

static volatile unsigned sink;

static OUTLINE void part_loop(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink += i * 7;
}

__declspec(dllexport) void part_work(unsigned ms);

void part_work(unsigned ms)
{
        ULONGLONG begin = GetTickCount64();

        while (GetTickCount64() - begin < ms)
                part_loop(100000);
}
