/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of fuzz_driver_requests, which make_driver_seeds writes. A byte below 16 is the number of a
 * request: 16 bits of payload size, 16 bits of room for the answer and the payload follow; bit 7 selects
 * the owner. Bit 7 of the others selects the CPU. */
#ifndef DRIVER_STEPS_H
#define DRIVER_STEPS_H

enum driver_step {
        STEP_COUNT = 16, /* unit, 16 bits of event, class, number */
        STEP_CYCLE,      /* 16 bits of number */
        STEP_PASS,       /* milliseconds */
        STEP_SAMPLE,     /* 16 bits of number */
        STEP_HOLD,
        STEP_DELIVER,
        STEP_FRAME, /* 16 bits: the frame pointer's distance from the stack's start */
        STEP_CLOSE,
};

#endif
