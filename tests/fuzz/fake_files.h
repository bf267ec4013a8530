/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of /proc whose content is a fuzz input: the linker's --wrap puts these functions instead of those
 * of os.h and linux_maps.h.  The input is divided into parts by bytes 0xff: the first file that is read has
 * the first part, and so on; an empty part is a file that does not exist. */
#ifndef FAKE_FILES_H
#define FAKE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A process that no machine has. */
enum { FAKE_PID = 0x7ffffff0, FAKE_SEPARATOR = 0xff };

/* The bytes must stay valid. */
void fake_files_begin(const uint8_t *data, size_t size);

#endif
