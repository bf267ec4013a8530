/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves on a machine with Windows on Arm what was never seen there: docs/not-proven-on-hardware.md. Run as
 * administrator, it prints a line for each point, and at last leaves the machine as it was.
 *
 * wperf-prove [FOLDER]    FOLDER has wperf.exe, wperf-devgen.exe and wperfdriver-2.sys (default: that of
 *                         this program)
 * Exit status: 0; 1 if a point failed; 2 for wrong usage. */
#include <windows.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "prove_run.h"

enum {
        LIMIT_MS = 120000,
        CORE = 1,
        TURNS = 100000000, /* of prove_work: a tenth of a second or more */
        TURN_INSTRUCTIONS = 4,
        WIDE_TURNS = 5, /* times as many in the second run */
        TOLERANCE_PERCENT = 2,
        IN_WORK_PERCENT = 90,
};

enum verdict { PASS, FAIL, SKIP };

static struct run ran, background;
static char folder[MAX_PATH], detail[400];
static bool was_installed, trace_runs;

static enum verdict say(enum verdict verdict, const char *format, ...)
        __attribute__((format(__MINGW_PRINTF_FORMAT, 2, 3)));

static enum verdict say(enum verdict verdict, const char *format, ...)
{
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(detail, sizeof(detail), format, arguments);
        va_end(arguments);
        return verdict;
}

static enum verdict say_output(enum verdict verdict)
{
        return say(verdict, "exit status %u, %s", ran.status, run_last_line(&ran));
}

/* --- work whose instructions are known --- */

/* Exported, so that it has a name without debug information. Each turn executes TURN_INSTRUCTIONS
 * instructions. */
__declspec(dllexport) void prove_work(uint64_t turns);

__attribute__((noinline)) void prove_work(uint64_t turns)
{
#ifdef __aarch64__
        __asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
        __asm__ volatile("1: nop\n\tnop\n\tdec %0\n\tjne 1b" : "+r"(turns) : : "cc");
#endif
}

/* --- the counter of programs --- */

#ifdef __aarch64__
static DWORD cycles_error;

static LONG CALLBACK skip_instruction(EXCEPTION_POINTERS *exception)
{
        cycles_error = exception->ExceptionRecord->ExceptionCode;
        exception->ContextRecord->Pc += 4;
        return EXCEPTION_CONTINUE_EXECUTION;
}

static bool read_cycles(uint64_t *ret)
{
        void *handler = AddVectoredExceptionHandler(1, skip_instruction);
        uint64_t value = 0;

        cycles_error = 0;
        __asm__ volatile("mrs %0, pmccntr_el0" : "+r"(value));
        RemoveVectoredExceptionHandler(handler);
        *ret = value;
        return !cycles_error;
}
#else
static bool read_cycles(uint64_t *ret)
{
        (void)ret;
        return false;
}
#endif

/* Cycles of prove_work on the core, by PMCCNTR_EL0; 0 if programs may not read it. */
static uint64_t cycles_of_work(void)
{
        DWORD_PTR before = SetThreadAffinityMask(GetCurrentThread(), (DWORD_PTR)1 << CORE);
        uint64_t first = 0, last = 0;
        bool can_read = read_cycles(&first);

        prove_work(TURNS);
        can_read = can_read && read_cycles(&last);
        SetThreadAffinityMask(GetCurrentThread(), before);
        return can_read ? last - first : 0;
}

static uint64_t cycles_before;

static enum verdict counter_of_programs_before(void)
{
        cycles_before = cycles_of_work();
        if (!cycles_before)
                return say(SKIP, "programs can't read PMCCNTR_EL0 here");
        return say(PASS, "%llu cycles for %d turns", (unsigned long long)cycles_before, TURNS);
}

static enum verdict counter_of_programs_after(void)
{
        uint64_t now = cycles_of_work();

        if (!cycles_before)
                return say(SKIP, "programs can't read PMCCNTR_EL0 here");
        return say(now > cycles_before / 2 && now < cycles_before * 2 ? PASS : FAIL,
                   "%llu cycles, before %llu", (unsigned long long)now, (unsigned long long)cycles_before);
}

/* --- the driver --- */

static bool wperf(const char *arguments)
{
        return run_command(&ran, LIMIT_MS, "\"%s\\wperf.exe\" %s", folder, arguments);
}

static bool devgen(const char *arguments)
{
        return run_command(&ran, LIMIT_MS, "\"%s\\wperf-devgen.exe\" %s", folder, arguments);
}

static enum verdict loads(void)
{
        devgen("status");
        was_installed = !run_has(&ran, "is not installed");
        if (was_installed)
                return say(ran.status ? FAIL : PASS, "installed before; it stays as it is: %s",
                           run_last_line(&ran));
        run_command(&ran, LIMIT_MS, "\"%s\\wperf-devgen.exe\" install \"%s\\wperfdriver-2.sys\"", folder,
                    folder);
        return say_output(ran.status ? FAIL : PASS);
}

static enum verdict tells_its_source(void)
{
        const char *driver;

        wperf("--version");
        driver = strstr(ran.text, "wperf-driver");
        if (ran.status || !driver)
                return say(FAIL, "wperf --version shows no driver");
        return say(PASS, "%.*s", (int)strcspn(driver, "\r\n"), driver);
}

static enum verdict others_may_not_open_it(void)
{
        HANDLE token = NULL, restricted = NULL, device = INVALID_HANDLE_VALUE;
        SID_IDENTIFIER_AUTHORITY authority = SECURITY_NT_AUTHORITY;
        SID_AND_ATTRIBUTES administrators = {0};
        DWORD error = 0;

        if (OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &token) &&
            AllocateAndInitializeSid(&authority, 2, SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS, 0,
                                     0, 0, 0, 0, 0, &administrators.Sid) &&
            CreateRestrictedToken(token, DISABLE_MAX_PRIVILEGE, 1, &administrators, 0, NULL, 0, NULL,
                                  &restricted) &&
            ImpersonateLoggedOnUser(restricted)) {
                device = CreateFileA(ABI_PATH, GENERIC_READ | GENERIC_WRITE,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
                error = GetLastError();
                RevertToSelf();
        } else {
                return say(SKIP, "a token without administrators can't be made: Windows error %lu",
                           GetLastError());
        }
        if (device != INVALID_HANDLE_VALUE)
                return CloseHandle(device), say(FAIL, "a program without administrator's rights opened it");
        return say(error == ERROR_ACCESS_DENIED ? PASS : FAIL, "Windows error %lu", error);
}

static enum verdict finds_units(void)
{
        wperf("detect");
        return say(ran.status ? FAIL : PASS, "please compare with the machine: %s", run_last_line(&ran));
}

/* --- counting --- */

/* The count of an event in the row of JSON's core. */
static bool count_work(const char *event, unsigned turns, double *ret)
{
        char arguments[600], before[100];
        const char *row;

        snprintf(arguments, sizeof(arguments), "stat --json -e %s -c %d -- \"%s\" --work %u", event, CORE,
                 _pgmptr, turns);
        snprintf(before, sizeof(before), "\"event_name\":\"%s\"", event);
        if (!wperf(arguments))
                return false;
        row = strstr(ran.text, before);
        while (row && row > ran.text && *row != '{')
                row--;
        row = row ? strstr(row, "\"counter_value\":") : NULL;
        *ret = row ? strtod(row + strlen("\"counter_value\":"), NULL) : 0;
        return row;
}

static enum verdict counts_instructions(void)
{
        double few, many, wanted = (double)TURN_INSTRUCTIONS * TURNS * (WIDE_TURNS - 1);

        if (!count_work("inst_retired", 1, &few) || !count_work("inst_retired", WIDE_TURNS, &many))
                return say_output(FAIL);
        many -= few;
        return say(many > wanted * (1 - TOLERANCE_PERCENT / 100.0) &&
                                   many < wanted * (1 + TOLERANCE_PERCENT / 100.0)
                           ? PASS
                           : FAIL,
                   "%.0f instructions, and %.0f are known", many, wanted);
}

static enum verdict counts_on_all_cores(void)
{
        wperf("stat -m imix --timeout 5");
        return say_output(ran.status ? FAIL : PASS);
}

/* --- sampling --- */

/* `options` choose what is sampled. */
static bool record_work(const char *options)
{
        return run_command(&ran, LIMIT_MS,
                           "\"%s\\wperf.exe\" record %s --session wperf-prove.data -- \"%s\" --work %d",
                           folder, options, _pgmptr, 10 * WIDE_TURNS);
}

static enum verdict say_samples(void)
{
        double n;

        if (ran.status || !run_number(&ran, "quality: ", &n))
                return say_output(FAIL);
        return say_output(n > 0 ? PASS : FAIL);
}

static enum verdict say_share(const char *options)
{
        const char *row;
        double share = 0;

        if (!record_work(options))
                return say_output(FAIL);
        wperf("report --stdio -i wperf-prove.data");
        row = strstr(ran.text, "prove_work");
        while (row && row > ran.text && row[-1] != '\n')
                row--;
        share = row ? strtod(row, NULL) : 0;
        return say(share >= IN_WORK_PERCENT ? PASS : FAIL, "%.2f %% of the samples are in prove_work", share);
}

static enum verdict timer_samples(void)
{
        return say_share("-F 499");
}

static enum verdict samples_the_right_function(void)
{
        return say_share("-e cpu_cycles:1000000 -c 1");
}

static enum verdict samples_at_a_high_rate(void)
{
        record_work("-e cpu_cycles:50000 -c 1");
        return say_samples();
}

static enum verdict samples_spe(void)
{
        record_work("-e arm_spe_0/ld=1/ -c 1");
        return run_has(&ran, "not supported by your hardware") ? say_output(SKIP) : say_samples();
}

/* --- beside others --- */

static const char trace_profile[] =
        "<?xml version=\"1.0\"?><WindowsPerformanceRecorder Version=\"1.0\" Author=\"wperf\"><Profiles>"
        "<SystemCollector Id=\"C\" Name=\"NT Kernel Logger\"><BufferSize Value=\"1024\"/><Buffers Value=\"64\"/>"
        "</SystemCollector><SystemProvider Id=\"P\"><Keywords><Keyword Value=\"PmcProfile\"/></Keywords>"
        "</SystemProvider><HardwareCounter Id=\"H\"><SampledCounters>"
        "<SampledCounter Value=\"InstructionRetired\" Interval=\"1000000\"/></SampledCounters></HardwareCounter>"
        "<Profile Id=\"Pmu.Verbose.File\" Name=\"Pmu\" DetailLevel=\"Verbose\" LoggingMode=\"File\" "
        "Description=\"PMU samples\"><Collectors><SystemCollectorId Value=\"C\"><SystemProviderId Value=\"P\"/>"
        "<HardwareCounterId Value=\"H\"/></SystemCollectorId></Collectors></Profile></Profiles>"
        "</WindowsPerformanceRecorder>";

static bool write_profile(const char *path)
{
        FILE *file = fopen(path, "wb");
        bool ok = file && fwrite(trace_profile, sizeof(trace_profile) - 1, 1, file) == 1;

        return file && !fclose(file) && ok;
}

static enum verdict refuses_beside_a_trace(void)
{
        bool was_refused, counted;

        if (!write_profile("wperf-prove.wprp") ||
            !run_command(&ran, LIMIT_MS, "wpr.exe -start wperf-prove.wprp -filemode"))
                return say(SKIP, "wpr starts no trace with PMU events: %s", run_last_line(&ran));
        trace_runs = true;
        was_refused = !record_work("-e cpu_cycles:1000000 -c 1") &&
                      run_has(&ran, "another program samples with the PMU");
        wperf("stat -e inst_retired -c 1 --timeout 1");
        counted = !ran.status || run_has(&ran, "free counters");
        run_command(&ran, LIMIT_MS, "wpr.exe -stop wperf-prove.etl");
        trace_runs = ran.status;
        return say(was_refused && counted && !trace_runs ? PASS : FAIL,
                   "sampling %s, counting %s, the trace %s; please look for PMC samples up to its end in "
                   "wperf-prove.etl",
                   was_refused ? "was refused" : "was not refused", counted ? "worked" : "failed",
                   trace_runs ? "can't be stopped" : "is whole");
}

static enum verdict stays_while_it_measures(void)
{
        bool refused;

        if (was_installed)
                return say(SKIP, "the driver was installed before");
        run_begin(&background, "\"%s\\wperf.exe\" stat -e inst_retired -c %d --timeout 5", folder, CORE);
        Sleep(2000);
        devgen("uninstall");
        refused = ran.status;
        run_end(&background, LIMIT_MS);
        return say(refused && !background.status ? PASS : FAIL,
                   "uninstall while stat runs: %s; stat: exit status %u", run_last_line(&ran),
                   background.status);
}

static enum verdict verifier_watches(void)
{
        run_command(&ran, LIMIT_MS, "verifier.exe /querysettings");
        if (run_has(&ran, "wperfdriver-2.sys"))
                return say(PASS, "Driver Verifier was on during all of this, and stopped nothing");
        return say(SKIP, "to have it: verifier /standard /driver wperfdriver-2.sys, restart, run this again; "
                         "verifier /reset ends it");
}

/* --- the machine as it was --- */

static enum verdict restores(void)
{
        static const char *const files[] = {"wperf-prove.data", "wperf-prove.data.old", "wperf-prove.wprp"};

        if (trace_runs)
                run_command(&ran, LIMIT_MS, "wpr.exe -cancel");
        for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
                DeleteFileA(files[i]);
        if (was_installed)
                return say(PASS, "the driver was installed before, and still is");
        devgen("uninstall");
        if (ran.status)
                return say_output(FAIL);
        devgen("status");
        return say_output(run_has(&ran, "is not installed") ? PASS : FAIL);
}

static const struct {
        const char *what;
        enum verdict (*prove)(void);
} points[] = {
        {"PMCCNTR_EL0 of programs runs", counter_of_programs_before},
        {"Windows loads the driver", loads},
        {"the driver tells its version and source", tells_its_source},
        {"other users can't open it", others_may_not_open_it},
        {"clusters and memory controllers are found", finds_units},
        {"counts of instructions are right", counts_instructions},
        {"all cores count", counts_on_all_cores},
        {"the timer's samples are in the right function", timer_samples},
        {"samples are in the right function", samples_the_right_function},
        {"sampling at a high rate", samples_at_a_high_rate},
        {"SPE samples", samples_spe},
        {"PMCCNTR_EL0 of programs runs as before", counter_of_programs_after},
        {"sampling is refused beside a PMU trace", refuses_beside_a_trace},
        {"the driver stays while it measures", stays_while_it_measures},
        {"Driver Verifier", verifier_watches},
        {"everything is as before", restores},
};

static int prove_all(void)
{
        static const char *const words[] = {"pass", "FAIL", "skip"};
        unsigned n[3] = {0};

        for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
                enum verdict verdict;

                detail[0] = '\0';
                verdict = points[i].prove();
                n[verdict]++;
                printf("%s: %s: %s\n", words[verdict], points[i].what, detail);
                fflush(stdout);
        }
        printf("%u passed, %u failed, %u skipped\n", n[PASS], n[FAIL], n[SKIP]);
        return n[FAIL] != 0;
}

int main(int argc, char **argv)
{
        char *end;

        if (argc == 3 && !strcmp(argv[1], "--work")) {
                for (long i = atol(argv[2]); i > 0; i--)
                        prove_work(TURNS);
                return 0;
        }
        if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
                fputs("Usage: wperf-prove [FOLDER]\n", stderr);
                return 2;
        }
        snprintf(folder, sizeof(folder), "%s", argc == 2 ? argv[1] : _pgmptr);
        end = strrchr(folder, '\\');
        if (argc == 1 && end)
                *end = '\0';
        return prove_all();
}
