wperf archive -i "$GOLDEN/../data/elf/names.so"
