wperf symbolize -e "$GOLDEN/../data/elf/names-link.so" 1101 1121
