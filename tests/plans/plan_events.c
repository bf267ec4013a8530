/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_events TREE [EVENTS] [-F HZ] [-k]: what would be opened on the machine whose /sys is TREE, as text. */
#include <stdio.h>
#include <string.h>

#include "event.h"
#include "os.h"
#include "text.h"

enum { FILE_LIMIT_BYTES = 65536 };

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

        printf("event %s\n", event->name);
        if (event->pmu[0])
                printf("pmu %s\n", event->pmu);
        for (size_t i = 0; i < event->n_cpus; i++)
                printf("%s%u", i ? "," : "cpus ", event->cpus[i]);
        if (event->n_cpus)
                printf("\n");
        if (event->precise_max)
                printf("precise_max 1\n");
        event_describe_attr(&event->attr, &attr);
        printf("%s", buf_text(&attr));
}

static int plan(const char *text, const struct event_defaults *defaults, const struct pmu_source *source)
{
        struct event_list list = {0};
        struct err err = {0};
        bool ok = text ? event_parse_sampling(text, defaults, source, &list, &err)
                       : event_default_sampling(defaults, source, &list, &err);

        if (!ok) {
                printf("error (%s): %s\n", err_code_text(err.code), err.text);
                return 0;
        }
        for (size_t i = 0; i < list.n_items; i++) {
                if (i)
                        printf("\n");
                print_event(&list.items[i]);
        }
        event_list_release(&list);
        return 0;
}

int main(int argc, char **argv)
{
        struct pmu_source source = {read_file, list_dir, argc > 1 ? argv[1] : NULL};
        struct event_defaults defaults = {.freq_hz = 0};
        const char *text = NULL;

        for (int i = 2; i < argc; i++) {
                if (!strcmp(argv[i], "-k"))
                        defaults.kernel = true;
                else if (!strcmp(argv[i], "-F") && i + 1 < argc &&
                         text_to_u64(argv[i + 1], 10, &defaults.freq_hz))
                        i++;
                else
                        text = argv[i];
        }
        if (argc < 2) {
                fprintf(stderr, "usage: plan_events TREE [EVENTS] [-F HZ] [-k]\n");
                return 2;
        }
        return plan(text, &defaults, &source);
}
