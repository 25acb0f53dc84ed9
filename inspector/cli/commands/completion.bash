# bash completion for mcp-inspect. To install it, put this line into ~/.bashrc:
#   eval "$(mcp-inspect completion bash)"
# or, with the bash-completion package, write the script to a file once:
#   mcp-inspect completion bash > ~/.local/share/bash-completion/completions/mcp-inspect
_mcp_inspect() {
    local kind value rest current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS=$'\t' read -r kind value rest; do
        case "$kind" in
            plain) printf -v value '%q' "$value"; COMPREPLY+=("$value") ;;
            file) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current") ;;
            directory) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current") ;;
            command) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$current") ;;
        esac
    done < <(MCP_INSPECT_COMPLETE=bash MCP_INSPECT_TEXT="${COMP_LINE:0:COMP_POINT}" MCP_INSPECT_LINE="$COMP_LINE" \
        MCP_INSPECT_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
}
complete -o nosort -F _mcp_inspect mcp-inspect 2>/dev/null || complete -F _mcp_inspect mcp-inspect
