"""In every test, what each pass makes is checked for the form that the pass promises."""

from srcgrad.syntax.forms import verification

verification.on = True
