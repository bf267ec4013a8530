/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine code of sampled functions is, as a hash that does not depend on addresses and names.  The
 * code of a build is read once for all sessions. */
#ifndef FUNCTION_CODES_H
#define FUNCTION_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"

struct function_codes;

struct function_codes *function_codes_new(void);

/* To be called before what the sessions' resolvers were given is freed. */
void function_codes_free(struct function_codes *codes);
AUTO_DEFINE(function_codes)

struct function_code {
        uint64_t hash;
        uint64_t size_bytes;
        uint32_t module; /* a number: modules of one build have the same, until function_codes_end() */
};

/* The function at an address in a module of the report.  False if its code is not available. */
bool function_codes_find(struct function_codes *codes, struct report *report, module_id module, uint64_t addr,
                         struct function_code *ret);

/* The report of a session, which is made once and belongs to `codes`: function_codes_end() must not be called
 * for it.  All requests are the same but for their paths, which must stay valid.  NULL: it cannot be made. */
struct report *function_codes_open(struct function_codes *codes, const struct report_request *request);

/* Takes the report, after its last function; it may be kept for other sessions of the same build. */
void function_codes_end(struct function_codes *codes, struct report *report);

#endif
