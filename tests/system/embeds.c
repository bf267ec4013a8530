/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a Python library, argv[1], while it runs, and runs Python code.  Before, it neither defines nor
 * needs any symbol of Python. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
        void *python = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
        void (*initialize)(int);
        int (*run)(const char *, void *);

        if (!python) {
                fprintf(stderr, "%s\n", dlerror());
                return 1;
        }
        *(void **)&initialize = dlsym(python, "Py_InitializeEx");
        *(void **)&run = dlsym(python, "PyRun_SimpleStringFlags");
        if (!initialize || !run)
                return 1;
        initialize(0);
        return run(argv[2], NULL);
}
