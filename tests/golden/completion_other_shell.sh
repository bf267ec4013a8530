wperf --completion zsh
