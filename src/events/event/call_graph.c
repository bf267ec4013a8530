/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the argument of --call-graph as perf does: a mode and, for the modes that copy the stack, a size. */
#include "call_graph.h"

#include <string.h>

#include "err.h"
#include "event_grammar.h"
#include "text_match.h"

static const char *const words[] = {"dwarf", "fp", "lbr", "unwind"};
static const enum call_graph_kind kinds[] = {CALL_GRAPH_DWARF, CALL_GRAPH_FP, CALL_GRAPH_LBR,
                                             CALL_GRAPH_UNWIND};

static bool refuse_word(struct span word, struct err *err)
{
        struct quoted shown = span_quote(word);
        const char *nearest = text_nearest(shown.text, words, N_ELEMENTS(words));

        if (nearest)
                return err_set(err, ERR_USAGE, "--call-graph: '%s' is not a mode; did you mean '%s'?",
                               shown.text, nearest);
        return err_set(err, ERR_USAGE,
                       "--call-graph takes fp, dwarf[,BYTES], lbr or unwind[,BYTES], not '%s'", shown.text);
}

static bool parse_bytes(struct span text, uint32_t *ret_bytes, struct err *err)
{
        uint64_t bytes = 0;

        if (span_to_u64(text, true, &bytes) != NUMBER_OK || !bytes || bytes > CALL_GRAPH_MAX_BYTES)
                return err_set(
                        err, ERR_USAGE,
                        "--call-graph: the size of the stack copies is '%s'; it must be from 1 to %d bytes",
                        span_quote(text).text, CALL_GRAPH_MAX_BYTES);
        *ret_bytes = (uint32_t)(bytes + 7) & ~7u;
        return true;
}

bool call_graph_parse(const char *text, struct call_graph *ret, struct err *err)
{
        static const uint32_t stack_bytes[] = {
                [CALL_GRAPH_DWARF] = CALL_GRAPH_DEFAULT_BYTES,
                [CALL_GRAPH_LBR] = CALL_GRAPH_UNWIND_BYTES,
                [CALL_GRAPH_UNWIND] = CALL_GRAPH_UNWIND_BYTES,
        };
        struct call_graph graph;
        struct span word = {text, strcspn(text, ",")};
        size_t i = 0;

        while (i < N_ELEMENTS(words) && !span_equal_nocase(word, words[i]))
                i++;
        if (i == N_ELEMENTS(words))
                return refuse_word(word, err);
        graph = (struct call_graph){kinds[i], stack_bytes[kinds[i]]};
        if (text[word.len]) {
                const char *rest = text + word.len + 1;

                if (graph.kind != CALL_GRAPH_DWARF && graph.kind != CALL_GRAPH_UNWIND)
                        return err_set(err, ERR_USAGE, "--call-graph: '%s' takes no size: leave '%s' out",
                                       words[i], span_quote(span_of(rest)).text);
                if (!parse_bytes(span_of(rest), &graph.stack_bytes, err))
                        return false;
        }
        *ret = graph;
        return true;
}
