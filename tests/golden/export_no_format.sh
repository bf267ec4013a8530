wperf export -o profile.txt
