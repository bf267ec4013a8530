/* SPDX-License-Identifier: BSD-3-Clause */
#include "browse_choice.h"

#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_output.h"
#include "os.h"

bool browse_choice_is_wanted(const struct browse_choice *choice)
{
        const char *term = os_environment("TERM");

        return !choice->wants_text && !choice->general->quiet && !choice->output->json &&
               !choice->output->output && !choice->output->output_prefix && strcmp(choice->path, "-") != 0 &&
               !(term && !strcmp(term, "dumb")) && browser_can();
}

static bool says(const char *text, const char *part)
{
        return text && strstr(text, part);
}

bool browse_choice_colors(const struct color_options *options, enum cell_colors *ret, struct err *err)
{
        const char *term = os_environment("TERM"), *color_term = os_environment("COLORTERM");
        bool is_colored;

        if (!color_choose(options, &is_colored, err))
                return false;
        *ret = !is_colored                                                           ? CELL_COLORS_NONE
               : says(color_term, "truecolor") || says(color_term, "24bit")          ? CELL_COLORS_TRUE
               : !term /* a console of Windows */                                    ? CELL_COLORS_TRUE
               : says(term, "256color") || says(term, "kitty") || says(term, "foot") ? CELL_COLORS_256
                                                                                     : CELL_COLORS_16;
        return true;
}

static int end(bool is_ok, bool has_left, const struct err *err, int status)
{
        if (!is_ok)
                return cmd_fail(err);
        if (has_left)
                _Exit(status);
        return status;
}

int browse_choice_run(const struct browser_request *request, int status)
{
        struct err err = {0};
        bool has_left, is_ok = browser_run(request, cmd_write_file, &has_left, &err);

        return end(is_ok, has_left, &err, status);
}

int browse_choice_run_diff(const struct diff_browser_request *request, int status)
{
        struct err err = {0};
        bool has_left, is_ok = diff_browser_run(request, cmd_write_file, &has_left, &err);

        return end(is_ok, has_left, &err, status);
}
