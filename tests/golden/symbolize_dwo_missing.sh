cp "$GOLDEN/../data/dwarf/split5.so" alone.so
wperf symbolize -e alone.so 0x233
