/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of CPython that the name of a file says. */
#ifndef PYTHON_VERSION_H
#define PYTHON_VERSION_H

/* 11 for python3.11, libpython3.11.so.1.0 and python311.dll; 0 for other files, and for python3 and
 * python3.dll, which do not say it. */
unsigned python_version_of_path(const char *path);

#endif
