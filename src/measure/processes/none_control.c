/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing can be measured on this platform, so nothing can be controlled. */
#include "control.h"

struct control *control_open(const char *text, const struct control_listener *listener, struct err *err)
{
        struct control_place place;

        if (control_place_parse(text, &place, err)) {
                control_place_release(&place);
                err_set(err, ERR_UNSUPPORTED, "--control is not implemented on Windows yet");
        }
        return NULL;
}

void control_free(struct control *control)
{
}

void control_dismiss(const char *text)
{
}

int control_fd(const struct control *control)
{
        return -1;
}

void control_read(struct control *control)
{
}

bool control_see_end(struct control *control, bool is_off)
{
        return true;
}

bool control_next(struct control *control, struct control_command *ret)
{
        return false;
}

void control_answer(struct control *control)
{
}

void control_warn(struct control *control, const char *fmt, ...)
{
}

void control_tell(struct control *control, const char *text)
{
}
