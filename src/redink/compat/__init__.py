"""Drop-in replacements: commands and Python interfaces of other programs.

Each command has the options, the output and the exit codes of the original, byte for byte. A script
starts a command for every file that it scores, so each module imports only what it needs.
"""
