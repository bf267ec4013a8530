/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the sessions of tests/replay into the folder given as its argument.  Run by hand. */
#include <stdio.h>

#include "every_kind.h"

static int save(struct session_builder *b, const char *folder, const char *name)
{
        AUTO_RELEASE(buf) file = {0};
        char path[500];
        FILE *out;

        builder_file(b, &file);
        builder_release(b);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        out = fopen(path, "wb");
        if (out && fwrite(file.data, 1, file.len, out) == file.len && !fclose(out))
                return 0;
        perror(path);
        return 1;
}

/* The feature, and attributes that perf 6.1 reads. */
enum { ARCH = 6, OLD_ATTR_BYTES = 112 };

/* A loop in one module that calls a function of another, as perf record -b records it; or the calls that
 * have not returned. */
static int save_branches(const char *folder, const char *name, bool are_calls)
{
        static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x402004};
        static const uint64_t jumps[][3] = {{0x402008, 0x401104, 1 | 20 << 4},
                                            {0x401110, 0x402000, 2 | 3 << 4},
                                            {0x401104, 0x401100, 2 | 5 << 4},
                                            {0, 0, 0}};
        static const uint64_t calls[][3] = {{0x401110, 0x402000, 0}, {0, 0, 0}};
        struct session_builder b;

        builder_init(&b);
        b.attr_bytes = OLD_ATTR_BYTES;
        b.attrs[0].type = PERF_TYPE_HARDWARE;
        b.attrs[0].config = PERF_COUNT_HW_CPU_CYCLES;
        b.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
        if (!are_calls)
                b.attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
        b.attrs[0].branch_sample_type =
                PERF_BRANCH_USER | (are_calls ? PERF_BRANCH_CALL_STACK : PERF_BRANCH_ANY);
        builder_comm(&b, 0, 100, 100, "loop", true);
        builder_mmap(&b, 0, 100, 0x401000, 0x1000, 0x1000, "/no-such-folder/loop");
        builder_mmap(&b, 0, 100, 0x402000, 0x1000, 0x1000, "/no-such-folder/callee.so");
        for (uint64_t i = 0; i < 4; i++)
                builder_sample_branches(&b, 0, 1000 + i, 100, PERF_MISC_USER, chain, 2,
                                        are_calls ? calls : jumps, are_calls ? 2 : 1 + i);
        builder_round(&b);
        builder_feature_str(&b, ARCH, "x86_64");
        return save(&b, folder, name);
}

/* A build with three compilers, one of them with a thread of another name, in a program whose file is
 * missing. */
static int save_jobs(const char *folder)
{
        enum { MAKE = 100, FIRST = 101, N_JOBS = 3 };
        struct session_builder b;

        builder_init(&b);
        b.attr_bytes = OLD_ATTR_BYTES;
        builder_comm(&b, 0, MAKE, MAKE, "make", true);
        for (int32_t pid = FIRST; pid < FIRST + N_JOBS; pid++) {
                builder_fork(&b, 1, pid, MAKE, pid, MAKE, 0);
                builder_comm(&b, 2, pid, pid, "cc1plus", true);
                builder_mmap(&b, 3, pid, 0x401000, 0x1000, 0x1000, "/no-such-folder/cc1plus");
                builder_sample_ip(&b, 1000, pid, pid, 0x401104);
                builder_sample_ip(&b, 1001, pid, pid, 0x401200 + 16 * (uint64_t)(pid - FIRST));
        }
        builder_fork(&b, 1002, FIRST, FIRST, FIRST + 10, FIRST, 0);
        builder_comm(&b, 1003, FIRST, FIRST + 10, "writer", false);
        b.cpu = 1;
        builder_sample_ip(&b, 1004, FIRST, FIRST + 10, 0x401104);
        builder_sample_ip(&b, 1005, MAKE, MAKE, 0x7f0000001000);
        builder_round(&b);
        builder_feature_str(&b, ARCH, "x86_64");
        return save(&b, folder, "jobs.data");
}

int main(int argc, char **argv)
{
        struct session_builder b;
        int status;

        if (argc != 2)
                return 2;
        builder_init(&b);
        every_kind_records(&b);
        every_kind_features(&b);
        status = save(&b, argv[1], "every_kind.data");
        status |= save_branches(argv[1], "branches.data", false);
        status |= save_jobs(argv[1]);
        return status | save_branches(argv[1], "calls.data", true);
}
