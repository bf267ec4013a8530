/* SPDX-License-Identifier: BSD-3-Clause */
/* deny EPERM|ENOSYS|ptrace COMMAND [ARG]...: runs COMMAND and refuses perf_event_open or ptrace, as a
 * container engine does. */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "refuse.h"

int main(int argc, char **argv)
{
        bool is_ptrace = argc > 1 && !strcmp(argv[1], "ptrace");

        if (argc < 3 ||
            refuse(is_ptrace ? SYS_ptrace : SYS_perf_event_open, strcmp(argv[1], "ENOSYS") ? EPERM : ENOSYS))
                return 77;
        execvp(argv[2], argv + 2);
        return 127;
}
