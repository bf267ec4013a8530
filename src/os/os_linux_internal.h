/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the port to Linux share. */
#ifndef OS_LINUX_INTERNAL_H
#define OS_LINUX_INTERNAL_H

#include "os.h"

/* Makes errno an error about `what`; always returns false. */
bool os_fail(struct err *err, const char *what);

#endif
