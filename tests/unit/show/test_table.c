/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected texts are the tables of WindowsPerf's documentation, byte for byte. */
#include <math.h>

#include "buf.h"
#include "json.h"
#include "table.h"

#include "tap.h"
#include "text_width.h"
#include <string.h>

static const struct column sample_columns[] = {
        {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2},
        {.name = "count", .type = COLUMN_U64},
        {.name = "symbol", .type = COLUMN_TEXT, .can_cut = true},
};

static void add_sample(struct table *table, double overhead, uint64_t count, const char *symbol)
{
        table_add_fixed(table, overhead);
        table_add_u64(table, count);
        table_add_text(table, symbol);
}

TEST(sample_table_with_total)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};

        add_sample(table, 90, 9, "x_mul:python312_d.dll");
        add_sample(table, 10, 1, "v_iadd:python312_d.dll");
        table_add_footer(table, (const char *const[]){"100.00%", "10", "top 2 in total"});
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        overhead  count  symbol\n"
                                   "        ========  =====  ======\n"
                                   "           90.00      9  x_mul:python312_d.dll\n"
                                   "           10.00      1  v_iadd:python312_d.dll\n"
                                   "          100.00%    10  top 2 in total\n");
        EXPECT_INT(table_n_rows(table), 2);
}

TEST(cells_are_asked_for_one_by_one)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};

        add_sample(table, 90, 9, "x_mul");
        table_add_none(table);
        table_add_u64(table, 1234);
        table_add_text(table, "a\nb");
        for (size_t i = 0; i < 6; i++) {
                table_add_cell(table, i / 3, i % 3, &out);
                buf_add_char(&out, '|');
        }
        EXPECT_STR(buf_text(&out), "90.00|9|x_mul||1234|a\\x0ab|");
        EXPECT_INT(table_n_columns(table), 3);
        EXPECT_STR(table_get_column(table, 2)->name, "symbol");
}

TEST(colors_take_no_room)
{
        static const struct column columns[] = {
                {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
                {.name = "symbol", .type = COLUMN_TEXT, .can_cut = true},
        };
        AUTO(table) table = table_new(columns, 2);
        AUTO_RELEASE(buf) out = {0};

        table_add_fixed(table, 90);
        table_add_text(table, "hot");
        table_add_fixed(table, 4.99);
        table_add_text(table, "a_name_that_is_long");
        table_add_fixed(table, 0.49);
        table_add_text(table, "cold");
        table_color(table, true);
        table_render_text(table, 34, &out);
        EXPECT_STR(buf_text(&out), "        overhead  symbol\n"
                                   "        ========  ======\n"
                                   "           \033[31m90.00\033[0m  hot\n"
                                   "            \033[32m4.99\033[0m  a_name_that_i...\n"
                                   "            0.49  cold\n");
}

TEST(sample_table_of_the_readme)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};

        add_sample(table, 91.40625, 117, "simd_hot");
        add_sample(table, 7.8125, 10, "df_hot");
        add_sample(table, 0.78125, 1, "__CheckForDebuggerJustMyCode");
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        overhead  count  symbol\n"
                                   "        ========  =====  ======\n"
                                   "           91.41    117  simd_hot\n"
                                   "            7.81     10  df_hot\n"
                                   "            0.78      1  __CheckForDebuggerJustMyCode\n");
}

TEST(large_counts_move_the_total)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};

        add_sample(table, 99.999, 99999999, "a");
        table_add_footer(table, (const char *const[]){"100.00%", "100000000", "top 1 in total"});
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        overhead      count  symbol\n"
                                   "        ========      =====  ======\n"
                                   "          100.00   99999999  a\n"
                                   "          100.00% 100000000  top 1 in total\n");
}

static const struct column counter_columns[] = {
        {.name = "counter value", .type = COLUMN_THOUSANDS},
        {.name = "event name", .type = COLUMN_TEXT},
        {.name = "event idx", .type = COLUMN_TEXT},
        {.name = "event note", .type = COLUMN_TEXT},
};

static struct table *counters(void)
{
        struct table *table = table_new(counter_columns, 4);

        table_add_u64(table, 46009833);
        table_add_text(table, "cycle");
        table_add_text(table, "fixed");
        table_add_text(table, "e");
        table_add_u64(table, 167775);
        table_add_text(table, "vfp_spec");
        table_add_text(table, "0x75");
        table_add_text(table, "e");
        return table;
}

TEST(counters_have_thousands_in_text_only)
{
        AUTO(table) table = counters();
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        counter value  event name  event idx  event note\n"
                                   "        =============  ==========  =========  ==========\n"
                                   "           46,009,833  cycle       fixed      e\n"
                                   "              167,775  vfp_spec    0x75       e\n");
        buf_clear(&out);
        json_init(&json, &out);
        table_render_json(table, false, &json);
        EXPECT_STR(buf_text(&out),
                   "[{\"counter_value\":46009833,\"event_name\":\"cycle\",\"event_idx\":\"fixed\","
                   "\"event_note\":\"e\"},{\"counter_value\":167775,\"event_name\":\"vfp_spec\","
                   "\"event_idx\":\"0x75\",\"event_note\":\"e\"}]");
        buf_clear(&out);
        table_render_csv(table, &out);
        EXPECT_STR(buf_text(&out), "counter_value,event_name,event_idx,event_note\n"
                                   "46009833,cycle,fixed,e\n167775,vfp_spec,0x75,e\n");
}

TEST(metric_table)
{
        static const struct column columns[] = {
                {.name = "core", .type = COLUMN_U64},
                {.name = "product_name", .type = COLUMN_TEXT},
                {.name = "metric_name", .type = COLUMN_TEXT},
                {.name = "value", .type = COLUMN_FIXED, .decimals = 3},
                {.name = "unit", .type = COLUMN_TEXT},
        };
        AUTO(table) table = table_new(columns, 5);
        AUTO_RELEASE(buf) out = {0};

        table_add_u64(table, 7);
        table_add_text(table, "neoverse-n1");
        table_add_text(table, "branch_percentage");
        table_add_fixed(table, 9.716);
        table_add_text(table, "percent of operations");
        table_add_u64(table, 7);
        table_add_text(table, "neoverse-n1");
        table_add_text(table, "crypto_percentage_of_a");
        table_add_none(table);
        table_add_none(table);
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out),
                   "        core  product_name  metric_name             value  unit\n"
                   "        ====  ============  ===========             =====  ====\n"
                   "           7  neoverse-n1   branch_percentage       9.716  percent of operations\n"
                   "           7  neoverse-n1   crypto_percentage_of_a\n");
}

TEST(version_and_device_tables)
{
        static const struct column version[] = {
                {.name = "Component"}, {.name = "Version"}, {.name = "GitVer"}, {.name = "FeatureString"}};
        static const struct column device[] = {{.name = "Device Instance ID"}, {.name = "Hardware IDs"}};
        static const char *const cells[] = {"wperf",        "3.8.0", "6d15ddfc", "+etw-app",
                                            "wperf-driver", "3.8.0", "4c88f933", "+trace"};
        AUTO(table) table = table_new(version, 4);
        AUTO(table) devices = table_new(device, 2);
        AUTO_RELEASE(buf) out = {0};

        for (int i = 0; i < 8; i++)
                table_add_text(table, cells[i]);
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        Component     Version  GitVer    FeatureString\n"
                                   "        =========     =======  ======    =============\n"
                                   "        wperf         3.8.0    6d15ddfc  +etw-app\n"
                                   "        wperf-driver  3.8.0    4c88f933  +trace\n");
        buf_clear(&out);
        table_add_text(devices, "\\\\?\\ROOT#SYSTEM#0001#{f8047fdd-7083-4c2e-90ef-c0c73f1045fd}");
        table_add_text(devices, "Root\\WPERFDRIVER");
        table_render_text(devices, 0, &out);
        EXPECT_STR(buf_text(&out),
                   "        Device Instance ID                                           Hardware IDs\n"
                   "        ==================                                           ============\n"
                   "        \\\\?\\ROOT#SYSTEM#0001#{f8047fdd-7083-4c2e-90ef-c0c73f1045fd}  "
                   "Root\\WPERFDRIVER\n");
}

TEST(test_table_and_an_empty_one)
{
        static const struct column columns[] = {{.name = "Test Name"}, {.name = "Result"}};
        AUTO(table) table = table_new(columns, 2);
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        Test Name  Result\n        =========  ======\n");
        buf_clear(&out);
        json_init(&json, &out);
        table_render_json(table, false, &json);
        EXPECT_STR(buf_text(&out), "[]");
        buf_clear(&out);
        table_add_text(table, "PMU_CTL_QUERY_HW_CFG [device_id_str]         ");
        table_add_text(table, "");
        table_add_text(table, "spe_device.version_name");
        table_add_text(table, "FEAT_SPE");
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        Test Name                                      Result\n"
                                   "        =========                                      ======\n"
                                   "        PMU_CTL_QUERY_HW_CFG [device_id_str]\n"
                                   "        spe_device.version_name                        FEAT_SPE\n");
}

TEST(extra_columns_stand_in_json_where_they_are_asked_for)
{
        static const struct column columns[] = {{.name = "symbol"},
                                                {.name = "95 % interval", .key = "more", .is_extra = true}};
        static const char *const want[] = {"[{\"symbol\":\"f\"}]", "[{\"symbol\":\"f\",\"more\":\"1-2\"}]"};
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));

        table_add_text(table, "f");
        table_add_text(table, "1-2");
        for (size_t i = 0; i < N_ELEMENTS(want); i++) {
                AUTO_RELEASE(buf) out = {0};
                struct json json;

                json_init(&json, &out);
                table_render_json(table, i, &json);
                EXPECT_STR(buf_text(&out), want[i]);
        }
}

TEST(hexadecimal_is_text_for_programs)
{
        static const struct column columns[] = {
                {.name = "Raw Index", .type = COLUMN_HEX, .digits = 4},
                {.name = "n/m", .key = "multiplexed", .type = COLUMN_TEXT, .right = true},
        };
        AUTO(table) table = table_new(columns, 2);
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        table_add_u64(table, 0x1b);
        table_add_text(table, "10/10");
        table_add_u64(table, UINT64_MAX);
        table_add_text(table, "5/10");
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "                 Raw Index    n/m\n"
                                   "                 =========    ===\n"
                                   "                    0x001b  10/10\n"
                                   "        0xffffffffffffffff   5/10\n");
        buf_clear(&out);
        json_init(&json, &out);
        table_render_json(table, false, &json);
        EXPECT_STR(buf_text(&out), "[{\"Raw_Index\":\"0x001b\",\"multiplexed\":\"10/10\"},"
                                   "{\"Raw_Index\":\"0xffffffffffffffff\",\"multiplexed\":\"5/10\"}]");
}

TEST(names_cannot_drive_a_terminal)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        add_sample(table, NAN, 1, "a\x1b[2J,\"b\"\n");
        table_render_text(table, 0, &out);
        EXPECT_CONTAINS(buf_text(&out), "  a\\x1b[2J,\"b\"\\x0a\n");
        buf_clear(&out);
        table_render_csv(table, &out);
        EXPECT_STR(buf_text(&out), "overhead,count,symbol\nnan,1,\"a\\x1b[2J,\"\"b\"\"\\x0a\"\n");
        buf_clear(&out);
        json_init(&json, &out);
        table_render_json(table, false, &json);
        EXPECT_STR(buf_text(&out), "[{\"overhead\":null,\"count\":1,"
                                   "\"symbol\":\"a\\u001b[2J,\\\"b\\\"\\n\"}]");
}

TEST(long_names_are_cut_only_when_asked)
{
        AUTO(table) table = table_new(sample_columns, 3);
        AUTO_RELEASE(buf) out = {0};

        add_sample(table, 50, 1, "a_very_long_name_of_a_function:module");
        add_sample(table, 50, 1, "short");
        table_render_text(table, 45, &out);
        EXPECT_STR(buf_text(&out), "        overhead  count  symbol\n"
                                   "        ========  =====  ======\n"
                                   "           50.00      1  a_very_long_name_...\n"
                                   "           50.00      1  short\n");
        buf_clear(&out);
        /* Without the margin, then with short names, then with short headings. */
        table_render_text(table, 35, &out);
        EXPECT_STR(buf_text(&out), "overhead  count  symbol\n"
                                   "========  =====  ======\n"
                                   "   50.00      1  a_very_long_n...\n"
                                   "   50.00      1  short\n");
        buf_clear(&out);
        table_render_text(table, 25, &out);
        EXPECT_STR(buf_text(&out), "overhead count symbol\n"
                                   "======== ===== ======\n"
                                   "   50.00     1 a_very_...\n"
                                   "   50.00     1 short\n");
        buf_clear(&out);
        table_render_text(table, 20, &out);
        EXPECT_STR(buf_text(&out), "overhead count sy...\n"
                                   "======== ===== =====\n"
                                   "   50.00     1 a_...\n"
                                   "   50.00     1 short\n");
        buf_clear(&out);
        table_render_text(table, 0, &out);
        EXPECT_CONTAINS(buf_text(&out), "  a_very_long_name_of_a_function:module\n");
}

TEST(what_is_cut_leaves_room_for_the_total)
{
        static const struct column columns[] = {{.name = "line", .can_cut = true},
                                                {.name = "source", .can_cut = true}};
        static const char *const total[] = {NULL, "top 18 of 18 in total"};
        AUTO(table) table = table_new(columns, 2);
        AUTO_RELEASE(buf) out = {0};

        table_add_text(table, "a_file_with_a_long_name.c:1234");
        table_add_text(table, "a line of source that is much longer than that");
        table_add_footer(table, total);
        table_render_text(table, 50, &out);
        EXPECT_STR(buf_text(&out), "        line                 source\n"
                                   "        ====                 ======\n"
                                   "        a_file_with_a_lo...  a line of source t...\n"
                                   "                             top 18 of 18 in total\n");
}

/* In text form names are shortened and keep their modules; JSON and CSV have full names. */
TEST(names_of_functions_keep_their_modules)
{
        static const struct column columns[] = {{.name = "symbol", .can_cut = true, .is_name = true}};
        static const char vector[] = "std::vector<long, std::allocator<long> >::at:libapp.so.1";
        static const char plain[] = "a_function_with_a_name_that_is_not_of_cxx_at_all:libapp.so.1";
        AUTO(table) table = table_new(columns, 1);
        AUTO_RELEASE(buf) wide = {0};
        AUTO_RELEASE(buf) narrow = {0};
        AUTO_RELEASE(buf) csv = {0};

        table_add_name(table, vector, strlen(":libapp.so.1"));
        table_add_name(table, plain, strlen(":libapp.so.1"));
        table_render_text(table, 0, &wide);
        EXPECT_STR(buf_text(&wide), "        symbol\n"
                                    "        ======\n"
                                    "        std::vector<long>::at:libapp.so.1\n"
                                    "        a_function_with_a_name_that_is_not_of_cxx_at_all:libapp.so.1\n");
        table_render_text(table, 40, &narrow);
        EXPECT_STR(buf_text(&narrow), "        symbol\n"
                                      "        ======\n"
                                      "        std::vector<...>::at:libapp.so.1\n"
                                      "        a_functio...x_at_all:libapp.so.1\n");
        table_render_csv(table, &csv);
        EXPECT_CONTAINS(buf_text(&csv), vector);
}

/* Names that differ only in the part that is left out keep the difference visible. */
TEST(short_names_differ_where_names_do)
{
        static const struct column columns[] = {{.name = "symbol", .can_cut = true, .is_name = true}};
        AUTO(table) table = table_new(columns, 1);
        AUTO_RELEASE(buf) out = {0};

        table_add_name(table, "ns::tree<ns::vector<key_of_map, first>, int>::_M_erase:app", strlen(":app"));
        table_add_name(table, "ns::tree<ns::vector<key_of_map, other>, int>::_M_erase:app", strlen(":app"));
        table_add_name(table, "ns::tree<ns::vector<key_of_map, other>, int>::_M_erase:app", strlen(":app"));
        table_add_name(table, "ns::tree<int>::_M_copy:app", strlen(":app"));
        table_render_text(table, 52, &out);
        EXPECT_STR(buf_text(&out), "        symbol\n"
                                   "        ======\n"
                                   "        ns::tree<n...ap, first>, in...::_M_erase:app\n"
                                   "        ns::tree<n...ap, other>, in...::_M_erase:app\n"
                                   "        ns::tree<n...ap, other>, in...::_M_erase:app\n"
                                   "        ns::tree<int>::_M_copy:app\n");
}

TEST(width_is_what_a_terminal_shows)
{
        static const struct column columns[] = {{.name = "n"}, {.name = "m"}};
        AUTO(table) table = table_new(columns, 2);
        AUTO_RELEASE(buf) out = {0};

        EXPECT_INT(text_width("abc"), 3);
        EXPECT_INT(text_width("\xc3\xa9"), 1);
        EXPECT_INT(text_width("e\xcc\x81"), 1);
        EXPECT_INT(text_width("\xe5\x87\xbd\xe6\x95\xb0"), 4);
        table_add_text(table, "\xc3\xa9t\xc3\xa9");
        table_add_text(table, "x");
        table_add_text(table, "abcd");
        table_add_text(table, "y");
        table_render_text(table, 0, &out);
        EXPECT_STR(buf_text(&out), "        n     m\n        =     =\n"
                                   "        \xc3\xa9t\xc3\xa9   x\n        abcd  y\n");
}

TEST(the_difference_stays_visible_in_few_columns)
{
        static const char name[] = "__gnu_cxx::__normal_iterator<std::pair<int, double>*>::operator*";
        static const struct {
                size_t at, columns;
                const char *shown;
        } cases[] = {
                {29, 22, "...tor<std::pair<in..."},
                {29, 30, "__gnu_c...tor<std::p...erator*"},
                {2, 22, "__gnu_cxx:...operator*"},
                {29, 10, "__gn...or*"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) out = {0};

                table_add_around(&out, name, cases[i].at, cases[i].columns);
                EXPECT_STR(buf_text(&out), cases[i].shown);
        }
}

TAP_MAIN
