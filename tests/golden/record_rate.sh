for rate in "-r 200" "--rate=200" "-F 200"; do
        wperf record $rate -e cycles:u --dry-run --sysfs "$GOLDEN/../plans/sysfs/laptop" -- ./program | grep "^sample_freq\|freq"
done
wperf record -r 5 -- true
wperf record -r 50 -F 99 -- true
wperf sample -r
wperf record --mode wal -- true
wperf stat -d 10
