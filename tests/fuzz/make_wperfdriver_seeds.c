/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of fuzz_wperfdriver into a folder. */
#include <string.h>

#include "abi.h"
#include "save_seed.h"
#include "wperfdriver_messages.h"
#include "wperfdriver_pieces.h"

static void add_piece(struct buf *seed, enum piece_kind kind, const void *answer, size_t size)
{
        buf_add_u8(seed, (uint8_t)kind);
        buf_add_u16(seed, (uint16_t)size);
        buf_add(seed, answer, size);
}

static void set_text(uint16_t *units, const char *text)
{
        for (size_t i = 0; text[i]; i++)
                units[i] = (uint8_t)text[i];
}

static void save_one(const char *folder, const char *name, enum piece_kind kind, const void *answer,
                     size_t size)
{
        struct buf seed = {0};

        add_piece(&seed, kind, answer, size);
        save_seed(folder, name, &seed);
}

static void save_versions(const char *folder)
{
        struct wperfdriver_version version = {.major = 3, .minor = 8};

        set_text(version.gitver, "3.8.0-1-g0123abc");
        set_text(version.features, "+etw-app +spe");
        version.features[13] = 0xd83d; /* half of a pair */
        save_one(folder, "version", PIECE_VERSION, &version, sizeof(version));
        save_one(folder, "version-cut", PIECE_VERSION, &version, 100);
        save_one(folder, "version-of-two-bytes", PIECE_VERSION, &version, 2);
        version.minor = 9;
        save_one(folder, "version-3.9", PIECE_VERSION, &version, sizeof(version));
}

static void save_machines(const char *folder)
{
        struct wperfdriver_hw_cfg cfg = {
                .pmu_ver = 6, .fpc_num = 1, .gpc_num = 5, .total_gpc_num = 6, .core_num = 4};
        static const uint16_t events[] = {0, 0, 2, 0xa5a5, 8, 17, 1, 0, 0, 0, 2, 0, 1, 0, 5};
        static const uint16_t wrong_class[] = {9, 0, 0, 0};

        set_text(cfg.device_id_str, "core.stat=core;core.sample=core");
        save_one(folder, "machine", PIECE_HW_CFG, &cfg, sizeof(cfg));
        save_one(folder, "machine-cut", PIECE_HW_CFG, &cfg, sizeof(cfg) - 1);
        cfg.gpc_num = 7;
        save_one(folder, "more-free-counters-than-counters", PIECE_HW_CFG, &cfg, sizeof(cfg));
        cfg.core_num = 129;
        save_one(folder, "many-cores", PIECE_HW_CFG, &cfg, sizeof(cfg));
        save_one(folder, "events", PIECE_EVENTS, events, sizeof(events));
        save_one(folder, "events-cut", PIECE_EVENTS, events, sizeof(events) - 2);
        save_one(folder, "events-of-no-class", PIECE_EVENTS, wrong_class, sizeof(wrong_class));
}

static void save_locks(const char *folder)
{
        struct buf seed = {0};

        for (uint32_t status = 0; status < 6; status++)
                add_piece(&seed, PIECE_LOCK, &status, sizeof(status));
        add_piece(&seed, PIECE_LOCK, "", 1);
        save_seed(folder, "locks", &seed);
}

static void save_samples(const char *folder)
{
        struct wperfdriver_samples samples = {.n = 2, .samples = {{1, 0x140001000, 2, 0, 0}}};
        static const uint64_t dropped[] = {1000, 7};

        save_one(folder, "samples", PIECE_SAMPLES, &samples, sizeof(samples));
        samples.n = 129;
        save_one(folder, "samples-many", PIECE_SAMPLES, &samples, sizeof(samples));
        save_one(folder, "dropped", PIECE_DROPPED, dropped, sizeof(dropped));
        save_one(folder, "dropped-cut", PIECE_DROPPED, dropped, sizeof(dropped[0]));
}

static void save_counts(const char *folder, const char *name, uint16_t n_codes,
                        struct wperfdriver_counts counts)
{
        struct buf piece = {0}, seed = {0};
        size_t used = offsetof(struct wperfdriver_counts, counts) + 4 * sizeof(counts.counts[0]);

        buf_add_u16(&piece, n_codes);
        for (uint16_t i = 0; i < n_codes; i++)
                buf_add_u16(&piece, (uint16_t)(8 + i));
        buf_add(&piece, &counts, used);
        add_piece(&seed, PIECE_COUNTS, piece.data, piece.len);
        save_seed(folder, name, &seed);
        buf_release(&piece);
}

static void save_unit_counts(const char *folder, const char *name, enum piece_kind kind, const void *counts,
                             size_t size)
{
        static const uint16_t codes[] = {2, 8, 9};
        struct buf piece = {0};

        buf_add(&piece, codes, sizeof(codes));
        buf_add(&piece, counts, size);
        save_one(folder, name, kind, piece.data, piece.len);
        buf_release(&piece);
}

/* Clusters and memory controllers. */
static void save_units(const char *folder)
{
        static const uint8_t clusters[] = {4, 0, 2, 0, 1, 6}, no_counters[] = {4, 0, 2, 0, 1, 0},
                             cut[] = {4, 0, 2, 0, 1};
        struct wperfdriver_dsu_counts cluster = {
                .n = 3,
                .round = 10,
                .counts = {{WPERFDRIVER_CYCLES, 0, 0, 5000, 10}, {8, 0, 0, 100, 5}, {9, 0, 0, 300, 5}}};
        struct wperfdriver_dmc_counts memory = {
                .n_clkdiv2 = 2,
                .clkdiv2 = {{8, 0, 0, 100, 7}, {9, 0, 0, 300, 7}},
        };

        save_one(folder, "clusters", PIECE_CLUSTERS, clusters, sizeof(clusters));
        save_one(folder, "clusters-without-counters", PIECE_CLUSTERS, no_counters, sizeof(no_counters));
        save_one(folder, "clusters-cut", PIECE_CLUSTERS, cut, sizeof(cut));
        save_unit_counts(folder, "cluster-counts", PIECE_CLUSTER_COUNTS, &cluster,
                         offsetof(struct wperfdriver_dsu_counts, counts[3]));
        cluster.n = 33;
        save_unit_counts(folder, "cluster-counts-many", PIECE_CLUSTER_COUNTS, &cluster,
                         offsetof(struct wperfdriver_dsu_counts, counts[3]));
        save_unit_counts(folder, "memory-counts", PIECE_MEMORY_COUNTS, &memory, sizeof(memory));
        memory.clkdiv2[1].scheduled = 8;
        save_unit_counts(folder, "memory-counts-in-more-rounds", PIECE_MEMORY_COUNTS, &memory,
                         sizeof(memory));
        memory.n_clkdiv2 = 9;
        save_unit_counts(folder, "memory-counts-many", PIECE_MEMORY_COUNTS, &memory, sizeof(memory));
}

/* Answers to INIT, START, and pairs of GET_SIZE and GET_BUFFER. */
static void save_spe(const char *folder)
{
        static const uint32_t each[] = {0, 0, 8, 128, 128, 8, 0, 8, 40960, 40960, 0, 8, 64, 64};
        static const uint32_t skipped[] = {0, 0, 8, 61440, UINT32_MAX, 8, 20480, 20480};
        static const uint32_t full[] = {0, 0, 8, 524288, UINT32_MAX, 8, 483328, UINT32_MAX, 8, 0, 0, 8, 0};
        static const uint32_t many[] = {0, 0, 8, 524289};
        static const uint32_t differs[] = {0, 0, 8, 128, 127};

        save_one(folder, "spe", PIECE_SPE, each, sizeof(each));
        save_one(folder, "spe-skipped", PIECE_SPE, skipped, sizeof(skipped));
        save_one(folder, "spe-full", PIECE_SPE, full, sizeof(full));
        save_one(folder, "spe-of-no-buffer", PIECE_SPE, many, sizeof(many));
        save_one(folder, "spe-of-another-size", PIECE_SPE, differs, sizeof(differs));
}

static void add_own_answer(struct buf *piece, uint32_t size, struct abi_spe_data head)
{
        buf_add_u32(piece, size);
        buf_add(piece, &head, sizeof(head));
}

static void save_own_spe(const char *folder)
{
        enum { HEAD = sizeof(struct abi_spe_data), FULL = (64 << 10) - HEAD };
        struct buf each = {0}, damaged = {0};

        add_own_answer(&each, HEAD, (struct abi_spe_data){0});
        add_own_answer(&each, HEAD + 128, (struct abi_spe_data){.bytes = 128, .total = 128});
        add_own_answer(&each, HEAD + FULL,
                       (struct abi_spe_data){.bytes = FULL, .stalled = 1, .total = 1 << 20, .stalls = 1});
        add_own_answer(&each, HEAD + 64, (struct abi_spe_data){64, 0, 1 << 20, 1, 2});
        save_one(folder, "own-spe", PIECE_OWN_SPE, each.data, each.len);
        add_own_answer(&damaged, HEAD + 64, (struct abi_spe_data){64, 0, 640, 1, 2});
        add_own_answer(&damaged, HEAD + 64, (struct abi_spe_data){64, 0, 640, 0, 2});
        save_one(folder, "own-spe-back", PIECE_OWN_SPE, damaged.data, damaged.len);
        buf_clear(&damaged);
        add_own_answer(&damaged, HEAD + 64, (struct abi_spe_data){.bytes = 65, .total = 65});
        save_one(folder, "own-spe-of-another-size", PIECE_OWN_SPE, damaged.data, damaged.len);
        save_one(folder, "own-spe-cut", PIECE_OWN_SPE, each.data, 20);
        buf_release(&each);
        buf_release(&damaged);
}

int main(int argc, char **argv)
{
        const char *folder = argc > 1 ? argv[1] : ".";
        struct wperfdriver_counts counts = {
                .n = 3,
                .round = 10,
                .counts = {{8, 0, 0, 100, 5}, {WPERFDRIVER_CYCLES, 0, 0, 5000, 10}, {9, 0, 0, 300, 5}}};

        save_versions(folder);
        save_machines(folder);
        save_locks(folder);
        save_samples(folder);
        save_spe(folder);
        save_units(folder);
        save_own_spe(folder);
        save_counts(folder, "counts", 2, counts);
        save_counts(folder, "counts-missing", 3, counts);
        save_counts(folder, "counts-of-others", 1, counts);
        counts.counts[2].event = 12;
        save_counts(folder, "counts-of-another", 2, counts);
        counts.counts[0].scheduled = 11;
        save_counts(folder, "counts-in-more-rounds", 2, counts);
        counts.n = 129;
        save_counts(folder, "counts-many", 2, counts);
        return 0;
}
