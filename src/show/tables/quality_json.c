/* SPDX-License-Identifier: BSD-3-Clause */
#include "quality_view.h"

/* Only causes with a count.  They include all stacks of the session, also those that a filter leaves out. */
static void add_cut_by(const struct quality *q, struct json *json)
{
        json_key(json, "cut_by");
        json_begin_object(json);
        for (enum quality_cut why = 0; why < QUALITY_N_CUTS; why++) {
                if (q->cut_by[why])
                        json_key_u64(json, quality_cut_key(why), q->cut_by[why]);
        }
        json_end_object(json);
}

/* The module in which most of the cut stacks end. */
static void add_cut_module(const struct quality *q, struct json *json)
{
        json_key(json, "cut_module");
        json_begin_object(json);
        json_key_str(json, "module", q->cut_module);
        json_key_u64(json, "stacks", q->n_cut_in_module);
        json_end_object(json);
}

static void add_spe(const struct quality_spe *spe, struct json *json)
{
        json_key(json, "spe");
        json_begin_object(json);
        json_key_u64(json, "buffers", spe->n_buffers);
        json_key_u64(json, "truncated_buffers", spe->n_truncated);
        json_key_u64(json, "collided_buffers", spe->n_collided);
        json_key_u64(json, "damaged_samples", spe->n_damaged);
        json_key_u64(json, "damaged_bytes", spe->damaged_bytes);
        json_key_u64(json, "samples_without_thread", spe->n_threadless);
        json_end_object(json);
}

static void add_python(const struct quality_python *python, struct json *json)
{
        json_key(json, "python");
        json_begin_object(json);
        json_key_u64(json, "stacks", python->n_stacks);
        json_key_u64(json, "merged", python->n_merged);
        if (python->is_approximate)
                json_key_bool(json, "approximate", true);
        json_key(json, "native");
        json_begin_array(json);
        for (size_t i = 0; i < python->n_reasons; i++) {
                json_begin_object(json);
                json_key_u64(json, "stacks", python->reasons[i].count);
                json_key_str(json, "reason", python->reasons[i].text);
                json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
}

/* Programs that were not measured like the others. */
static void add_programs(const struct quality *q, struct json *json)
{
        if (q->not_sampled && q->not_sampled[0])
                json_key_str(json, "not_sampled", q->not_sampled);
        if (q->unprivileged && q->unprivileged[0])
                json_key_str(json, "unprivileged", q->unprivileged);
        if (q->not_traced && q->not_traced[0])
                json_key_str(json, "not_traced", q->not_traced);
}

void quality_add_json(const struct quality *q, const char *source_note, struct json *json)
{
        json_key(json, "quality");
        json_begin_object(json);
        json_key_u64(json, "samples", q->n_samples);
        json_key_u64(json, "lost", q->n_lost);
        if (q->lost_is_estimate)
                json_key_bool(json, "lost_is_estimate", true);
        json_key_u64(json, "throttled", q->n_throttled);
        json_key_u64(json, "unresolved", q->n_unresolved);
        json_key(json, "unresolved_percent");
        json_fixed(json, quality_percent(q, q->n_unresolved), 2);
        json_key(json, "cut_stacks");
        if (q->not_unwound)
                json_null(json);
        else
                json_u64(json, q->n_cut_stacks);
        add_cut_by(q, json);
        if (q->cut_module)
                add_cut_module(q, json);
        if (q->python.n_stacks)
                add_python(&q->python, json);
        json_key(json, "counted_share");
        json_fixed(json, q->counted_share, 4);
        if (q->knows_sampled) {
                json_key(json, "sampled_share");
                json_fixed(json, q->sampled_share, 4);
        }
        add_programs(q, json);
        json_key(json, "off_share");
        json_fixed(json, q->off_share, 4);
        if (q->kernel_share >= 0) {
                json_key(json, "kernel_share");
                json_fixed(json, q->kernel_share, 4);
        }
        json_key_u64(json, "cut_bytes", q->cut_bytes);
        json_key_bool(json, "unfinished", q->unfinished);
        json_key_u64(json, "malformed_records", q->n_malformed);
        json_key_u64(json, "unknown_records", q->n_unknown_records);
        json_key_u64(json, "unknown_events", q->n_unknown_events);
        json_key_u64(json, "out_of_order", q->n_out_of_order);
        json_key_u64(json, "undecoded_aux_bytes", q->aux_bytes);
        if (q->spe.n_buffers)
                add_spe(&q->spe, json);
        json_key_u64(json, "files_not_kept", q->n_not_kept);
        if (q->doubts && q->doubts[0])
                json_key_str(json, "doubts", q->doubts);
        if (q->overblown_bytes)
                json_key_u64(json, "overblown_bytes", q->overblown_bytes);
        if (budget_is_short(q->budget)) {
                AUTO_RELEASE(buf) left_out = {0};

                budget_add_text(q->budget, &left_out);
                json_key_str(json, "left_out", buf_text(&left_out));
        }
        if (budget_has_given_up(q->budget)) {
                AUTO_RELEASE(buf) given_up = {0};

                budget_add_given_up(q->budget, &given_up);
                json_key_str(json, "given_up", buf_text(&given_up));
        }
        if (source_note && source_note[0])
                json_key_str(json, "source_note", source_note);
        json_key_bool(json, "poor", quality_is_poor(q));
        json_end_object(json);
}
