/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the kernel of a session is the one that runs here, whose /proc/kallsyms has its names. */
#ifndef RESOLVER_KERNEL_H
#define RESOLVER_KERNEL_H

#include "buf.h"
#include "resolver.h"

/* Compares the module's build id with the running kernel's, or the running kernel module's.  True where one of
 * them is not known. */
bool resolver_kernel_is_running(const struct resolver_module *module);

/* Appends the name of a kernel module as the kernel has it ("snd_hda_intel") from "[snd_hda_intel]" or
 * "/lib/modules/6.1/kernel/sound/snd-hda-intel.ko.xz".  False for the kernel itself ("[kernel.kallsyms]"). */
bool resolver_kernel_module_name(const char *path, struct buf *out);

#endif
