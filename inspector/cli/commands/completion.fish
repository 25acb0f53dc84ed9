# fish completion for mcp-inspect. To install it, write the script to a file once:
#   mcp-inspect completion fish > ~/.config/fish/completions/mcp-inspect.fish
function __mcp_inspect_complete
    set -l text (commandline -cp | string join ' ')
    set -l whole (commandline -p | string join ' ')
    set -l given MCP_INSPECT_COMPLETE=fish MCP_INSPECT_TEXT="$text" MCP_INSPECT_LINE="$whole"
    for line in (env $given mcp-inspect 2>/dev/null)
        set -l parts (string split -m 2 \t -- $line)
        switch $parts[1]
            case plain
                printf '%s\t%s\n' $parts[2] "$parts[3]"
            case file
                __fish_complete_path (commandline -ct)
            case directory
                __fish_complete_directories (commandline -ct)
            case command
                __fish_complete_command
        end
    end
end
complete --keep-order --no-files --command mcp-inspect --arguments '(__mcp_inspect_complete)'
