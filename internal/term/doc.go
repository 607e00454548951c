// Package term is what a live view needs of a terminal: whether there is one, how large it is, lines that are drawn
// over what was drawn before, and a terminal that is as it was found when the view ends. It speaks plain ANSI, knows
// nothing of what is shown, and imports nothing but the standard library and clean.
package term
