/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_command.h"

#include <stdint.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "text.h"

static bool is_python_file(const char *path)
{
        struct os_stat file;

        return text_ends(path, ".py") && os_stat(path, &file) && file.is_file && !os_runs_script(path);
}

char **python_command_argv(char *const *words, size_t n)
{
        char **argv;

        if (!n || !is_python_file(words[0]))
                return NULL;
        argv = mem_new(n + 2, sizeof(*argv));
        argv[0] = (char *)(uintptr_t)os_python();
        memcpy(argv + 1, words, n * sizeof(*argv));
        return argv;
}

void python_command_add_note(char *const *argv, struct buf *out)
{
        if (argv)
                buf_printf(out, "%srun as %s %s", out->len ? "; " : "", argv[0], argv[1]);
}
