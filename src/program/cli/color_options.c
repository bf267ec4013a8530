/* SPDX-License-Identifier: BSD-3-Clause */
#include "color_options.h"

#include <string.h>

#include "os.h"

static const struct option color_list[] = {
        {
                .name = "color",
                .aliases = "colour",
                .kind = OPTION_STRING,
                .arg = "WHEN",
                .offset = offsetof(struct color_options, when),
                .help = "color high shares: always, never, or auto (on a terminal, unless NO_COLOR is set); "
                        "default auto",
        },
        {0},
};

const struct option_group color_group = {"Color", color_list};

static bool is_set(const char *name)
{
        const char *value = os_environment(name);

        return value && *value;
}

static bool terminal_has_colors(void)
{
        const char *term = os_environment("TERM");

        return os_is_terminal(OS_STDOUT) && !is_set("NO_COLOR") && (!term || strcmp(term, "dumb") != 0);
}

bool color_choose(const struct color_options *options, bool *ret_is_colored, struct err *err)
{
        const char *when = options->when ? options->when : "auto";

        if (!strcmp(when, "auto"))
                *ret_is_colored = terminal_has_colors();
        else if (!strcmp(when, "always") || !strcmp(when, "never"))
                *ret_is_colored = !strcmp(when, "always");
        else
                return err_set(err, ERR_USAGE, "--color takes auto, always or never, not '%.40s'", when);
        return true;
}
