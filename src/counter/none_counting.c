/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting on a platform that can't yet: it says so, and sessions can still be read. */
#include "counting.h"

static const char no_counting[] = "counting is not in this version on Windows yet; sessions can be read";

struct counting *counting_open(const struct count_request *request, struct err *err)
{
        err_set(err, ERR_UNSUPPORTED, "%s", no_counting);
        return NULL;
}

void counting_free(struct counting *counting)
{
}

struct counting_event counting_get_event(const struct counting *counting, size_t index)
{
        return (struct counting_event){.obstacle = no_counting};
}

bool counting_begin(struct counting *counting, const struct record_sink *sink, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED, "%s", no_counting);
}

bool counting_wait(struct counting *counting, uint64_t timeout_ns)
{
        return false;
}

bool counting_read(struct counting *counting, bool last, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED, "%s", no_counting);
}

void counting_pause(struct counting *counting)
{
}

void counting_resume(struct counting *counting)
{
}

void counting_stop_command(struct counting *counting, bool force)
{
}

bool counting_command_runs(struct counting *counting)
{
        return false;
}

void counting_end(struct counting *counting)
{
}

struct counting_result counting_get_result(struct counting *counting)
{
        return (struct counting_result){0};
}

unsigned counting_probe_counters(const struct core_kind *kind)
{
        return 0;
}

void counting_describe(const struct count_request *request, struct buf *out)
{
}
