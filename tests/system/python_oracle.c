/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads python_oracle.bpf.c and writes its samples, struct oracle_sample, to a file until SIGTERM.
 *
 * python_oracle LAYOUT SAMPLES [timer]
 *
 * With "timer" it walks when the timer of a cpu-clock event expires, else when such an event sends SIGTRAP.
 * LAYOUT is the output of python_headers.c.  Prints `ready` when it has begun, and `lost N` at the end.
 * Status 3: the kernel refuses BPF, with the reason on standard error. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "python_oracle.h"

enum { POLL_MS = 50, REFUSED = 3 };

static volatile sig_atomic_t ends;

static void end(int sig)
{
        (void)sig;
        ends = 1;
}

static bool read_layout(const char *path, struct oracle_layout *ret_layout)
{
        static const struct {
                const char *name;
                size_t off;
        } fields[] = {
#define FIELD(name) {#name, offsetof(struct oracle_layout, name)}
                FIELD(thread_frame),    FIELD(cframe_frame), FIELD(frame_previous),   FIELD(frame_code),
                FIELD(frame_instr),     FIELD(frame_owner),  FIELD(code_name),        FIELD(code_file),
                FIELD(code_first_line), FIELD(code_instrs),  FIELD(text_ascii_bytes), FIELD(code_lines),
                FIELD(bytes_data),
#undef FIELD
        };
        FILE *file = fopen(path, "r");
        unsigned long long value;
        char name[64];

        if (!file)
                return false;
        memset(ret_layout, 0xff, sizeof(*ret_layout));
        while (fscanf(file, "%63s %llu", name, &value) == 2) {
                for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
                        __u64 word = value;

                        if (strcmp(fields[i].name, name) == 0)
                                memcpy((char *)ret_layout + fields[i].off, &word, sizeof(word));
                }
        }
        fclose(file);
        ret_layout->magic = ORACLE_MAGIC(getpid());
        return ret_layout->thread_frame != ORACLE_NO_FIELD;
}

/* 0: the kernel does not tell. */
static __u64 find_timer_function(void)
{
        FILE *file = fopen("/proc/kallsyms", "r");
        unsigned long long addr, found = 0;
        char name[128];

        while (file && !found && fscanf(file, "%llx %*c %127s%*[^\n]", &addr, name) == 2)
                found = strcmp(name, "perf_swevent_hrtimer") ? 0 : addr;
        if (file)
                fclose(file);
        return found;
}

static int refuse(const char *what)
{
        fprintf(stderr, "BPF: %s: %s\n", what, strerror(errno));
        return REFUSED;
}

static int write_sample(void *file, void *sample, size_t size)
{
        return fwrite(sample, size, 1, file) == 1 ? 0 : -1;
}

static int attach(struct bpf_object *object)
{
        struct bpf_program *program;

        bpf_object__for_each_program(program, object)
        {
                if (bpf_program__autoload(program) && !bpf_program__attach(program))
                        return refuse(bpf_program__name(program));
        }
        return 0;
}

static int follow(struct bpf_object *object, FILE *file)
{
        struct ring_buffer *ring =
                ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), write_sample, file, NULL);
        __u32 zero = 0;
        __u64 n_lost = 0;

        if (!ring)
                return refuse("ring");
        puts("ready");
        fflush(stdout);
        while (!ends)
                ring_buffer__poll(ring, POLL_MS);
        if (ring_buffer__consume(ring) < 0 || fflush(file))
                return refuse("samples");
        bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(object, "lost"), &zero, &n_lost);
        printf("lost %llu\n", (unsigned long long)n_lost);
        return 0;
}

/* Hides messages that users without the right to load programs do not need; the reason is the errno. */
static int print(enum libbpf_print_level level, const char *format, va_list args)
{
        return level == LIBBPF_WARN && getenv("ORACLE_VERBOSE") ? vfprintf(stderr, format, args) : 0;
}

int main(int argc, char **argv)
{
        struct oracle_layout layout;
        struct bpf_object *object;
        __u32 zero = 0;
        FILE *file;
        int status;

        bool at_timer = argc == 4 && !strcmp(argv[3], "timer");

        if ((argc != 3 && !at_timer) || !read_layout(argv[1], &layout)) {
                fprintf(stderr, "usage: python_oracle LAYOUT SAMPLES [timer]\n");
                return 2;
        }
        file = fopen(argv[2], "wb");
        if (!file) {
                perror(argv[2]);
                return 1;
        }
        signal(SIGTERM, end);
        libbpf_set_print(print);
        layout.timer_function = find_timer_function();
        object = bpf_object__open_file(ORACLE_PROGRAMS, NULL);
        if (!object ||
            bpf_program__set_autoload(bpf_object__find_program_by_name(object, "on_timer"), at_timer) ||
            bpf_program__set_autoload(bpf_object__find_program_by_name(object, "on_signal"), !at_timer) ||
            bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "scratch"),
                                     (__u32)libbpf_num_possible_cpus()) ||
            bpf_object__load(object))
                return refuse("programs");
        if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "layouts"), &zero, &layout, 0))
                return refuse("layouts");
        status = attach(object);
        if (!status)
                status = follow(object, file);
        fclose(file);
        return status;
}
