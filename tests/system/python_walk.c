/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the Python frames of each thread of a stopped process:
 *
 *     version 3.11, 40 reads
 *     thread TID: END, READS reads first, READS again
 *     NAME<tab>FILE<tab>LINE
 *
 * python_walk PID
 *
 * or the offsets of fields in the interpreter in FILE, in the format of python_headers.c:
 *
 * python_walk --layout FILE */
#include <dirent.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "python_code.h"
#include "python_stack.h"

static struct python_frame frames[PYTHON_MAX_FRAMES];
static struct python_code codes[4096];
static size_t n_codes;

static bool read_process(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        struct iovec here = {ret_bytes, size}, there = {(void *)(uintptr_t)addr, size};

        return process_vm_readv(*(pid_t *)ctx, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The mapping of the file that defines _PyRuntime. */
static bool find_binary(pid_t pid, struct python_binary *ret_binary, uint64_t *ret_bias)
{
        char path[64], line[4096], file[4096];
        uint64_t start, off, vaddr;
        FILE *maps;

        snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
        maps = fopen(path, "r");
        while (maps && fgets(line, sizeof(line), maps)) {
                struct err err = {0};
                struct object *object;
                bool is_found;

                if (sscanf(line, "%" SCNx64 "-%*x r%*s %" SCNx64 " %*s %*s %4095s", &start, &off, file) !=
                            3 ||
                    file[0] != '/')
                        continue;
                object = object_open(file, NULL);
                if (!object)
                        continue;
                is_found = python_binary_find(object, file, ret_binary, &err) &&
                           object_to_addr(object, off, &vaddr);
                object_free(object);
                if (is_found) {
                        *ret_bias = start - (vaddr & ~(uint64_t)0xfff);
                        fclose(maps);
                        return true;
                }
                if (err.code != ERR_MISSING && err.code != ERR_UNSUPPORTED)
                        fprintf(stderr, "%s\n", err.text);
        }
        if (maps)
                fclose(maps);
        return false;
}

static uint64_t get_thread_pointer(pid_t tid)
{
#ifdef __x86_64__
        struct user_regs_struct regs = {0};
        struct iovec iov = {&regs, sizeof(regs)};

        ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov);
        return regs.fs_base;
#else
        uint64_t tls = 0;
        struct iovec iov = {&tls, sizeof(tls)};

        ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &iov);
        return tls;
#endif
}

static const struct python_code *find_code(const struct python_runtime *runtime, struct python_memory *memory,
                                           uint64_t addr)
{
        struct err err;

        for (size_t i = 0; i < n_codes; i++)
                if (codes[i].addr == addr)
                        return python_code_is_same(runtime, memory, &codes[i]) ? &codes[i] : NULL;
        if (n_codes == sizeof(codes) / sizeof(codes[0]) ||
            !python_code_read(runtime, memory, addr, &codes[n_codes], &err))
                return NULL;
        return &codes[n_codes++];
}

static void print_thread(struct python_runtime *runtime, struct python_memory *memory, pid_t tid)
{
        struct python_thread thread = {.pointer = get_thread_pointer(tid)};
        struct python_walked first, again;

        python_stack_walk(runtime, &thread, memory, frames, PYTHON_MAX_FRAMES, &first);
        for (int i = 0; i < 10; i++)
                python_stack_walk(runtime, &thread, memory, frames, PYTHON_MAX_FRAMES, &again);
        printf("thread %d: %s, %u reads first, %u again\n", (int)tid, python_end_text(again.end),
               first.n_reads, again.n_reads);
        for (size_t i = 0; i < again.n_frames; i++) {
                const struct python_code *code;

                if (frames[i].kind == PYTHON_FRAME_SHIM)
                        continue;
                code = find_code(runtime, memory, frames[i].code);
                if (!code)
                        printf("?\t?\t0\n");
                else if (!code->is_hidden)
                        printf("%s\t%s\t%d\n", code->name, code->file,
                               python_code_line(code, frames[i].instr_bytes));
        }
}

static int print_layout(const char *path)
{
        static const struct {
                const char *name;
                size_t off;
        } fields[] = {
#define FIELD(name) {#name, offsetof(struct python_layout, name)}
                FIELD(runtime_interpreters),
                FIELD(runtime_current),
                FIELD(interp_next),
                FIELD(interp_threads),
                FIELD(thread_next),
                FIELD(thread_interp),
                FIELD(thread_frame),
                FIELD(thread_id),
                FIELD(thread_native_id),
                FIELD(thread_chunk),
                FIELD(thread_status),
                FIELD(cframe_frame),
                FIELD(cframe_previous),
                FIELD(frame_previous),
                FIELD(frame_code),
                FIELD(frame_instr),
                FIELD(frame_owner),
                FIELD(frame_entry),
                FIELD(code_file),
                FIELD(code_name),
                FIELD(code_first_line),
                FIELD(code_lines),
                FIELD(code_instrs),
                FIELD(code_version),
                FIELD(code_mutable),
                FIELD(object_type),
                FIELD(bytes_size),
                FIELD(bytes_data),
                FIELD(text_length),
                FIELD(text_state),
                FIELD(text_ascii_bytes),
                FIELD(text_compact_bytes),
                FIELD(interp_modules),
                FIELD(type_keys),
                FIELD(frame_stack),
                FIELD(gen_frame),
                FIELD(gen_state)
#undef FIELD
        };
        struct python_binary binary;
        struct err err = {0};
        struct object *object = object_open(path, &err);

        if (!object || !python_binary_find(object, NULL, &binary, &err)) {
                fprintf(stderr, "%s\n", err.text);
                object_free(object);
                return 1;
        }
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
                uint32_t value =
                        (uint32_t)python_int_at((const uint8_t *)&binary.layout, (uint32_t)fields[i].off);

                if (value != PYTHON_NO_FIELD)
                        printf("%s %u\n", fields[i].name, value);
        }
        if (binary.layout.thread_chunk != PYTHON_NO_FIELD)
                printf("thread_chunk_top %u\n", binary.layout.thread_chunk + 8);
        object_free(object);
        return 0;
}

int main(int argc, char **argv)
{
        pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
        struct python_memory memory = {.read = read_process, .ctx = &pid};
        struct python_binary binary;
        struct python_runtime runtime;
        uint64_t bias;
        char path[64];
        struct dirent *entry;
        DIR *dir;

        if (argc > 2 && strcmp(argv[1], "--layout") == 0)
                return print_layout(argv[2]);
        if (!pid || !find_binary(pid, &binary, &bias)) {
                fprintf(stderr, "no file of the process defines _PyRuntime\n");
                return 1;
        }
        python_runtime_init(&runtime, &binary, bias);
        printf("version 3.%u%s\n", runtime.layout.minor, binary.is_debug ? "d" : "");
        snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
        dir = opendir(path);
        while (dir && (entry = readdir(dir))) {
                pid_t tid = atoi(entry->d_name);

                if (tid <= 0)
                        continue;
                if (ptrace(PTRACE_ATTACH, tid, NULL, NULL) || waitpid(tid, NULL, __WALL) != tid) {
                        fprintf(stderr, "ptrace is refused\n");
                        return 3;
                }
                print_thread(&runtime, &memory, tid);
                ptrace(PTRACE_DETACH, tid, NULL, NULL);
        }
        if (dir)
                closedir(dir);
        while (n_codes)
                python_code_release(&codes[--n_codes]);
        python_runtime_release(&runtime);
        return 0;
}
