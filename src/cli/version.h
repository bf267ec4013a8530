/* SPDX-License-Identifier: BSD-3-Clause */
/* What was built: the release, the commit ("unknown" outside git), the operating system and an address. */
#ifndef VERSION_H
#define VERSION_H

extern const char version_number[];
extern const char version_commit[];
extern const char version_system[];
extern const char version_bugs_to[]; /* where bugs are reported: an address; "": the build has none */

#endif
