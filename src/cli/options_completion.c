/* SPDX-License-Identifier: BSD-3-Clause */
/* The completion for bash, out of the tables: commands, options, and the names that wperf itself knows. */
#include "options.h"

static const char functions[] =
        "# The names of one kind, for the last item of a list.\n"
        "_wperf_names() {\n"
        "    local last=${word##*[,\\{]}\n"
        "    local head=${word%\"$last\"}\n"
        "    COMPREPLY=($(compgen -P \"$head\" -W \"$(\"${COMP_WORDS[0]}\" --names \"$1\" \"${model[@]}\" "
        "2>/dev/null)\" -- \"$last\"))\n"
        "    [ \"$1\" = models ] || compopt -o nospace 2>/dev/null\n"
        "}\n";

static const char head[] =
        "_wperf() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local options= files= names= i\n"
        "    local -a model=()\n"
        "    COMPREPLY=()\n"
        "    # bash cuts --name=value into three words.\n"
        "    if [ \"$word\" = = ]; then\n"
        "        word=\n"
        "    elif [ \"$before\" = = ]; then\n"
        "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    fi\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        [ \"${COMP_WORDS[i]}\" = -- ] && return\n"
        "        if [ \"${COMP_WORDS[i]}\" = --cpu-model ] && ((i + 1 < COMP_CWORD)); then\n"
        "            [ \"${COMP_WORDS[i+1]}\" = = ] && ((i++))\n"
        "            model=(--cpu-model \"${COMP_WORDS[i+1]}\")\n"
        "        fi\n"
        "    done\n";

static const char tail[] = "    esac\n"
                           "    case \" $files \" in *\" $before \"*) return ;; esac\n"
                           "    for i in $names; do\n"
                           "        if [ \"$before\" = \"${i%%=*}\" ]; then\n"
                           "            _wperf_names \"${i#*=}\"\n"
                           "            return\n"
                           "        fi\n"
                           "    done\n"
                           "    if [[ $word == -* ]]; then\n"
                           "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                           "    elif [ \"$words\" = commands ]; then\n"
                           "        COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
                           "    elif [ \"$words\" ]; then\n"
                           "        _wperf_names \"$words\"\n"
                           "    fi\n"
                           "}\n"
                           "complete -o default -F _wperf wperf\n";

/* " --name -n" of each option that `wanted` wants, with =NAMES behind each spelling that is completed by names. */
static void add_options(const struct command *command, bool (*wanted)(const struct option *option),
                        bool names, struct buf *out)
{
        struct option_walk walk = {.command = command};
        const struct option *option;

        while ((option = option_next(&walk))) {
                const char *equals = names ? "=" : "", *kind = names ? option->names : "";

                if (option->hidden || !wanted(option))
                        continue;
                buf_printf(out, " --%s%s%s", option->name, equals, kind);
                if (option->letter)
                        buf_printf(out, " -%c%s%s", option->letter, equals, kind);
        }
}

static bool is_any(const struct option *option)
{
        return true;
}

static bool is_file(const struct option *option)
{
        return option->kind == OPTION_FILE;
}

static bool has_names(const struct option *option)
{
        return option->names;
}

static void add_command(const struct command *command, struct buf *out)
{
        buf_printf(out, "    %s)\n        options=\"", command->name);
        add_options(command, is_any, false, out);
        buf_add_str(out, "\"\n        files=\"");
        add_options(command, is_file, false, out);
        buf_add_str(out, "\"\n        names=\"");
        add_options(command, has_names, true, out);
        buf_printf(out, "\"\n        words=%s ;;\n", command->args_names ? command->args_names : "");
}

void options_completion_bash(struct buf *out)
{
        buf_add_str(out, functions);
        buf_add_str(out, head);
        buf_add_str(out, "    local words= commands=\"");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        buf_printf(out, "%s ", commands[i]->name);
        }
        buf_add_str(out, "--help --version\"\n"
                         "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                         "        COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
                         "        return\n"
                         "    fi\n"
                         "    case ${COMP_WORDS[1]} in\n");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        add_command(commands[i], out);
        }
        buf_add_str(out, tail);
}
