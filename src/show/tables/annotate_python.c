/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_python.h"

#include "annotate_texts.h"
#include "python_source_view.h"
#include "report_python.h"
#include "source_text.h"

static const char *note_of(const struct report *report, struct source_text *source, const char *path)
{
        const char *note = source_text_note(source, path, 0);

        if (!note && report_python_has_changed(report, source, path))
                note = "has changed since the recording: line numbers may be wrong";
        return note;
}

static void fill_texts(const struct report *report, struct source_text *source, struct annotate_texts *texts)
{
        annotate_texts_sort(texts);
        for (size_t i = 0; i < texts->n_files; i++) {
                struct annotate_file *file = &texts->files[i];

                file->note = note_of(report, source, file->path);
                for (size_t k = 0; k < file->n_lines; k++)
                        file->lines[k].text = source_text_line(source, file->path, file->lines[k].line);
        }
}

static void show_source(const struct annotate_python *request, const struct python_source *source,
                        struct source_text *texts_of, struct annotate_page *page)
{
        const struct report_event *event = &request->report->events[source->event];
        struct annotate_texts texts = {0};
        const struct python_source_view view = {
                .source = source,
                .event = event->name,
                .event_count = event->n_samples,
                .event_weight = event->weight,
                .texts = &texts,
                .with_natives = request->with_natives,
                .is_colored = request->is_colored,
                .max_columns = request->max_columns,
                .marks = request->marks,
        };

        python_source_view_want(&view);
        fill_texts(request->report, texts_of, &texts);
        if (page->n_parts++)
                buf_add_char(&page->text, '\n');
        python_source_view_text(&view, &page->text);
        python_source_view_json(&view, &page->json);
        annotate_texts_release(&texts);
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
