/* SPDX-License-Identifier: BSD-3-Clause */
/* The scripts of the shells.  They pass the line to `wperf --complete` and show its output, so the scripts
 * do not contain names of options. */
#include "options.h"

#include <string.h>

/* bash splits --name=value and sys:event into three words; the candidates must not contain the parts before
 * the last word. */
static const char bash[] =
        "_wperf() {\n"
        "    local -a words=() lines=()\n"
        "    local i word head line real=${COMP_WORDS[COMP_CWORD]}\n"
        "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
        "        word=${COMP_WORDS[i]}\n"
        "        if ((${#words[@]})) && { [[ $word == [=:] ]] || [[ ${words[-1]} == -*= || ${words[-1]} == *: ]]; }; "
        "then\n"
        "            words[-1]+=$word\n"
        "        else\n"
        "            words+=(\"$word\")\n"
        "        fi\n"
        "    done\n"
        "    [[ $real == [=:] ]] && real=\n"
        "    head=${words[-1]%\"$real\"}\n"
        "    mapfile -t lines < <(\"${COMP_WORDS[0]}\" --complete \"${words[@]}\" 2>/dev/null)\n"
        "    COMPREPLY=()\n"
        "    [ \"${lines[0]}\" = list ] && compopt -o nospace 2>/dev/null\n"
        "    for line in \"${lines[@]:1}\"; do\n"
        "        line=${line%%$'\\t'*}\n"
        "        COMPREPLY+=(\"${line#\"$head\"}\")\n"
        "    done\n"
        "}\n"
        "complete -o default -F _wperf wperf\n";

static const char zsh[] =
        "#compdef wperf\n"
        "_wperf() {\n"
        "    local -a lines names\n"
        "    local kind line\n"
        "    lines=(\"${(@f)$(${words[1]} --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
        "    kind=$lines[1]\n"
        "    if [[ $kind == files ]]; then\n"
        "        compset -P '-*='\n"
        "        _files\n"
        "        return\n"
        "    fi\n"
        "    for line in \"${(@)lines[2,-1]}\"; do\n"
        "        [[ -n $line ]] || continue\n"
        "        if [[ $line == *$'\\t'* ]]; then\n"
        "            names+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
        "        else\n"
        "            names+=(\"${line//:/\\\\:}\")\n"
        "        fi\n"
        "    done\n"
        "    if [[ $kind == list ]]; then\n"
        "        _describe -V wperf names -S ''\n"
        "    else\n"
        "        _describe -V wperf names\n"
        "    fi\n"
        "}\n"
        "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
        "    _wperf \"$@\"\n"
        "else\n"
        "    compdef _wperf wperf\n"
        "fi\n";

static const char fish[] = "function __wperf_complete\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -l current (commandline -ct)\n"
                           "    set -l lines ($words[1] --complete $words[2..-1] \"$current\" 2>/dev/null)\n"
                           "    if test \"$lines[1]\" = files\n"
                           "        __fish_complete_path \"$current\"\n"
                           "        return\n"
                           "    end\n"
                           "    if set -q lines[2]\n"
                           "        printf '%s\\n' $lines[2..-1]\n"
                           "    end\n"
                           "end\n"
                           "complete -c wperf -f -a '(__wperf_complete)'\n";

static const struct {
        const char *shell, *script;
} scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

bool options_completion(const char *shell, struct buf *out)
{
        for (size_t i = 0; i < N_ELEMENTS(scripts); i++) {
                if (strcmp(scripts[i].shell, shell))
                        continue;
                buf_add_str(out, scripts[i].script);
                return true;
        }
        return false;
}
