/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_model.h"

#include <stdlib.h>
#include <string.h>

#include "live_containers.h"
#include "live_sums.h"
#include "live_tree.h"
#include "live_wall.h"
#include "mem.h"
#include "os.h"
#include "python_version.h"
#include "record.h"
#include "record_order.h"
#include "report_session.h"
#include "stacks.h"
#include "stacks_tree.h"

enum {
        EXITED_PROCESSES = 256, /* whose maps are kept, because their samples may still come */
        MAX_ROWS = 8192,        /* of each kind; */
        MAX_WALL_ROWS = 2048,   /* with wall time, as such a row takes half a KiB more */
        MAX_SHOWN_ROWS = 1000,  /* in a table */
        MAX_MODULES = 128,      /* with open files */
        MAX_NAMES_BYTES = 8 << 20,
};

/* Between two readings of perf maps: at first and after new names; and at most. */
#define READ_AGAIN_NS     2000000000ull
#define MAX_READ_AGAIN_NS 16000000000ull

/* Names in memory, and modules whose files are open for them. */
struct held_names {
        size_t n_modules;
        uint64_t bytes;
};

struct live_model {
        struct report_session session;
        struct live_request request; /* `header` was taken */
        uint32_t event;              /* the one whose samples count */
        struct map events;           /* id to index of its event */
        bool asks_build_ids;
        struct record_order order;
        struct buf python; /* the section that the session uses */
        struct stacks *stacks;
        bool has_begun; /* the interval has records */
        bool has_python;
        unsigned python_minor; /* the interpreter is 3.N; 0: not known */
        struct live_sums sums[LIVE_N_KINDS];
        struct live_containers containers;
        struct live_wall *wall; /* NULL: only CPU time */
        struct live_sum now, since;
        /* as the rings count them while they are full, and as the kernel does, which tells it at the end */
        uint64_t n_lost_records, n_lost_samples;
        uint64_t n_not_put; /* see live_model_count_lost() */
        /* when perf maps were read, and how long until they are read again, which is longer each time that
         * they have nothing new */
        uint64_t read_ns, read_again_ns;
        struct held_names needed;     /* by the first interval since all were forgotten; 0: not known */
        uint64_t begin_ns, end_ns;    /* of the interval */
        uint64_t sampled_ns, last_ns; /* what its samples cover, from the first one's period on */
};

/* --- begin and end --- */

static const struct perf_attr *attr_of(const struct live_model *m, uint32_t event)
{
        return &perfdata_get_event(m->session.reader, event)->attr;
}

static bool is_sampled(const struct perf_attr *attr)
{
        return attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY;
}

/* Events of a session in memory come as records. */
static bool read_header(struct live_model *m, struct err *err)
{
        struct perfdata_record record;
        int got;

        while ((got = perfdata_next(m->session.reader, &record, err)) > 0)
                ;
        if (got < 0)
                return false;
        m->event = UINT32_MAX;
        for (uint32_t i = 0; i < perfdata_n_events(m->session.reader); i++) {
                const struct perfdata_event *event = perfdata_get_event(m->session.reader, i);

                for (size_t k = 0; k < event->n_ids; k++)
                        *map_put(&m->events, event->ids[k], NULL) = i;
                if (m->event == UINT32_MAX && is_sampled(&event->attr))
                        m->event = i;
                m->asks_build_ids |= event->attr.flags & PERF_ATTR_BUILD_ID;
        }
        return m->event != UINT32_MAX ||
               err_set(err, ERR_UNSUPPORTED, "there is no event whose samples could be shown");
}

static struct report_session_request session_request(const struct live_request *request)
{
        return (struct report_session_request){
                .sources = request->sources, .no_demangle = request->no_demangle, .is_renewed = true};
}

struct live_model *live_model_new(const struct live_request *request, struct err *err)
{
        AUTO(live_model) m = mem_new(1, sizeof(*m));
        const struct report_session_request session = session_request(request);
        struct session_input *input = session_input_of_memory(request->header, "the measurement", err);

        m->request = *request;
        if (!input)
                return NULL;
        report_session_init(&m->session, &session, input);
        world_set_exited_limit(m->session.world, EXITED_PROCESSES);
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                live_sums_init(&m->sums[i], request->states ? MAX_WALL_ROWS : MAX_ROWS);
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                m->sums[i].has_states = request->states;
        live_containers_init(&m->containers, request->add_group);
        m->end_ns = m->read_ns = os_monotonic_ns();
        m->read_again_ns = READ_AGAIN_NS;
        if (!read_header(m, err))
                return NULL;
        if (request->states)
                m->wall = live_wall_new(m->session.reader, m->event, request->states);
        return TAKE(m);
}

static void free_waiting(struct live_model *m)
{
        struct waiting_record next;
        bool is_late;

        record_order_flush(&m->order);
        while (record_order_next(&m->order, &next, &is_late))
                free((void *)(uintptr_t)next.pos);
        record_order_release(&m->order);
}

void live_model_free(struct live_model *m)
{
        if (!m)
                return;
        free_waiting(m);
        live_wall_free(m->wall);
        stacks_free(m->stacks);
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                live_sums_release(&m->sums[i]);
        live_containers_release(&m->containers);
        map_release(&m->events);
        report_session_release(&m->session);
        buf_release(&m->python);
        free(m);
}

/* --- records --- */

static void begin_interval(struct live_model *m)
{
        m->has_begun = true;
        m->now = (struct live_sum){0};
        m->sampled_ns = m->last_ns = 0;
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                live_sums_begin_interval(&m->sums[i]);
        stacks_free(m->stacks);
        m->stacks = stacks_new(true);
        stacks_set_budget(m->stacks, &m->session.budget);
}

static void add_self(struct live_sum *sum, uint64_t weight)
{
        sum->self_count++;
        sum->self_weight += weight;
        sum->count++;
        sum->weight += weight;
}

static void add_task(struct live_model *m, enum live_kind kind, const struct sample *sample, uint64_t weight)
{
        int32_t tid = kind == LIVE_THREADS ? sample->tid : sample->pid;
        const char *name = kind == LIVE_THREADS ? world_given_name(m->session.world, sample->pid, tid)
                                                : world_thread_name(m->session.world, sample->pid, tid);
        struct live_row *row = live_sums_get(
                &m->sums[kind],
                &(struct live_row){
                        .name = name, .label = "", .module = "", .file = "", .pid = sample->pid, .tid = tid});

        add_self(&row->now, weight);
        add_self(&row->since, weight);
}

static void add_container(struct live_model *m, const struct sample *sample, uint64_t weight)
{
        const char *group = live_containers_get(&m->containers, sample->pid);
        AUTO_RELEASE(buf) name = {0};
        struct live_row *row;

        live_containers_add_name(group, &name);
        row = live_sums_get(&m->sums[LIVE_CONTAINERS],
                            &(struct live_row){.name = name.len ? buf_text(&name) : "unknown",
                                               .label = group,
                                               .module = "",
                                               .file = ""});
        add_self(&row->now, weight);
        add_self(&row->since, weight);
}

static uint64_t weight_of(const struct perf_attr *attr, const struct sample *sample)
{
        if (attr->sample_type & PERF_SAMPLE_PERIOD)
                return sample->period;
        return attr->flags & PERF_ATTR_FREQ ? 1 : attr->sample_period_or_freq;
}

/* Wall time has rows of its own, made of pieces of time. */
static void list_sample(struct live_model *m, uint32_t event, const struct sample *sample, uint64_t weight)
{
        live_wall_add(m->wall, &(struct listed_sample){.time_ns = sample->time,
                                                       .ip = sample->ip,
                                                       .weight = weight,
                                                       .event = event,
                                                       .node = stacks_last(m->stacks, m->session.world),
                                                       .cpu = sample->cpu,
                                                       .pid = sample->pid,
                                                       .tid = sample->tid});
}

static void see_time(struct live_model *m, const struct perf_attr *attr, uint64_t time_ns, uint64_t weight)
{
        uint64_t from_ns = perf_attr_is_clock(attr) && weight < time_ns ? time_ns - weight : time_ns;

        if (!time_ns)
                return;
        if (!m->last_ns || from_ns < m->sampled_ns)
                m->sampled_ns = from_ns;
        if (time_ns > m->last_ns)
                m->last_ns = time_ns;
}

static void take_sample(struct live_model *m, uint32_t event, struct cursor record)
{
        const struct perf_attr *attr = attr_of(m, event);
        struct stack_frame frame;
        struct sample sample;
        uint64_t weight;

        if (!sample_parse(attr, record, &sample))
                return;
        weight = weight_of(attr, &sample);
        if (stacks_can_add_chain(&sample)) {
                stacks_add_chain(m->stacks, m->session.world, event, &sample, weight);
        } else {
                frame = stack_frame_of_sample(&sample);
                stacks_add(m->stacks, m->session.world, event, &sample, &frame, 1, 1, weight);
        }
        if (m->wall)
                list_sample(m, event, &sample, weight);
        if (event != m->event)
                return;
        see_time(m, attr, sample.time, weight);
        add_self(&m->now, weight);
        add_self(&m->since, weight);
        if (m->wall)
                return;
        add_task(m, LIVE_THREADS, &sample, weight);
        add_task(m, LIVE_PROCESSES, &sample, weight);
        add_container(m, &sample, weight);
}

static uint32_t event_of(const struct live_model *m, struct cursor record)
{
        const uint64_t *event;

        cursor_skip(&record, sizeof(struct perf_header));
        event = map_find(&m->events, cursor_u64(&record));
        return event ? (uint32_t)*event : UINT32_MAX;
}

/* A record whose turn it is. */
static void take(struct live_model *m, const struct perf_header *header, struct cursor bytes)
{
        struct perfdata_record record;
        struct record_lost lost;

        if (header->type == PERF_RECORD_SAMPLE) {
                uint32_t event = event_of(m, bytes);

                if (event == m->event ||
                    (m->wall && event != UINT32_MAX && event == live_wall_event(m->wall)))
                        take_sample(m, event, bytes);
                return;
        }
        if (header->type == PERF_RECORD_LOST && record_lost_parse(bytes, &lost))
                m->n_lost_records += lost.lost;
        else if (header->type == PERF_RECORD_LOST_SAMPLES && record_lost_parse(bytes, &lost))
                m->n_lost_samples += lost.lost;
        if (m->wall)
                live_wall_see(m->wall, attr_of(m, 0), header, bytes);
        if (!perfdata_record_make(bytes.start, header->size, false, &record))
                return;
        record.asked_build_id = m->asks_build_ids;
        live_containers_see(&m->containers, header, bytes);
        stacks_catch_up(m->stacks, m->session.world);
        world_replay(m->session.world, &record);
}

static void take_ordered(struct live_model *m)
{
        struct waiting_record next;
        bool is_late;

        while (record_order_next(&m->order, &next, &is_late)) {
                void *bytes = (void *)(uintptr_t)next.pos;
                struct perf_header header;

                memcpy(&header, bytes, sizeof(header));
                take(m, &header, cursor_make(bytes, header.size));
                free(bytes);
        }
}

static uint64_t time_of(const struct live_model *m, const struct perf_header *header, struct cursor bytes)
{
        struct record_id id;
        struct sample sample;
        uint32_t event;

        if (header->type != PERF_RECORD_SAMPLE)
                return record_id_parse(attr_of(m, 0), bytes, &id) ? id.time : 0;
        event = event_of(m, bytes);
        return event != UINT32_MAX && sample_parse(attr_of(m, event), bytes, &sample) ? sample.time : 0;
}

static void wait_in_order(struct live_model *m, uint64_t time, struct cursor bytes, size_t size)
{
        void *copy = mem_new(size, 1);

        memcpy(copy, bytes.start, size);
        record_order_add(&m->order, time, (uintptr_t)copy);
}

void live_model_put(struct live_model *m, const void *records, size_t size_bytes)
{
        struct cursor all = cursor_make(records, size_bytes), bytes;
        struct perf_header header;

        if (!m->has_begun)
                begin_interval(m);
        while (record_next(&all, &header, &bytes)) {
                uint64_t time;

                if (header.type == PERF_RECORD_FINISHED_ROUND) {
                        record_order_end_round(&m->order);
                        take_ordered(m);
                        continue;
                }
                time = time_of(m, &header, bytes);
                if (time)
                        wait_in_order(m, time, bytes, header.size);
                else
                        take(m, &header, bytes);
        }
}

void live_model_count_lost(struct live_model *m, uint64_t n)
{
        m->n_not_put += n;
}

void live_model_add_waits(struct live_model *m, struct buf *section)
{
        if (m->wall)
                live_wall_add_waits(m->wall, section);
        else
                buf_release(section);
}

void live_model_set_python(struct live_model *m, struct buf *section)
{
        buf_release(&m->python);
        m->python = *section;
        *section = (struct buf){0};
        module_source_set_python(m->session.modules, cursor_make(m->python.data, m->python.len));
}

static void find_version(struct live_model *m)
{
        const struct world *world = m->session.world;

        for (module_id i = 0; i < world_n_modules(world) && !m->python_minor; i++)
                m->python_minor = python_version_of_path(world_text(world, world_get_module(world, i)->path));
}

/* --- intervals --- */

/* Perf maps grow while their programs run. */
static void read_maps_again(struct live_model *m, struct live_tree_facts facts)
{
        if (facts.has_new_names)
                m->read_again_ns = READ_AGAIN_NS;
        if (!facts.misses_names || m->end_ns < m->read_ns + m->read_again_ns)
                return;
        module_source_read_again(m->session.modules, MODULE_ANON);
        m->read_ns = m->end_ns;
        m->read_again_ns *= 2;
        if (m->read_again_ns > MAX_READ_AGAIN_NS)
                m->read_again_ns = MAX_READ_AGAIN_NS;
}

static void add_wall(struct live_model *m, uint64_t elapsed_ns)
{
        const struct place_modules modules = report_session_modules(&m->session);
        AUTO(named_stacks)
        named = named_stacks_new(&(struct stacks_tree_request){
                .stacks = m->stacks,
                .world = m->session.world,
                .resolver = report_session_resolver(&m->session),
                .modules = &modules,
                .budget = &m->session.budget,
        });

        live_wall_end_interval(m->wall, named, elapsed_ns,
                               &(struct live_wall_sums){m->sums, m->session.world, &m->containers});
        m->has_python = live_wall_has_python(m->wall);
        read_maps_again(m, live_tree_facts_of(named));
}

static void add_tree(struct live_model *m)
{
        const struct place_modules modules = report_session_modules(&m->session);
        struct resolver *resolver = report_session_resolver(&m->session);
        const struct stacks_python_request python = {resolver, &modules};
        const struct stacks_tree_request request = {
                .stacks = m->stacks,
                .world = m->session.world,
                .resolver = resolver,
                .modules = &modules,
                .budget = &m->session.budget,
                .arguments = true,
        };
        AUTO(stacks_tree) names = NULL;
        AUTO(calltree) tree = NULL;
        struct live_tree_facts facts;

        stacks_python_fold(m->stacks, NULL, &python, m->request.python);
        names = stacks_tree_new(&request);
        tree = stacks_tree_make(names, m->event);
        facts = live_tree_add(tree, &m->sums[LIVE_FUNCTIONS]);
        m->has_python |= facts.has_python;
        read_maps_again(m, facts);
}

/* More than is allowed, and half more than an interval needs: a program whose names alone take more than is
 * allowed is not read again for each interval. */
static bool is_too_much(uint64_t held, uint64_t allowed, uint64_t needed)
{
        return held > allowed && held > needed + needed / 2;
}

/* What names take does not grow with the number of programs that ever ran. */
static void limit_names(struct live_model *m)
{
        const struct report_session_request request = session_request(&m->request);
        const struct held_names held = {.n_modules = module_source_n_used(m->session.modules),
                                        .bytes = m->session.sources.budget->used_bytes};

        if (!m->needed.n_modules)
                m->needed = held;
        if (!is_too_much(held.n_modules, MAX_MODULES, m->needed.n_modules) &&
            !is_too_much(held.bytes, MAX_NAMES_BYTES, m->needed.bytes))
                return;
        report_session_renew(&m->session, &request);
        os_give_memory_back();
        m->needed = (struct held_names){0};
        if (m->python.len)
                module_source_set_python(m->session.modules, cursor_make(m->python.data, m->python.len));
}

void live_model_end_interval(struct live_model *m, uint64_t now_ns, uint64_t elapsed_ns, bool is_last)
{
        if (!m->has_begun)
                begin_interval(m);
        if (is_last)
                record_order_flush(&m->order);
        take_ordered(m);
        m->has_begun = false;
        m->begin_ns = m->end_ns;
        m->end_ns = now_ns;
        stacks_finish(m->stacks, m->session.world);
        if (m->wall)
                add_wall(m, elapsed_ns);
        else if (m->now.count)
                add_tree(m);
        if (m->has_python && !m->python_minor)
                find_version(m);
        stacks_free(m->stacks);
        m->stacks = NULL;
        limit_names(m);
}

/* Records come some time after they were taken, so the last interval, which has all that are left, may be
 * shorter than what its samples cover. */
static uint64_t interval_of(const struct live_model *m)
{
        uint64_t between_ns = m->end_ns - m->begin_ns, covered_ns = m->last_ns - m->sampled_ns;

        return covered_ns > between_ns ? covered_ns : between_ns;
}

struct live_table *live_model_make_table(const struct live_model *m)
{
        struct live_table *table = mem_new(1, sizeof(*table));
        const char *event = perfdata_get_event(m->session.reader, m->event)->name;
        const struct perf_attr *attr = attr_of(m, m->event);

        *table = (struct live_table){
                .now = m->now,
                .since = m->since,
                .n_lost = (m->n_lost_samples > m->n_lost_records ? m->n_lost_samples : m->n_lost_records) +
                          m->n_not_put,
                .interval_ns = interval_of(m),
                .is_time = perf_attr_is_clock(attr),
                .is_user_only = attr->flags & PERF_ATTR_EXCLUDE_KERNEL,
                .has_python = m->has_python,
                .python_minor = m->python_minor,
                .hz = attr->flags & PERF_ATTR_FREQ ? attr->sample_period_or_freq : 0,
        };
        table->event = arena_copy(&table->texts, event, strlen(event));
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                live_sums_copy(&m->sums[i], MAX_SHOWN_ROWS, &table->kinds[i], &table->texts);
        if (m->wall)
                live_wall_fill(m->wall, table);
        return table;
}

void live_model_zero(struct live_model *m)
{
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                live_sums_zero(&m->sums[i]);
        if (m->wall)
                live_wall_zero(m->wall);
        m->since = m->now = (struct live_sum){0};
        m->n_lost_records = m->n_lost_samples = m->n_not_put = 0;
}
