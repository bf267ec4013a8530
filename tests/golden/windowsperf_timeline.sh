wperf --explain wperf stat -t -i 1.3 -n 7 --timeout 2.2 -c 1 -m imix --output-csv 'wperf_{class}_{core}.csv' --json -o out.json --cwd logs
