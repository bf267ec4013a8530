/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"

uint64_t session_input_max_memory(void)
{
        uint64_t quarter = os_memory_bytes() / 4;

        return quarter < BUDGET_DEFAULT_BYTES ? quarter : BUDGET_DEFAULT_BYTES;
}

bool session_input_read_stdin(struct budget *budget, struct buf *out, struct err *err)
{
        struct err why = {0};

        if (os_read_stdin((size_t)budget_limit(budget), out, &why))
                return true;
        if (why.code == ERR_LIMIT)
                return err_set(err, ERR_LIMIT,
                               "standard input is larger than %" PRIu64
                               " MiB; save it to a file, or allow more by --max-memory",
                               budget_limit(budget) >> 20);
        if (err)
                *err = why;
        return false;
}

bool session_input_admit(struct perfdata_reader *reader, const char *path, struct session_access access,
                         struct err *err)
{
        perfdata_set_waiting(reader, budget_limit(access.budget) / 4);
        if (!os_is_superuser() || access.any_owner || perfdata_is_trusted(reader))
                return true;
        return err_set(
                err, ERR_DENIED,
                "%s: belongs to another user, and names files that root would open; --force reads it all the same",
                path);
}

struct session_input *session_input_open(const char *path, struct session_access access, struct err *err)
{
        AUTO(session_input) input = mem_new(1, sizeof(*input));

        if (strcmp(path, "-"))
                input->reader = perfdata_open(path, err);
        else if (session_input_read_stdin(access.budget, &input->bytes, err))
                input->reader =
                        perfdata_open_bytes(input->bytes.data, input->bytes.len, "standard input", err);
        if (!input->reader || !session_input_admit(input->reader, path, access, err))
                return NULL;
        return TAKE(input);
}

void session_input_free(struct session_input *input)
{
        if (!input)
                return;
        perfdata_reader_free(input->reader);
        buf_release(&input->bytes);
        free(input);
}
