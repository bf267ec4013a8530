/* SPDX-License-Identifier: BSD-3-Clause */
/* To whom a Python source file belongs, by its path: the user, the standard library, or a distribution that
 * was installed into site-packages. */
#ifndef PYTHON_PACKAGE_H
#define PYTHON_PACKAGE_H

#include "buf.h"

/* Appends "my code", "standard library", or the first name below site-packages or dist-packages. `path` is
 * the path of a source file on Linux or Windows, or a name such as "<frozen importlib._bootstrap>"; "": the
 * file is not known, and nothing is appended. */
void python_package_add(const char *path, struct buf *out);

#endif
