//go:build patient

package patient

// Factor multiplies limits.
const Factor = 8
