# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fish completion for bperf.  All knowledge is in `bperf __complete`; this file only adapts it to fish.

function __bperf_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    set -l lines ($program __complete $words[2..-1] "$word" 2>/dev/null)
    switch "$lines[1]"
        case ':file*'
            __fish_complete_path (string replace -r '^--[a-z-]+=' '' -- "$word")
        case ':dir*'
            __fish_complete_directories (string replace -r '^--[a-z-]+=' '' -- "$word")
        case ':command*'
            set -l at (contains -i -- -- $words)
            complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) "$word")
        case '*'
            printf '%s\n' $lines
    end
end

# The links that `bperf install` makes as well.
complete -c bperf -f -a '(__bperf_complete)'
if type -q bperf
    for name in (bperf --list 2>/dev/null | sed '/^$/,$d') (bperf __tools 2>/dev/null)
        complete -c bperf-$name -f -a '(__bperf_complete)'
    end
end
