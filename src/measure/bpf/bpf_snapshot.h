/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a thread at its sample: the pieces that the BPF program has copied, and those of the code objects
 * that its frames run, which come once. */
#ifndef BPF_SNAPSHOT_H
#define BPF_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "bpf_process.h"
#include "cursor.h"

struct bpf_snapshot;

struct bpf_snapshot *bpf_snapshot_new(void);
void bpf_snapshot_free(struct bpf_snapshot *snapshot);
AUTO_DEFINE(bpf_snapshot)

/* Begins with the pieces of a sample, which belong to the caller and are used until the next begin. */
void bpf_snapshot_begin(struct bpf_snapshot *snapshot, const struct bpf_process *process,
                        struct cursor pieces);

/* For struct stop_memory; `ctx` is the snapshot. */
bool bpf_snapshot_read(void *ctx, uint64_t addr, void *to, size_t size);

#endif
