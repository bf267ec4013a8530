/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_events TREE [EVENTS] [-F HZ] [-k]: what would be sampled on the machine whose /sys is TREE, as text.
 * plan_events TREE --mem [-L CYCLES] [-F HZ] [-k]: what would be sampled for accesses to memory.
 * plan_events TREE --count [EVENTS] [-m METRICS] [-E EXTRA] [-d DMC] [-M MODEL] [-k]: what would be
 * counted, MODEL in the place of TREE. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "count_list.h"
#include "err.h"
#include "event.h"
#include "event_memory.h"
#include "os.h"
#include "text_number.h"

enum { FILE_LIMIT_BYTES = 65536 };

struct extra_text {
        const char *events, *model; /* of -E and -M; NULL: none */
};

static void add_path(const char *tree, const char *path, struct buf *out)
{
        buf_printf(out, "%s%s", tree, path + strlen("/sys"));
}

static bool read_file(void *ctx, const char *path, struct buf *out)
{
        AUTO_RELEASE(buf) real = {0};
        size_t before = out->len;

        add_path(ctx, path, &real);
        if (os_read_file(real.data, FILE_LIMIT_BYTES, out, NULL))
                return true;
        buf_truncate(out, before);
        return false;
}

static bool list_dir(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                     void *each_ctx)
{
        AUTO_RELEASE(buf) real = {0};

        add_path(ctx, path, &real);
        return os_list_dir(real.data, each, each_ctx, NULL);
}

static void print_event(const struct event *event)
{
        AUTO_RELEASE(buf) attr = {0};
        AUTO_RELEASE(buf) cpus = {0};

        printf("event %s\n", event->name);
        if (event->pmu[0])
                printf("pmu %s\n", event->pmu);
        text_add_cpu_list(&cpus, event->cpus, event->n_cpus);
        if (cpus.len)
                printf("cpus %s\n", cpus.data);
        if (event->is_memory)
                printf("memory 1\n");
        if (event->is_member)
                printf("member 1\n");
        if (event->precise_max)
                printf("precise_max 1\n");
        event_describe_attr(&event->attr, &attr);
        printf("%s", buf_text(&attr));
}

static int show_plan(bool ok, struct event_list *list, const struct err *err)
{
        if (!ok) {
                printf("error (%s): %s\n", err_code_text(err->code), err->text);
                return 0;
        }
        for (size_t i = 0; i < list->n_items; i++) {
                if (i)
                        printf("\n");
                print_event(&list->items[i]);
        }
        event_list_release(list);
        return 0;
}

static int plan(const char *text, const struct event_defaults *defaults, const struct pmu_source *source)
{
        struct event_list list = {0};
        struct err err = {0};
        bool ok = text ? event_parse_sampling(text, defaults, source, &list, &err)
                       : event_default_sampling(defaults, source, &list, &err);

        return show_plan(ok, &list, &err);
}

static int plan_memory(const char *latency, const struct event_defaults *defaults,
                       const struct pmu_source *source)
{
        struct event_list list = {0};
        struct err err = {0};
        AUTO_RELEASE(buf) note = {0};
        uint64_t cycles = 0;
        bool ok = (!latency || text_to_u64(latency, 10, &cycles)) &&
                  event_memory_sampling(defaults, source, cycles, &list, &note, &err);

        show_plan(ok, &list, &err);
        if (note.len)
                printf("note: %s\n", buf_text(&note));
        return 0;
}

static void print_counted(const struct count_list *list, const struct count_event *e)
{
        AUTO_RELEASE(buf) note = {0};

        count_event_add_note(e, &note);
        print_event(&e->event);
        printf("class %s, idx %s, note %s", count_class_name(e->class), e->index, buf_text(&note));
        if (list->kinds.n_items > 1)
                printf(", kind %d", e->kind);
        if (e->class != COUNT_CORE)
                printf(", unit %u", e->unit);
        if (e->together)
                printf(", together %u", e->together);
        printf("\n");
        if (e->doubt)
                printf("doubt: %s\n", e->doubt);
}

static int plan_counts(const struct count_text *text, const struct extra_text *more,
                       const struct pmu_source *source)
{
        struct extra_names names = {0};
        struct count_list list = {0};
        struct count_text whole = *text;
        struct pmu_source chosen = *source;
        struct err err = {0};

        whole.extra = &names;
        if (more->model)
                chosen = core_model_source(catalogue_find_cpu(more->model));
        if ((more->events && !extra_events_parse(more->events, &names, &err)) ||
            !count_list_parse(&whole, &chosen, &list, &err)) {
                printf("error (%s): %s\n", err_code_text(err.code), err.text);
                extra_names_release(&names);
                return 0;
        }
        for (size_t i = 0; i < list.n_items; i++) {
                if (i)
                        printf("\n");
                print_counted(&list, &list.items[i]);
        }
        for (size_t i = 0; i < list.n_metrics; i++) {
                const struct count_metric *m = &list.metrics[i];

                printf("\nmetric %s = %s (%s)", m->name, m->formula ? m->formula : "-",
                       m->unit ? m->unit : "-");
        }
        printf("%s%s", list.n_metrics ? "\n" : "", buf_text(&list.warnings));
        count_list_release(&list);
        extra_names_release(&names);
        return 0;
}

/* The value of option `name`, or NULL. */
static const char *value_of(int argc, char **argv, const char *name)
{
        for (int i = 2; i + 1 < argc; i++) {
                if (!strcmp(argv[i], name))
                        return argv[i + 1];
        }
        return NULL;
}

static bool has(int argc, char **argv, const char *name)
{
        for (int i = 2; i < argc; i++) {
                if (!strcmp(argv[i], name))
                        return true;
        }
        return false;
}

/* The word that is neither an option nor the value of one. */
static const char *bare_word(int argc, char **argv)
{
        for (int i = 2; i < argc; i++) {
                if (argv[i][0] == '-' && argv[i][1] && strchr("FmEdML", argv[i][1]) && !argv[i][2])
                        i++;
                else if (argv[i][0] != '-')
                        return argv[i];
        }
        return NULL;
}

int main(int argc, char **argv)
{
        struct pmu_source source = {read_file, list_dir, argc > 1 ? argv[1] : NULL};
        struct event_defaults defaults = {.kernel = has(argc, argv, "-k")};
        const char *freq = value_of(argc, argv, "-F"), *dmc = value_of(argc, argv, "-d");
        const struct extra_text more = {value_of(argc, argv, "-E"), value_of(argc, argv, "-M")};
        struct count_text counting = {
                .events = bare_word(argc, argv),
                .metrics = value_of(argc, argv, "-m"),
                .kernel = defaults.kernel,
                .dmc = dmc ? (uint32_t)(*dmc - '0') : UINT32_MAX,
        };

        if (argc < 2 || (freq && !text_to_u64(freq, 10, &defaults.freq_hz))) {
                fprintf(stderr, "usage: plan_events TREE [--count] [EVENTS] [OPTION]...\n");
                return 2;
        }
        if (has(argc, argv, "--count"))
                return plan_counts(&counting, &more, &source);
        if (has(argc, argv, "--mem"))
                return plan_memory(value_of(argc, argv, "-L"), &defaults, &source);
        return plan(counting.events, &defaults, &source);
}
