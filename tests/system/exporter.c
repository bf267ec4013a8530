/* SPDX-License-Identifier: BSD-3-Clause */
/* exporter FORMAT ordinary|hostile: writes an export of a hand-made tree to standard output; pprof is not
 * compressed. */
#include <stdio.h>
#include <string.h>

#include "export_callgrind.h"
#include "export_chrome.h"
#include "export_firefox.h"
#include "export_folded.h"
#include "export_perf_script.h"
#include "export_pprof.h"
#include "export_speedscope.h"
#include "export_svg.h"
#include "samples_builder.h"
#include "web_page.h"

static bool put(void *ctx, const void *bytes, size_t size, struct err *err)
{
        (void)err;
        buf_add(ctx, bytes, size);
        return true;
}

static bool add_samples(const char *format, bool is_hostile, const struct export_about *about,
                        struct buf *out)
{
        const struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                                      PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN};
        const struct export_script_event events[] = {{about->event, &attr, true}, {"other", &attr, true}};
        AUTO(sample_list) samples = is_hostile ? samples_hostile() : samples_ordinary();
        AUTO(named_stacks) stacks = is_hostile ? samples_hostile_stacks() : samples_ordinary_stacks();

        if (!strcmp(format, "perf-script"))
                return export_perf_script(&(struct export_script){samples, stacks, events, 2},
                                          &(struct export_sink){put, out}, NULL);
        if (!strcmp(format, "speedscope")) {
                const struct export_speedscope_event event = {0, about};

                export_speedscope(&(struct export_speedscope){samples, stacks, &event, 1}, out);
                return true;
        }
        if (!strcmp(format, "chrome"))
                return export_chrome(
                        &(struct export_chrome){.samples = samples, .stacks = stacks, .about = about},
                        &(struct export_sink){put, out}, NULL);
        if (!strcmp(format, "html")) {
                const struct web_page_event event = {0, about};
                const struct web_page_fact fact = {"Command", about->command};
                const struct web_page page = {.samples = samples,
                                              .stacks = stacks,
                                              .events = &event,
                                              .n_events = 1,
                                              .facts = &fact,
                                              .n_facts = 1};

                return web_page_write(&page, out, NULL);
        }
        if (strcmp(format, "firefox") != 0)
                return false;
        export_firefox(&(struct export_firefox){.samples = samples,
                                                .stacks = stacks,
                                                .about = about,
                                                .arch = is_hostile ? NULL : "x86_64",
                                                .interval_ns = is_hostile ? 0 : 1000000,
                                                .weights = is_hostile},
                       out);
        return true;
}

static bool add_export(const char *format, const struct calltree *tree, const struct export_about *about,
                       struct buf *out)
{
        if (!strcmp(format, "folded"))
                export_folded(tree, &(struct export_folded_options){.annotate = true}, out);
        else if (!strcmp(format, "callgrind"))
                export_callgrind(tree, about, out);
        else if (!strcmp(format, "pprof"))
                export_pprof(tree, about, out);
        else if (!strcmp(format, "svg"))
                export_svg(tree, about, &(struct export_svg_options){0}, out);
        else
                return false;
        return true;
}

int main(int argc, char **argv)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO(calltree) tree = NULL;
        const struct export_about *about;
        bool is_hostile;

        if (argc != 3)
                return 2;
        is_hostile = !strcmp(argv[2], "hostile");
        tree = is_hostile ? export_hostile() : export_ordinary();
        about = is_hostile ? &export_hostile_about : &export_ordinary_about;
        if (!add_export(argv[1], tree, about, &out) && !add_samples(argv[1], is_hostile, about, &out))
                return 2;
        return fwrite(buf_text(&out), 1, out.len, stdout) == out.len && !fflush(stdout) ? 0 : 1;
}
