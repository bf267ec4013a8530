/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a dump: features (dump_feature.c), records (dump_record.c), samples (dump_sample.c) and SPE
 * packets (dump_spe.c). */
#ifndef DUMP_INTERNAL_H
#define DUMP_INTERNAL_H

#include "arch.h"
#include "dump.h"
#include "field_layout.h"
#include "perfdata_reader.h"

enum { FEATURES = PERFDATA_FEATURE_WORDS * 64 };

/* Adds the feature sections to the open group. */
void dump_features(const struct perfdata_reader *reader, struct field_sink *sink);

/* Adds the content of one section, named `name`. */
void dump_feature(unsigned feature, struct cursor content, const char *name, struct field_sink *sink);

/* Adds one record as an object; false if its bytes do not have the layout of its type. */
bool dump_record(const struct perfdata_reader *reader, const struct perfdata_record *record,
                 struct field_sink *sink);

/* Whether an AUXTRACE_INFO record says that the AUXTRACE records after it hold SPE data. */
bool dump_is_spe(const struct perfdata_record *info);

/* Adds the packets of such an AUXTRACE record to the open list, an object each; their offsets are in the
 * stream of the SPE buffer. */
void dump_spe(const struct perfdata_record *record, struct field_sink *sink);

/* Adds the fields of a sample to the open object.  If the sample is malformed, adds only its name and
 * returns false. `tracepoint` and `arch` may be NULL; then raw data is shown as bytes, and registers
 * without names. */
bool dump_sample(const struct perfdata_event *event, const struct tracing_event *tracepoint,
                 const struct arch *arch, struct cursor record, struct field_sink *sink);

/* Counts in the layout of attr.read_format. */
bool dump_counts(uint64_t read_format, struct cursor *counts, struct field_sink *sink);

/* Adds the fields of an attribute as the object `name`. */
void dump_attr(const struct perf_attr *attr, const char *name, struct field_sink *sink);

#endif
