/* SPDX-License-Identifier: BSD-3-Clause */
/* make_python_session FOLDER [TIMES]: writes the session of python_session.h. */
#include <stdio.h>
#include <stdlib.h>

#include "python_session.h"

int main(int argc, char **argv)
{
        unsigned times = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;

        if (argc < 2 || argc > 3 || !python_session_write(argv[1], times)) {
                fprintf(stderr, "make_python_session: nothing was written\n");
                return 1;
        }
        return 0;
}
