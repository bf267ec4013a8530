/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SYMBOL_ARCHIVE_INTERNAL_H
#define SYMBOL_ARCHIVE_INTERNAL_H

#include "answers_store.h"
#include "archive_section.h"
#include "symbol_archive.h"

struct archived_module {
        const struct module_answers *answers;
        struct archive_identity identity;
        struct archive_facts facts;
        size_t next_same; /* number + 1 of the next one whose path has the same hash; 0: none */
};

extern const struct archive_section_kind symbol_archive_kind;

#endif
