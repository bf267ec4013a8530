# Sourced by ./check: the parts of ./check long, which take long and run by hand.

long_parts=(
        "fuzz: each fuzz target for half an hour (FUZZ_TARGETS, FUZZ_SECONDS)"
        "clang-asan: the native build with clang's sanitizers, which find more than gcc's: unit, golden, plans, fuzz seeds"
        "hostile: small files that are made to need much memory or work, at their full size (suite system's test_hostile), and 5,000 inputs of each fuzz target (FUZZ_TARGETS, FUZZ_RUNS)"
        "soak: records short-lived programs for an hour, and watches the recorder's memory and descriptors (SOAK_SECONDS)"
        "trials: the accuracy test a hundred times (TRIALS)"
        "compare: programs compared with themselves a hundred times, quiet and under load, and planted slow-downs (TRIALS)"
        "stop: kills recorders while they trace, starts programs that wait for signals, an hour of pools, thousands of processes (TRIALS, KILLS, STARTS, WAITS, STOP_MINUTES)"
        "oracle: 20,000 Python stacks of each interpreter, Debian unstable's too, beside a walk in the kernel (SAMPLES), processes of each stopped at random, 2,000 stacks of waiting threads beside gdb, 20,000 planted waits (PLANTED), and inlined functions of 55 builds"
        "driver-soak: ten minutes of random requests to the Windows driver, and 100 loads (DRIVER_SECONDS)"
        "arm64-rest: under qemu-user, all golden files, fuzz seeds, and the unit tests that compute much"
        "mingw-rest: under wine, the unit tests that compute much"
        "arm64-drivers: Windows on ARM64 under wine: both drivers"
        "firefox: the HTML pages in firefox-esr (./check opens them in Chromium)"
        "llvm: the disassembler with each LLVM that Debian 12 has"
        "builds: README's installation and the tests by Meson in fresh systems, with the compilers that people have"
        "packages: builds the packages twice, compares them, and uses them in fresh systems"
)

# The fuzz targets named by the arguments.
make_fuzz() {
        CC=clang-14 targets="${*/#/tests/fuzz/fuzz_}" make "build fuzz" compile build/fuzz -Dfuzz=true \
                -Db_sanitize=address,undefined -Db_lundef=false "${linux_codecs[@]}"
}

part_fuzz() {
        local fuzzers default="perfdata elf dwarf pdb pdb_module pe jitdump unwind_cfi answers answers_old stack_archive baseline name_groups"
        default+=" recorded_symbols tracing_data python python_binary python_moving keys screen spe spe_samples etl xpress driver_requests"
        default+=" wperfdriver resource_list proc image_section count_section"
        read -ra fuzzers <<<"${FUZZ_TARGETS:-$default}"
        make_fuzz "${fuzzers[@]}" || return
        measured fuzz tools/fuzz_long.py build/fuzz --jobs "$jobs" --seconds "${FUZZ_SECONDS:-1800}" "${fuzzers[@]}"
}

# gcc's sanitizer says nothing about an offset that is added to a null pointer.
part_clang_asan() {
        CC=clang-14 make "build clang-asan" compile build/clang-asan -Db_sanitize=address,undefined -Db_lundef=false \
                -Doptimization=1 "${native[@]}" || return
        suites clang-asan build/clang-asan --suite unit --suite golden --suite plans --suite fuzz
}

part_hostile() {
        local fuzzers=(tests/fuzz/fuzz_*.c)
        fuzzers=("${fuzzers[@]##*/fuzz_}")
        fuzzers=("${fuzzers[@]%.c}")
        [[ ${FUZZ_TARGETS:-} ]] && read -ra fuzzers <<<"$FUZZ_TARGETS"
        make_asan || return
        HOSTILE_SIZES=full measured hostile python3 tests/system/test_hostile.py build/asan/src/program/cli/wperf build/asan
        make_fuzz "${fuzzers[@]}" || return
        measured "inputs of fuzz targets" tools/fuzz_long.py build/fuzz --jobs "$jobs" --runs "${FUZZ_RUNS:-5000}" --table "${fuzzers[@]}"
}

part_soak() {
        make_release || return
        measured soak tools/soak_recorder.py build/release/src/program/cli/wperf --option=-g --seconds "${SOAK_SECONDS:-3600}" \
                --every $((${SOAK_SECONDS:-3600} / 60))
}

part_trials() {
        make_release || return
        measured trials python3 tests/system/test_accuracy.py build/release/src/program/cli/wperf build/release --runs "${TRIALS:-100}"
}

# Programs compared with themselves, quiet and under load, and planted slow-downs; some hours with 100 trials.
part_compare() {
        make_release || return
        measured compare tools/compare_trials.py build/release/src/program/cli/wperf build/release/tests/system \
                --comparisons "${TRIALS:-100}" --planted "${TRIALS:-100}"
}

# What becomes of programs whose recorder is killed and of those that wait, an hour of pools, and programs with thousands of
# processes.
part_stop() {
        make_release || return
        TRIALS=${TRIALS:-300} measured "stop kills" python3 tests/system/test_stop_engine.py build/release/src/program/cli/wperf \
                build/release recorder_is_killed
        TRIALS=${KILLS:-2000} measured "stop guardian" python3 tests/system/test_guardian.py build/release/src/program/cli/wperf \
                build/release kills
        TRIALS=${STARTS:-1000} measured "stop signals" python3 tests/system/test_stop_signals.py build/release/src/program/cli/wperf \
                build/release sigwait sigtimedwait signalfd busy_thread
        TRIALS=${ATTACHES:-1000} measured "stop attach" python3 tests/system/test_attach.py build/release/src/program/cli/wperf \
                build/release many_recorders
        TRIALS=${WAITS:-10} measured "record of waits" python3 tests/system/test_waits.py build/release/src/program/cli/wperf build/release record
        measured "stop soak" tools/soak_stop.py build/release/src/program/cli/wperf --minutes "${STOP_MINUTES:-60}"
        measured "stop wide" tools/wide_stop.py build/release/src/program/cli/wperf
}

part_oracle() {
        make_release && make "newest pythons" tools/newest_pythons.sh || return
        measured oracle python3 tests/system/test_python_oracle.py build/release/src/program/cli/wperf build/release \
                --samples "${SAMPLES:-20000}"
        SAMPLES=2000 measured "stacks of gdb" python3 tests/system/test_stack_gdb.py build/release/src/program/cli/wperf build/release many
        TRIALS=${PLANTED:-20} measured "planted waits" python3 tests/system/test_planted_waits.py build/release/src/program/cli/wperf \
                build/release
        measured inlines python3 tests/oracle/inlines_agree.py build/release/src/program/cli/wperf --all
        PYTHONS=all measured pairs python3 tests/system/test_python_frames.py build/release/src/program/cli/wperf build/release pairs
}

# Random requests to the Windows driver, and a hundred loads.
part_driver_soak() {
        make_mingw && WPERF_DRIVER_SECONDS=${DRIVER_SECONDS:-600} WPERF_DRIVER_LOADS=100 \
                suites mingw build/mingw --timeout-factor 20 --wrapper /usr/lib/wine/wine64 --suite driver test_wdm test_wdm_hostile
}

part_firefox() {
        make_release && measured firefox python3 tests/system/test_page_firefox.py build/release/src/program/cli/wperf build/release
}

# ./check has one golden case of each command.
part_arm64_rest() {
        make_arm64 || return
        local -x ASAN_OPTIONS=detect_leaks=0
        suites arm64 build/arm64 --timeout-factor 5 --wrapper "$small_arm64" --suite unit "${slow_on_arm64[@]}"
        suites arm64 build/arm64 --timeout-factor 5 --wrapper "$small_arm64" --suite fuzz
        suites arm64 build/arm64 --timeout-factor 5 --wrapper "$small_arm64" --suite golden
}

part_mingw_rest() {
        make_mingw && suites mingw build/mingw --timeout-factor 5 --wrapper /usr/lib/wine/wine64 --suite unit "${slow_on_mingw[@]}"
}

# ./check has them on x86-64, and here that the driver loads.  Not wperf-devgen: wide printf of this wine takes the first argument for
# the address of the others, and faults.
part_arm64_drivers() {
        make_arm64_windows && suites_arm64_windows --suite driver test_driver test_own_driver test_wdm test_wdm_counts test_wdm_hostile
}

# ./check has the newest.
part_llvm() {
        make_asan && suites asan build/asan --suite disasm
}

part_builds() {
        make_release && measured builds python3 tests/package/test_builds.py build/release/src/program/cli/wperf build/release
}

# The packages, built twice, and used in fresh systems; that of arm64 records in the emulated machine.
part_packages() {
        local test arm64=build/package/aarch64-linux-gnu/tree/usr/local/bin/wperf
        make_release && make "build packages" tools/package_release.sh || return
        measured "windows packages" python3 tests/package/test_windows_zips.py build/release/src/program/cli/wperf build/release
        measured "packages in fresh systems" python3 tests/package/test_roots.py build/release/src/program/cli/wperf build/release
        make_guest && for test in test_sampling test_stacks test_stops; do
                measured "arm64 package $test" python3 "tests/guest/$test.py" "$arm64" build/guest-wperf/tests/guest build/guest
        done
        measured "packages built again" python3 tests/package/test_same_bytes.py build/release/src/program/cli/wperf build/release
}
