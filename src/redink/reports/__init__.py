"""Tables and plots in all output formats, for people and for programs."""
