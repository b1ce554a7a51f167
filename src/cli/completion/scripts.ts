import { COMPLETE, type Shell } from "./shell.ts"

// The scripts know nothing: what is offered is said by the program itself, each time, so that they fit every release of it. Its first
// line is for the script, each other is a word (in bash quoted already; else with a tab and what is shown of it). Nothing that it says
// is evaluated.

const BASH = `# bash completion for toolnexus. To have it in this shell: source <(toolnexus completion bash)
_toolnexus() {
  local out reply says
  COMPREPLY=()
  out=$(command toolnexus ${COMPLETE} bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null) || return 0
  {
    IFS= read -r says
    while IFS= read -r reply; do COMPREPLY+=("$reply"); done
  } <<<"$out"
  [[ $says == *nospace* ]] && compopt -o nospace 2>/dev/null
  [[ $says == *folders* ]] && compopt -o dirnames 2>/dev/null
  if [[ $says == *files* ]]; then
    if ((\${#COMPREPLY[@]} == 0)); then
      compopt -o default 2>/dev/null
    else
      compopt -o filenames 2>/dev/null
      while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$2")
    fi
  fi
  return 0
}
if type compopt >/dev/null 2>&1; then
  complete -F _toolnexus toolnexus
else
  complete -o default -F _toolnexus toolnexus
fi
`

const ZSH = `#compdef toolnexus
# zsh completion for toolnexus. To have it in this shell, behind compinit: source <(toolnexus completion zsh)
_toolnexus() {
  local out says line
  local -a lines values shown options
  out="$(command toolnexus ${COMPLETE} zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)" || return 1
  lines=("\${(@f)out}")
  says="$lines[1]"
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line#*$'\\t'}")
  done
  [[ $says == *equals* ]] && compset -P 1 '*='
  [[ $says == *nospace* ]] && options=(-S '')
  local -i found=1
  ((\${#values})) && compadd $options -l -d shown -a -- values && found=0
  [[ $says == *files* ]] && _files && found=0
  [[ $says == *folders* ]] && _files -/ && found=0
  return found
}
if [[ "$funcstack[1]" == _toolnexus ]]; then
  _toolnexus "$@"
elif (($+functions[compdef])); then
  compdef _toolnexus toolnexus
else
  print -u2 'toolnexus: completion needs compinit first: autoload -Uz compinit && compinit'
fi
`

const FISH = `# fish completion for toolnexus. To have it in this shell: toolnexus completion fish | source
function __toolnexus_complete
    set -l typed (commandline -ct)
    set -l before (commandline -opc)
    set -l lines (command toolnexus ${COMPLETE} fish $before[2..] "$typed" 2>/dev/null </dev/null)
    if set -q lines[2]
        printf '%s\\n' $lines[2..]
    end
    set -l option ''
    if string match -q -- '*equals*' "$lines[1]"
        set option (string replace -r -- '=.*' '=' $typed)
        set typed (string replace -r -- '^[^=]*=' '' $typed)
    end
    if string match -q -- '*files*' "$lines[1]"
        printf '%s\\n' $option(__fish_complete_path "$typed")
    else if string match -q -- '*folders*' "$lines[1]"
        printf '%s\\n' $option(__fish_complete_directories "$typed")
    end
end
complete -c toolnexus -f -a '(__toolnexus_complete)'
`

/** The script that makes a shell complete the program's command lines. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
