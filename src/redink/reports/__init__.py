"""Tables and plots in every form a person or a program reads."""
