/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "count_section.h"
#include "count_threads.h"
#include "counts.h"
#include "cpu_vendor.h"
#include "err.h"
#include "mem.h"
#include "text.h"
#include "text_number.h"

bool count_replay_is(const struct perfdata_reader *reader)
{
        size_t n = perfdata_n_events(reader);

        /* The interval of SPE may not be known. */
        if (!perfdata_feature(reader, FEATURE_AUXTRACE).failed)
                return false;
        for (size_t i = 0; i < n; i++) {
                if (perfdata_get_event(reader, i)->attr.sample_period_or_freq)
                        return false;
        }
        return n;
}

static void take_attributes(struct count_list *list, const struct perfdata_reader *reader)
{
        for (size_t i = 0; i < list->n_items && i < perfdata_n_events(reader); i++)
                list->items[i].event.attr = perfdata_get_event(reader, i)->attr;
}

static const char *index_of(const struct perf_attr *attr, char *text, size_t size)
{
        AUTO_RELEASE(buf) hex = {0};

        switch (attr->type) {
        case PERF_TYPE_HARDWARE:
        case PERF_TYPE_SOFTWARE:
        case PERF_TYPE_HW_CACHE: snprintf(text, size, "0x%02" PRIx64, attr->config & UINT32_MAX); return text;
        default:
                text_add_hex(&hex, attr->config);
                text_copy(text, size, buf_text(&hex));
                return text;
        }
}

/* A `perf stat` session has attributes, but no section of ours that describes its events. */
static void list_attributes(struct count_list *list, const struct perfdata_reader *reader)
{
        for (size_t i = 0; i < perfdata_n_events(reader); i++) {
                const struct perfdata_event *from = perfdata_get_event(reader, i);
                struct count_event event = {
                        .event.attr = from->attr, .code = -1, .kind = COUNT_NO_KIND, .group = COUNT_LOOSE};
                char text[24];

                text_copy(event.event.name, sizeof(event.event.name), from->name);
                text_copy(event.index, sizeof(event.index), index_of(&from->attr, text, sizeof(text)));
                event.plain = arena_copy(&list->texts, event.event.name, strlen(event.event.name));
                ARRAY_PUSH(list->items, list->n_items, list->cap_items, event);
        }
}

static bool read_list(struct count_replay *replay, const struct perfdata_reader *reader, struct err *err)
{
        struct cursor section = perfdata_feature(reader, FEATURE_WPERF_COUNT);

        if (section.failed)
                list_attributes(&replay->list, reader);
        else if (!count_section_read(section, &replay->subject, &replay->list, err))
                return false;
        else
                take_attributes(&replay->list, reader);
        if (!replay->subject.len)
                buf_add_str(&replay->subject, "the recorded programs");
        return true;
}

static void bind_ids(struct count_replay *replay, const struct perfdata_reader *reader)
{
        for (size_t i = 0; i < replay->list.n_items && i < perfdata_n_events(reader); i++) {
                const struct perfdata_event *e = perfdata_get_event(reader, i);

                counts_set_event(replay->counts, i, e->ids, e->n_ids);
        }
}

bool count_replay_open(struct count_replay *replay, const struct perfdata_reader *reader, struct err *err)
{
        if (!read_list(replay, reader, err))
                return false;
        replay->counts = counts_new(&replay->list);
        replay->metrics = metric_values_new(&replay->list);
        bind_ids(replay, reader);
        replay->has_info = run_info_read(reader, &replay->texts, &replay->info);
        cpu_vendor_add(perfdata_feature_str(reader, FEATURE_CPUID), &replay->vendor);
        return true;
}

/* Reports damage of the file as a warning in the list, with the last round. */
static void add_damage(struct count_replay *replay, const struct perfdata_reader *reader)
{
        const struct perfdata_damage *damage = perfdata_get_damage(reader);
        struct buf *out = &replay->list.warnings;
        size_t before = out->len;

        if (damage->cut_bytes)
                buf_printf(out, "%" PRIu64 " bytes are missing or incomplete at the end of the file\n",
                           damage->cut_bytes);
        if (damage->data_size_missing || damage->features_missing)
                buf_add_str(out, "the recorder did not finish the file\n");
        if (damage->n_malformed)
                buf_printf(out, "%" PRIu64 " records of the file are malformed\n", damage->n_malformed);
        replay->damaged = out->len > before;
}

static bool say_no_counts(const struct perfdata_reader *reader, struct err *err)
{
        if (!perfdata_feature(reader, FEATURE_WPERF_COUNT).failed ||
            perfdata_get_damage(reader)->features_missing)
                return err_set(err, ERR_FORMAT, "the session has no counts: the recorder did not finish it");
        return err_set(
                err, ERR_MISSING,
                "the session has neither samples nor counts: record it again without -n (--no-samples)");
}

bool count_replay_read(struct count_replay *replay, struct perfdata_reader *reader,
                       bool (*each)(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns), void *ctx,
                       struct err *err)
{
        struct count_threads threads = {0};
        struct sheet *last = NULL; /* the round that was not passed to `each` yet */
        struct perfdata_record record;
        uint64_t last_ns = 0;
        bool go_on = true;
        int got = 0;

        while (go_on && (got = perfdata_next_raw(reader, &record, err)) > 0) {
                counts_take(replay->counts, &record.header, record.bytes);
                count_threads_take(&threads, reader, &record, replay->counts);
                if (record.header.type != PERF_RECORD_STAT_ROUND)
                        continue;
                go_on = !last || each(ctx, last, last_ns);
                sheet_free(last);
                last = sheet_make(&replay->list, replay->metrics, replay->counts, NULL);
                last_ns = counts_round_ns(replay->counts);
        }
        add_damage(replay, reader);
        if (got >= 0 && !counts_n_rounds(replay->counts) && threads.n_threads) {
                count_threads_finish(&threads, replay->counts);
                buf_printf(&replay->list.warnings,
                           "the counts cover only the %" PRIu64
                           " threads that ended during the recording; 'perf record -n' writes no others\n",
                           threads.n_threads);
                last = sheet_make(&replay->list, replay->metrics, replay->counts, NULL);
                last_ns = counts_round_ns(replay->counts);
        }
        if (got >= 0 && go_on && last)
                each(ctx, last, last_ns);
        sheet_free(last);
        if (got < 0)
                return false;
        return counts_n_rounds(replay->counts) || say_no_counts(reader, err);
}

void count_replay_release(struct count_replay *replay)
{
        metric_values_free(replay->metrics);
        counts_free(replay->counts);
        count_list_release(&replay->list);
        buf_release(&replay->texts);
        buf_release(&replay->subject);
        buf_release(&replay->vendor);
}
