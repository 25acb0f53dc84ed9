#!/usr/bin/env bash
# textual-image 0.12.0 asks each terminal without sixel for kitty's graphics when it is imported. tmux 3.3a to 3.5a takes
# the string for the title of the pane, where it stays after the program has ended.
set -euo pipefail
command -v tmux >/dev/null || { echo 'needs tmux (Debian package tmux)'; exit 2; }
dir=$(mktemp -d)
trap 'tmux -L "finding-$$" kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q textual-image==0.12.0 textual==8.2.8
tmux -L "finding-$$" -f /dev/null new-session -d -x 80 -y 24 \
    'venv/bin/python -c "import textual_image.renderable"; touch done; sleep 60'
for _ in $(seq 600); do
    [ -e done ] && break
    sleep 0.1
done
title=$(tmux -L "finding-$$" display-message -p '#{pane_title}')
echo "textual-image 0.12.0, $(tmux -V)"
echo 'expected: the title of the pane is as before, the name of the machine'
echo "seen: $title"
case $title in
*s=1,v=1*) ;;
*) exit 1 ;;
esac
