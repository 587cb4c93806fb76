"""Loading: sanity checks of references, systems and judgments before numbers are printed."""
