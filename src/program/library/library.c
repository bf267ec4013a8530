/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of the library, and what its parts share. */
#include "library_internal.h"

#include <stdatomic.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "text.h"

static atomic_bool may_map;

const char *wperf_version(void)
{
        return WPERF_VERSION;
}

void wperf_set_out_of_memory(void (*call)(void *ctx, size_t bytes), void *ctx)
{
        mem_set_exhausted(call, ctx);
}

void wperf_allow_mapping(int allow)
{
        may_map = allow;
        os_map_by_reading(!allow);
}

void wperf_stop(void)
{
        os_request_stop();
}

/* Sessions and files contain texts that an attacker may choose, so hashes use a random key, which must not
 * change while a table exists: the first caller sets it, and others wait. */
static void set_hash_key(void)
{
        static atomic_int state; /* 0: not set, 1: being set, 2: set */
        uint64_t key[MAP_KEY_WORDS];
        int before = 0;

        if (atomic_compare_exchange_strong(&state, &before, 1)) {
                if (os_random(key, sizeof(key)))
                        map_set_key(key);
                state = 2;
        }
        while (state != 2)
                continue;
}

void library_begin(void)
{
        set_hash_key();
        if (!may_map)
                os_map_by_reading(true);
}

void library_begin_measurement(void)
{
        library_begin();
        os_release_stop();
}

int library_fail(const struct err *err, struct wperf_error *ret)
{
        /* The public codes have the values of enum err_code. */
        _Static_assert((int)WPERF_ERROR_INTERNAL == (int)ERR_INTERNAL, "a code is missing in wperf.h");
        if (ret) {
                *ret = (struct wperf_error){.code = (int)err->code, .os = err->os};
                text_copy(ret->text, sizeof(ret->text), err->text);
        }
        return 0;
}

bool library_take_request(void *own, size_t own_size, const void *given, struct err *err)
{
        /* More than any version needs; a struct without .size may begin with a pointer. */
        enum { MOST_BYTES = 4096 };
        const uint8_t *bytes = given;
        size_t size;

        memcpy(&size, given, sizeof(size));
        if (size < sizeof(size))
                return err_set(err, ERR_USAGE, "the request has no size: set .size to sizeof of the struct");
        if (size > MOST_BYTES)
                return err_set(err, ERR_USAGE,
                               "the request cannot have %zu bytes: set .size to sizeof of the struct", size);
        for (size_t i = own_size; i < size; i++) {
                if (bytes[i])
                        return err_set(err, ERR_UNSUPPORTED,
                                       "the request sets a field that libwperf %s does not know",
                                       WPERF_VERSION);
        }
        memset(own, 0, own_size);
        memcpy(own, given, size < own_size ? size : own_size);
        return true;
}

bool library_take_target(const struct wperf_target *given, struct wperf_target *own, struct target *target,
                         struct err *err)
{
        if (!given)
                return err_set(err, ERR_USAGE, "the request has no target");
        if (!library_take_request(own, sizeof(*own), given, err))
                return false;
        *target = (struct target){
                .argv = own->argv,
                .pids = own->pids,
                .n_pids = own->n_pids,
                .cpus = own->cpus,
                .n_cpus = own->n_cpus,
                .system_wide = own->system_wide,
        };
        return true;
}

const char *const *library_split_folders(struct arena *arena, const char *folders)
{
        const char **list;
        size_t n = 1, used = 0;

        if (!folders || !*folders)
                return NULL;
        for (const char *at = folders; *at; at++)
                n += *at == ';';
        list = arena_alloc(arena, (n + 1) * sizeof(*list));
        for (const char *at = folders; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
                size_t len = strcspn(at, ";");

                if (len)
                        list[used++] = arena_copy(arena, at, len);
        }
        list[used] = NULL;
        return list;
}
