wperf record -b -e cycles:u --dry-run --sysfs "$GOLDEN/../plans/sysfs/laptop" -- ./program | grep BRANCH
wperf record -b -e cycles:u --dry-run --sysfs "$GOLDEN/../plans/sysfs/laptop" -- ./program | grep branch_
wperf record -e cycles:u --dry-run --sysfs "$GOLDEN/../plans/sysfs/laptop" -- ./program | grep -c -i branch
