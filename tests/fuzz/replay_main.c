/* SPDX-License-Identifier: BSD-3-Clause */
/* The main function of a fuzz target without libFuzzer: runs it on every file of the given folders and
 * files, as one TAP test for each file.  Every reader has a target, so its work and memory have a bound
 * here that nobody needs to ask for. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        MAX_FILES = 100000,
        SECONDS_OF_MB = 10, /* of CPU time, for each MB that was begun */
        SLOWER = 6,         /* with sanitizers, or emulated */
        MAX_MIB = 1024,     /* of memory, and BYTES_OF_BYTE for each byte of the file */
        BYTES_OF_BYTE = 32,
        SANITIZER_MIB = 512,
};

struct files {
        char **paths;
        size_t n;
};

static void add_file(struct files *files, const char *folder, const char *name)
{
        size_t size = strlen(folder) + strlen(name) + 2;
        char **paths = realloc(files->paths, (files->n + 1) * sizeof(*paths));
        char *path = malloc(size);

        if (!paths || !path || files->n >= MAX_FILES) {
                printf("Bail out! too many files\n");
                exit(1);
        }
        snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
        files->paths = paths;
        files->paths[files->n++] = path;
}

static bool is_folder(const char *path)
{
        struct stat st;

        return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == S_IFDIR;
}

static bool add_folder(struct files *files, const char *folder)
{
        DIR *dir = opendir(folder);
        struct dirent *entry;

        if (!dir)
                return false;
        while ((entry = readdir(dir))) {
                if (entry->d_name[0] != '.')
                        add_file(files, folder, entry->d_name);
        }
        closedir(dir);
        return true;
}

static int compare_paths(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The whole file; NULL if it cannot be read. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
        FILE *file = fopen(path, "rb");
        long size = -1;
        uint8_t *data = NULL;

        if (!file)
                return NULL;
        if (fseek(file, 0, SEEK_END) == 0)
                size = ftell(file);
        rewind(file);
        if (size >= 0)
                data = malloc((size_t)size + 1);
        if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
                free(data);
                data = NULL;
        }
        fclose(file);
        *ret_size = (size_t)size;
        return data;
}

/* The most memory that the program has had so far. */
static uint64_t peak_mib(void)
{
#ifdef __linux__
        struct rusage usage;

        return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss / 1024;
#else
        return 0;
#endif
}

static bool is_bounded(size_t size, clock_t ticks)
{
        uint64_t mb = 1 + (size >> 20), mib = MAX_MIB + SANITIZER_MIB + mb * BYTES_OF_BYTE;
        double seconds = (double)ticks / CLOCKS_PER_SEC;

        if (seconds > (double)(SECONDS_OF_MB * SLOWER * mb))
                printf("# %.1f s of CPU time for %zu bytes\n", seconds, size);
        else if (peak_mib() > mib)
                printf("# %llu MiB of memory for %zu bytes\n", (unsigned long long)peak_mib(), size);
        else
                return true;
        return false;
}

static bool replay(const char *path)
{
        clock_t begin;
        bool ok;
        size_t size;
        uint8_t *data = read_file(path, &size);
        uint8_t *exact;

        if (!data)
                return false;
        /* No byte to spare behind the input. */
        exact = malloc(size ? size : 1);
        if (exact)
                memcpy(exact, data, size);
        free(data);
        if (!exact)
                return false;
        begin = clock();
        LLVMFuzzerTestOneInput(exact, size);
        ok = is_bounded(size, clock() - begin);
        free(exact);
        return ok;
}

static const char *base_name(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
        struct files files = {0};
        int n_failed = 0;

        for (int i = 1; i < argc; i++) {
                if (!is_folder(argv[i]) || !add_folder(&files, argv[i]))
                        add_file(&files, "", argv[i]);
        }
        if (files.n)
                qsort(files.paths, files.n, sizeof(*files.paths), compare_paths);
        printf("1..%zu\n", files.n);
        for (size_t i = 0; i < files.n; i++) {
                bool ok = replay(files.paths[i]);

                n_failed += !ok;
                printf("%sok %zu - %s\n", ok ? "" : "not ", i + 1, base_name(files.paths[i]));
                fflush(stdout);
                free(files.paths[i]);
        }
        free(files.paths);
        return n_failed ? 1 : 0;
}
