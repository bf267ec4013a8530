/* SPDX-License-Identifier: BSD-3-Clause */
/* deny EPERM|ENOSYS|ptrace|process_vm_readv COMMAND [ARG]...: runs COMMAND and refuses perf_event_open, with
 * this error, or another call, as a container engine does. */
#include <string.h>
#include <unistd.h>

#include "refuse.h"

int main(int argc, char **argv)
{
        uint32_t call = SYS_perf_event_open;

        if (argc > 1 && !strcmp(argv[1], "ptrace"))
                call = SYS_ptrace;
        if (argc > 1 && !strcmp(argv[1], "process_vm_readv"))
                call = SYS_process_vm_readv;
        if (argc < 3 || refuse(call, strcmp(argv[1], "ENOSYS") ? EPERM : ENOSYS))
                return 77;
        execvp(argv[2], argv + 2);
        return 127;
}
