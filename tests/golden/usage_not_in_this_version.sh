wperf record -m imix
