/* SPDX-License-Identifier: BSD-3-Clause */
/* What event-trace files say about the machine: its processors and memory, its Windows, and the letters of
 * its drives.  Texts are appended to a buffer as UTF-8; each function returns false if the event is shorter
 * than its kind requires. */
#ifndef ETL_MACHINE_H
#define ETL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "etl_file.h"

/* Values of Windows' ProcessorArchitecture. */
enum {
        ETL_ARCHITECTURE_X86 = 0,
        ETL_ARCHITECTURE_ARM = 5,
        ETL_ARCHITECTURE_X64 = 9,
        ETL_ARCHITECTURE_ARM64 = 12,
        ETL_ARCHITECTURE_UNKNOWN = 0xffff,
};

struct etl_machine {
        uint32_t mhz, n_cpus, memory_mib;
        uint16_t architecture; /* ETL_ARCHITECTURE_x */
};

/* ETL_MACHINE; appends the machine's name. */
bool etl_machine_read(const struct etl_event *event, unsigned pointer_bytes, struct etl_machine *ret,
                      struct buf *name);

/* The version of Windows.  Appends "Windows 8 Pro 9200.16384.amd64fre.win8_rtm.120725-1247". */
bool etl_machine_is_build(const struct etl_event *event);
bool etl_machine_build(const struct etl_event *event, struct buf *text);

/* A prefix of paths as the kernel writes them, and what stands for it in paths of programs:
 * "\Device\HarddiskVolume2\" and "C:\". Both are appended with a NUL. */
bool etl_machine_is_volume(const struct etl_event *event);
bool etl_machine_volume(const struct etl_event *event, struct buf *kernel, struct buf *program);

#endif
