/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods of .NET programs in event-trace files: the runtime says of each method that it compiles where its
 * code is. */
#ifndef ETL_DOTNET_H
#define ETL_DOTNET_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "etl_file.h"

struct etl_method {
        uint64_t addr; /* of its code, in the process of the event */
        uint32_t size;
        bool is_compiled; /* while the program ran; false: its code is in an image, or it has none */
        bool begins;      /* its code is new; false: it existed before the event */
};

/* Whether it is MethodLoadVerbose or MethodUnloadVerbose of the runtime, or what its rundown says of
 * methods at the beginning or end of a recording: all have one layout. */
bool etl_dotnet_is_method(const struct etl_event *event);

/* Appends "Namespace.Class.Method" as UTF-8.  False: the event is shorter than its kind requires. */
bool etl_dotnet_method(const struct etl_event *event, struct etl_method *ret, struct buf *name);

#endif
