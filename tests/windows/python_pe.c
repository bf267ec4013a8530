/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs fake_python.c.  Usage: python DLL N [THREADS]: loads the DLL after a while, and runs its program N
 * times in each thread */
#include "fake_python.h"
#include "outline.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void run_function(unsigned function, unsigned n);

static run_function *run;
static unsigned n_runs;
static volatile unsigned sink;

static OUTLINE void before_python(void)
{
        ULONGLONG begin = GetTickCount64();

        while (GetTickCount64() - begin < 400)
                sink++;
}

static DWORD WINAPI run_thread(LPVOID ctx)
{
        run(FAKE_MAIN, n_runs);
        return 0;
}

int main(int argc, char **argv)
{
        int n_threads = argc > 3 ? atoi(argv[3]) : 0;
        HANDLE library, threads[8];
        FARPROC address;

        before_python();
        library = LoadLibraryA(argc > 1 ? argv[1] : "python312.dll");
        address = library ? GetProcAddress(library, "fake_run") : NULL;
        if (!address)
                return 9;
        memcpy(&run, &address, sizeof(run));
        n_runs = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
        for (int i = 0; i < n_threads && i < 8; i++)
                threads[i] = CreateThread(NULL, 0, run_thread, NULL, 0, NULL);
        run(FAKE_MAIN, n_runs);
        for (int i = 0; i < n_threads && i < 8; i++)
                WaitForSingleObject(threads[i], INFINITE);
        printf("done\n");
        return 0;
}
