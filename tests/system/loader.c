/* SPDX-License-Identifier: BSD-3-Clause */
/* loader STEP...: does the steps in order.  Used by the tests of libraries that are loaded and unloaded.
 *   load FILE     dlopen; prints the address of its `work`
 *   work MS       calls `work` of the library that was loaded last
 *   close         dlclose
 *   unlink FILE   deletes a file
 *   memfd FILE    runs FILE from memory, with the rest of the steps as its arguments */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static void *library;

typedef void work_fn(uint64_t ms);

static work_fn *find_work(void)
{
        work_fn *work;
        void *at = dlsym(library, "work");

        memcpy(&work, &at, sizeof(work));
        return work;
}

static int load(const char *file)
{
        library = dlopen(file, RTLD_NOW);
        if (!library)
                return 3;
        printf("%p\n", dlsym(library, "work"));
        fflush(stdout);
        return 0;
}

static int run_from_memory(const char *file, char **argv)
{
        int from = open(file, O_RDONLY | O_CLOEXEC);
        int to = memfd_create("in-memory", MFD_CLOEXEC);
        struct stat st;

        if (from < 0 || to < 0 || fstat(from, &st))
                return 4;
        while (sendfile(to, from, NULL, (size_t)st.st_size) > 0)
                ;
        fexecve(to, argv, environ);
        return 5;
}

static int step(char ***at)
{
        char **words = *at;

        *at += strcmp(words[0], "close") ? 2 : 1;
        if (!strcmp(words[0], "load"))
                return load(words[1]);
        if (!strcmp(words[0], "work"))
                find_work()(ms_of(words[1]));
        else if (!strcmp(words[0], "close"))
                return dlclose(library);
        else if (!strcmp(words[0], "unlink"))
                return unlink(words[1]);
        else if (!strcmp(words[0], "memfd"))
                return run_from_memory(words[1], words + 1);
        else
                return 2;
        return 0;
}

int main(int argc, char **argv)
{
        char **at = argv + 1;
        int status = 0;

        while (at < argv + argc && !status)
                status = step(&at);
        return status;
}
