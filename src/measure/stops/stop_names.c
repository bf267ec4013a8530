/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of programs for the quality line. */
#include <stdio.h>
#include <string.h>

#include "stop_internal.h"

enum { NAME_BYTES = 64 };

static bool is_listed(const char *list, const char *name)
{
        size_t len = strlen(name);

        for (const char *at = list; len && (at = strstr(at, name)); at += len) {
                if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
                        return true;
        }
        return !len;
}

static void add_name(struct stop_names *names, const char *name)
{
        size_t len = strlen(names->text);

        if (len + NAME_BYTES < sizeof(names->text) && !is_listed(names->text, name))
                snprintf(names->text + len, sizeof(names->text) - len, "%s%s", len ? ", " : "", name);
}

void stop_names_add(struct stop_names *names, int32_t pid)
{
        AUTO_RELEASE(buf) name = {0};

        proc_comm(pid, &name);
        add_name(names, buf_text(&name));
}
