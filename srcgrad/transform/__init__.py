"""From a prepared function and its facts to the functions of a derivative."""
