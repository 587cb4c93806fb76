"""Human judgments as data: crowds, samples, rankings."""
