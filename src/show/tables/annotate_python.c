/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_python.h"

#include "annotate_texts.h"
#include "python_source_view.h"
#include "report_python.h"
#include "source_text.h"

struct python_asker {
        const struct report *report;
        struct source_text *source;
};

static const char *line_of(void *ctx, const char *path, uint32_t line)
{
        const struct python_asker *asker = ctx;

        return source_text_line(asker->source, path, line);
}

static const char *note_of(void *ctx, const char *path)
{
        const struct python_asker *asker = ctx;
        const char *note = source_text_note(asker->source, path, 0);

        if (!note && report_python_has_changed(asker->report, asker->source, path))
                note = "has changed since the recording: line numbers may be wrong";
        return note;
}

static void show_source(const struct annotate_python *request, const struct python_source *source,
                        struct source_text *texts_of, struct annotate_page *page)
{
        const struct report_event *event = &request->report->events[source->event];
        struct python_asker asker = {request->report, texts_of};
        const struct python_source_view view = {
                .source = source,
                .event = event->name,
                .event_count = event->n_samples,
                .event_weight = event->weight,
                .texts = {.line = line_of, .note = note_of, .ctx = &asker},
                .with_natives = request->with_natives,
                .is_colored = request->is_colored,
                .max_columns = request->max_columns,
                .marks = request->marks,
        };

        if (page->n_parts++)
                buf_add_char(&page->text, '\n');
        python_source_view_text(&view, &page->text);
        python_source_view_json(&view, &page->json);
}

size_t annotate_python_show(const struct annotate_python *request, struct annotate_page *page)
{
        AUTO(python_sources) sources = NULL;
        AUTO(source_text) texts_of = NULL;
        size_t n;

        if (!request->report->python)
                return 0;
        sources = python_sources_find(request->report->python, request->symbol);
        texts_of = source_text_new(request->source_folders, NULL, NULL);
        source_text_take_private(texts_of, request->takes_private);
        source_text_use_archive(texts_of, request->report->session.archive.source);
        source_text_ask_for(texts_of, (struct source_asker){.is_archived = true});
        n = sources->n < request->max_sources ? sources->n : (size_t)request->max_sources;
        for (size_t i = 0; i < n; i++)
                show_source(request, &sources->items[i], texts_of, page);
        return n;
}
