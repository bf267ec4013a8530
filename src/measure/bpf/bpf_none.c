/* SPDX-License-Identifier: BSD-3-Clause */
/* For builds without the BPF program. */
#include "bpf_engine.h"

struct bpf_engine *bpf_engine_new(struct stop_python *python, struct err *err)
{
        err_set(err, ERR_UNSUPPORTED,
                "this wperf was built without it; to build it, install clang and libbpf-dev, on x86-64");
        return NULL;
}

void bpf_engine_free(struct bpf_engine *engine)
{
}

void bpf_engine_want_holder(struct bpf_engine *engine)
{
}

void bpf_engine_follow(struct bpf_engine *engine, int32_t pid)
{
}

bool bpf_engine_attach(struct bpf_engine *engine, const struct opened *opened,
                       const struct watched_list *watched, struct err *err)
{
        return false;
}

void bpf_engine_take(struct bpf_engine *engine)
{
}

int bpf_engine_fd(const struct bpf_engine *engine)
{
        return -1;
}

void bpf_engine_tell(const struct bpf_engine *engine, struct buf *note)
{
}

struct deep_stacks *bpf_engine_stacks(struct bpf_engine *engine)
{
        return NULL;
}
