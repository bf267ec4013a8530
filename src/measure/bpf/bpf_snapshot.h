/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a thread at its sample: the pieces that the BPF program has copied, and those of the code objects
 * that its frames run, which come once. */
#ifndef BPF_SNAPSHOT_H
#define BPF_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"

struct bpf_snapshot;

struct bpf_snapshot *bpf_snapshot_new(void);
void bpf_snapshot_free(struct bpf_snapshot *snapshot);
AUTO_DEFINE(bpf_snapshot)

/* Keeps the pieces of a code object; `hash` is that of its bytes. */
void bpf_snapshot_keep(struct bpf_snapshot *snapshot, int32_t pid, uint64_t addr, uint64_t hash,
                       struct cursor pieces);

/* Begins with the pieces of a sample, which belong to the caller and are used until the next begin. */
void bpf_snapshot_begin(struct bpf_snapshot *snapshot, int32_t pid, struct cursor pieces);

/* For struct stop_memory; `ctx` is the snapshot. */
bool bpf_snapshot_read(void *ctx, uint64_t addr, void *to, size_t size);

#endif
