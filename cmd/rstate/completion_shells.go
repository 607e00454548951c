package main

import (
	"fmt"
	"strings"
)

// bashScript completes in bash, with or without the package bash-completion.
func bashScript(all []grammar) string {
	var b strings.Builder
	b.WriteString(`# Completes rstate in bash: source this, or put it into ~/.local/share/bash-completion/completions/rstate.
# Made by: rstate completion bash
_rstate() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} i place=0
    COMPREPLY=()
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "`)
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = g.verb.name
	}
	fmt.Fprintf(&b, `%s" -- "$cur"))
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == --ros-args ]] && return
    done
    local options= valued=
    case $verb in
`, strings.Join(names, " "))
	for _, g := range all {
		fmt.Fprintf(&b, "    %s) options=%q valued=%q ;;\n", g.verb.name,
			strings.Join(g.optionNames(false), " "), " "+strings.Join(g.optionNames(true), " ")+" ")
	}
	b.WriteString(`    *) return ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
    fi
    # How many words stand before this one that are neither options nor their values.
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        =) ;;
        -*) [[ $valued == *" ${COMP_WORDS[i]} "* ]] && { [[ ${COMP_WORDS[i + 1]} == = ]] && ((i += 2)) || ((i++)); } ;;
        *) ((place++)) ;;
        esac
    done
    [[ $valued == *" $prev "* ]] && place=$prev
    case $verb/$place in
`)
	for _, g := range all {
		for _, o := range g.options {
			if o.takes {
				fmt.Fprintf(&b, "    %s/%s) %s ;;\n", g.verb.name, o.name, inBash(o.value))
			}
		}
		for i, w := range g.places {
			place := fmt.Sprint(i)
			if g.more && i == len(g.places)-1 {
				place = "[0-9]*"
			}
			fmt.Fprintf(&b, "    %s/%s) %s ;;\n", g.verb.name, place, inBash(w))
		}
	}
	b.WriteString(`    esac
}
_rstate_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$@" -- "$cur"))
}
complete -F _rstate rstate
`)
	return b.String()
}

func inBash(w word) string {
	switch {
	case len(w.words) > 0:
		return fmt.Sprintf(`COMPREPLY=($(compgen -W %q -- "$cur"))`, strings.Join(w.words, " "))
	case w.kind == wordNetwork:
		return `_rstate_files -o plusdirs -f -X '!*.y*ml'`
	case w.kind == wordFile:
		return "_rstate_files -f"
	case w.kind == wordFolder:
		return "_rstate_files -d"
	}
	return ":"
}

// zshScript completes in zsh, as a file _rstate in a folder of $fpath.
func zshScript(all []grammar) string {
	var b strings.Builder
	b.WriteString(`#compdef rstate
# Completes rstate in zsh: put this as _rstate into a folder of $fpath, or source it after compinit.
# Made by: rstate completion zsh
_rstate() {
    local -a verbs
    verbs=(
`)
	for _, g := range all {
		fmt.Fprintf(&b, "        %s\n", single(g.verb.name+":"+strings.ReplaceAll(sentence(g.verb.summary), ":", `\:`)))
	}
	b.WriteString(`    )
    if ((CURRENT == 2)); then
        _describe -t verbs verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    ((CURRENT--))
    case $verb in
`)
	for _, g := range all {
		fmt.Fprintf(&b, "    %s)\n        _arguments", g.verb.name)
		for _, o := range g.options {
			sign := o.name
			if o.takes && strings.HasPrefix(sign, "--") {
				sign += "="
			}
			spec := "*" + sign + "[" + zshText(sentence(o.usage)) + "]"
			if o.takes {
				spec += ":value:" + inZsh(o.value)
			}
			fmt.Fprintf(&b, " \\\n            %s", single(spec))
		}
		for i, w := range g.places {
			at := fmt.Sprint(i + 1)
			if g.more && i == len(g.places)-1 {
				at = "*"
			}
			fmt.Fprintf(&b, " \\\n            %s", single(at+":word:"+inZsh(w)))
		}
		b.WriteString("\n        ;;\n")
	}
	b.WriteString(`    esac
}
if [ "$funcstack[1]" = _rstate ]; then _rstate "$@"; else compdef _rstate rstate; fi
`)
	return b.String()
}

func inZsh(w word) string {
	switch {
	case len(w.words) > 0:
		return "(" + strings.Join(w.words, " ") + ")"
	case w.kind == wordNetwork:
		return `_files -g "*.(yaml|yml)"`
	case w.kind == wordFile:
		return "_files"
	case w.kind == wordFolder:
		return "_files -/"
	}
	return " "
}

// zshText is a text within the brackets of _arguments.
func zshText(s string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}

// fishScript completes in fish.
func fishScript(all []grammar) string {
	var b strings.Builder
	b.WriteString(`# Completes rstate in fish: put this as rstate.fish into ~/.config/fish/completions.
# Made by: rstate completion fish
complete -c rstate -f
function __rstate_places
    # How many words stand before this one that are neither rstate, nor the verb, nor options and their values.
    set -l valued $argv
    set -l place 0
    set -l skip 0
    for w in (commandline -opc)[3..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $w $valued
            set skip 1
        else if not string match -q -- '-*' $w
            set place (math $place + 1)
        end
    end
    echo $place
end
`)
	for _, g := range all {
		fmt.Fprintf(&b, "complete -c rstate -n __fish_use_subcommand -a %s -d %s\n", g.verb.name, single(sentence(g.verb.summary)))
		for _, o := range g.options {
			sign := "-l " + strings.TrimPrefix(o.name, "--")
			if !strings.HasPrefix(o.name, "--") {
				sign = "-s " + strings.TrimPrefix(o.name, "-")
			}
			value := ""
			if o.takes {
				if value = inFish(o.value); value == "" {
					value = " -x"
				}
				value = " -r" + value
			}
			fmt.Fprintf(&b, "complete -c rstate -n '__fish_seen_subcommand_from %s' %s%s -d %s\n", g.verb.name, sign, value, single(sentence(o.usage)))
		}
		for i, w := range g.places {
			test := fmt.Sprintf("-eq %d", i)
			if g.more && i == len(g.places)-1 {
				test = fmt.Sprintf("-ge %d", i)
			}
			if files := inFish(w); files != "" {
				fmt.Fprintf(&b, "complete -c rstate -n '__fish_seen_subcommand_from %s; and test (__rstate_places %s) %s'%s\n",
					g.verb.name, strings.Join(g.optionNames(true), " "), test, files)
			}
		}
	}
	return b.String()
}

func inFish(w word) string {
	switch {
	case len(w.words) > 0:
		return " -xa " + single(strings.Join(w.words, " "))
	case w.kind == wordNetwork:
		return " -k -xa '(__fish_complete_suffix .yaml .yml)'"
	case w.kind == wordFile:
		return " -F"
	case w.kind == wordFolder:
		return " -xa '(__fish_complete_directories)'"
	}
	return ""
}

// single puts a text between single quotes, in which shells read nothing.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
