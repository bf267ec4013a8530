wperf --explain wperf --version --force-lock
