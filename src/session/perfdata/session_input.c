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
                               " MiB; save it to a file, or raise the limit with --max-memory",
                               budget_limit(budget) >> 20);
        if (err)
                *err = why;
        return false;
}

static bool refuse_owner(const char *path, struct err *err)
{
        return err_set(
                err, ERR_DENIED,
                "%s: belongs to another user, and root would open the files that it names; read it with --force",
                path);
}

bool session_input_admit(struct perfdata_reader *reader, const char *path, struct session_access access,
                         struct err *err)
{
        perfdata_set_waiting(reader, budget_limit(access.budget) / 4);
        if (!os_is_superuser() || access.any_owner || perfdata_is_trusted(reader))
                return true;
        return refuse_owner(path, err);
}

/* Whether the file is of the converter's kind; then its session is in input->bytes, unless *ok is false. */
static bool convert(struct session_input *input, const char *path, const struct session_access *access,
                    bool *ok, struct err *err)
{
        AUTO(os_map) map = access->converter && strcmp(path, "-") ? os_map_open(path, NULL) : NULL;

        if (!map || !access->converter->is(map->bytes, map->size_bytes))
                return false;
        *ok = false;
        input->is_converted = true;
        if (os_is_superuser() && !access->any_owner && !os_is_trusted_owner(map->owner))
                refuse_owner(path, err);
        else
                *ok = access->converter->make(map->bytes, map->size_bytes, path, budget_limit(access->budget),
                                              &input->bytes, err) &&
                      os_map_check(map, path, err);
        return true;
}

/* The same for standard input, which was read. */
static bool convert_stdin(struct session_input *input, const struct session_access *access, struct err *err)
{
        AUTO_RELEASE(buf) bytes = {0};

        if (!access->converter || !access->converter->is(input->bytes.data, input->bytes.len))
                return true;
        buf_swap(&bytes, &input->bytes);
        input->is_converted = true;
        return access->converter->make(bytes.data, bytes.len, "standard input", budget_limit(access->budget),
                                       &input->bytes, err);
}

static struct perfdata_reader *open_bytes(const struct session_input *input, const char *name,
                                          struct err *err)
{
        return perfdata_open_bytes(input->bytes.data, input->bytes.len, name, err);
}

struct session_input *session_input_open(const char *path, struct session_access access, struct err *err)
{
        AUTO(session_input) input = mem_new(1, sizeof(*input));
        bool ok;

        if (convert(input, path, &access, &ok, err))
                input->reader = ok ? open_bytes(input, path, err) : NULL;
        else if (strcmp(path, "-"))
                input->reader = perfdata_open(path, err);
        else if (session_input_read_stdin(access.budget, &input->bytes, err) &&
                 convert_stdin(input, &access, err))
                input->reader = open_bytes(input, "standard input", err);
        if (!input->reader || !session_input_admit(input->reader, path, access, err))
                return NULL;
        return TAKE(input);
}

bool session_input_look(const char *path, struct session_access access, struct perfdata_reader **ret,
                        struct err *err)
{
        AUTO(os_map) map = access.converter ? os_map_open(path, NULL) : NULL;
        AUTO(perfdata_reader) reader = NULL;

        *ret = NULL;
        if (map && access.converter->is(map->bytes, map->size_bytes))
                return true;
        reader = perfdata_open(path, err);
        if (!reader || !session_input_admit(reader, path, access, err))
                return false;
        *ret = TAKE(reader);
        return true;
}

struct session_input *session_input_of_memory(struct buf *bytes, const char *name, struct err *err)
{
        AUTO(session_input) input = mem_new(1, sizeof(*input));

        buf_swap(&input->bytes, bytes);
        input->reader = open_bytes(input, name, err);
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
