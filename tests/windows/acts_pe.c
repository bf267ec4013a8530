/* SPDX-License-Identifier: BSD-3-Clause */
/* What a test asks of a program that is measured.  Usage: acts ACTION [ARG]...
 *   args ARG...     prints each argument as UTF-8 in hexadecimal, one a line
 *   exit N          ends with status N
 *   cpus            prints the CPUs that it may run on, as a mask
 *   spin MS         uses the CPU for this long
 *   wait FILE       prints "ready" and its process id, and uses the CPU until FILE exists
 *   load DLL N      loads the DLL, calls its function work, and unloads it, N times, with other work in
 *                   between */
#include "outline.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

static OUTLINE void own_work(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink += i;
}

static void spin(unsigned ms)
{
        ULONGLONG begin = GetTickCount64();

        while (GetTickCount64() - begin < ms)
                own_work(100000);
}

static int show_args(int argc, wchar_t **argv)
{
        for (int i = 2; i < argc; i++) {
                unsigned char text[4096];
                int n = WideCharToMultiByte(CP_UTF8, 0, argv[i], -1, (char *)text, sizeof(text), NULL, NULL);

                for (int k = 0; k + 1 < n; k++)
                        printf("%02x", text[k]);
                printf("\n");
        }
        return 0;
}

static int wait_for(const wchar_t *path)
{
        printf("ready %lu\n", GetCurrentProcessId());
        fflush(stdout);
        while (GetFileAttributesW(path) == INVALID_FILE_ATTRIBUTES)
                own_work(1000000);
        return 0;
}

static int load(const wchar_t *path, int n)
{
        for (int i = 0; i < n; i++) {
                HMODULE library = LoadLibraryW(path);
                FARPROC address = library ? GetProcAddress(library, "part_work") : NULL;
                void (*work)(unsigned ms);

                if (!address)
                        return 9;
                memcpy(&work, &address, sizeof(work));
                work(800);
                FreeLibrary(library);
                spin(500);
        }
        return 0;
}

static int show_mask(void)
{
        DWORD_PTR own, all;

        GetProcessAffinityMask(GetCurrentProcess(), &own, &all);
        printf("%llx\n", (unsigned long long)own);
        return 0;
}

int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
        const wchar_t *action = argc > 1 ? argv[1] : L"";

        if (!wcscmp(action, L"args"))
                return show_args(argc, argv);
        if (!wcscmp(action, L"cpus"))
                return show_mask();
        if (!wcscmp(action, L"exit") && argc > 2)
                return _wtoi(argv[2]);
        if (!wcscmp(action, L"spin") && argc > 2)
                spin((unsigned)_wtoi(argv[2]));
        else if (!wcscmp(action, L"wait") && argc > 2)
                return wait_for(argv[2]);
        else if (!wcscmp(action, L"load") && argc > 3)
                return load(argv[2], _wtoi(argv[3]));
        return 0;
}
