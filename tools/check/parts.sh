# Sourced by ./check: its parts.  part_NAME runs one; `-` in a part's name is `_` here.

all_codecs=(-Dzlib=enabled -Dzstd=enabled -Dlzma=enabled)
linux_codecs=("${all_codecs[@]}" -Dlibdeflate=enabled)
native=("${linux_codecs[@]}" -Dpfm=enabled)

# name: what it checks
quick_parts=(
        "sources: format, layers, names and lengths of the source, and the tools that check them"
)
# Side by side, because many of them wait or take one CPU: those that take long come first.
native_parts=(
        "live: wperf records programs on this machine, several at a time (suite system)"
        "asan: the native build with sanitizers: unit, golden, plans, fuzz seeds, oracles"
        "driver-races: the Windows driver's core on a simulated machine whose CPUs all run at once"
        "tsan: libwperf used by several threads, and keys in the browser while another thread reads"
)
full_parts=(
        "mingw: Windows on x86-64 under wine: unit, fuzz seeds, programs, both drivers"
        "arm64: Linux on arm64 under qemu-user: unit, a golden file of each command"
        "guest: an arm64 Linux with a PMU in an emulated machine"
        "arm64-windows: Windows on ARM64 under wine"
        "release: the build that users get: unit, golden, plans, packages"
        "driver-el1: the driver's core on the PMU of emulated CPUs"
        "driver-image: the driver for Windows on ARM64, as a file"
)
# Compilers alone: beside the parts of alone_parts, which leave most of a second CPU, at a lower priority.
compiling_parts=(
        "clang: compiles with clang, and clang-tidy"
)
# Last, with nothing beside them that records.
alone_parts=(
        "live-alone: wperf records programs, one after the other: samples of the whole machine, verdicts, the kernel's settings (suite system)"
)

check_format() {
        find src include tests driver -name '*.[ch]' -not -path 'tests/data/*' -not -path 'tests/replay/*' \
                -print0 2>/dev/null | xargs -0 -n 50 -P "$jobs" clang-format-14 --dry-run -Werror
}

# A merge that was not finished.
check_markers() {
        ! grep -rnE '^(<<<<<<<|>>>>>>>) ' --exclude-dir=build --exclude-dir=.git .
}

part_sources() {
        step format check_format
        step "merge markers" check_markers
        step layers tools/check_layers.py
        step "layer rules" tools/check_layers.py --self-test
        step "link rules" tools/check_linked.py --self-test
        step "name rules" tools/check_names.py --self-test
        step pages tools/check_docs.py
        step "page rules" tools/check_docs.py --self-test
        step "test runner" tools/run_tests_cases.py
        step "check's parts" tools/check/cases.py
        step "event facts" tools/gen_events_cases.py
        step "block descriptions" tools/gen_blocks_cases.py
        step "INF file" tests/driver/inf_cases.py
        step "soak's judge" tools/soak_recorder_cases.py
        step "release text" tools/publish_release_cases.py
        step lengths tools/check_lengths.py
        step headers tools/check_headers.py
        step workflows tools/check_workflows.py --self-test
}

make_asan() {
        make "build asan" compile build/asan -Db_sanitize=address,undefined -Doptimization=1 "${native[@]}"
}

# Which suites: `disasm` is in ./check long, `system` in the parts live and live-alone.
asan_suites=(--except system --except disasm)
part_asan() {
        make_asan || return
        step "linked layers" tools/check_linked.py build/asan
        step names tools/check_names.py build/asan
        suites asan build/asan "${asan_suites[@]}"
}

# What runs side by side here waits more than it computes.
part_live() {
        make_asan && suites live build/asan --suite system --parallel --jobs $((2 * jobs))
}

# What one process alone may set, test_refusals needs in the release build, too.
part_live_alone() {
        make_asan && suites live-alone build/asan --suite system --alone
        make_release && suites release build/release --suite system test_refusals
}

part_driver_races() {
        step "driver races" tests/driver/race.sh build/race 20
}

part_tsan() {
        targets="tests/system/library_uses tests/system/make_python_session tests/unit/test_budget src/program/cli/wperf" \
                make "build tsan" compile build/tsan -Db_sanitize=thread "${linux_codecs[@]}" || return
        step "library races" tests/system/library_races.sh build/tsan
        step "browser races" tests/system/browser_races.sh build/tsan
}

make_release() {
        make "build release" compile build/release --buildtype=release "${native[@]}"
}

part_release() {
        make_release || return
        suites release build/release --suite unit --suite golden --suite plans --suite package
}

part_clang() {
        CC=clang-14 CC_LD=lld make "build clang" compile build/clang "${native[@]}" && step lint check_lint
}

check_lint() {
        find src -name '*.c' -not -name '*windows*' -not -name '*.bpf.c' -print0 |
                xargs -0 -n 4 -P "$jobs" clang-tidy-14 -quiet -p build/clang
}

# An arm64 program under qemu-user.  The sanitizers' libraries are in the cross compiler's folder, libc and the codecs in Debian's
# arm64 folder, which must come first: with another libc than that of the loader, threads do not start.  The check for the use of a
# stack after its end made one test 8 times slower here; the native build has it.  qemu stores a note for each page of the
# sanitizer's shadow memory, so an address space of 128 GiB (-R) reduces the start of a program from 0.9 s to 0.25 s, which is most of
# what a test takes.  With -R the address of a SIGBUS is wrong, which test_os checks.
arm64_libraries="-L / -E LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib"
whole_arm64="qemu-aarch64 $arm64_libraries"
small_arm64="qemu-aarch64 -R 0x2000000000 $arm64_libraries"

# make_arm64 [TARGET]: without it, everything
make_arm64() {
        targets=${1-} make "build arm64${1:+ $1}" compile build/arm64 --cross-file cross/aarch64-linux-gnu.ini \
                -Db_sanitize=address,undefined -Doptimization=1 "${linux_codecs[@]}"
}

# These compute much, and little of it depends on the processor.
slow_on_arm64=(test_answers_cache test_archive test_code_history test_comparison test_dump test_etl test_jitdump test_pdb_container
        test_python_section test_report_jit test_report_workers test_stack_archive test_stacks test_symbol_archive)
part_arm64() {
        make_arm64 unit || return
        local -x ASAN_OPTIONS=detect_leaks=0
        suites arm64 build/arm64 --timeout-factor 5 --wrapper "$small_arm64" --suite unit --except=test_os \
                "${slow_on_arm64[@]/#/--except=}"
        suites arm64 build/arm64 --timeout-factor 5 --wrapper "$whole_arm64" --suite unit test_os
        GOLDEN_CASES=each-command suites arm64 build/arm64 --timeout-factor 5 --wrapper "$small_arm64" --suite golden
}

part_driver_el1() {
        step "driver at EL1" tests/driver/bare/bare.sh build/bare
}

part_driver_image() {
        step "driver for windows" tests/driver/wdm_image.py build/wdm
}

# docs/testing-on-arm.md.  A program with the address sanitizer needs 20 s to start there.
make_guest() {
        make "guest packages" tests/guest/fetch.sh build/guest || return
        make "guest module" tests/guest/build_module.sh build/guest || return
        targets=guest make "build guest" compile build/guest-wperf --cross-file cross/aarch64-linux-gnu.ini \
                -Db_sanitize=undefined -Doptimization=1 "${linux_codecs[@]}"
}

part_guest() {
        make_guest && suites guest build/guest-wperf --suite guest
}

make_mingw() {
        make "libraries mingw" cross/mingw-libs.sh build/mingw-libs || return
        make "build mingw" compile build/mingw --cross-file cross/x86_64-w64-mingw32.ini \
                --cross-file build/mingw-libs/prefix.ini "${all_codecs[@]}" \
                -Dc_args='-fsanitize=undefined -fsanitize-undefined-trap-on-error' || return
        export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=d;mshtml=d'
        stop_at_end wine
        make "wine prefix" make_wine_prefix
}

# These compute much, and nothing of it depends on the system.
slow_on_mingw=(test_code_history test_comparison test_jitdump test_python_layouts test_python_section)

# Wine's services hold a pipe for ever: its output always goes to a file.
part_mingw() {
        make_mingw && make_asan || return
        suites mingw build/mingw --timeout-factor 5 --wrapper /usr/lib/wine/wine64 --suite unit --suite fuzz \
                "${slow_on_mingw[@]/#/--except=}"
        WPERF_TEST_WRAPPER=/usr/lib/wine/wine64 WPERF_TEST_LINUX=$PWD/build/asan/src/program/cli/wperf \
                suites mingw build/mingw --timeout-factor 5 --suite windows
        # By itself, because one program at a time can use a driver.
        WPERF_TEST_WRAPPER=/usr/lib/wine/wine64 WPERF_DRIVER_SECONDS=10 \
                suites mingw build/mingw --timeout-factor 5 --wrapper /usr/lib/wine/wine64 --suite driver
}

make_windows_libraries() {
        local crt=$PWD/build/arm64-windows-crt host=aarch64-w64-mingw32
        local -x SOURCES=$crt-sources
        cross/windows_crt.sh "$crt" $host && CC=$crt/cc AR=llvm-ar-14 RANLIB=llvm-ranlib-14 cross/codec_libs.sh "$crt" $host zlib &&
                rm -rf "$SOURCES"
}

# zstd and xz, which take long to build, are tested by mingw.
make_arm64_windows() {
        make "libraries arm64-windows" make_windows_libraries || return
        targets="unit driver tests/windows/acts.exe" make "build arm64-windows" compile build/arm64-windows \
                --cross-file cross/windows-clang.ini --cross-file build/arm64-windows-crt/prefix.ini -Ddebug=false -Doptimization=1 \
                -Dzlib=enabled -Dzstd=disabled -Dlzma=disabled || return
        stop_at_end arm64_wine
        make "wine arm64" cross/arm64_wine.sh "$PWD/build/arm64-wine"
}

# suites_arm64_windows [run_tests options]
suites_arm64_windows() {
        local wine=$PWD/build/arm64-wine/wine
        WPERF_TEST_WRAPPER=$wine WPERF_TEST_MODULES=no suites arm64-windows build/arm64-windows --timeout-factor 10 --wrapper "$wine" "$@"
}

# With another compiler and C runtime than mingw, by Debian's wine for arm64 under qemu-user.  All tests are built, but a start takes
# half a second there: those run that depend on the processor, the C library or the system.
arm64_windows_tests=(test_arch test_base test_cells test_codec test_digest test_disasm test_dwarf test_elf test_etl test_keys test_options
        test_os test_pdb test_pe test_perfdata test_resolver test_session_facts test_table test_text test_unwind)
part_arm64_windows() {
        local build=build/arm64-windows wine=$PWD/build/arm64-wine/wine session=tests/replay/calls.data
        make_arm64_windows && make_asan || return
        suites_arm64_windows --suite unit "${arm64_windows_tests[@]}"
        WPERF_TEST_WRAPPER=$wine step "reading arm64-windows" tests/windows/test_reading.py $build/src/program/cli/wperf.exe \
                --as build/asan/src/program/cli/wperf $session
        WPERF_TEST_WRAPPER=$wine step "recording arm64-windows" tests/windows/test_recording_arm64.py $build/src/program/cli/wperf.exe \
                $build/tests/windows/acts.exe build/asan/src/program/cli/wperf
        suites_arm64_windows --suite driver --except=test_wdm_counts --except=test_wdm_hostile test_wdm
}

# stop_at_end wine|arm64_wine: its server runs on otherwise.  Only those that this shell has started are stopped: another part may use
# the other one at the same time.
started=()
stop_at_end() {
        started+=("stop_$1")
        trap stop_started EXIT
}

stop_started() {
        local stop
        for stop in "${started[@]}"; do
                $stop
        done
}

stop_wine() {
        WINEPREFIX=$PWD/build/wine wineserver -k
} >/dev/null 2>&1

stop_arm64_wine() {
        build/arm64-wine/wineserver -k
} >/dev/null 2>&1

make_wine_prefix() {
        [ -f build/wine/system.reg ] || { wineboot -i && wineserver -w; }
}
