/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects of processes, as the BPF program has sent them. The program sends each once, so that nothing
 * may be forgotten without telling it. */
#ifndef BPF_PROCESS_H
#define BPF_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"

struct bpf_process;
struct bpf_processes;

/* `on_forget` tells that the code objects of a process are forgotten, and have to be sent again. `on_end`
 * tells that the process with this image number has ended; also called by bpf_processes_free. */
struct bpf_processes *bpf_processes_new(void (*on_forget)(void *ctx, int32_t pid),
                                        void (*on_end)(void *ctx, uint32_t image), void *ctx);
void bpf_processes_free(struct bpf_processes *processes);
AUTO_DEFINE(bpf_processes)

/* The process that has been `pid` since `born_ns`; valid until the next call. NULL if another one is known
 * that was born later. */
struct bpf_process *bpf_processes_get(struct bpf_processes *processes, int32_t pid, uint64_t born_ns);

/* The process that was `pid` before `time_ns` has ended, or executes another program. */
void bpf_processes_end(struct bpf_processes *processes, int32_t pid, uint64_t time_ns);

/* A number that no other process has. */
uint32_t bpf_process_image(const struct bpf_process *process);

/* Keeps part `part` of a code object; `hash` is that of its bytes. May forget processes: `process` is not
 * valid afterwards. */
void bpf_processes_keep(struct bpf_processes *processes, struct bpf_process *process, uint64_t addr,
                        uint64_t hash, uint64_t part, struct cursor pieces);

/* The part's pieces; empty if it is not known. */
struct cursor bpf_process_code(const struct bpf_process *process, uint64_t addr, uint64_t hash,
                               uint64_t part);

#endif
