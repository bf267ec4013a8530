/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a sample: as one number it has the name that the whole record has. */
#include "spe_raw.h"

#include "spe_text.h"
#include "tap.h"

static const char *name_of_record(struct buf *out, const struct spe_raw *raw)
{
        const struct spe_record record = {
                .has = SPE_HAS_OPERATION | SPE_HAS_EVENTS,
                .op.class_id = raw->class_id,
                .op_payload = raw->op_payload,
                .events = raw->events,
        };

        spe_text_add_sampled(out, &record);
        return buf_text(out);
}

static const char *name_of_source(struct buf *out, const struct spe_raw *raw)
{
        spe_raw_add_source(out, spe_raw_pack_source(raw));
        return buf_text(out);
}

static void expect_same_name(const struct spe_raw *raw)
{
        AUTO_RELEASE(buf) record = {0};
        AUTO_RELEASE(buf) source = {0};

        EXPECT_STR(name_of_source(&source, raw), name_of_record(&record, raw));
}

TEST(every_class_and_payload_keeps_its_name)
{
        for (unsigned class_id = SPE_CLASS_OTHER; class_id <= SPE_CLASS_RESERVED; class_id++) {
                for (unsigned payload = 0; payload < 256; payload++)
                        expect_same_name(&(struct spe_raw){.events = SPE_EVENT_BIT(SPE_EVENT_RETIRED),
                                                           .class_id = (uint8_t)class_id,
                                                           .op_payload = (uint8_t)payload});
        }
}

TEST(every_event_keeps_its_name)
{
        expect_same_name(&(struct spe_raw){.class_id = SPE_CLASS_LOAD_STORE});
        for (int event = 0; event < 28; event++)
                expect_same_name(
                        &(struct spe_raw){.events = SPE_EVENT_BIT(event) | SPE_EVENT_BIT(SPE_EVENT_RETIRED),
                                          .class_id = SPE_CLASS_LOAD_STORE,
                                          .op_payload = 5});
}

TEST(events_without_a_meaning_make_no_source)
{
        const struct spe_raw plain = {.events = 6, .class_id = SPE_CLASS_BRANCH, .op_payload = 1};
        struct spe_raw more = plain;

        more.events |= SPE_EVENT_BIT(28) | SPE_EVENT_BIT(63);
        EXPECT_INT(spe_raw_pack_source(&more), spe_raw_pack_source(&plain));
        EXPECT_INT(spe_raw_pack_source(&(struct spe_raw){0}) != 0, 1);
}

TAP_MAIN
