/* SPDX-License-Identifier: BSD-3-Clause */
/* The build: release, commit ("unknown" outside git), operating system, and an address for bug reports. */
#ifndef VERSION_H
#define VERSION_H

extern const char version_number[];
extern const char version_commit[];
extern const char version_system[];
extern const char version_bugs_to[]; /* an address; "": none */

#endif
