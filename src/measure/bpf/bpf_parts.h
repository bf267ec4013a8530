/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes in several messages, by thread, until it is complete. */
#ifndef BPF_PARTS_H
#define BPF_PARTS_H

#include <stdint.h>

#include "attributes.h"
#include "buf.h"

struct bpf_parts;

struct bpf_parts *bpf_parts_new(void);
void bpf_parts_free(struct bpf_parts *parts);
AUTO_DEFINE(bpf_parts)

/* What has come for the thread's sample at `time_ns`; valid until the next call. Parts of an earlier sample
 * are dropped: the rest of them was lost. */
struct buf *bpf_parts_get(struct bpf_parts *parts, int32_t tid, uint64_t time_ns);

/* Forgets the thread's parts. */
void bpf_parts_end(struct bpf_parts *parts, int32_t tid);

#endif
