/* SPDX-License-Identifier: BSD-3-Clause */
/* What drive_fake.c tells fake_wperfdriver.c. */
#ifndef FAKE_REQUESTS_H
#define FAKE_REQUESTS_H

/* CTL_CODE(40004, function, METHOD_BUFFERED, FILE_READ_DATA | FILE_WRITE_DATA) */
#define FAKE_CODE(function) (40004u << 16 | 3u << 14 | (function) << 2)

/* FAKE_SET: a setting and its value in. FAKE_ASK: a 32-bit number out, the number of cores that count. */
enum { FAKE_FUNCTION = 0x900, FAKE_SET = 0x980, FAKE_ASK = 0x981, FAKE_N_SETTINGS = 12 };

/* The settings of FAKE_SET, a 32-bit number each. */
enum fake_setting {
        FAKE_VERSION,  /* major << 16 | minor << 8 | patch */
        FAKE_COUNTERS, /* free counters of 6 */
        FAKE_CORES,
        FAKE_REQUEST, /* n of the request whose answer is spoiled; 0xffffffff for none */
        FAKE_GROW,    /* signed: how many bytes are added to that answer */
        FAKE_OFFSET,  /* where FAKE_WORD is put; 0xffffffff for nowhere */
        FAKE_WORD,
        FAKE_RESTING, /* not 0: the timer never ticks */
        FAKE_PC_LOW,  /* the address of every sample */
        FAKE_PC_HIGH,
        FAKE_SPE_RECORDS, /* SPE records in all since SPE is begun; 0: the driver has no SPE */
        FAKE_SPE_STEP,    /* how many of them until each request for the size */
};

#endif
