"""Facts about the function that is differentiated: kinds, aliases, activity."""
