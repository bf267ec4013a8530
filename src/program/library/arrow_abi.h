/* SPDX-License-Identifier: BSD-3-Clause */
/* The structs of Apache Arrow's C data and C stream interfaces, as
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html have them. */
#ifndef ARROW_ABI_H
#define ARROW_ABI_H

#include <stdint.h>

struct ArrowSchema {
        const char *format, *name, *metadata;
        int64_t flags, n_children;
        struct ArrowSchema **children;
        struct ArrowSchema *dictionary;
        void (*release)(struct ArrowSchema *schema); /* NULL: it is released */
        void *private_data;
};

struct ArrowArray {
        int64_t length, null_count, offset, n_buffers, n_children;
        const void **buffers;
        struct ArrowArray **children;
        struct ArrowArray *dictionary;
        void (*release)(struct ArrowArray *array); /* NULL: it is released */
        void *private_data;
};

struct ArrowArrayStream {
        int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *ret);
        int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *ret); /* released: the end */
        const char *(*get_last_error)(struct ArrowArrayStream *stream);
        void (*release)(struct ArrowArrayStream *stream); /* NULL: it is released */
        void *private_data;
};

#endif
