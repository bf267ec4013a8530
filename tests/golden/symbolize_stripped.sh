wperf symbolize -e "$GOLDEN/../data/elf/names-stripped.so" 1121
