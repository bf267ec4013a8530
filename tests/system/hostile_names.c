/* SPDX-License-Identifier: BSD-3-Clause */
#include "hostile_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etl_builder.h"
#include "mem.h"
#include "perf_abi.h"
#include "perfdata_format.h"
#include "python_section.h"
#include "session_builder.h"

enum {
        PID = 77,
        TEXT_BYTES = 64,
        CHAIN_PLACES = 1000,
        CODE_BYTES = 16, /* of a function of the kernel */
};

#define KERNEL_ADDR UINT64_C(0xffffffff81000000)

/* --- Python --- */

/* What the section has before the texts: no reasons. */
static void begin_section(struct buf *section, size_t text_bytes, uint64_t n)
{
        buf_add(section, "WPPY", 4);
        buf_add_u32(section, 1);
        buf_add_u64(section, 1);
        buf_add_u64(section, 1);
        buf_add_u32(section, 0);
        buf_add_u32(section, (uint32_t)text_bytes);
        buf_add_u32(section, (uint32_t)n);
        buf_add_u32(section, (uint32_t)n);
}

static void add_code(struct buf *section, uint64_t function, uint64_t file, uint64_t line)
{
        buf_add_u32(section, (uint32_t)function);
        buf_add_u32(section, (uint32_t)file);
        buf_add_u32(section, (uint32_t)line);
}

static void add_places(struct buf *section, uint64_t n)
{
        for (uint64_t i = 0; i < n; i++) {
                buf_add_u32(section, (uint32_t)i);
                buf_add_u32(section, (uint32_t)i + 1);
        }
}

/* Samples whose chains have all places. */
static void end_session(const struct buf *section, uint64_t n, struct buf *out)
{
        uint64_t chain[CHAIN_PLACES + 1] = {PERF_CONTEXT_USER};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "python3", true);
        builder_mmap(&b, 2, PID, PYTHON_PLACES_BASE, PYTHON_PLACES_SIZE_BYTES, 0, "/nowhere/a.pysyms");
        for (uint64_t i = 0; i < n;) {
                size_t n_chain = 1;

                for (; n_chain <= CHAIN_PLACES && i < n; i++)
                        chain[n_chain++] = PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES * (i + 1);
                builder_sample(&b, 0, 10 + i, PID, PID, PERF_MISC_USER, chain, n_chain);
        }
        builder_feature(&b, FEATURE_WPERF_PYTHON, section->data, section->len);
        builder_file(&b, out);
        builder_release(&b);
}

void hostile_python_codes(uint64_t n, uint64_t size, struct buf *out)
{
        AUTO_RELEASE(buf) section = {0};

        begin_section(&section, size + 1, n);
        memset(buf_extend(&section, size), 'a', size);
        buf_add_u8(&section, 0);
        for (uint64_t i = 0; i < n; i++)
                add_code(&section, i * 7 % TEXT_BYTES, i * 104729 % TEXT_BYTES, i + 1);
        add_places(&section, n);
        end_session(&section, n, out);
}

/* A text is followed by those that begin later in it, so each path needs one of its own. */
void hostile_python_files(uint64_t n, uint64_t size, struct buf *out)
{
        enum { N_PATHS = 100 };
        AUTO_RELEASE(buf) section = {0};
        size_t text_bytes = N_PATHS * (size + 4);

        begin_section(&section, text_bytes, n);
        for (unsigned i = 0; i < N_PATHS; i++) {
                memset(buf_extend(&section, size), 'a', size);
                buf_printf(&section, "%03u", i);
                buf_add_u8(&section, 0);
        }
        for (uint64_t i = 0; i < n; i++)
                add_code(&section, size, i % N_PATHS * (size + 4) + i / N_PATHS % size, i + 1);
        add_places(&section, n);
        buf_add_u32(&section, (uint32_t)n);
        for (uint64_t i = 0; i < n; i++) {
                buf_add_u32(&section, (uint32_t)(N_PATHS - 1) * (uint32_t)(size + 4));
                buf_add_u64(&section, 1);
                buf_add_u64(&section, 1);
        }
        end_session(&section, n, out);
}

/* --- The kernel --- */

void hostile_kallsyms(uint64_t n, uint64_t size, struct buf *out)
{
        for (uint64_t i = 0; i < n; i++) {
                if (size) {
                        buf_printf(out, "%llx t ", (unsigned long long)KERNEL_ADDR);
                        memset(buf_extend(out, size), '_', size);
                        buf_add_str(out, "\n");
                } else {
                        buf_printf(out, "%llx t a\t[%llx]\n",
                                   (unsigned long long)(KERNEL_ADDR + (n - i) * CODE_BYTES),
                                   (unsigned long long)i);
                }
        }
}

void hostile_kernel_samples(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        (void)size;
        builder_init(&b);
        builder_kernel_mmap(&b, KERNEL_ADDR, 1 << 30, KERNEL_ADDR, "[kernel.kallsyms]_text");
        builder_comm(&b, 1, PID, PID, "kernel", true);
        for (uint64_t i = 0; i < n; i++) {
                uint64_t chain[] = {PERF_CONTEXT_KERNEL, KERNEL_ADDR + i * CODE_BYTES};

                builder_sample(&b, 0, 10 + i, PID, PID, PERF_MISC_KERNEL, chain, 2);
        }
        builder_file(&b, out);
        builder_release(&b);
}

/* --- Windows --- */

void hostile_etl(uint64_t n, uint64_t size, struct buf *out)
{
        enum { A_BUFFER = 100, TIME = 2000 };
        char *volume = mem_new(size + 1, 1);
        struct etl_builder b;

        memset(volume, 'C', size);
        etl_begin_file(&b);
        etl_begin_buffer(&b, 0);
        etl_add_process(&b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(&b, ETL_THREAD_RUNNING, 1100, PID, PID + 1);
        etl_add_volume(&b, 1200, "\\", volume);
        for (uint64_t i = 0; i < n; i++) {
                uint64_t addr = UINT64_C(0x7ff600000000) + (i << 16);
                char path[16];

                if (i % A_BUFFER == 0) {
                        etl_end_buffer(&b);
                        etl_begin_buffer(&b, 0);
                }
                snprintf(path, sizeof(path), "\\%u", (unsigned)i);
                etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, PID, addr, 0x10000, path);
                etl_add_sample(&b, TIME + i, PID + 1, addr + 16);
        }
        etl_end_buffer(&b);
        buf_add(out, b.file.data, b.file.len);
        buf_release(&b.file);
        free(volume);
}
