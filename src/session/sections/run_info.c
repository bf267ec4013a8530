/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_info.h"

#include <string.h>

#include "buf.h"
#include "session_lines.h"
#include "text_number.h"

#define MAGIC "WPRF"
enum { VERSION = 1, PARTS_PER_SHARE = 1000000 };

void run_info_make(const struct run_info *info, struct buf *out)
{
        session_lines_begin(out, MAGIC, VERSION);
        session_lines_add(out, "source_note", info->source_note);
        if (info->command && info->command[0])
                session_lines_add(out, "command", info->command);
        if (info->governor && info->governor[0])
                session_lines_add(out, "governor", info->governor);
        if (info->start_ns)
                session_lines_add_number(out, "start_ns", info->start_ns);
        session_lines_add_number(out, "elapsed_ns", info->elapsed_ns);
        session_lines_add_number(out, "user_ns", info->user_ns);
        session_lines_add_number(out, "kernel_ns", info->kernel_ns);
        if (info->split_is_unknown)
                session_lines_add_number(out, "split_is_unknown", 1);
        if (info->kernel_is_denied)
                session_lines_add_number(out, "kernel_is_denied", 1);
        if (info->lost_is_estimate)
                session_lines_add_number(out, "lost_is_estimate", 1);
        session_lines_add_number(out, "recorder_ns", info->recorder_ns);
        session_lines_add_number(out, "counted_ppm", (uint64_t)(info->counted_share * PARTS_PER_SHARE));
        if (info->sampled_share >= 0)
                session_lines_add_number(out, "sampled_ppm",
                                         (uint64_t)(info->sampled_share * PARTS_PER_SHARE));
        if (info->sampled_event[0])
                session_lines_add(out, "sampled_event", info->sampled_event);
        if (info->not_sampled[0])
                session_lines_add(out, "not_sampled", info->not_sampled);
        if (info->unprivileged[0])
                session_lines_add(out, "unprivileged", info->unprivileged);
        if (info->not_traced[0])
                session_lines_add(out, "not_traced", info->not_traced);
        if (info->off_ns)
                session_lines_add_number(out, "off_ns", info->off_ns);
        if (info->stack_bytes)
                session_lines_add_number(out, "stack_bytes", info->stack_bytes);
        if (info->n_samples)
                session_lines_add_number(out, "n_samples", info->n_samples);
        if (info->n_stops) {
                session_lines_add_number(out, "n_stops", info->n_stops);
                session_lines_add_number(out, "n_ring_dropped", info->n_ring_dropped);
        }
        if (info->n_blocked || info->n_preempted) {
                session_lines_add_number(out, "n_blocked", info->n_blocked);
                session_lines_add_number(out, "n_preempted", info->n_preempted);
        }
        if (info->n_repeats)
                session_lines_add_number(out, "n_repeats", info->n_repeats);
        if (info->source_cut_bytes)
                session_lines_add_number(out, "source_cut_bytes", info->source_cut_bytes);
        if (info->n_source_malformed)
                session_lines_add_number(out, "n_source_malformed", info->n_source_malformed);
        if (info->source_is_short)
                session_lines_add_number(out, "source_is_short", info->source_is_short);
        if (info->python_symbols[0])
                session_lines_add(out, "python_symbols", info->python_symbols);
        session_lines_add_number(out, "n_not_kept", info->n_not_kept);
        session_lines_add(out, "not_kept", info->not_kept);
        if (info->has_exit)
                session_lines_add_number(out, "exit_status", (uint64_t)info->exit_status);
}

void run_info_write(const struct run_info *info, struct perfdata_writer *writer)
{
        AUTO_RELEASE(buf) out = {0};

        run_info_make(info, &out);
        perfdata_writer_add_feature(writer, FEATURE_WPERF_RUN, out.data, out.len);
}

static void take_pair(struct run_info *info, const char *key, const char *value)
{
        const struct {
                const char *key;
                uint64_t *number;
        } numbers[] = {
                {"start_ns", &info->start_ns},
                {"elapsed_ns", &info->elapsed_ns},
                {"user_ns", &info->user_ns},
                {"kernel_ns", &info->kernel_ns},
                {"split_is_unknown", &info->split_is_unknown},
                {"kernel_is_denied", &info->kernel_is_denied},
                {"lost_is_estimate", &info->lost_is_estimate},
                {"recorder_ns", &info->recorder_ns},
                {"off_ns", &info->off_ns},
                {"stack_bytes", &info->stack_bytes},
                {"n_samples", &info->n_samples},
                {"n_stops", &info->n_stops},
                {"n_ring_dropped", &info->n_ring_dropped},
                {"n_blocked", &info->n_blocked},
                {"n_preempted", &info->n_preempted},
                {"n_repeats", &info->n_repeats},
                {"n_not_kept", &info->n_not_kept},
                {"source_cut_bytes", &info->source_cut_bytes},
                {"n_source_malformed", &info->n_source_malformed},
                {"source_is_short", &info->source_is_short},
        };
        uint64_t v = 0;

        if (!strcmp(key, "source_note"))
                info->source_note = value;
        else if (!strcmp(key, "command"))
                info->command = value;
        else if (!strcmp(key, "governor"))
                info->governor = value;
        else if (!strcmp(key, "not_kept"))
                info->not_kept = value;
        else if (!strcmp(key, "sampled_event"))
                info->sampled_event = value;
        else if (!strcmp(key, "not_sampled"))
                info->not_sampled = value;
        else if (!strcmp(key, "unprivileged"))
                info->unprivileged = value;
        else if (!strcmp(key, "not_traced"))
                info->not_traced = value;
        else if (!strcmp(key, "python_symbols"))
                info->python_symbols = value;
        if (!text_to_u64(value, 10, &v))
                return;
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                if (!strcmp(key, numbers[i].key))
                        *numbers[i].number = v;
        }
        if (!strcmp(key, "counted_ppm") && v <= PARTS_PER_SHARE)
                info->counted_share = (double)v / PARTS_PER_SHARE;
        if (!strcmp(key, "sampled_ppm") && v <= PARTS_PER_SHARE)
                info->sampled_share = (double)v / PARTS_PER_SHARE;
        if (!strcmp(key, "exit_status") && v <= INT32_MAX) {
                info->has_exit = true;
                info->exit_status = (int)v;
        }
}

bool run_info_read_section(struct cursor section, struct buf *text, struct run_info *ret)
{
        const char *key, *value;
        char *at;

        *ret = (struct run_info){.source_note = "",
                                 .command = "",
                                 .governor = "",
                                 .not_kept = "",
                                 .sampled_event = "",
                                 .not_sampled = "",
                                 .unprivileged = "",
                                 .not_traced = "",
                                 .python_symbols = "",
                                 .counted_share = 1,
                                 .sampled_share = -1};
        if (!session_lines_read(section, MAGIC, VERSION, text))
                return false;
        for (at = text->data; session_lines_next(&at, &key, &value);)
                take_pair(ret, key, value);
        return true;
}

bool run_info_read(const struct perfdata_reader *reader, struct buf *text, struct run_info *ret)
{
        return run_info_read_section(perfdata_feature(reader, FEATURE_WPERF_RUN), text, ret);
}
