/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of an input of fuzz_wperfdriver: the kind of an answer (a byte), its size (two bytes, the low one
 * first), and the answer. */
#ifndef WPERFDRIVER_PIECES_H
#define WPERFDRIVER_PIECES_H

enum { PIECE_HEADER_BYTES = 3 };

enum piece_kind {
        PIECE_VERSION,
        PIECE_HW_CFG,
        PIECE_EVENTS,
        PIECE_LOCK,
        PIECE_SAMPLES,
        PIECE_DROPPED,
        PIECE_COUNTS, /* of a core: the number of assigned events, and the numbers of these, before the
                         answer */
        PIECE_SPE,    /* sizes of answers (32 bits, as far as they say) and, for GET_SIZE, what it says (32
                         bits) */
        /* of wperf's own driver: the size of an answer (32 bits) and its head (struct abi_spe_data), again
         * and again */
        PIECE_OWN_SPE,
        PIECE_CLUSTERS, /* the number of clusters, and of the cores of each (16 bits), before the answer to
                           INIT */
        PIECE_CLUSTER_COUNTS, /* as PIECE_COUNTS */
        PIECE_MEMORY_COUNTS,
        PIECE_KINDS,
};

#endif
