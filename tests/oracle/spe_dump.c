/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE bytes from standard input, a line for each record, for the comparison with perf: spe_dump MIDR
 *
 *   PC DATA_ADDRESS PHYSICAL_ADDRESS TOTAL_CYCLES DATA_SRC */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spe_record.h"
#include "spe_source.h"

static void print_records(struct spe_decoder *d, uint64_t midr)
{
        struct spe_record record;

        while (spe_decoder_next(d, &record))
                printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %u %" PRIx64 "\n", record.pc.addr,
                       record.virtual_addr.addr, record.physical_addr.addr, record.total_cycles,
                       spe_source_to_perf(&record, midr));
}

int main(int argc, char **argv)
{
        uint64_t midr = argc == 2 ? strtoull(argv[1], NULL, 16) : 0;
        struct spe_decoder d;
        uint8_t piece[4096];
        size_t n;

        if (!midr)
                return 2;
        spe_decoder_begin(&d, 0);
        while ((n = fread(piece, 1, sizeof(piece), stdin)) > 0) {
                spe_decoder_feed(&d, piece, n);
                print_records(&d, midr);
        }
        spe_decoder_end(&d);
        print_records(&d, midr);
        return 0;
}
