/* SPDX-License-Identifier: BSD-3-Clause */
/* What was built: the release, the commit ("unknown" outside git) and the operating system. */
#ifndef VERSION_H
#define VERSION_H

extern const char version_number[];
extern const char version_commit[];
extern const char version_system[];

#endif
