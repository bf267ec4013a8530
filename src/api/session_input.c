/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_input.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "os.h"

enum { STDIN_LIMIT = 1 << 30 };

struct session_input *session_input_open(const char *path, struct err *err)
{
        AUTO(session_input) input = mem_new(1, sizeof(*input));

        if (strcmp(path, "-"))
                input->reader = perfdata_open(path, err);
        else if (os_read_stdin(STDIN_LIMIT, &input->bytes, err))
                input->reader =
                        perfdata_open_bytes(input->bytes.data, input->bytes.len, "standard input", err);
        return input->reader ? TAKE(input) : NULL;
}

void session_input_free(struct session_input *input)
{
        if (!input)
                return;
        perfdata_reader_free(input->reader);
        buf_release(&input->bytes);
        free(input);
}
