/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an INF file by the setup functions of Windows: read_inf FILE SECTION KEY... prints the fields of
 * the line KEY of SECTION, with strings put in; the key #0 is the first line. The exit status is 1 if there
 * is no such file, section or line. */
#include <windows.h>

#include <setupapi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELD_CHARS = 512 };

static int show(HINF inf, const char *section, const char *key)
{
        INFCONTEXT line;
        char field[FIELD_CHARS];
        DWORD i;

        if (!(*key == '#' ? SetupGetLineByIndexA(inf, section, (DWORD)atoi(key + 1), &line)
                          : SetupFindFirstLineA(inf, section, key, &line))) {
                fprintf(stderr, "[%s] %s: Windows error 0x%lx\n", section, key, GetLastError());
                return 1;
        }
        printf("[%s] %s", section, key);
        for (i = 1; SetupGetStringFieldA(&line, i, field, FIELD_CHARS, NULL); i++)
                printf("|%s", field);
        printf("\n");
        return 0;
}

int main(int argc, char **argv)
{
        HINF inf = argc > 1 ? SetupOpenInfFileA(argv[1], NULL, INF_STYLE_WIN4, NULL) : INVALID_HANDLE_VALUE;
        int i, status = 0;

        if (inf == INVALID_HANDLE_VALUE) {
                fprintf(stderr, "Windows error 0x%lx\n", GetLastError());
                return 1;
        }
        for (i = 2; i + 1 < argc; i += 2)
                status |= show(inf, argv[i], argv[i + 1]);
        SetupCloseInfFile(inf);
        return status;
}
