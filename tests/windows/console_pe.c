/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes lines that are not ASCII to standard output, by the function that commands use.  Usage: console
 * PIECE: this many bytes a call */
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "os.h"

enum { N_LINES = 100, N_WORDS = 12 };

int main(int argc, char **argv)
{
        size_t piece = argc > 1 ? (size_t)atoi(argv[1]) : 1;
        AUTO_RELEASE(buf) text = {0};

        for (int i = 0; i < N_LINES; i++) {
                buf_printf(&text, "%03d ", i);
                for (int k = 0; k < N_WORDS; k++)
                        buf_add_str(&text, "n\u00e4\u4e2d\u0416");
                buf_add_str(&text, " end\n");
        }
        for (size_t at = 0; at < text.len; at += piece) {
                if (!os_write_stream(OS_STDOUT, text.data + at, text.len - at < piece ? text.len - at : piece,
                                     NULL))
                        return 1;
        }
        return 0;
}
