/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fields at the beginning of wperf's own sections are, for tests that change bytes:
 * docs/session-format.md. */
#ifndef SECTION_LAYOUT_H
#define SECTION_LAYOUT_H

enum {
        SECTION_VERSION_OFF = 4,
        SECTION_CONTENT_OFF = 8, /* of sections that are not in an envelope */
};

/* The envelope of archived sections. */
enum {
        ENVELOPE_FLAGS_OFF = 8,
        ENVELOPE_SIZE_OFF = 16, /* of the content's size, u64 */
        ENVELOPE_CHECKSUM_OFF = 24,
};

#endif
