/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is compiled but never run: memory_model.py invents accesses of its functions to its data.
 * It is linked without a C library, so that gcc for another machine needs nothing else. */
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 64

/* Written by one thread each. */
struct counters {
        _Alignas(LINE_BYTES) volatile uint64_t first;
        volatile uint64_t second;
};

struct counters_64 {
        _Alignas(LINE_BYTES) volatile uint64_t first;
        _Alignas(64) volatile uint64_t second;
};

struct counters_128 {
        _Alignas(2 * LINE_BYTES) volatile uint64_t first;
        _Alignas(128) volatile uint64_t second;
};

struct queue {
        _Alignas(LINE_BYTES) volatile uint64_t head;
        volatile uint64_t n_items;
        _Alignas(LINE_BYTES) volatile uint64_t items[64];
};

struct counters near_counters = {1, 1};
struct counters_64 counters_64_apart = {1, 1};
struct counters_128 counters_128_apart = {1, 1};
_Alignas(LINE_BYTES) const volatile uint32_t shared_table[1024] = {1, 2, 3};
_Alignas(LINE_BYTES) volatile uint64_t streamed_array[8192];
struct queue job_queue;

__attribute__((noinline)) void count_first_near(unsigned n)
{
        while (n--)
                near_counters.first++;
}

__attribute__((noinline)) void count_second_near(unsigned n)
{
        while (n--)
                near_counters.second++;
}

__attribute__((noinline)) void count_first_64(unsigned n)
{
        while (n--)
                counters_64_apart.first++;
}

__attribute__((noinline)) void count_second_64(unsigned n)
{
        while (n--)
                counters_64_apart.second++;
}

__attribute__((noinline)) void count_first_128(unsigned n)
{
        while (n--)
                counters_128_apart.first++;
}

__attribute__((noinline)) void count_second_128(unsigned n)
{
        while (n--)
                counters_128_apart.second++;
}

__attribute__((noinline)) uint32_t look_up(unsigned n)
{
        uint32_t sum = 0;

        while (n--)
                sum += shared_table[n % 1024];
        return sum;
}

__attribute__((noinline)) void stream_array(unsigned n)
{
        for (size_t i = 0; i + 1 < n; i++)
                streamed_array[i] = streamed_array[i + 1];
}

__attribute__((noinline)) void push_job(uint64_t item)
{
        job_queue.items[(job_queue.head + job_queue.n_items) % 64] = item;
        job_queue.n_items++;
}

__attribute__((noinline)) uint64_t pop_job(void)
{
        const uint64_t item = job_queue.items[job_queue.head % 64];

        job_queue.head++;
        job_queue.n_items--;
        return item;
}

void _start(void)
{
        count_first_near(9);
        count_second_near(9);
        count_first_64(9);
        count_second_64(9);
        count_first_128(9);
        count_second_128(9);
        stream_array(look_up(9));
        push_job(9);
        stream_array((unsigned)pop_job());
        for (;;)
                ;
}
