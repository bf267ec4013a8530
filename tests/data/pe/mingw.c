/* A program without a C library, for GNU's linker: COFF symbols, long names of sections, DWARF. */
int a_variable_with_a_long_name = 3;

static __attribute__((noinline)) int local_function(int x)
{
        return x * a_variable_with_a_long_name;
}

__declspec(dllexport) int exported_function(int x)
{
        return local_function(x) + 1;
}

int start(void)
{
        return exported_function(4);
}
