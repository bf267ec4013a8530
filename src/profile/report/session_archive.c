/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_archive.h"

#include "perfdata_format.h"
#include "unwind.h"

void session_archive_init(struct session_archive *archive, const struct perfdata_reader *reader,
                          struct budget *budget)
{
        struct cursor symbols = perfdata_feature(reader, FEATURE_WPERF_SYMBOLS);
        struct cursor source = perfdata_feature(reader, FEATURE_WPERF_SOURCE);
        struct err err = {0};

        *archive = (struct session_archive){0};
        if (!symbols.failed) {
                archive->symbols = symbol_archive_open(symbols, budget, &err);
                if (archive->symbols)
                        archive->origin = *symbol_archive_origin(archive->symbols);
                else
                        buf_printf(&archive->note,
                                   "the session's archive %s; using files of this machine instead\n",
                                   err.text);
        }
        if (!source.failed) {
                archive->source = source_archive_open(source, budget, &err);
                if (!archive->source)
                        buf_printf(&archive->note,
                                   "the source text in the session's archive %s; using files of this machine "
                                   "instead\n",
                                   err.text);
        }
}

void session_archive_open_walks(struct session_archive *archive, const struct perfdata_reader *reader,
                                struct budget *budget)
{
        struct cursor walks = perfdata_feature(reader, FEATURE_WPERF_WALKS);
        struct err err = {0};

        if (walks.failed)
                return;
        archive->walks = stack_archive_open(walks, UNWIND_N_WAYS, STACK_ARCHIVE_MAX_KINDS, budget, &err);
        if (!archive->walks)
                buf_printf(&archive->note,
                           "the section of stacks in the session's archive %s; using files of this machine "
                           "instead\n",
                           err.text);
}

void session_archive_release(struct session_archive *archive)
{
        symbol_archive_free(archive->symbols);
        source_archive_free(archive->source);
        stack_archive_free(archive->walks);
        buf_release(&archive->note);
        *archive = (struct session_archive){0};
}
