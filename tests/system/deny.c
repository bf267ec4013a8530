/* SPDX-License-Identifier: BSD-3-Clause */
/* deny EPERM|ENOSYS COMMAND [ARG]...: runs COMMAND and refuses perf_event_open, as a container engine
 * does. */
#include <string.h>
#include <unistd.h>

#include "refuse.h"

int main(int argc, char **argv)
{
        if (argc < 3 || refuse(SYS_perf_event_open, strcmp(argv[1], "EPERM") ? ENOSYS : EPERM))
                return 77;
        execvp(argv[2], argv + 2);
        return 127;
}
