wperf symbolize -e "$GOLDEN/../data/dwarf/dwz1.so" --json 0x214 0x259  1
