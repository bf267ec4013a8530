/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_graph.h"

#include "tap.h"

TEST(words_and_sizes)
{
        static const struct {
                const char *text;
                struct call_graph graph;
        } cases[] = {
                {"fp", {CALL_GRAPH_FP, 0}},
                {"lbr", {CALL_GRAPH_LBR, 24576}},
                {"dwarf", {CALL_GRAPH_DWARF, 8192}},
                {"DWARF", {CALL_GRAPH_DWARF, 8192}},
                {"dwarf,1", {CALL_GRAPH_DWARF, 8}},
                {"dwarf,16384", {CALL_GRAPH_DWARF, 16384}},
                {"dwarf,4097", {CALL_GRAPH_DWARF, 4104}},
                {"dwarf,0x1000", {CALL_GRAPH_DWARF, 4096}},
                {"dwarf,65528", {CALL_GRAPH_DWARF, 65528}},
                {"unwind", {CALL_GRAPH_UNWIND, 24576}},
                {"unwind,65521", {CALL_GRAPH_UNWIND, 65528}},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct call_graph graph = {0};
                struct err err = {0};

                if (!call_graph_parse(cases[i].text, &graph, &err)) {
                        TAP_FAIL("%s: %s", cases[i].text, err.text);
                        continue;
                }
                EXPECT_INT(graph.kind, cases[i].graph.kind);
                EXPECT_INT(graph.stack_bytes, cases[i].graph.stack_bytes);
        }
}

TEST(refused_in_a_sentence)
{
        static const char *const cases[][2] = {
                {"dwraf", "--call-graph: 'dwraf' is not a mode; did you mean 'dwarf'?"},
                {"lbrs", "--call-graph: 'lbrs' is not a mode; did you mean 'lbr'?"},
                {"caller", "--call-graph takes fp, dwarf[,BYTES], lbr or unwind[,BYTES], not 'caller'"},
                {"", "--call-graph takes fp, dwarf[,BYTES], lbr or unwind[,BYTES], not ''"},
                {"fp,8192", "--call-graph: 'fp' takes no size: leave '8192' out"},
                {"lbr,", "--call-graph: 'lbr' takes no size: leave '' out"},
                {"dwarf,",
                 "--call-graph: the size of the stack copies is ''; it must be from 1 to 65528 bytes"},
                {"dwarf,0",
                 "--call-graph: the size of the stack copies is '0'; it must be from 1 to 65528 bytes"},
                {"dwarf,8k",
                 "--call-graph: the size of the stack copies is '8k'; it must be from 1 to 65528 bytes"},
                {"dwarf,65529",
                 "--call-graph: the size of the stack copies is '65529'; it must be from 1 to 65528 bytes"},
                {"dwarf,8192,1",
                 "--call-graph: the size of the stack copies is '8192,1'; it must be from 1 to 65528 bytes"},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct call_graph graph = {CALL_GRAPH_LBR, 42};
                struct err err = {0};

                EXPECT_TRUE(!call_graph_parse(cases[i][0], &graph, &err));
                EXPECT_STR(err.text, cases[i][1]);
                EXPECT_INT(err.code, ERR_USAGE);
                EXPECT_INT(graph.stack_bytes, 42);
        }
}

TAP_MAIN
