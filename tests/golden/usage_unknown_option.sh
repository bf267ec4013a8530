wperf record --timout 5 -- ls
