/* SPDX-License-Identifier: BSD-3-Clause */
#include "syscall_names.h"

#include <string.h>

#include "syscall_names_data.h"

static const char *names_of(enum arch_id arch)
{
        return arch == ARCH_ARM64 ? arm64_names : arch == ARCH_X86_64 ? x86_64_names : "-";
}

const char *syscall_name_find(enum arch_id arch, int64_t number, size_t *ret_len)
{
        const char *at = names_of(arch);

        for (int64_t i = 0; i < number && *at; i++)
                at += strcspn(at, " ") + (at[strcspn(at, " ")] != 0);
        if (number < 0 || !*at || *at == '-')
                return NULL;
        *ret_len = strcspn(at, " ");
        return at;
}

int32_t syscall_name_number(enum arch_id arch, const char *name)
{
        const char *at = names_of(arch);
        size_t len = strlen(name);

        for (int32_t i = 0; len && *at; i++) {
                size_t n = strcspn(at, " ");

                if (n == len && *at != '-' && !memcmp(at, name, n))
                        return i;
                at += n + (at[n] != 0);
        }
        return -1;
}
