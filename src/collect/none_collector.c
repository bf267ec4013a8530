/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector of a platform that has none yet: it says so, and sessions can still be read. */
#include "collector.h"

static const char no_collector[] = "sampling is not in this version on Windows yet; sessions can be read";

struct collector *collector_open(const struct collect_request *request, struct err *err)
{
        err_set(err, ERR_UNSUPPORTED, "%s", no_collector);
        return NULL;
}

void collector_free(struct collector *collector)
{
}

size_t collector_n_events(const struct collector *collector)
{
        return 0;
}

struct collect_event collector_get_event(const struct collector *collector, size_t index)
{
        return (struct collect_event){0};
}

const char *collector_source_note(const struct collector *collector)
{
        return "";
}

const char *collector_stack_note(const struct collector *collector)
{
        return "";
}

const char *collector_children_note(const struct collector *collector)
{
        return "";
}

bool collector_begin(struct collector *collector, const struct record_sink *sink, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED, "%s", no_collector);
}

int collector_poll(struct collector *collector, int timeout_ms, struct err *err)
{
        err_set(err, ERR_UNSUPPORTED, "%s", no_collector);
        return -1;
}

void collector_stop_command(struct collector *collector, bool force)
{
}

bool collector_command_runs(struct collector *collector)
{
        return false;
}

bool collector_end(struct collector *collector, struct err *err)
{
        return true;
}

const struct collect_result *collector_get_result(struct collector *collector)
{
        static const struct collect_result nothing = {.counted_share = 1, .not_kept = ""};

        return &nothing;
}
