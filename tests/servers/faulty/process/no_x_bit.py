"""The configuration names a script that was unpacked without its x bit."""
# expects: program-not-runnable
# exit: 4
# command: {here}/no_x_bit.py
