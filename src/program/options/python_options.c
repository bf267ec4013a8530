/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_options.h"

static const struct option python_list[] = {
        {
                .name = "python",
                .kind = OPTION_STRING,
                .arg = "FRAMES",
                .values = "merged only native all",
                .offset = offsetof(struct python_options, frames),
                .help = "choose the frames that stacks of Python programs show: merged (Python functions "
                        "instead of the interpreter function that runs them), only (only Python functions), "
                        "native (no Python functions) or all (Python functions and the interpreter "
                        "function); default merged",
        },
        {0},
};

const struct option_group python_group = {"Python", python_list};

bool python_options_frames(const struct python_options *options, enum stacks_python *ret, struct err *err)
{
        *ret = STACKS_PYTHON_MERGED;
        return !options->frames || stacks_python_parse(options->frames, ret) ||
               err_set(err, ERR_USAGE, "--python takes merged, only, native or all, not '%.40s'",
                       options->frames);
}
