/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of /proc and /sys that do not come from a kernel: u8 number of the reader, then files as
 * fake_files.h divides them. */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "fake_files.h"
#include "linux_children.h"
#include "linux_count.h"
#include "linux_events.h"
#include "linux_internal.h"
#include "linux_maps.h"
#include "linux_mounts.h"
#include "linux_processes.h"
#include "os.h"
#include "perf_abi.h"
#include "record.h"
#include "stop_internal.h"
#include "wait_sockets.h"
#include "wait_thread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHILD_PID = 77, FAKE_BYTES = 1 << 16 };

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

/* --- target --- */

static void read_cpu_time(void)
{
        uint64_t user_ns, kernel_ns;

        proc_cpu_time(FAKE_PID, &user_ns, &kernel_ns);
}

static void read_machine_cpu_time(void)
{
        uint64_t user_ns, kernel_ns;

        proc_cpu_time(-1, &user_ns, &kernel_ns);
}

static void read_inner_pid(void)
{
        proc_inner_pid(FAKE_PID);
}

/* Records have the size that they say, and a name that ends inside. */
static void check_records(const struct synth *s)
{
        struct cursor c = cursor_make(s->out.data, s->out.len);

        while (cursor_left(&c)) {
                struct cursor record;
                struct perf_header header;
                struct record_mmap map;
                struct record_comm comm;

                must(cursor_left(&c) >= sizeof(header));
                memcpy(&header, c.at, sizeof(header));
                must(header.size > sizeof(header) && header.size % 8 == 0);
                record = cursor_sub(&c, cursor_pos(&c), header.size);
                must(!record.failed && cursor_skip(&c, header.size));
                if (header.type == PERF_RECORD_MMAP || header.type == PERF_RECORD_MMAP2)
                        must(record_mmap_parse(record, header.type == PERF_RECORD_MMAP, &map));
                if (header.type == PERF_RECORD_COMM)
                        must(record_comm_parse(record, &comm));
        }
}

static void synth_kernel(void)
{
        struct synth s = {0};

        proc_synth_kernel(&s);
        check_records(&s);
        proc_synth_release(&s);
}

static void synth_process(void)
{
        for (int data_maps = 0; data_maps < 2; data_maps++) {
                struct synth s = {.trailer_bytes = 16, .data_maps = data_maps};

                proc_synth_process(&s, FAKE_PID);
                check_records(&s);
                proc_synth_release(&s);
        }
}

static void read_maps(void)
{
        struct linux_maps maps;
        struct linux_map map;

        linux_maps_begin(&maps, FAKE_PID);
        while (linux_maps_next(&maps, &map))
                must(map.path >= maps.text && map.path < maps.text + sizeof(maps.text) &&
                     !strchr(map.path, '\n'));
        linux_maps_end(&maps);
}

static void read_mounts(void)
{
        AUTO(linux_mounts) mounts = linux_mounts_new(FAKE_PID);

        for (size_t i = 0; i < mounts->n; i++) {
                const struct linux_mount *mount = &mounts->items[i];

                must(linux_mounts_find(mounts, mount->id) && mount->point[0] == '/');
        }
}

static void find_image(void)
{
        static const char *const images[] = {"app.exe", "/bin/app.exe", "a name of 20 bytes.x"};

        for (size_t i = 0; i < N_ELEMENTS(images); i++) {
                int32_t *pids = NULL;
                size_t n;

                if (target_find_image(images[i], &pids, &n, NULL))
                        must(n > 0);
                free(pids);
        }
}

/* --- stop --- */

static void read_status(void)
{
        struct stop_names names = {0};

        target_process_of(FAKE_PID);
        stop_status_handles(FAKE_PID, 1);
        stop_status_handles(FAKE_PID, 64);
        stop_status_may_trace();
        stop_status_read(FAKE_PID);
        stop_status_ran_ns(FAKE_PID);
        for (int i = 0; i < 3; i++)
                stop_names_add(&names, FAKE_PID);
        must(memchr(names.text, '\0', sizeof(names.text)));
}

/* --- waits --- */

static void read_thread(void)
{
        AUTO_RELEASE(buf) status = {0};
        AUTO_RELEASE(buf) call = {0};
        struct wait_thread thread = {.number = -1};
        struct wait_times times;

        os_read_file("status", FAKE_BYTES, &status, NULL);
        os_read_file("syscall", FAKE_BYTES, &call, NULL);
        if (wait_thread_parse_status(buf_text(&status), &thread))
                must(thread.state && thread.state != 'Z');
        wait_thread_parse_call(buf_text(&call), &thread);
        must(wait_thread_is_same(&thread, &thread) == (thread.state != 'R'));
        wait_thread_parse_times(buf_text(&call), &times);
}

/* The sockets 1 to 15 of five tables, and then a reply about the peers of local ones. */
static void read_sockets(void)
{
        enum { MOST_INODES = 16 };
        AUTO(wait_sockets) sockets = wait_sockets_of_tables(FAKE_PID);
        AUTO_RELEASE(buf) reply = {0};

        if (os_read_file("reply", FAKE_BYTES, &reply, NULL))
                wait_sockets_take_peers(sockets, reply.data, reply.len);
        for (uint64_t inode = 0; inode < MOST_INODES; inode++) {
                AUTO_RELEASE(buf) text = {0};
                struct wait_socket found = wait_sockets_find(sockets, FAKE_PID, inode, &text);

                must(found.peer < WAIT_N_PEERS && text.len);
        }
}

/* --- collect --- */

static void put_task(uint8_t *record, uint32_t type, uint16_t size, int32_t pid)
{
        struct perf_header header = {.type = type, .size = size};

        memcpy(record, &header, sizeof(header));
        memcpy(record + 8, &pid, sizeof(pid));
        memcpy(record + 12, &pid, sizeof(pid));
}

/* The user and the start of a process that maps generated code. */
static void see_user(void)
{
        enum { PROT_AT = 64, PATH_AT = 72, SIZE = 88 };
        uint8_t record[SIZE] = {0};
        struct users users = {0};
        struct perf_header header = {.type = PERF_RECORD_MMAP2, .size = SIZE};
        struct os_origin origin;

        put_task(record, PERF_RECORD_MMAP2, SIZE, FAKE_PID);
        record[PROT_AT] = 4;
        memcpy(record + PATH_AT, "//anon", 6);
        users_see(&users, &header, record);
        users_get_origin(&users, FAKE_PID, &origin);
        users_release(&users);
}

static void find_parents(void)
{
        enum { SIZE = 16 };
        uint8_t record[SIZE] = {0};
        struct opened opened = {0};
        struct perf_header header = {.type = PERF_RECORD_EXIT, .size = SIZE};
        AUTO(children) children = children_new(&opened, CHILD_PID);

        put_task(record, PERF_RECORD_EXIT, SIZE, CHILD_PID + 1);
        children_keep(children, &header, record);
}

/* --- counter --- */

static void estimate(void)
{
        struct counted_event events[] = {{.source = SOURCE_CPU_TIME}, {.source = SOURCE_SWITCHES}};
        struct counted counted = {.events = events, .n_events = 2};
        int32_t pids[] = {FAKE_PID};
        struct count_request request = {.target = {.pids = pids, .n_pids = 1}};
        struct child child = {0};
        struct estimator e;

        estimator_init(&e, &child, &request, &counted);
        estimator_count(&e, true);
        estimator_read(&e);
        estimator_count(&e, false);
        estimator_release(&e);
}

/* --- kernel and os --- */

static void read_rights(void)
{
        linux_may_sample_all();
        linux_may_sample_kernel();
}

static void list_cpus(void)
{
        static const uint32_t asked[] = {0};
        struct err err = {0};
        size_t n = 0;
        uint32_t *cpus = machine_cpus(NULL, 0, "", &n, &err);

        must(cpus || (err.code && err.text[0]));
        for (size_t i = 1; cpus && i < n; i++)
                must(cpus[i - 1] < cpus[i]);
        free(cpus);
        cpus = machine_cpus(asked, 1, "", &n, NULL);
        free(cpus);
}

static void read_memory_limit(void)
{
        must(os_memory_bytes() > 0);
}

static void read_machine(void)
{
        struct os_machine machine;

        os_machine_get(&machine);
        must(memchr(machine.cpuid, '\0', sizeof(machine.cpuid)) &&
             memchr(machine.cpu_text, '\0', sizeof(machine.cpu_text)));
}

static void read_boot_id(void)
{
        AUTO_RELEASE(buf) id = {0};

        if (os_boot_id(&id))
                must(id.len == 36 && strspn(buf_text(&id), "0123456789abcdef-") == id.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static void (*const readers[])(void) = {
                read_cpu_time,  read_machine_cpu_time,
                read_inner_pid, synth_kernel,
                synth_process,  read_maps,
                find_image,     read_status,
                see_user,       find_parents,
                estimate,       read_rights,
                list_cpus,      read_memory_limit,
                read_machine,   read_boot_id,
                read_thread,    read_sockets,
                read_mounts,
        };

        if (!size || data[0] >= N_ELEMENTS(readers))
                return 0;
        fake_files_begin(data + 1, size - 1);
        readers[data[0]]();
        return 0;
}
