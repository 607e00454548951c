package strict

import "strings"

// Suggest returns "did you mean …?" if a candidate is near the word, else the fallback. Once many faults are found it
// does not look any more: a hostile file could keep it busy.
func (r *Report) Suggest(word string, candidates []string, fallback string) string {
	const enough = 50
	if len(r.faults) >= enough {
		return fallback
	}
	return Suggest(word, candidates, fallback)
}

// Suggest returns "did you mean …?" if a candidate is near the word, else the fallback.
func Suggest(word string, candidates []string, fallback string) string {
	const tooLong, tooMany = 64, 1000
	best, at := "", max(2, len(word)/3+1)
	if len(word) <= tooLong && len(candidates) <= tooMany {
		for _, c := range candidates {
			if len(c) > tooLong {
				continue
			}
			if d := distance(strings.ToLower(word), strings.ToLower(c)); d < at {
				best, at = c, d
			}
		}
	}
	if best == "" {
		return fallback
	}
	return "did you mean " + best + "?"
}

// distance is the number of letters to insert, drop, change or swap with a neighbour.
func distance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
