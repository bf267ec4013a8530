wperf annotate x_mul
