printf '0x220\n\n  0x241  \r\n' | wperf symbolize -e "$GOLDEN/../data/dwarf/cxx.so"
printf '0x220\n' | wperf symbolize -e "$GOLDEN/../data/dwarf/cxx.so" --no-demangle
