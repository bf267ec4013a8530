/* SPDX-License-Identifier: BSD-3-Clause */
/* The first line is -e, the second -m (empty: none), the third -E and -k, the fourth the model of the
 * catalogue or nothing; each further line is a file of the PMU folder (PATH=TEXT) in addition to it.  The
 * result is a consistent list that can be written and read, or one error message, never both. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "count_list.h"
#include "count_machines.h"
#include "err.h"
#include "pmu.h"
#include "text_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES_MAX = 64, FIXED_LINES = 4 };

/* Takes a line from *rest, in place; "" at the end. */
static char *next_line(char **rest)
{
        char *line = *rest, *end = strchr(line, '\n');

        if (end)
                *end = '\0';
        *rest = end ? end + 1 : line + strlen(line);
        return line;
}

static void split_files(char *rest, struct memory_file *files)
{
        size_t n = 0;

        while (*rest && n < FILES_MAX) {
                char *line = next_line(&rest), *equals = strchr(line, '=');

                if (!equals)
                        continue;
                *equals = '\0';
                files[n++] = (struct memory_file){line, equals + 1};
        }
        files[n] = (struct memory_file){NULL, NULL};
}

static void check_event(const struct count_list *list, const struct count_event *e)
{
        bool is_software = e->event.attr.type == PERF_TYPE_SOFTWARE;

        if (!memchr(e->event.name, '\0', sizeof(e->event.name)) || !e->event.name[0] || !e->plain ||
            !memchr(e->index, '\0', sizeof(e->index)) || !e->index[0])
                abort();
        if ((unsigned)e->class >= COUNT_CLASSES || e->kind < COUNT_NO_KIND ||
            e->kind >= (int32_t)list->kinds.n_items || e->group < COUNT_LOOSE)
                abort();
        if (e->event.attr.sample_period_or_freq || (e->group != COUNT_LOOSE) != (e->together != 0))
                abort();
        if (is_software && e->kind != COUNT_NO_KIND)
                abort();
        for (const char *c = e->plain; *c; c++) {
                if (*c >= 'A' && *c <= 'Z')
                        abort();
        }
}

static void check_list(const struct count_list *list, bool has_events)
{
        bool behind_cycles = false;

        if (has_events && !list->n_items)
                abort();
        for (size_t i = 0; i < list->n_items; i++) {
                check_event(list, &list->items[i]);
                behind_cycles |= !list->items[i].is_cycle;
                if (behind_cycles && list->items[i].is_cycle)
                        abort();
        }
        for (size_t i = 0; i < list->n_metrics; i++) {
                const struct count_metric *m = &list->metrics[i];

                for (size_t j = 0; j < m->n_events; j++) {
                        if (m->events[j] >= list->n_items || !list->items[m->events[j]].metric ||
                            !text_equal_nocase(list->items[m->events[j]].metric, m->name))
                                abort();
                }
        }
}

static void check_round_trip(const struct count_list *list)
{
        struct count_list again = {0};
        struct buf text = {0}, second = {0};
        struct err err = {0};

        count_list_write(list, &text);
        if (!count_list_read(buf_text(&text), text.len, &again, &err))
                abort();
        count_list_write(&again, &second);
        if (again.n_items != list->n_items || again.n_metrics != list->n_metrics)
                abort();
        buf_release(&text);
        buf_release(&second);
        count_list_release(&again);
}

static void parse(const struct count_text *text, const struct pmu_source *source)
{
        struct count_list list = {0};
        struct err err = {0};

        if (count_list_parse(text, source, &list, &err)) {
                check_list(&list, text->events != NULL);
                check_round_trip(&list);
        } else if (list.items || list.metrics || !err.code || !err.text[0]) {
                abort();
        }
        count_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct memory_file files[FILES_MAX + 1];
        struct layered_sysfs layered = {.files = files};
        struct extra_names extra = {0};
        struct count_text count = {.dmc = UINT32_MAX, .extra = &extra};
        struct pmu_source source = memory_sysfs(files);
        const struct catalogue_cpu *model;
        char *text = malloc(size + 1), *rest = text, *metrics, *names;

        if (!text)
                return 0;
        memcpy(text, data, size);
        text[size] = '\0';
        count.events = next_line(&rest);
        metrics = next_line(&rest);
        count.metrics = *metrics ? metrics : NULL;
        names = next_line(&rest);
        count.kernel = *names == 'k';
        count.leave_out = !count.kernel;
        if (*names)
                (void)extra_events_parse(names, &extra, NULL);
        model = catalogue_find_cpu(next_line(&rest));
        split_files(rest, files);
        if (model) {
                layered.below = core_model_source(model);
                source = layered_sysfs(&layered);
        }
        parse(&count, &source);
        if (!*count.events) {
                count.events = NULL;
                parse(&count, &source);
        }
        extra_names_release(&extra);
        free(text);
        return 0;
}
