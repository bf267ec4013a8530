/* SPDX-License-Identifier: BSD-3-Clause */
/* A pager on a console, which cmd.exe runs, because the value may contain options; and programs for files. */
#include <windows.h>

#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>

#include "err.h"
#include "os.h"
#include "os_windows.h"

bool os_page(const char *pager, const void *bytes, size_t size)
{
        FILE *pipe = _popen(pager, "wb");

        if (!pipe)
                return false;
        fwrite(bytes, 1, size, pipe);
        /* cmd.exe returns 1 if there is no such program, and 9009 in a script. */
        return !_pclose(pipe);
}

bool os_open_viewer(const char *path, struct err *err)
{
        wchar_t *wide = os_windows_wide(path);
        INT_PTR status = wide ? (INT_PTR)ShellExecuteW(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL) : 0;

        free(wide);
        /* Values up to 32 are errors. */
        return status > 32 || err_set(err, ERR_MISSING, "Windows has no program for it");
}
