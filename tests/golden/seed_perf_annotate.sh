wperf --explain perf annotate -M intel _PyEval_EvalFrameDefault
