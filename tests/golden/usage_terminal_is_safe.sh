wperf record "$(printf -- "--a\033[2Jb")"
