/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the sessions of tests/replay into the folder given as its argument.  Run by hand. */
#include <stdio.h>

#include "attributes.h"
#include "every_kind.h"
#include "tracepoint_session.h"

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

#define COMMON_FIELDS                                                                                        \
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                               \
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                               \
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                       \
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static void add_call(struct session_builder *b, uint64_t from_us, uint64_t to_us, int32_t tid,
                     uint64_t number, int64_t result)
{
        uint8_t raw[68] = {0};

        tracepoint_session_put(raw, 8, number, 8);
        tracepoint_session_sample(b, 0, from_us * 1000, tid, 1, raw, sizeof(raw));
        tracepoint_session_put(raw, 16, (uint64_t)result, 8);
        tracepoint_session_sample(b, 1, to_us * 1000, tid, 1, raw, 28);
}

/* A server that reads, waits for a lock and once gets an error, and a program that sleeps. */
static int save_syscalls(const char *folder)
{
        static const struct tracepoint_format formats[] = {
                {443, "raw_syscalls",
                 "name: sys_enter\nID: 443\nformat:\n" COMMON_FIELDS
                 "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
                 "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
                 "\nprint fmt: \"NR %ld\", REC->id\n"},
                {442, "raw_syscalls",
                 "name: sys_exit\nID: 442\nformat:\n" COMMON_FIELDS
                 "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
                 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
                 "\nprint fmt: \"NR %ld = %ld\", REC->id, REC->ret\n"},
        };
        enum { READ = 0, SLEEP = 230, FUTEX = 202, AGAIN = -11 };
        struct session_builder b;

        tracepoint_session_begin(&b, formats, N_ELEMENTS(formats));
        b.attr_bytes = OLD_ATTR_BYTES;
        builder_comm(&b, 0, 100, 100, "server", true);
        builder_comm(&b, 0, 101, 101, "sleeper", true);
        add_call(&b, 1000, 1250, 100, READ, 1);
        add_call(&b, 2000, 32000, 101, SLEEP, 0);
        add_call(&b, 2100, 2105, 100, READ, AGAIN);
        add_call(&b, 3000, 15500, 100, FUTEX, 0);
        add_call(&b, 16000, 16001, 100, 1000, -38);
        builder_round(&b);
        builder_feature_str(&b, ARCH, "x86_64");
        return save(&b, folder, "syscalls.data");
}

static void add_contention(struct session_builder *b, uint64_t from_us, uint64_t to_us, int32_t tid,
                           uint64_t lock, uint32_t flags)
{
        uint8_t raw[20] = {0};

        tracepoint_session_put(raw, 8, lock, 8);
        tracepoint_session_put(raw, 16, flags, 4);
        tracepoint_session_sample(b, 0, from_us * 1000, tid, 1, raw, sizeof(raw));
        tracepoint_session_put(raw, 16, 0, 4);
        tracepoint_session_sample(b, 1, to_us * 1000, tid, 1, raw, sizeof(raw));
}

/* Two programs that want the same locks of the kernel. */
static int save_locks(const char *folder)
{
        static const struct tracepoint_format formats[] = {
                {408, "lock",
                 "name: contention_begin\nID: 408\nformat:\n" COMMON_FIELDS
                 "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n"
                 "\nprint fmt: \"%p\", REC->lock_addr\n"},
                {407, "lock",
                 "name: contention_end\nID: 407\nformat:\n" COMMON_FIELDS
                 "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n"
                 "\nprint fmt: \"%p\", REC->lock_addr\n"},
        };
        enum { WRITE = 4, SPIN = 1, MUTEX = 32 };
        struct session_builder b;

        tracepoint_session_begin(&b, formats, N_ELEMENTS(formats));
        b.attr_bytes = OLD_ATTR_BYTES;
        builder_comm(&b, 0, 100, 100, "server", true);
        builder_comm(&b, 0, 101, 101, "other", true);
        add_contention(&b, 1000, 3376, 100, 0xffff888100000100, WRITE);
        add_contention(&b, 1500, 2756, 101, 0xffff888100000100, WRITE);
        add_contention(&b, 4000, 4041, 100, 0xffff888627c2ba40, SPIN);
        add_contention(&b, 5000, 5500, 101, 0xffff888100000200, MUTEX);
        builder_round(&b);
        builder_feature_str(&b, ARCH, "x86_64");
        return save(&b, folder, "locks.data");
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
        status |= save_syscalls(argv[1]);
        status |= save_locks(argv[1]);
        return status | save_branches(argv[1], "calls.data", true);
}
