/* SPDX-License-Identifier: BSD-3-Clause */
#include "event_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "event_grammar.h"
#include "pmu.h"

struct memory_choice {
        const struct pmu_source *source;
        uint64_t latency;
        struct buf text;  /* of the events, as after -e */
        struct buf roles; /* a character for each event: see enum memory_role */
        struct buf *note;
};

enum memory_role {
        ROLE_LEADER = 'g',   /* counts; the next event works only in a group with it */
        ROLE_MEMBER = 'm',   /* samples in that group */
        ROLE_SAMPLED = 's',  /* samples */
        ROLE_ALL_MODES = 'a' /* samples, in all modes: it can't leave the kernel out */
};

static void add_event(struct memory_choice *c, enum memory_role role, const char *pmu, const char *terms)
{
        buf_printf(&c->text, "%s%s/%s/", c->text.len ? "," : "", pmu, terms);
        buf_add_char(&c->roles, (char)role);
}

static void add_note(struct memory_choice *c, const char *text)
{
        buf_printf(c->note, "%s%s", c->note->len ? "; " : "", text);
}

static bool has_event(const struct memory_choice *c, const struct pmu *pmu, const char *name)
{
        AUTO_RELEASE(buf) spelling = {0};

        return pmu_find_event(c->source, pmu, name, strlen(name), &spelling);
}

static bool has_field(const struct memory_choice *c, const struct pmu *pmu, const char *name)
{
        struct pmu_field field;

        return pmu_find_field(c->source, pmu, name, strlen(name), &field, NULL) == 1;
}

/* Since Sapphire Rapids and Alder Lake, mem-loads samples only in a group whose leader is mem-loads-aux. */
static bool add_loads(struct memory_choice *c, const struct pmu *pmu)
{
        uint64_t latency = c->latency ? c->latency : EVENT_MEMORY_LATENCY;
        bool is_member = has_event(c, pmu, "mem-loads-aux");
        char terms[64];

        if (!has_event(c, pmu, "mem-loads"))
                return false;
        if (is_member)
                add_event(c, ROLE_LEADER, pmu->name, "mem-loads-aux");
        snprintf(terms, sizeof(terms), "mem-loads,ldlat=%" PRIu64, latency);
        add_event(c, is_member ? ROLE_MEMBER : ROLE_SAMPLED, pmu->name, terms);
        return true;
}

static void choose_cores(struct memory_choice *c, const struct pmu_table *pmus)
{
        bool has_loads = false, has_stores = false;
        char note[96];

        for (size_t i = 0; i < pmus->n_cores; i++) {
                const struct pmu *pmu = pmus->cores[i];

                has_loads |= add_loads(c, pmu);
                if (!has_event(c, pmu, "mem-stores"))
                        continue;
                add_event(c, ROLE_SAMPLED, pmu->name, "mem-stores");
                has_stores = true;
        }
        snprintf(note, sizeof(note), "loads of fewer than %" PRIu64 " cycles are left out (--ldlat)",
                 c->latency ? c->latency : EVENT_MEMORY_LATENCY);
        if (has_loads)
                add_note(c, note);
        if (has_loads != has_stores)
                add_note(c, has_loads ? "stores are left out: this CPU has no event for them"
                                      : "loads are left out: this CPU has no event for them");
}

static bool choose_ibs(struct memory_choice *c, const struct pmu *ibs, struct err *err)
{
        bool can_leave_out = has_field(c, ibs, "swfilt");
        AUTO_RELEASE(buf) terms = {0};

        if (c->latency && !has_field(c, ibs, "ldlat"))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "--ldlat: the IBS of this CPU and kernel does not filter by latency; leave it out");
        if (can_leave_out)
                buf_add_str(&terms, "swfilt=1");
        if (c->latency)
                buf_printf(&terms, "%sldlat=%" PRIu64, terms.len ? "," : "", c->latency);
        add_event(c, can_leave_out ? ROLE_SAMPLED : ROLE_ALL_MODES, ibs->name, buf_text(&terms));
        if (!can_leave_out)
                add_note(c, "the kernel is sampled too, because its IBS driver can't leave it out");
        return true;
}

static void choose_spe(struct memory_choice *c)
{
        AUTO_RELEASE(buf) terms = {0};

        buf_add_str(&terms, "ld=1,st=1,ts=1");
        if (c->latency)
                buf_printf(&terms, ",min=%" PRIu64, c->latency);
        add_event(c, ROLE_SAMPLED, "arm_spe", buf_text(&terms));
}

static bool has_spe(const struct pmu_table *pmus)
{
        for (size_t i = 0; i < pmus->n_items; i++) {
                const char *name = pmus->items[i].name;

                if (event_name_is_spe((struct span){name, strlen(name)}))
                        return true;
        }
        return false;
}

static bool none(const struct pmu_table *pmus, struct err *err)
{
        if (!pmus->known)
                return err_set(
                        err, ERR_MISSING,
                        "can't look for the events of memory accesses, because /sys is not mounted here; mount -t "
                        "sysfs sysfs /sys");
        if (event_spe_is_arm(pmus->source))
                return err_set(err, ERR_MISSING,
                               "memory accesses are sampled by Arm SPE, which is not there: %s",
                               event_spe_why_missing(pmus->source));
        return err_set(
                err, ERR_MISSING,
                "this machine can't sample memory accesses: it has neither mem-loads (Intel) nor ibs_op (AMD), as most "
                "virtual machines; use a physical machine");
}

static bool choose(struct memory_choice *c, struct pmu_table *pmus, struct err *err)
{
        const struct pmu *ibs = pmu_find(pmus, "ibs_op", strlen("ibs_op"));

        if (has_spe(pmus))
                choose_spe(c);
        else if (ibs)
                return choose_ibs(c, ibs, err);
        else
                choose_cores(c, pmus);
        return c->text.len || none(pmus, err);
}

/* SPE has a name for all of its units, which may become several events. */
static void set_roles(const struct memory_choice *c, struct event_list *list)
{
        for (size_t i = 0; i < list->n_items; i++) {
                struct event *event = &list->items[i];
                char role = i < c->roles.len ? c->roles.data[i] : ROLE_SAMPLED;

                event->is_memory = !event->is_spe;
                event->is_member = role == ROLE_MEMBER;
                if (role == ROLE_ALL_MODES)
                        event->attr.flags &= ~(uint64_t)(PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
                if (role == ROLE_LEADER) {
                        event->attr.sample_period_or_freq = 0;
                        event->attr.flags &= ~(uint64_t)PERF_ATTR_FREQ;
                        event->precise_max = false;
                }
        }
}

bool event_memory_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                           uint64_t latency, struct event_list *ret, struct buf *note, struct err *err)
{
        struct memory_choice c = {.source = source, .latency = latency, .note = note};
        struct event_list list = {0};
        struct pmu_table pmus;
        bool ok;

        pmu_table_load(&pmus, source);
        ok = choose(&c, &pmus, err) && event_parse_sampling(buf_text(&c.text), defaults, source, &list, err);
        if (ok) {
                set_roles(&c, &list);
                *ret = list;
        }
        pmu_table_release(&pmus);
        buf_release(&c.text);
        buf_release(&c.roles);
        return ok;
}
