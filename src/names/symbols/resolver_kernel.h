/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the kernel of a session is the running kernel, whose names are in /proc/kallsyms. */
#ifndef RESOLVER_KERNEL_H
#define RESOLVER_KERNEL_H

#include "buf.h"
#include "resolver.h"

/* Compares the module's build id with that of the running kernel or of its module.  True if one of the two
 * is not known. */
bool resolver_kernel_is_running(const struct resolver_module *module);

/* Appends the kernel's name of a module ("snd_hda_intel") for "[snd_hda_intel]" or
 * "/lib/modules/6.1/kernel/sound/snd-hda-intel.ko.xz".  False for the kernel itself ("[kernel.kallsyms]"). */
bool resolver_kernel_module_name(const char *path, struct buf *out);

#endif
