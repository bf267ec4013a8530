/* SPDX-License-Identifier: BSD-3-Clause */
/* libbpf, loaded when it is needed. */
#ifndef BPF_LIBRARY_H
#define BPF_LIBRARY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"

struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;
struct os_library;
struct ring_buffer;

/* Functions of libbpf, with its names and contracts. */
struct bpf_library {
        struct os_library *library;
        int (*set_print)(int (*print)(int level, const char *format, va_list args));
        int (*num_cpus)(void);
        struct bpf_object *(*open_mem)(const void *bytes, size_t size, const void *options);
        int (*load)(struct bpf_object *object);
        void (*close)(struct bpf_object *object);
        struct bpf_map *(*find_map)(const struct bpf_object *object, const char *name);
        int (*set_max_entries)(struct bpf_map *map, uint32_t n);
        int (*map_fd)(const struct bpf_map *map);
        struct bpf_program *(*find_program)(const struct bpf_object *object, const char *name);
        int (*program_fd)(const struct bpf_program *program);
        struct bpf_link *(*attach)(const struct bpf_program *program);
        int (*destroy_link)(struct bpf_link *link);
        int (*lookup)(int fd, const void *key, void *value);
        int (*update)(int fd, const void *key, const void *value, uint64_t flags);
        struct ring_buffer *(*ring_new)(int fd, int (*see)(void *ctx, void *bytes, size_t size), void *ctx,
                                        const void *options);
        int (*ring_add)(struct ring_buffer *ring, int fd, int (*see)(void *ctx, void *bytes, size_t size),
                        void *ctx);
        int (*ring_epoll_fd)(const struct ring_buffer *ring);
        int (*ring_consume)(struct ring_buffer *ring);
        void (*ring_free)(struct ring_buffer *ring);
};

/* ERR_MISSING with what to install. */
bool bpf_library_open(struct bpf_library *library, struct err *err);
void bpf_library_close(struct bpf_library *library);

#endif
