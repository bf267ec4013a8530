/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints rows of call-frame information as wperf reads them: cfi_dump FILE [DEBUG_FILE] < ADDRESSES,
 * virtual and hexadecimal, one a line; prints `ADDRESS START END ENTRY_END CFA [REGISTER=RULE]...` for
 * each, or `ADDRESS none` or `damaged`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "object.h"
#include "unwind_cfi.h"

static void print_rule(const struct cfi_rule *rule)
{
        switch (rule->kind) {
        case CFI_UNDEFINED: printf("u"); break;
        case CFI_OFFSET: printf("c%+" PRId64, rule->off); break;
        case CFI_VAL_OFFSET: printf("v%+" PRId64, rule->off); break;
        case CFI_REG: printf("r%u", rule->reg); break;
        case CFI_EXPR: printf("exp"); break;
        case CFI_VAL_EXPR: printf("vexp"); break;
        default: printf("s");
        }
}

static void print_row(const struct cfi_row *row)
{
        printf(" %" PRIx64 " %" PRIx64 " %" PRIx64, row->start, row->end, row->entry_end);
        if (row->cfa.kind == CFI_VAL_EXPR)
                printf(" exp");
        else
                printf(" %u%+" PRId64, row->cfa.reg, row->cfa.off);
        for (unsigned i = 0; i < row->n_rules; i++) {
                printf(" %u=", row->rules[i].target);
                print_rule(&row->rules[i]);
        }
        printf("\n");
}

int main(int argc, char **argv)
{
        AUTO(object) object = NULL;
        AUTO(object) debug = NULL;
        AUTO(cfi) cfi = NULL;
        struct err err = {0};
        char line[64];

        if (argc > 1)
                object = object_open(argv[1], &err);
        if (object && argc > 2)
                debug = object_open(argv[2], &err);
        if (object && (argc < 3 || debug))
                cfi = cfi_open(object, debug, &err);
        if (!cfi) {
                fprintf(stderr, "cfi_dump: %s\n", argc > 1 ? err.text : "no file");
                return 1;
        }
        while (fgets(line, sizeof(line), stdin)) {
                uint64_t addr = strtoull(line, NULL, 16);
                struct cfi_row row;

                printf("%" PRIx64, addr);
                if (cfi_find(cfi, addr, &row, &err))
                        print_row(&row);
                else
                        printf(" %s: %s\n", err.code == ERR_MISSING ? "none" : "damaged", err.text);
        }
        return 0;
}
