/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of the small readers of sessions into CORPUS/image_section, run_info, session_lines,
 * simpleperf_info, count_section, task_section, wait_section, etl_machine and etl_dotnet.  The other
 * arguments are names of seeds of count_text. */
#include <string.h>

#include "etl_builder.h"
#include "etl_payload.h"
#include "image_section.h"
#include "run_info.h"
#include "save_seed.h"
#include "session_lines.h"
#include "task_section.h"
#include "wait_section.h"

static const char *corpus;

static void save(const char *target, const char *name, struct buf *bytes)
{
        AUTO_RELEASE(buf) folder = {0};

        buf_printf(&folder, "%s/%s", corpus, target);
        save_seed(buf_text(&folder), name, bytes);
}

/* --- image_section --- */

static void begin_path(struct buf *out, const char *path)
{
        buf_add_u8(out, (uint8_t)strlen(path));
        buf_add_str(out, path);
}

static void save_lines(const char *name, const char *path, const char *lines)
{
        struct buf out = {0};

        begin_path(&out, path);
        session_lines_begin(&out, "WPIM", 1);
        buf_add_str(&out, lines);
        save("image_section", name, &out);
}

static void save_images(void)
{
        struct recorded_image images[] = {
                {.path = "C:\\a.dll",
                 .build_id = {1, 2, 3, 4, 5},
                 .build_id_size = 20,
                 .image_size = 4096,
                 .time_stamp = 7,
                 .pdb_path = "D:\\a.pdb",
                 .machine = "ARM64"},
                {.path = "C:\\b.exe", .image_size = 1 << 20},
                {.path = "C:\\a.dll", .build_id = {9}, .build_id_size = 20, .pdb_path = "other.pdb"},
        };
        struct buf out = {0};

        begin_path(&out, "C:\\a.dll");
        image_section_make(images, 3, &out);
        save("image_section", "three", &out);
        begin_path(&out, "C:\\b.exe");
        image_section_make(images + 1, 2, &out);
        save("image_section", "two", &out);
        save_lines("no_image", "a", "image_size=1\nbuild_id=00\n");
        save_lines("odd_build_id", "a",
                   "image=a\nbuild_id=01\nbuild_id=0102030405060708090a0b0c0d0e0f101112131g\n"
                   "build_id=0102030405060708090a0b0c0d0e0f10111213AF\n");
        save_lines("odd_numbers", "a",
                   "image=a\nimage_size=4294967296\nimage_size=-1\ntime_stamp=x\n"
                   "time_stamp=99999999999\nmachine=\npdb=\nunknown=1\n");
        save_lines("many", "a",
                   "image=b\nimage=a\nbuild_id=0909090909090909090909090909090909090909\nimage=a\n"
                   "build_id=0102030405000000000000000000000000000000\nimage=a\nimage=b\n");
        save_lines("cut", "a", "image=a\nimage_siz");
        begin_path(&out, "a");
        session_lines_begin(&out, "WPIM", 2);
        save("image_section", "version", &out);
        begin_path(&out, "a");
        save("image_section", "empty", &out);
}

/* --- run_info --- */

static void save_runs(void)
{
        struct run_info info = {.source_note = "",
                                .sampled_event = "",
                                .not_sampled = "",
                                .unprivileged = "",
                                .not_traced = "",
                                .python_symbols = "",
                                .not_kept = "",
                                .counted_share = 1,
                                .sampled_share = -1};
        struct buf out = {0};

        run_info_make(&info, &out);
        save("run_info", "least", &out);
        info = (struct run_info){.source_note = "cycles can't be sampled",
                                 .elapsed_ns = 1,
                                 .user_ns = 2,
                                 .kernel_ns = 3,
                                 .split_is_unknown = 1,
                                 .kernel_is_denied = 1,
                                 .recorder_ns = 4,
                                 .counted_share = 0.5,
                                 .sampled_share = 0.25,
                                 .sampled_event = "instructions",
                                 .not_sampled = "a",
                                 .unprivileged = "b",
                                 .not_traced = "c",
                                 .off_ns = 5,
                                 .stack_bytes = 6,
                                 .n_samples = 7,
                                 .n_stops = 8,
                                 .n_repeats = 9,
                                 .n_ring_dropped = 10,
                                 .source_cut_bytes = 11,
                                 .source_is_short = 1,
                                 .n_source_malformed = 12,
                                 .python_symbols = "x.pysyms",
                                 .n_not_kept = 13,
                                 .not_kept = "d, e",
                                 .has_exit = true,
                                 .exit_status = 139};
        run_info_make(&info, &out);
        save("run_info", "most", &out);
        session_lines_begin(&out, "WPRF", 1);
        buf_add_str(&out,
                    "counted_ppm=1000001\nsampled_ppm=1000000\nsampled_ppm=1000001\nexit_status=2147483648\n"
                    "exit_status=2147483647\nuser_ns=18446744073709551615\nuser_ns=18446744073709551616\n");
        save("run_info", "limits", &out);
        session_lines_begin(&out, "WPRF", 2);
        save("run_info", "version", &out);
        session_lines_begin(&out, "WPRX", 1);
        save("run_info", "magic", &out);
}

/* --- session_lines --- */

static void save_plain_lines(const char *name, uint32_t version, const char *text, size_t size)
{
        struct buf out = {0};

        session_lines_begin(&out, "WPXX", version);
        buf_add(&out, text, size);
        save("session_lines", name, &out);
}

static void save_session_lines(void)
{
        static const char kinds[] = "a=b\n=\nno pair\n\nc==d\n=e\nf=\nlast=cut", nul[] = "a=b\0c\nd=e\n";
        struct buf out = {0};

        save_plain_lines("kinds", 1, kinds, sizeof(kinds) - 1);
        save_plain_lines("nul", 1, nul, sizeof(nul) - 1);
        save_plain_lines("empty", 1, "", 0);
        save_plain_lines("version", 2, "a=b\n", 4);
        buf_add_str(&out, "WPX");
        save("session_lines", "short", &out);
}

/* --- simpleperf_info --- */

static void save_pairs(const char *name, const char *pairs, size_t size)
{
        struct buf out = {0};

        buf_add(&out, pairs, size);
        save("simpleperf_info", name, &out);
}

static void save_simpleperf(void)
{
        static const char whole[] = "simpleperf_version\0"
                                    "1.build.x\0"
                                    "event_type_info\0"
                                    "cpu-cycles,0,0\ncpu-clock,1,0\nsched:a,b,2,9\n";
        static const char odd[] = "event_type_info\0"
                                  "x\ny,\nz,1\n,1,2\n\nw,4294967296,1\nv,1,\nu,a,1\nt,1,18446744073709551615";
        static const char twice[] = "k\0"
                                    "a,1,2\0"
                                    "k\0"
                                    "b,1,2\0"
                                    "cut";
        struct buf out = {0};

        save_pairs("whole", whole, sizeof(whole));
        save_pairs("odd", odd, sizeof(odd));
        save_pairs("twice", twice, sizeof(twice) - 1);
        save_pairs("no_value", "k", 2);
        save_pairs("empty", "", 0);
        buf_add_str(&out, "event_type_info");
        buf_add_char(&out, '\0');
        for (unsigned i = 0; i < 300; i++)
                buf_add_char(&out, 'n');
        buf_add_str(&out, ",1,2\nshort,1,2");
        buf_add_char(&out, '\0');
        save("simpleperf_info", "long_name", &out);
}

/* --- count_section --- */

static void save_counts(const char *name, uint32_t version, const char *lines)
{
        struct buf out = {0};

        session_lines_begin(&out, "WPCT", version);
        buf_add_str(&out, lines);
        save("count_section", name, &out);
}

static void save_count_sections(void)
{
#define EVENT "event=cycles\nplain=cycles\nclass=core\nindex=0x11\ncode=17\n"
        save_counts("whole", 2, "subject='./a'\npmus_known=1\n" EVENT);
        save_counts("group", 2,
                    "subject=process 1\npmus_known=1\nkind=p\ntype=8\ncpus=0-3\nvendor=arm\nmidr=0x411fd050\n"
                    "model=cortex-a55\ncounters=6\n" EVENT "pmu=p\nof_kind=0\ngroup=0\ntogether=1\n" EVENT
                    "group=0\nmetric=ipc\ntitle=IPC\nformula=a/b\nunit=x\nevents=0,1\n");
        save_counts("no_subject", 2, "pmus_known=1\n" EVENT);
        save_counts("only_subject", 2, "subject=a");
        save_counts("short_subject", 2, "sub\n" EVENT);
        save_counts("version", 1, "subject=a\n");
        save_counts("empty", 2, "");
#undef EVENT
}

/* --- events of event-trace files --- */

/* The last event of a builder's file, as etl_payload_read() takes it. */
static void save_event(struct etl_builder *b, const char *target, const char *name, uint8_t flags, size_t cut)
{
        enum {
                SYSTEM_HEADER = 0x20,
                CLASS_HEADER = 0x30,
                PROVIDER_HEADER = 0x50,
                CLASS_GUID = 0x18,
                PROVIDER_GUID = 0x18
        };
        const uint8_t *event = (const uint8_t *)b->file.data + b->event;
        size_t header = b->kind == 0x14 ? CLASS_HEADER : b->kind == 0x13 ? PROVIDER_HEADER : SYSTEM_HEADER;
        size_t size = b->file.len - b->event;
        struct buf out = {0};

        buf_add_u8(&out, flags | (header == SYSTEM_HEADER ? 0 : PAYLOAD_HAS_GUID));
        buf_add_u8(&out, header == CLASS_HEADER ? event[4] : header == PROVIDER_HEADER ? event[0x28] : 0);
        buf_add_u8(&out, header == SYSTEM_HEADER ? event[0] : 2);
        if (header != SYSTEM_HEADER)
                buf_add(&out, event + CLASS_GUID, ETL_GUID_BYTES);
        buf_add(&out, event + header, size - header - cut);
        buf_release(&b->file);
        save(target, name, &out);
}

static void save_machine_events(void)
{
        struct etl_builder b;

        etl_begin_file(&b);
        etl_add_machine(&b, 1, ETL_ARCHITECTURE_ARM64, "MACHINE");
        save_event(&b, "etl_machine", "machine", 0, 0);
        etl_begin_file(&b);
        etl_add_machine(&b, 1, ETL_ARCHITECTURE_X86, "OLD");
        save_event(&b, "etl_machine", "machine_32", PAYLOAD_IS_32_BIT, 0);
        etl_begin_file(&b);
        etl_add_machine(&b, 1, ETL_ARCHITECTURE_X64, "CUT");
        save_event(&b, "etl_machine", "machine_cut", 0, 300);
        etl_begin_file(&b);
        etl_add_build(&b, 1, "1.arm64fre.x", "Windows");
        save_event(&b, "etl_machine", "build", 0, 0);
        etl_begin_file(&b);
        etl_add_volume(&b, 1, "\\Device\\Volume1\\", "D:\\");
        save_event(&b, "etl_machine", "volume", 0, 0);
        etl_begin_file(&b);
        etl_add_volume(&b, 1, "\xff\xfe", "");
        save_event(&b, "etl_machine", "volume_cut", 0, 6);
}

static void save_methods(void)
{
        struct etl_builder b;

        etl_begin_file(&b);
        etl_add_method(&b, false, ETL_METHOD_LOAD, 1, 2, 0x1000, 16, ETL_METHOD_COMPILED, "Space", "Name");
        save_event(&b, "etl_dotnet", "load", 0, 0);
        etl_begin_file(&b);
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 1, 2, 0x1000, 16, 0, "", "Name");
        save_event(&b, "etl_dotnet", "unload", 0, 0);
        etl_begin_file(&b);
        etl_add_method(&b, true, ETL_METHOD_LOAD, 1, 2, 0x1000, 16, 0, "Space", "Name");
        save_event(&b, "etl_dotnet", "cut_name", 0, 40);
        etl_begin_file(&b);
        etl_add_method(&b, false, ETL_METHOD_LOAD, 1, 2, 0x1000, 16, 0, "Space", "Name");
        save_event(&b, "etl_dotnet", "cut_numbers", 0, 70);
        etl_begin_file(&b);
        etl_add_method(&b, false, 1, 1, 2, 0x1000, 16, 0, "Space", "Name");
        save_event(&b, "etl_dotnet", "other_id", 0, 0);
        etl_begin_file(&b);
        etl_add_method(&b, false, ETL_METHOD_UNLOAD, 1, 2, 0x1000, 16, 0, "Space", "Name");
        b.file.data[b.event + 0x18] ^= 1;
        save_event(&b, "etl_dotnet", "other_provider", 0, 0);
}

/* Inputs of a few bytes, which end in the magic or the version of a section, or in an event's numbers. */
static void save_short(const char *target, const char *start, size_t size)
{
        for (size_t n = 0; n <= size; n += 3) {
                struct buf out = {0};
                char name[32];

                buf_add(&out, start, n);
                snprintf(name, sizeof(name), "short_%u", (unsigned)n);
                save(target, name, &out);
        }
}

static void save_shorts(void)
{
        static const char event[46] = {PAYLOAD_HAS_GUID, 32, 2}, plain[46] = {0, 32, 2};

        save_short("image_section", "\0WPIM\1\0\0", 8);
        save_short("run_info", "WPRF\1\0\0", 7);
        save_short("session_lines", "WPXX\1\0\0", 7);
        save_short("count_section", "WPCT\2\0\0\0subject=a", 17);
        save_short("etl_machine", event, sizeof(event));
        save_short("etl_dotnet", plain, sizeof(plain));
}

/* Lists that are refused, with a message that has a part of them. */
static void save_refused_lists(void)
{
        save_counts("odd_key", 2, "subject=a\n\xe2\x82\xac\xf0\x9f\x90\x8d\xff\x1b\xc2\x85=1\n");
        save_counts("odd_number", 2, "subject=a\nevent=x\ncode=18446744073709551616\n");
        save_counts("odd_hex", 2, "subject=a\nkind=p\nmidr=0xfg\ncpus=3-1\n");
        save_counts("odd_cpus", 2, "subject=a\nkind=p\ncpus=0,2-5,99999\nevent=x\nclass=none\n");
        save_counts("odd_events", 2, "subject=a\nevent=x\nplain=x\nmetric=m\ntitle=m\nevents=0,7\n");
}

/* Characters of one to four bytes, halves of pairs alone, and a text without an end. */
static void save_wide(const char *target, uint8_t id, size_t n_before, const uint8_t *guid)
{
        static const uint16_t units[] = {'a', 0xe9,   0x20ac, 0xd83d, 0xdc0d, 0xd800,
                                         'b', 0xdc00, 0xdbff, 0xdfff, 0,      0xd83d};
        struct buf out = {0};

        buf_add_u8(&out, PAYLOAD_HAS_GUID);
        buf_add_u8(&out, id);
        buf_add_u8(&out, 2);
        buf_add(&out, guid, ETL_GUID_BYTES);
        buf_add_zeros(&out, n_before);
        for (unsigned i = 0; i < 2 * N_ELEMENTS(units); i++)
                buf_add_u16(&out, units[i % N_ELEMENTS(units)]);
        buf_add_u8(&out, 1);
        save(target, "wide", &out);
}

static void save_wides(void)
{
        static const uint8_t runtime[ETL_GUID_BYTES] = {0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e,
                                                        0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4};
        enum { BUILD = 32, BUILD_NUMBERS = 8, METHOD_NUMBERS = 36 };

        save_wide("etl_machine", BUILD, BUILD_NUMBERS, runtime);
        save_wide("etl_dotnet", ETL_METHOD_LOAD, METHOD_NUMBERS, runtime);
}

/* The lists of fuzz_count_text, as sections. */
static void save_lists(const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        struct buf out = {0};
        char chunk[4096];
        FILE *in;
        size_t n;

        buf_printf(&path, "%s/count_text/%s", corpus, name);
        in = fopen(buf_text(&path), "rb");
        if (!in) {
                perror(buf_text(&path));
                exit(1);
        }
        session_lines_begin(&out, "WPCT", 2);
        buf_add_str(&out, "subject='./a'\n");
        while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0)
                buf_add(&out, chunk, n);
        fclose(in);
        save("count_section", name, &out);
}

/* --- task_section --- */

static void save_tasks(void)
{
        enum { N_FUNCTIONS_AT = 8, N_FRAMES_AT = 12, N_TASKS_AT = 20, LISTS_AT = 24 };
        struct task_function functions[] = {{"work", "/a.py", 10}, {"", "", 0}};
        struct task_frame frames[] = {{0, 12, 1}, {1, 0, 0}};
        uint64_t awaiters[] = {0x1000};
        struct task_reading tasks[] = {
                {.id = 0x1000, .time_ns = 5, .pid = 1, .tid = 2, .name = "main", .n_frames = 2},
                {.id = 0x2000,
                 .time_ns = 5,
                 .pid = 1,
                 .tid = 2,
                 .name = "",
                 .first_frame = 2,
                 .n_awaiters = 1},
        };
        struct task_section s = {
                .functions = functions, .frames = frames, .awaiters = awaiters, .tasks = tasks};
        static const struct {
                const char *name;
                size_t at;
        } damages[] = {{"magic", 0},
                       {"version", 4},
                       {"functions", N_FUNCTIONS_AT},
                       {"frames", N_FRAMES_AT},
                       {"tasks", N_TASKS_AT},
                       {"function", LISTS_AT + sizeof("work") + sizeof("/a.py") + 2}};
        struct buf out = {0};

        task_section_write(&s, &out);
        save("task_section", "none", &out);
        s.n_functions = s.n_frames = s.n_tasks = 2;
        s.n_awaiters = 1;
        task_section_write(&s, &out);
        save("task_section", "two", &out);
        for (size_t i = 0; i < N_ELEMENTS(damages); i++) {
                task_section_write(&s, &out);
                out.data[damages[i].at]++;
                out.data[damages[i].at] ^= 2;
                save("task_section", damages[i].name, &out);
        }
        task_section_write(&s, &out);
        buf_truncate(&out, out.len - 1);
        save("task_section", "short", &out);
        tasks[0].n_frames = 3;
        task_section_write(&s, &out);
        save("task_section", "frames_of_task", &out);
        tasks[0].n_frames = 2;
        tasks[1].first_awaiter = 1;
        task_section_write(&s, &out);
        save("task_section", "awaiters_of_task", &out);
}

/* --- wait_section --- */

static void save_holders(const struct wait_reading *reading)
{
        static const struct wait_holder holders[] = {
                {.time_ns = 9, .tid = 2, .gil_holder = 1},
                {.time_ns = 7, .tid = 2, .gil_holder = 2, .has_gil = true}};
        struct buf out = {0};

        wait_section_write(reading, 1, holders, N_ELEMENTS(holders), &out);
        save("wait_section", "holders", &out);
        wait_section_write(reading, 1, holders, 1, &out);
        wait_section_write(NULL, 0, holders + 1, 1, &out);
        save("wait_section", "parts", &out);
        wait_section_write(reading, 1, NULL, 0, &out);
        out.data[4] = 3;
        buf_truncate(&out, out.len - 4);
        save("wait_section", "version_3", &out);
        wait_section_write(NULL, 0, holders, N_ELEMENTS(holders), &out);
        buf_truncate(&out, out.len - 1);
        save("wait_section", "short_holders", &out);
}

static void save_waits(void)
{
        const struct wait_reading readings[] = {
                {.time_ns = 9,
                 .pid = 1,
                 .tid = 2,
                 .call = WAIT_CALL_FUTEX,
                 .number = 202,
                 .owner = 3,
                 .text = "a",
                 .python_name = ""},
                {.time_ns = 8,
                 .pid = 1,
                 .tid = 2,
                 .how = WAIT_HOW_STOPPED,
                 .state = 'R',
                 .text = "",
                 .python_name = ""},
                {.time_ns = 8,
                 .pid = 1,
                 .tid = 1,
                 .object = WAIT_OBJECT_PIPE,
                 .peer = WAIT_PEER_OWN,
                 .text = "p",
                 .python_name = ""},
        };
        struct buf out = {0};

        wait_section_write(readings, N_ELEMENTS(readings), NULL, 0, &out);
        save("wait_section", "three", &out);
        wait_section_write(NULL, 0, NULL, 0, &out);
        save("wait_section", "none", &out);
        for (int i = 0; i < 4; i++) {
                struct wait_reading damaged = readings[0];

                *(i == 0   ? &damaged.how
                  : i == 1 ? &damaged.call
                  : i == 2 ? &damaged.object
                           : &damaged.peer) = UINT8_MAX;
                wait_section_write(&damaged, 1, NULL, 0, &out);
                save("wait_section", (const char *[]){"how", "call", "object", "peer"}[i], &out);
        }
        save_holders(readings);
        wait_section_write(readings, 1, NULL, 0, &out);
        buf_truncate(&out, out.len - 1);
        save("wait_section", "short", &out);
        buf_add(&out, "WPWA\0\0\0\4\0\0\0\0\0\0\0\0", 16);
        save("wait_section", "swapped", &out);
        buf_add(&out, "WPWA\2\0\0\0\0\0\0\0", 12);
        save("wait_section", "version", &out);
        buf_add(&out, "WPWX\4\0\0\0\0\0\0\0", 12);
        save("wait_section", "magic", &out);
        buf_add(&out, "WPWA\4\0\0\0\377\377\377\377", 12);
        save("wait_section", "count", &out);
}

int main(int argc, char **argv)
{
        if (argc < 2)
                return 2;
        corpus = argv[1];
        save_images();
        save_runs();
        save_session_lines();
        save_simpleperf();
        save_count_sections();
        save_machine_events();
        save_methods();
        save_wides();
        save_shorts();
        save_refused_lists();
        save_tasks();
        save_waits();
        for (int i = 2; i < argc; i++)
                save_lists(argv[i]);
        return 0;
}
