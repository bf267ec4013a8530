/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of names, maps and ends of the traced processes, where the kernel writes none because it refuses
 * all events. Maps are read at samples: when the process has more or less memory than before, and when the
 * sampled code is in none that is known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os.h"
#include "stop_internal.h"

/* TID, TIME, CPU and IDENTIFIER. */
enum { TRAILER_BYTES = 32 };

/* From one reading of maps to the next, if a process only has more or less memory: short after maps that were
 * new, as at the start of a program, then twice as long after each reading without any. */
#define LEAST_PAUSE_NS 1000000ull
#define MOST_PAUSE_NS  64000000ull

void stop_records_begin(struct stop_guardian *g)
{
        g->synth = (struct synth){.trailer_bytes = TRAILER_BYTES, .id = g->start.id};
}

static void begin(struct stop_guardian *g)
{
        buf_clear(&g->synth.out);
        g->synth.time_ns = os_monotonic_ns();
}

/* False if one has no room. */
static bool give(struct stop_guardian *g)
{
        struct cursor all = cursor_make(g->synth.out.data, g->synth.out.len), record;
        struct perf_header header;
        bool ok = true;

        while (record_next(&all, &header, &record)) {
                const struct stop_piece_of_message piece = {record.start, header.size};

                ok &= stop_channel_add(g->channel, STOP_RECORD, 0, g->synth.time_ns, &piece, 1);
        }
        return ok;
}

void stop_records_exec(struct stop_guardian *g, int32_t pid)
{
        begin(g);
        proc_synth_comm(&g->synth, pid, pid, true);
        give(g);
}

void stop_records_end(struct stop_guardian *g, struct stop_process *process)
{
        proc_maps_release(&process->maps);
        begin(g);
        proc_synth_exit(&g->synth, process->pid, process->pid);
        give(g);
}

/* --- at a sample --- */

/* The first number of /proc/PID/statm. */
static uint64_t n_pages_of(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t n;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/statm", pid);
        return os_read_file(path, sizeof(path), &text, NULL) && sscanf(buf_text(&text), "%" SCNu64, &n) == 1
                       ? n
                       : 0;
}

static void see_python(struct stop_guardian *g, struct stop_process *process)
{
        struct cursor all = cursor_make(g->synth.out.data, g->synth.out.len), record;
        struct perf_header header;
        struct record_mmap map;

        process->has_python |= !process->maps_ns && stop_interpreter_is(g, process->pid);
        while (record_next(&all, &header, &record)) {
                if (header.type == PERF_RECORD_MMAP2 && record_mmap_parse(record, false, &map))
                        process->has_python |= strstr(map.path, "/libpython") != NULL;
        }
}

static void read_maps(struct stop_guardian *g, struct stop_process *process, uint64_t n_pages)
{
        size_t before = g->synth.out.len;

        proc_synth_new_maps(&g->synth, process->pid, &process->maps);
        if (g->synth.out.len > before)
                process->maps_pause_ns = LEAST_PAUSE_NS;
        else if (process->maps_pause_ns < MOST_PAUSE_NS)
                process->maps_pause_ns *= 2;
        see_python(g, process);
        process->n_pages = n_pages;
        process->maps_ns = g->synth.time_ns;
}

void stop_records_see(struct stop_guardian *g, struct stop_task *task, uint64_t pc)
{
        struct stop_process *process = task->process;
        uint64_t n_pages = n_pages_of(process->pid);

        begin(g);
        if (!task->paced.has_name)
                proc_synth_comm(&g->synth, process->pid, task->tid, false);
        if (!process->maps_ns || !proc_maps_have(&process->maps, pc) ||
            (n_pages != process->n_pages && g->synth.time_ns > process->maps_ns + process->maps_pause_ns))
                read_maps(g, process, n_pages);
        task->paced.has_name = give(g);
        if (!task->paced.has_name)
                proc_maps_release(&process->maps); /* they are given again */
}
