/* SPDX-License-Identifier: BSD-3-Clause */
/* The main function of a fuzz target without libFuzzer: runs it on every file of the given folders and files, as one TAP test for
 * each file. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 100000 };

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

static bool replay(const char *path)
{
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
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        return true;
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
