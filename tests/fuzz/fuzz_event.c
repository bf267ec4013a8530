/* SPDX-License-Identifier: BSD-3-Clause */
/* The first line is event text, each further one a file of the PMU folder (PATH=TEXT): the result is a list
 * of complete events or one error message, never both. */
#include <stdlib.h>
#include <string.h>

#include "memory_sysfs.h"
#include "pmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES_MAX = 64 };

/* Cuts `text` in place. */
static void split_files(char *text, struct memory_file *files)
{
        size_t n = 0;

        while (text && n < FILES_MAX) {
                char *end = strchr(text, '\n'), *equals;

                if (end)
                        *end = '\0';
                equals = strchr(text, '=');
                if (equals) {
                        *equals = '\0';
                        files[n++] = (struct memory_file){text, equals + 1};
                }
                text = end ? end + 1 : NULL;
        }
        files[n] = (struct memory_file){NULL, NULL};
}

static void check_events(const struct event_list *list)
{
        if (!list->n_items)
                abort();
        for (size_t i = 0; i < list->n_items; i++) {
                const struct event *event = &list->items[i];
                struct buf text = {0};

                if (!memchr(event->name, '\0', sizeof(event->name)) ||
                    !memchr(event->pmu, '\0', sizeof(event->pmu)))
                        abort();
                if (event->uncore || !event->attr.sample_period_or_freq ||
                    event->attr.sample_period_or_freq > INT64_MAX)
                        abort();
                for (size_t cpu = 1; cpu < event->n_cpus; cpu++) {
                        if (event->cpus[cpu - 1] >= event->cpus[cpu] || event->cpus[cpu] >= PMU_CPU_LIMIT)
                                abort();
                }
                event_describe_attr(&event->attr, &text);
                if (!text.len || strlen(text.data) != text.len)
                        abort();
                buf_release(&text);
        }
}

static void parse(const char *text, const struct pmu_source *source)
{
        const struct event_defaults defaults = {.freq_hz = 99, .kernel = *text == 'c'};
        struct event_list list = {0};
        struct err err = {0};

        if (event_parse_sampling(text, &defaults, source, &list, &err))
                check_events(&list);
        else if (list.items || !err.code || !err.text[0])
                abort();
        event_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct memory_file files[FILES_MAX + 1];
        struct pmu_source source = memory_sysfs(files);
        struct event_list list = {0};
        struct err err = {0};
        char *text = malloc(size + 1), *end;

        if (!text)
                return 0;
        memcpy(text, data, size);
        text[size] = '\0';
        end = strchr(text, '\n');
        if (end)
                *end = '\0';
        split_files(end ? end + 1 : NULL, files);
        parse(text, &source);
        if (event_default_sampling(NULL, &source, &list, &err))
                check_events(&list);
        event_list_release(&list);
        free(text);
        return 0;
}
