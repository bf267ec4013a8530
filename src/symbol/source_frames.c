/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_frames.h"

#include <stdlib.h>

void source_frames_release(struct source_frames *frames)
{
        free(frames->frames);
        free(frames->spans);
        *frames = (struct source_frames){0};
}
