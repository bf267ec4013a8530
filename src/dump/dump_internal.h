/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a dump: features (dump_feature.c), records (dump_record.c) and samples (dump_sample.c). */
#ifndef DUMP_INTERNAL_H
#define DUMP_INTERNAL_H

#include "arch.h"
#include "dump.h"
#include "field_layout.h"
#include "perfdata_reader.h"

enum { FEATURES = PERFDATA_FEATURE_WORDS * 64 };

/* The feature sections as members of the group that is open. */
void dump_features(const struct perfdata_reader *reader, struct field_sink *sink);

/* What one section holds, named `name`. */
void dump_feature(unsigned feature, struct cursor content, const char *name, struct field_sink *sink);

/* One record as an object of its own; false when its bytes are not what its type asks for. */
bool dump_record(const struct perfdata_reader *reader, const struct perfdata_record *record,
                 struct field_sink *sink);

/* The fields of a sample as members of the object that is open; false and its name alone when it is
 * malformed.  `tracepoint` and `arch` may be NULL: the raw data, and registers without names. */
bool dump_sample(const struct perfdata_event *event, const struct tracing_event *tracepoint,
                 const struct arch *arch, struct cursor record, struct field_sink *sink);

/* Counts in the layout of attr.read_format. */
bool dump_counts(uint64_t read_format, struct cursor *counts, struct field_sink *sink);

/* The lines of an attribute as the object `name`. */
void dump_attr(const struct perf_attr *attr, const char *name, struct field_sink *sink);

#endif
