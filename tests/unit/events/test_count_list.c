/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_list.h"

#include <stdlib.h>

#include "buf.h"
#include "count_machines.h"
#include "err.h"
#include "tap.h"
#include "test_data.h"

/* A line for each event: name, type:config[:config2], index, note, and if not default: tN (together), kind,
 * class and unit, why it is left out, the plain name, and "doubt". */
static void add_line(const struct count_event *e, struct buf *out)
{
        const struct perf_attr *attr = &e->event.attr;

        buf_printf(out, "%s %u:0x%llx", e->event.name, attr->type, (unsigned long long)attr->config);
        if (attr->config2)
                buf_printf(out, ":0x%llx", (unsigned long long)attr->config2);
        buf_printf(out, " %s ", e->index);
        count_event_add_note(e, out);
        if (e->together)
                buf_printf(out, " t%u", e->together);
        if (e->kind > 0)
                buf_printf(out, " kind%d", e->kind);
        if (e->class != COUNT_CORE)
                buf_printf(out, " %s:%u", count_class_name(e->class), e->unit);
        if (attr->flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV))
                buf_printf(out, " -%s%s%s", attr->flags & PERF_ATTR_EXCLUDE_USER ? "u" : "",
                           attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? "k" : "",
                           attr->flags & PERF_ATTR_EXCLUDE_HV ? "h" : "");
        if (attr->flags >> PERF_ATTR_PRECISE_SHIFT & 3)
                buf_printf(out, " p%u", (unsigned)(attr->flags >> PERF_ATTR_PRECISE_SHIFT & 3));
        if (strcmp(e->plain, e->event.name))
                buf_printf(out, " (%s)", e->plain);
        if (e->doubt)
                buf_add_str(out, " doubt");
        if (e->refused)
                buf_printf(out, " refused: %s", e->refused);
        buf_add_str(out, "\n");
}

static void add_list(const struct count_list *list, struct buf *out)
{
        for (size_t i = 0; i < list->n_items; i++)
                add_line(&list->items[i], out);
        for (size_t i = 0; i < list->n_metrics; i++) {
                const struct count_metric *m = &list->metrics[i];

                buf_printf(out, "= %s of", m->name);
                for (size_t j = 0; j < m->n_events; j++)
                        buf_printf(out, " %zu", m->events[j]);
                buf_printf(out, "%s\n", m->kind < 0 ? " no kind" : m->kind ? " kind 1" : "");
        }
        if (list->warnings.len)
                buf_printf(out, "warning: %s", list->warnings.data);
}

static char *read_text(const char *path)
{
        struct buf text = {0};
        char block[4096];
        FILE *file = fopen(path, "rb");
        size_t n;

        while (file && (n = fread(block, 1, sizeof(block), file)) > 0)
                buf_add(&text, block, n);
        if (file)
                fclose(file);
        return buf_take(&text);
}

static void write_text(const char *path, const char *text)
{
        FILE *file = fopen(path, "wb");

        if (!file || fputs(text, file) < 0 || fclose(file))
                TAP_FAIL("%s cannot be written", path);
}

struct machine {
        const char *name;
        const char *model;               /* the PMU of a model; NULL: `files` alone */
        const struct memory_file *files; /* NULL: none */
};

static const struct machine machines[] = {
        {"[n1]", "neoverse-n1", NULL},
        {"[v2]", "neoverse-v2", NULL},
        {"[any_x86]", "x86_64", NULL},
        {"[uncore]", "neoverse-n1", files_uncore}, /* beside the cores of an N1 */
        {"[qemu]", NULL, machine_qemu_n1},
        {"[big_little]", NULL, machine_big_little},
        {"[x86]", NULL, machine_x86},
        {"[vm]", NULL, machine_vm},
};

/* A case is a line as a user types it: [MACHINE] -e EVENTS -m METRICS -k --dmc N, with +extra for the names
 * below and +counters N for this number of measured counters.  Its result follows, indented. */
struct one {
        const struct machine *machine;
        char *events, *metrics;
        const struct extra_names *extra;
        bool kernel;
        uint32_t dmc;
        unsigned measured; /* 0: they are not measured */
        bool leave_out;
};

static struct extra_event extra_events[] = {
        {"vendor_thing", "", 0xe7},
        {"cluster_thing", "dsu", 0xc4},
        {"dmc_thing", "dmc_clk", 0x03},
};
static struct extra_metric extra_metrics[] = {
        {"my_mix", "{inst_retired,LD_SPEC},st_spec,{r1b,stall_backend}"},
        {"my_unit", "/dsu/l3d_cache,inst_spec"},
        {"my_soft", "page-faults,context-switches"},
        {"too_large", "{r1,r2,r3,r4,r5,r6,r7}"},
        {"broken", "{inst_spec"},
};
static const struct extra_names extra_names = {.events = extra_events,
                                               .n_events = N_ELEMENTS(extra_events),
                                               .metrics = extra_metrics,
                                               .n_metrics = N_ELEMENTS(extra_metrics)};

static unsigned measured;

static unsigned measure(const struct core_kind *kind)
{
        (void)kind;
        return measured;
}

static bool run(const struct one *one, struct count_list *list, struct err *err)
{
        static const struct memory_file none[] = {{NULL, NULL}};
        const struct machine *m = one->machine;
        struct layered_sysfs layered = {m->files ? m->files : none, {0}};
        struct pmu_source source;
        const struct count_text text = {.events = one->events,
                                        .metrics = one->metrics,
                                        .kernel = one->kernel,
                                        .extra = one->extra,
                                        .dmc = one->dmc,
                                        .leave_out = one->leave_out,
                                        .measure_counters = one->measured ? measure : NULL};

        measured = one->measured;
        if (!m->model) {
                source = memory_sysfs(m->files);
        } else {
                layered.below = core_model_source(catalogue_find_cpu(m->model));
                source = layered_sysfs(&layered);
        }
        return count_list_parse(&text, &source, list, err);
}

/* The next word, without its quotes; moves *at past it.  NULL at the end. */
static char *next_word(char **at)
{
        char *word = *at + strspn(*at, " "), *end;
        char stop = ' ';

        if (!*word)
                return NULL;
        if (*word == '\'') {
                word++;
                stop = '\'';
        }
        end = strchr(word, stop);
        *at = end ? end + 1 : word + strlen(word);
        if (end)
                *end = '\0';
        return word;
}

static bool read_case(char *line, struct one *one)
{
        char *at = line, *word = next_word(&at);

        *one = (struct one){.dmc = UINT32_MAX};
        for (size_t i = 0; word && i < N_ELEMENTS(machines); i++) {
                if (!strcmp(word, machines[i].name))
                        one->machine = &machines[i];
        }
        while ((word = next_word(&at))) {
                if (!strcmp(word, "-e"))
                        one->events = next_word(&at);
                else if (!strcmp(word, "-m"))
                        one->metrics = next_word(&at);
                else if (!strcmp(word, "-k"))
                        one->kernel = true;
                else if (!strcmp(word, "--dmc"))
                        one->dmc = (uint32_t)strtoul(next_word(&at), NULL, 10);
                else if (!strcmp(word, "+extra"))
                        one->extra = &extra_names;
                else if (!strcmp(word, "+leave_out"))
                        one->leave_out = true;
                else if (!strcmp(word, "+counters"))
                        one->measured = (unsigned)strtoul(next_word(&at), NULL, 10);
                else
                        return false;
        }
        return one->machine != NULL;
}

static void add_result(const struct one *one, struct buf *out)
{
        struct count_list list = {0};
        struct buf text = {0};
        struct err err = {0};
        char *line, *end;

        if (run(one, &list, &err))
                add_list(&list, &text);
        else
                buf_printf(&text, "error: %s\n", err.text);
        for (line = text.data; (end = strchr(line, '\n')); line = end + 1)
                buf_printf(out, "    %.*s\n", (int)(end - line), line);
        count_list_release(&list);
        buf_release(&text);
}

static char *copy_line(const char *at)
{
        struct buf line = {0};

        buf_add(&line, at, strcspn(at, "\n"));
        return buf_take(&line);
}

/* The length of the case at `at`, up to the next one. */
static size_t case_length(const char *at)
{
        const char *next = strstr(at, "\n[");

        return next ? (size_t)(next + 1 - at) : strlen(at);
}

/* Each case of tests/data/counting/NAME.txt must give the result below it.  With WPERF_UPDATE the file is
 * rewritten. */
static void expect_file(const char *name)
{
        const char *path = data_path(name);
        struct buf got = {0}, one_case = {0};
        char *want = read_text(path), *at = want;
        size_t n = 0;

        for (; at && *at; at += case_length(at), n++) {
                char *line = copy_line(at);
                size_t len = case_length(at);
                struct one one;

                buf_clear(&one_case);
                buf_printf(&one_case, "%s%s\n", n ? "\n" : "", line);
                if (read_case(line, &one))
                        add_result(&one, &one_case);
                else
                        TAP_FAIL("%s: '%s' is no case", name, line);
                buf_add(&got, one_case.data, one_case.len);
                while (len && at[len - 1] == '\n' && len > 1 && at[len - 2] == '\n')
                        len--;
                if (strncmp(buf_text(&one_case) + (n > 0), at, len) || one_case.len - (n > 0) != len)
                        TAP_FAIL("%s: got%s", name, buf_text(&one_case));
                free(line);
        }
        if (!n)
                TAP_FAIL("%s has no cases", path);
        if (getenv("WPERF_UPDATE"))
                write_text(path, buf_text(&got));
        buf_release(&got);
        buf_release(&one_case);
        free(want);
}

TEST(names)
{
        expect_file("counting/names.txt");
}

TEST(numbers_and_terms)
{
        expect_file("counting/numbers_and_terms.txt");
}

TEST(groups)
{
        expect_file("counting/groups.txt");
}

TEST(rejected)
{
        expect_file("counting/rejected.txt");
}

TEST(x86)
{
        expect_file("counting/x86.txt");
}

TEST(x86_errors)
{
        expect_file("counting/x86_errors.txt");
}

TEST(machine_without_pmu)
{
        expect_file("counting/machine_without_pmu.txt");
}

TEST(default_list)
{
        expect_file("counting/default_list.txt");
}

TEST(what_cannot_be_counted_is_left_out)
{
        expect_file("counting/leave_out.txt");
}

TEST(kinds_of_cores)
{
        expect_file("counting/kinds_of_cores.txt");
}

TEST(doubt)
{
        expect_file("counting/doubt.txt");
}

TEST(uncore)
{
        expect_file("counting/uncore.txt");
}

TEST(uncore_errors)
{
        expect_file("counting/uncore_errors.txt");
}

TEST(metrics)
{
        expect_file("counting/metrics.txt");
}

TEST(metrics_rejected)
{
        expect_file("counting/metrics_rejected.txt");
}

TEST(extra_names)
{
        expect_file("counting/extra_names.txt");
}

TEST(doubts_are_sentences)
{
        static char inst_spec[] = "inst_spec", ld_spec[] = "ld_spec", rc5[] = "rc5";
        static const struct {
                struct one one;
                const char *want;
        } cases[] = {
                {{.machine = &machines[4], .events = inst_spec},
                 "the PMU does not advertise inst_spec (0x1b): the kernel opens it, and its count is 0"},
                {{.machine = &machines[4], .events = ld_spec},
                 "the PMU advertises only few of the events of Neoverse N1, as emulators do: the kernel opens ld_spec (0x70), "
                 "and its count is 0"},
                {{.machine = &machines[0], .events = rc5},
                 "Neoverse N1 is not known to have rc5 (0xc5): the kernel opens it, and its count is 0 if the core does not "
                 "have it"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct count_list list = {0};

                ASSERT_TRUE(run(&cases[i].one, &list, NULL));
                EXPECT_STR(list.items[1].doubt, cases[i].want);
                count_list_release(&list);
        }
}

TEST(control_bytes_are_written_out)
{
        char events[] = "x\033[1m";
        const struct one one = {.machine = &machines[0], .events = events};
        struct count_list list = {0};
        struct err err = {0};

        EXPECT_TRUE(!run(&one, &list, &err));
        EXPECT_STR(err.text, "unknown event name: x\\x1b[1m (column 1)");
        EXPECT_TRUE(!list.items && !list.texts.block);
}

TAP_MAIN
