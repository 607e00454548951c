
# What the above needs from the package bash-completion, where that is not installed.
if ! declare -F _init_completion >/dev/null && ! declare -F _get_comp_words_by_ref >/dev/null; then
    __rstate_init_completion() {
        local i word last=
        COMPREPLY=() words=() cword=-1
        for ((i = 0; i <= COMP_CWORD; i++)); do # bash splits a word at each = and :
            word=${COMP_WORDS[i]}
            if [[ $i -gt 0 && (${word:0:1} == [=:] || ${last: -1} == [=:]) ]]; then
                last+=$word
            else
                ((++cword))
                last=$word
            fi
            words[cword]=$last
        done
        cur=${words[cword]} prev=
        ((cword > 0)) && prev=${words[cword - 1]}
        return 0
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir() {
        local IFS=$'\n'
        compopt -o filenames 2>/dev/null
        case $1 in
        -d) COMPREPLY=($(compgen -d -- "$cur")) ;;
        yaml*) COMPREPLY=($(compgen -o plusdirs -f -X '!*.y*ml' -- "$cur")) ;;
        *) COMPREPLY=($(compgen -f -- "$cur")) ;;
        esac
    }
fi
