"""Drop-in replacements: commands and Python interfaces of other programs.

Each command has the options, the output and the exit codes of the original, byte for byte. Scripts
start a command for every file they score, so each module imports only the modules it needs.
"""
