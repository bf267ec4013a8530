for tree in laptop hybrid zen zen5 neoverse_n1 arm_kpti vm; do
        echo "--- $tree"
        wperf record --mem --dry-run --sysfs "$GOLDEN/../plans/sysfs/$tree" -- ./program | grep "^event\|^in the group\|^note"
done
echo "--- sentences"
wperf record --mem -e cycles -- ./program
wperf record --ldlat 30 -- ./program
wperf record --mem --ldlat 0 -- ./program
