#compdef mcp-inspect
# zsh completion for mcp-inspect. To install it, put this line into ~/.zshrc, after compinit:
#   eval "$(mcp-inspect completion zsh)"
# or write the script to a file in a directory of $fpath:
#   mcp-inspect completion zsh > "${fpath[1]}/_mcp-inspect"
_mcp_inspect() {
    local line kind value
    local -a found
    for line in "${(@f)$(MCP_INSPECT_COMPLETE=zsh MCP_INSPECT_TEXT="${(j: :)words[1,CURRENT-1]} $PREFIX" \
        MCP_INSPECT_LINE="${(j: :)words}" "${words[1]}" 2>/dev/null)}"; do
        kind="${line%%$'\t'*}" line="${line#*$'\t'}"
        value="${line%%$'\t'*}" line="${line#*$'\t'}"
        case "$kind" in
            plain) found+=("${value//:/\\:}${line:+:$line}") ;;
            file) _files ;;
            directory) _files -/ ;;
            command) _command_names -e ;;
        esac
    done
    (( ${#found} )) && _describe -V 'mcp-inspect' found
}
if [[ "${zsh_eval_context[-1]}" == loadautofunc ]]; then _mcp_inspect "$@"; else compdef _mcp_inspect mcp-inspect; fi
