/* SPDX-License-Identifier: BSD-3-Clause */
/* make_python_session FOLDER: writes the session of python_session.h. */
#include <stdio.h>

#include "python_session.h"

int main(int argc, char **argv)
{
        if (argc != 2 || !python_session_write(argv[1])) {
                fprintf(stderr, "make_python_session: nothing was written\n");
                return 1;
        }
        return 0;
}
